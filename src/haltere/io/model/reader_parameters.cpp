#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "haltere/formula/text.h"
#include "haltere/io/model/reader.h"

/// `parameters`: in any order; a formula has its parameters read first, so that slots are in the order of
/// dependence.
namespace haltere {
namespace {

constexpr int kLongestChain =
    200;  // of parameters that each need the next: they are read by recursion; a choice

class ParameterReader {
 public:
  ParameterReader(const YamlNode& section, Reader* reader) : reader_(reader) {
    for (const YamlNode& node : section.children)
      if (!node.is_null()) items_.push_back({&node});  // a case may remove one
    for (std::size_t i = 0; i < items_.size(); ++i) places_.emplace(items_[i].node->key, i);
  }

  void read_all() {
    for (Item& item : items_) read(&item);
  }

  std::optional<Variable> find(std::string_view name) {
    const auto found = places_.find(std::string(name));
    if (found == places_.end()) return std::nullopt;
    Item& item = items_[found->second];
    if (item.state == Item::State::kReading) {
      report_cycle(item);
      return Variable{Variable::Source::kConstant, 0, {Measure::Kind::kAny, {}}, 1};
    }
    read(&item);
    return Variable{Variable::Source::kParameter, item.slot,
                    reader_->formulas.parameters()[item.slot].measure, 0};
  }

 private:
  struct Item {
    enum class State { kNew, kReading, kDone };
    const YamlNode* node = nullptr;
    State state = State::kNew;
    int slot = 0;
  };

  void read(Item* item) {
    if (item->state != Item::State::kNew) return;
    item->state = Item::State::kReading;
    path_.push_back(item);
    const YamlNode& node = *item->node;
    const Thing thing{"parameter", node.key};
    check_name(node, thing);
    ParameterSpec parameter;
    parameter.name = node.key;
    parameter.mark = node.key_source();
    // one that cannot be read counts as 1, of any dimension, so that its users do not complain as well
    parameter.value = 1;
    parameter.measure.kind = Measure::Kind::kAny;
    if (path_.size() > kLongestChain) {
      reader_->refuse(node, thing,
                      fmt::format("more than {} parameters depend on each other in a row", kLongestChain));
    } else if (const auto formula = reader_->formulas.read({node, thing, "value"})) {
      parameter.value = reader_->formulas.calc(*formula);
      if (formula->measure().kind == Measure::Kind::kExact) parameter.measure = formula->measure();
      if (!formula->is_constant()) parameter.formula = *formula;
    }
    path_.pop_back();
    item->slot = reader_->formulas.add_parameter(std::move(parameter));
    item->state = Item::State::kDone;
  }

  void check_name(const YamlNode& node, const Thing& thing) {
    if (!is_name(node.key))
      reader_->problems->add(node.key_source(), thing.text(),
                             "a name has letters, digits and _, and starts with a letter");
    else if (is_reserved_name(node.key))
      reader_->problems->add(node.key_source(), thing.text(), "the name has a meaning in formulas already",
                             "choose another name");
  }

  void report_cycle(const Item& start) {
    std::string names;
    for (auto item = std::find(path_.begin(), path_.end(), &start); item != path_.end(); ++item)
      names += fmt::format("'{}' needs ", (*item)->node->key);
    reader_->refuse(*path_.back()->node, {"parameter", path_.back()->node->key},
                    fmt::format("parameters need each other: {}'{}'", names, start.node->key));
  }

  Reader* reader_;
  std::vector<Item> items_;
  std::unordered_map<std::string, std::size_t> places_;
  std::vector<const Item*> path_;
};

}  // namespace

void Reader::read_parameters(const YamlNode& section) {
  ParameterReader reader(section, this);
  formulas.find_parameter = [&](std::string_view name) { return reader.find(name); };
  reader.read_all();
  // from now on all of them have a slot
  NameTable slots;
  for (std::size_t i = 0; i < formulas.parameters().size(); ++i)
    slots.emplace(formulas.parameters()[i].name, static_cast<int>(i));
  formulas.find_parameter = [this, slots](std::string_view name) -> std::optional<Variable> {
    const auto found = slots.find(std::string(name));
    if (found == slots.end()) return std::nullopt;
    return Variable{Variable::Source::kParameter, found->second, formulas.parameters()[found->second].measure,
                    0};
  };
}

}  // namespace haltere
