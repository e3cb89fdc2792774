#include "haltere/io/model/document.h"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "haltere/formula/text.h"
#include "haltere/io/model/text_checks.h"

namespace haltere {
namespace {

/// What ends the reading of a file at once.
struct Abort {
  int line = 0;
  int column = 0;
  std::string message;
  std::string hint;
};

/// Builds the tree from the parser's events.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(std::string_view text, const std::string* file, ProblemList* problems)
      : text_(text), file_(file), problems_(problems) {
    for (std::size_t i = 0; i < text.size(); ++i)
      if (i == 0 || text[i - 1] == '\n') line_starts_.push_back(i);
  }

  YamlNode take() { return std::move(root_); }
  int documents() const { return documents_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1)
      throw Abort{mark.line + 1, mark.column + 1, "something stands behind the end of the document",
                  "one file holds one document"};
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    complete(make(mark, YamlNode::Kind::kNull), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end())
      throw Abort{mark.line + 1, mark.column + 1, "an alias stands inside the block that it refers to", ""};
    count(mark, found->second.amount);
    complete(found->second.node, 0);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_tag(mark, tag);
    YamlNode node = make(mark, YamlNode::Kind::kScalar, value.size());
    node.quoted = tag == "!";
    node.text = value;
    if (node.quoted) require_end_of_quote(node);
    node.text_column = find_text_column(node);
    complete(std::move(node), anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, YamlNode::Kind::kSequence);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, YamlNode::Kind::kMap);
  }
  void OnMapEnd() override {
    merge(&stack_.back().node);
    remove_duplicates(&stack_.back().node);
    close();
  }

 private:
  struct Amount {
    std::size_t nodes = 0;
    std::size_t text = 0;  // bytes
  };
  struct Open {
    YamlNode node;
    YAML::anchor_t anchor = 0;
    bool has_key = false;  // a map whose last key waits for its value
    std::string key;
    Mark key_mark;
    Amount before;  // when it was opened
  };
  struct Anchored {
    YamlNode node;
    Amount amount;
  };

  YamlNode make(const YAML::Mark& mark, YamlNode::Kind kind, std::size_t text = 0) {
    count(mark, {1, text});
    YamlNode node;
    node.kind = kind;
    node.mark = {file_, mark.line + 1, mark.column + 1};
    return node;
  }

  void count(const YAML::Mark& mark, const Amount& amount) {
    count_.nodes += amount.nodes;
    count_.text += amount.text;
    const bool many = count_.nodes > kMostNodes;
    if (many || count_.text > kMostText)
      throw Abort{mark.line + 1, mark.column + 1,
                  fmt::format("the file has more than {}, aliases counted as often as they are used",
                              many ? fmt::format("{} values", kMostNodes)
                                   : fmt::format("{} MiB of text", kMostText >> 20U)),
                  "use `repeat` for many equal parts"};
  }

  static void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    throw Abort{mark.line + 1, mark.column + 1, fmt::format("the tag {} has no meaning here", quote(tag)),
                "leave it out"};
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YamlNode::Kind kind) {
    refuse_tag(mark, tag);
    if (stack_.size() >= kDeepestNesting)
      throw Abort{mark.line + 1, mark.column + 1,
                  fmt::format("blocks are nested more than {} deep", kDeepestNesting), ""};
    Open block;
    block.before = count_;
    block.node = make(mark, kind);
    block.anchor = anchor;
    stack_.push_back(std::move(block));
  }

  void close() {
    Open block = std::move(stack_.back());
    stack_.pop_back();
    closed_ = {count_.nodes - block.before.nodes, count_.text - block.before.text};
    complete(std::move(block.node), block.anchor);
  }

  /// A value (or key) is finished: it goes into the block around it.
  void complete(YamlNode node, YAML::anchor_t anchor) {
    if (anchor != 0) {
      const Amount amount = node.children.empty() ? Amount{1, node.text.size()} : closed_;
      count_.nodes += amount.nodes;  // the copy that is kept takes memory as well
      count_.text += amount.text;
      anchors_[anchor] = {node, amount};
    }
    if (stack_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& block = stack_.back();
    if (block.node.is_map() && !block.has_key) {
      take_key(node, &block);
      return;
    }
    if (block.node.is_map()) {
      node.key = std::move(block.key);
      node.key_mark = block.key_mark;
      block.has_key = false;
    }
    block.node.children.push_back(std::move(node));
  }

  static void take_key(const YamlNode& node, Open* block) {
    if (!node.is_scalar())
      throw Abort{node.mark.line, node.mark.column,
                  fmt::format("a key must be a word, not {}", describe(node)),
                  "put names that contain { } inside [ ] or { } into quotes"};
    block->key = node.text;
    block->key_mark = node.mark;
    block->has_key = true;
  }

  /// `<<: *base` or `<<: [*a, *b]`: keys of the named maps that the map does not have itself.
  static void merge(YamlNode* map) {
    std::vector<YamlNode> own, bases;
    for (YamlNode& child : map->children) {
      if (child.key != "<<")
        own.push_back(std::move(child));
      else if (child.is_sequence())
        std::move(child.children.begin(), child.children.end(), std::back_inserter(bases));
      else
        bases.push_back(std::move(child));
    }
    map->children = std::move(own);
    if (bases.empty()) return;
    std::unordered_set<std::string> keys;
    for (const YamlNode& child : map->children) keys.insert(child.key);
    for (YamlNode& base : bases) {
      if (!base.is_map())
        throw Abort{base.mark.line, base.mark.column, fmt::format("`<<` needs a map, not {}", describe(base)),
                    ""};
      for (YamlNode& child : base.children)
        if (keys.insert(child.key).second) map->children.push_back(std::move(child));
    }
  }

  /// The first of two entries of one key stays, and the second is reported, once.
  void remove_duplicates(YamlNode* map) {
    std::unordered_map<std::string, int> lines;
    std::erase_if(map->children, [&](const YamlNode& child) {
      const auto [first, is_new] = lines.emplace(child.key, child.key_mark.line);
      if (!is_new)
        problems_->add(child.key_source(), "",
                       fmt::format("the key {} stands here and in line {}", quote(child.key), first->second),
                       "remove one of them");
      return !is_new;
    });
  }

  /// Where the text of a scalar starts, if the file has it there letter by letter.
  int find_text_column(const YamlNode& node) const {
    const int shift = node.quoted ? 1 : 0;  // the quote
    const std::size_t start = offset_of(node.mark) + shift;
    if (start > text_.size() || text_.substr(start, node.text.size()) != node.text) return 0;
    return node.mark.column + shift;
  }

  /// The parser takes the end of the file for the end of a quote.
  void require_end_of_quote(const YamlNode& node) const {
    std::size_t i = offset_of(node.mark);
    const char mark = i < text_.size() ? text_[i] : '\0';
    if (mark != '"' && mark != '\'') return;  // a block of text, or a quote behind an anchor
    for (++i; i < text_.size(); ++i) {
      const bool escaped = mark == '"' && text_[i] == '\\';
      const bool doubled = mark == '\'' && text_.substr(i, 2) == "''";
      if (escaped || doubled)
        ++i;
      else if (text_[i] == mark)
        return;
    }
    throw Abort{node.mark.line, node.mark.column, "this quote is not closed", ""};
  }

  std::size_t offset_of(const Mark& mark) const {
    const std::size_t line = static_cast<std::size_t>(mark.line) - 1;
    return line < line_starts_.size() ? line_starts_[line] + mark.column - 1 : text_.size();
  }

  std::string_view text_;
  const std::string* file_;
  ProblemList* problems_;
  std::vector<std::size_t> line_starts_;
  std::vector<Open> stack_;
  std::unordered_map<YAML::anchor_t, Anchored> anchors_;
  YamlNode root_;
  int documents_ = 0;
  Amount count_;   // so far
  Amount closed_;  // of the block that was closed last
};

std::string find_line(std::string_view text, int line) {
  for (int i = 1; i < line && !text.empty(); ++i) {
    const std::size_t end = text.find('\n');
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return std::string(text.substr(0, text.find('\n')));
}

/// The parser's complaint in our words, with what usually is behind it.
Abort explain(const YAML::Exception& error, std::string_view text) {
  const int line = error.mark.is_null() ? 0 : error.mark.line + 1;
  Abort abort{line, line == 0 ? 0 : error.mark.column + 1, "this is not YAML: " + error.msg, ""};
  const std::string place = find_line(text, line);
  const std::size_t brace = place.find('{');
  if (brace != std::string::npos && place.find('{', brace + 1) != std::string::npos)
    abort.hint = "put names that contain { } inside [ ] or { } into quotes";
  else if (error.msg.find("EOF") != std::string::npos)
    abort.hint = "a quote or bracket is not closed";
  else if (error.msg == "illegal map value")
    abort.hint = "check the indentation, and put text that contains ': ' into quotes";
  else if (error.msg.find("end of map") != std::string::npos ||
           error.msg.find("end of seq") != std::string::npos)
    abort.hint = "check indentation and brackets in and above this line";
  return abort;
}

}  // namespace

bool Sources::add(const std::string& name, std::string_view file, ProblemList* problems) {
  if (text.size() + file.size() > kLargestModel && !std::exchange(is_full, true))
    problems->add({name, 0, 0}, "",
                  fmt::format("with this file the model is larger than {} MiB", kLargestModel >> 20U),
                  "use `repeat` for many equal parts");
  if (is_full) return false;
  if (!text.empty()) text += fmt::format("\n# ---- {}\n", name);
  text += file;
  names.push_back(name);
  return true;
}

const YamlNode* YamlNode::find(std::string_view name) const {
  for (const YamlNode& child : children)
    if (child.key == name) return child.is_null() ? nullptr : &child;
  return nullptr;
}

std::optional<YamlNode> YamlNode::take(std::string_view name) {
  const auto found = std::find_if(children.begin(), children.end(),
                                  [&](const YamlNode& child) { return child.key == name; });
  if (found == children.end()) return std::nullopt;
  YamlNode node = std::move(*found);
  children.erase(found);
  return node;
}

YamlNode* YamlNode::find_any(std::string_view name) {
  for (YamlNode& child : children)
    if (child.key == name) return &child;
  return nullptr;
}

SourceMark YamlNode::mark_at(int offset) const {
  SourceMark place = mark.source();
  if (text_column > 0) place.column = text_column + offset;
  return place;
}

std::string describe(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return "nothing";
    case YamlNode::Kind::kScalar:
      return quote(node.text);
    case YamlNode::Kind::kMap:
      return "a map";
    case YamlNode::Kind::kSequence:
      return "a list";
  }
  return "";
}

bool is_cut_at_comma(std::string_view unquoted) {
  int depth = 0;
  for (const char c : unquoted) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (depth < 0) return true;
  }
  return depth > 0;
}

bool is_cut_at_comma(const YamlNode& node) {
  if (node.is_scalar()) return !node.quoted && is_cut_at_comma(node.text);
  return std::any_of(node.children.begin(), node.children.end(),
                     [](const YamlNode& child) { return is_cut_at_comma(child); });
}

std::optional<YamlNode> parse_document(std::string_view text, const std::string* file,
                                       ProblemList* problems) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // byte order mark
  if (!check_text(text, *file, problems)) return std::nullopt;
  TreeBuilder builder(text, file, problems);
  try {
    std::string cleared(text);
    clear_idle_tabs(&cleared);
    std::istringstream stream(cleared);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
    if (builder.documents() > 0) return builder.take();
    problems->add({*file, 1, 1}, "", "the file is empty", "start it with `haltere: 1`");
  } catch (const Abort& abort) {
    problems->add({*file, abort.line, abort.column}, "", abort.message, abort.hint);
  } catch (const YAML::Exception& error) {
    const Abort abort = explain(error, text);
    problems->add({*file, abort.line, abort.column}, "", abort.message, abort.hint);
  }
  return std::nullopt;
}

}  // namespace haltere
