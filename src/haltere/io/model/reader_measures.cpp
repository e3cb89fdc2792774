#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "haltere/formula/text.h"
#include "haltere/io/model/reader.h"
#include "haltere/simulate/channel_formula.h"

/// Measures and trim: what is said about channels, and can only be read when all of the machine is known.
namespace haltere {
namespace {

constexpr std::array<std::pair<std::string_view, MeasureSpec::Kind>, 4> kKinds{
    {{"mean", MeasureSpec::Kind::kMean},
     {"peak", MeasureSpec::Kind::kPeak},
     {"amplitude", MeasureSpec::Kind::kAmplitude},
     {"phase", MeasureSpec::Kind::kPhase}}};

/// The index of a repeated block and the names of its mirror image.
CopyNames names_of(const Copy* copy) {
  CopyNames names;
  if (copy == nullptr) return names;
  names.find = [copy](std::string_view name) -> std::optional<Variable> {
    for (const Index& index : copy->indices)
      if (index.name == name) {
        Variable variable;
        variable.source = Variable::Source::kConstant;
        variable.number = index.value;
        return variable;
      }
    return std::nullopt;
  };
  names.image = [copy](std::string_view name) { return copy->mirror(name); };
  return names;
}

class MeasureReader {
 public:
  MeasureReader(const ChannelFormulas& formulas, Reader* reader) : formulas_(formulas), reader_(reader) {}

  std::optional<MeasureSpec> read(const YamlNode& node) {
    const Thing thing{"measure", node.key};
    if (!node.is_map()) {
      reader_->refuse(node, thing, fmt::format("expected a map, not {}", describe(node)),
                      "write it as {kind: mean, of: joint.NAME.torque, period: 0.1 s}");
      return std::nullopt;
    }
    reader_->check_keys(node, thing, "a measure", {"kind", "of", "period"});
    for (const std::string_view key : {"kind", "of", "period"})
      if (!node.find(key)) reader_->refuse(node, thing, fmt::format("{} is missing", key));
    MeasureSpec measure;
    measure.name = node.key;
    measure.mark = node.key_source();
    if (const YamlNode* kind = node.find("kind")) read_kind(*kind, thing, &measure);
    if (const YamlNode* of = node.find("of")) read_formula(*of, thing, "of", &measure);
    if (const YamlNode* period = node.find("period")) read_period(*period, thing, &measure.period);
    return measure;
  }

  void read_formula(const YamlNode& node, const Thing& thing, std::string_view what, MeasureSpec* out) {
    if (!node.is_scalar())
      return reader_->refuse(node, thing,
                             fmt::format("{}: expected a formula, not {}", what, describe(node)));
    std::vector<TextProblem> found;
    formulas_.read(node.text, std::nullopt, names_of(node.copy), out, &found);
    for (const TextProblem& problem : found)
      reader_->problems->add(
          node.mark_at(std::clamp(problem.offset, 0, static_cast<int>(node.text.size()))), thing.text(),
          fmt::format("{}: {}", what, problem.message),
          problem.hint.empty() ? "`haltere list channels MODEL` names what can be used" : problem.hint);
  }

  void read_period(const YamlNode& node, const Thing& thing, Expression* out) {
    if (auto period = reader_->read_quantity(node, thing, "period", "s", Rule::kPositive))
      *out = std::move(*period);
  }

 private:
  void read_kind(const YamlNode& node, const Thing& thing, MeasureSpec* out) {
    std::vector<std::string> words;
    for (const auto& [word, kind] : kKinds) {
      words.emplace_back(word);
      if (node.is_scalar() && node.text == word) {
        out->kind = kind;
        return;
      }
    }
    std::string hint = node.is_scalar() ? reader_->problems->suggest(node.text, words) : "";
    if (hint.empty()) hint = "mean, peak, amplitude or phase";
    reader_->refuse(node, thing, fmt::format("unknown kind {}", describe(node)), std::move(hint));
  }

  const ChannelFormulas& formulas_;
  Reader* reader_;
};

class TrimReader {
 public:
  TrimReader(const YamlNode& node, const ChannelFormulas& formulas, Reader* reader)
      : node_(node), reader_(reader), measures_(formulas, reader) {}

  std::optional<TrimSpec> read() {
    if (!node_.is_map()) {
      reader_->refuse(node_, kThing, fmt::format("expected a map, not {}", describe(node_)));
      return std::nullopt;
    }
    reader_->check_keys(node_, kThing, "trim", {"period", "parameters", "mean", "drift", "mirror"});
    trim_.mark = node_.key_source();
    if (const YamlNode* period = node_.find("period")) {
      trim_.period.emplace();
      measures_.read_period(*period, kThing, &*trim_.period);
    }
    if (const YamlNode* parameters = node_.find("parameters")) read_parameters(*parameters);
    if (const YamlNode* mean = node_.find("mean")) read_targets(*mean);
    if (const YamlNode* drift = node_.find("drift"))
      for (const YamlNode* item : items_of(*drift))
        if (auto name = reader_->read_word(*item, kThing, "drift")) trim_.drift.push_back(std::move(*name));
    if (const YamlNode* mirror = node_.find("mirror")) read_mirror(*mirror);
    return std::move(trim_);
  }

 private:
  static constexpr Thing kThing{"trim", ""};

  /// A name, or a list of names.
  static std::vector<const YamlNode*> items_of(const YamlNode& list) {
    if (!list.is_sequence()) return {&list};
    std::vector<const YamlNode*> items;
    for (const YamlNode& child : list.children) items.push_back(&child);
    return items;
  }
  void read_parameters(const YamlNode& list) {
    for (const YamlNode* item : items_of(list)) {
      const auto name = reader_->read_word(*item, kThing, "parameters");
      if (!name) continue;
      const Model& model = *reader_->model;
      const std::optional<int> slot = model.find_parameter(*name);
      if (!slot) {
        std::vector<std::string> names;
        for (const ParameterSpec& parameter : model.parameters) names.push_back(parameter.name);
        reader_->refuse(*item, kThing, fmt::format("unknown parameter {}", quote(*name)),
                        reader_->problems->suggest(*name, names));
      } else if (model.parameters[*slot].structural) {
        reader_->refuse(*item, kThing,
                        fmt::format("the number of repeated blocks depends on {}", quote(*name)),
                        "it is a whole number that cannot change");
      } else if (std::find(trim_.parameters.begin(), trim_.parameters.end(), *slot) ==
                 trim_.parameters.end()) {
        trim_.parameters.push_back(*slot);
      }
    }
  }

  /// Formulas of channels as keys, what they are to be as values.
  void read_targets(const YamlNode& map) {
    if (!map.is_map())
      return reader_->refuse(map, kThing, fmt::format("mean: expected a map, not {}", describe(map)),
                             "write it as {body.NAME.velocity.z: 0}");
    for (const YamlNode& child : map.children) {
      if (child.is_null()) continue;  // removed by a case
      TrimSpec::Target target;
      YamlNode formula = child;  // stands where the key does
      formula.kind = YamlNode::Kind::kScalar;
      formula.text = child.key;
      formula.mark = child.key_mark;
      formula.text_column = child.key_mark.column;
      target.mean.name = child.key;
      target.mean.mark = child.key_source();
      measures_.read_formula(formula, kThing, "mean", &target.mean);
      std::optional<Dimension> dimension;
      if (target.mean.of.measure().kind == Measure::Kind::kExact)
        dimension = target.mean.of.measure().dimension;
      if (auto value = reader_->formulas.read({child, kThing, child.key, Level::kParameters, dimension}))
        target.value = std::move(*value);
      trim_.targets.push_back(std::move(target));
    }
  }

  void read_mirror(const YamlNode& node) {
    constexpr std::string_view kAxes = "xyz";
    const std::size_t axis =
        node.is_scalar() && node.text.size() == 1 ? kAxes.find(node.text[0]) : std::string_view::npos;
    if (axis == std::string_view::npos)
      return reader_->refuse(node, kThing, fmt::format("mirror is {}", describe(node)),
                             "x, y or z: the axis of the world that is normal to the mirror");
    trim_.mirror = static_cast<int>(axis);
  }

  const YamlNode& node_;
  Reader* reader_;
  MeasureReader measures_;
  TrimSpec trim_;
};

}  // namespace

void Reader::read_measures(const YamlNode& section, const YamlNode* trim) {
  if (section.children.empty() && trim == nullptr) return;
  const ChannelFormulas channel_formulas(*model);
  NameTable names;
  MeasureReader reader(channel_formulas, this);
  for (const YamlNode& node : section.children)
    if (add_name(node, {"measure", node.key}, 0, &names))
      if (std::optional<MeasureSpec> measure = reader.read(node))
        model->measures.push_back(std::move(*measure));
  if (trim != nullptr) model->trim = TrimReader(*trim, channel_formulas, this).read();
}

}  // namespace haltere
