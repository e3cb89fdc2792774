#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "haltere/formula/text.h"
#include "haltere/io/model/reader.h"
#include "haltere/simulate/channels.h"
#include "haltere/simulate/glob.h"

/// What a report shall show first: titles, and the panes below each.
namespace haltere {
namespace {

class PresetReader {
 public:
  explicit PresetReader(Reader* reader)
      : reader_(reader), is_strict_(reader->model->case_name.empty() && reader->model->set.empty()) {
    for (Channel& channel : make_channels(*reader->model)) names_.push_back(std::move(channel.name));
  }

  void read(const YamlNode& node) {
    const Thing thing{"report", node.key};
    if (node.is_null()) return;  // removed by a case
    if (!node.is_sequence())
      return reader_->refuse(node, thing, fmt::format("expected a list of panes, not {}", describe(node)),
                             "write it as [[joint.NAME.angle], [energy.*]]");
    PresetSpec preset{node.key, node.key_source(), {}};
    for (const YamlNode& child : node.children) {
      PresetSpec::Pane pane = read_pane(child, thing);
      if (!pane.channels.empty()) preset.panes.push_back(std::move(pane));
    }
    if (!preset.panes.empty()) reader_->model->presets.push_back(std::move(preset));
  }

 private:
  PresetSpec::Pane read_pane(const YamlNode& node, const Thing& thing) {
    PresetSpec::Pane pane;
    if (!node.is_map()) {
      read_globs(node, thing, &pane.channels);
      return pane;
    }
    reader_->check_keys(node, thing, "a pane", {"title", "channels", "x"});
    if (const YamlNode* title = node.find("title"))
      pane.title = reader_->read_word(*title, thing, "title").value_or("");
    if (const YamlNode* channels = node.find("channels"))
      read_globs(*channels, thing, &pane.channels);
    else
      reader_->refuse(node, thing, "channels are missing");
    if (const YamlNode* x = node.find("x"))
      if (const auto name = reader_->read_word(*x, thing, "x")) {
        if (std::find(names_.begin(), names_.end(), *name) == names_.end()) {
          refuse_channel(*x, thing, fmt::format("x: there is no channel {}", quote(*name)), *name);
          pane.channels.clear();
        }
        pane.x = *name;
      }
    return pane;
  }

  /// A glob, or a list of them.
  void read_globs(const YamlNode& node, const Thing& thing, std::vector<std::string>* out) {
    if (node.is_sequence()) {
      if (node.children.empty()) reader_->refuse(node, thing, "a pane without channels");
      for (const YamlNode& child : node.children) read_glob(child, thing, out);
    } else {
      read_glob(node, thing, out);
    }
  }
  void read_glob(const YamlNode& node, const Thing& thing, std::vector<std::string>* out) {
    const std::optional<std::string> glob = reader_->read_word(node, thing, "channel");
    if (!glob) return;
    const bool is_known = std::any_of(names_.begin(), names_.end(),
                                      [&](const std::string& name) { return matches_glob(*glob, name); });
    if (is_known) return out->push_back(*glob);
    refuse_channel(node, thing, fmt::format("no channel matches {}", quote(*glob)), *glob);
  }

  /// A case, or --set, may take away what others show: then it is left out. The model as it stands must have it.
  void refuse_channel(const YamlNode& node, const Thing& thing, std::string message,
                      const std::string& glob) {
    if (!is_strict_) return;
    std::string hint = reader_->problems->full() ? "" : hint_for_glob(glob, names_);
    if (hint.empty()) hint = "`haltere list channels MODEL` names them all";
    reader_->refuse(node, thing, std::move(message), std::move(hint));
  }

  Reader* reader_;
  bool is_strict_;
  std::vector<std::string> names_;  // of all channels
};

}  // namespace

void Reader::read_report(const YamlNode& section) {
  if (section.children.empty()) return;
  PresetReader reader(this);
  for (const YamlNode& node : section.children) reader.read(node);
}

}  // namespace haltere
