#include "haltere/simulate/channel_formula.h"

#include <algorithm>

#include <fmt/format.h>

#include "haltere/model/quantity.h"

namespace haltere {

ChannelFormulas::ChannelFormulas(const Model& model) : model_(model), channels_(make_channels(model)) {
  for (std::size_t i = 0; i < channels_.size(); ++i) places_[channels_[i].name] = static_cast<int>(i);
}

Measure ChannelFormulas::measure_of(const Channel& channel) const {
  if (channel.quantity == Quantity::kState) return model_.states[channel.index].measure;
  if (channel.quantity != Quantity::kSignal) return {Measure::Kind::kExact, unit_of(channel.unit).dimension};
  const Measure& measure = model_.signals[channel.index].value.measure();
  return measure.kind == Measure::Kind::kExact ? measure : Measure{Measure::Kind::kAny, {}};
}

void ChannelFormulas::read(std::string_view text, const std::optional<Dimension>& expected,
                           const CopyNames& names, MeasureSpec* out,
                           std::vector<TextProblem>* problems) const {
  std::vector<std::string>& used = out->channels;
  used.clear();
  const auto find = [&](std::string_view name) -> std::optional<Variable> {
    if (names.find)
      if (std::optional<Variable> found = names.find(name)) return found;
    if (name == "t")
      return Variable{Variable::Source::kLocal, 0, {Measure::Kind::kExact, unit_of("s").dimension}, 0};
    const std::string image = names.image ? names.image(name) : std::string(name);
    for (const std::string& word : {image, std::string(name)})
      if (const auto slot = model_.find_parameter(word))
        return Variable{Variable::Source::kParameter, *slot, model_.parameters[*slot].measure, 0};
    const auto place = places_.find(image);
    if (place == places_.end()) return std::nullopt;
    auto known = std::find(used.begin(), used.end(), image);
    if (known == used.end()) known = used.insert(used.end(), image);
    return Variable{Variable::Source::kLocal, 1 + static_cast<int>(known - used.begin()),
                    measure_of(channels_[place->second]), 0};
  };
  const auto list = [&] {
    std::vector<std::string> all;
    for (const ParameterSpec& parameter : model_.parameters) all.push_back(parameter.name);
    for (const Channel& channel : channels_) all.push_back(channel.name);
    return all;
  };
  const auto is_local = [&](std::string_view name) {
    const auto found = find(name);
    return found && found->source == Variable::Source::kLocal;
  };
  out->of = Expression::parse(text, {.find = find, .names = list, .is_local = is_local}, expected, problems);
}

std::string unit_of_measure(const MeasureSpec& measure) {
  if (measure.kind == MeasureSpec::Kind::kPhase) return "rad";
  const Measure& m = measure.of.measure();
  Dimension dimension = m.dimension;
  if (!m.is_strict) dimension.angle = 0;  // a torque times a rate is a power
  if (m.kind != Measure::Kind::kExact || dimension == Dimension{}) return "";
  return to_string(dimension);
}

ChannelReader::ChannelReader(const Model& model, const std::vector<const MeasureSpec*>& measures)
    : model_(model) {
  if (measures.empty()) return;
  const std::vector<Channel> all = make_channels(model);
  std::vector<bool> wanted(all.size(), false);
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < all.size(); ++i) places.emplace(all[i].name, i);
  std::vector<Problem> problems;
  for (const MeasureSpec* measure : measures)
    for (const std::string& name : measure->channels) {
      const auto found = places.find(name);
      if (found != places.end()) {
        wanted[found->second] = true;
        continue;
      }
      problems.push_back({measure->mark, fmt::format("measure '{}'", measure->name),
                          fmt::format("there is no channel '{}'", name),
                          "`haltere list channels MODEL` names them all"});
    }
  if (!problems.empty()) throw InputError(std::move(problems));
  // in the order of all channels, where neighbours share their computation
  std::vector<int> place_of(all.size(), -1);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (wanted[i]) {
      place_of[i] = static_cast<int>(channels_.size());
      channels_.push_back(all[i]);
    }
  std::size_t most = 0;
  for (const MeasureSpec* measure : measures) {
    Item item{measure, {}};
    for (const std::string& name : measure->channels) item.places.push_back(place_of[places[name]]);
    most = std::max(most, item.places.size());
    items_.push_back(std::move(item));
  }
  row_.resize(channels_.size());
  locals_.resize(1 + most);
}

void ChannelReader::calc(const Instant& instant, const std::vector<double>& parameters,
                         std::span<double> values) {
  if (items_.empty()) return;
  calc_row(model_, channels_, instant, row_);
  locals_[0] = instant.snapshot.scene.t;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const Item& item = items_[i];
    for (std::size_t k = 0; k < item.places.size(); ++k) locals_[1 + k] = row_[item.places[k]];
    values[i] = item.measure->of.calc<double, double>(parameters.data(), locals_.data());
  }
}

}  // namespace haltere
