#include "haltere/model/states.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "haltere/model/model.h"

namespace haltere {
namespace {

using Measured = StateField::Measured;

// of the size that the dimension of a state has in its machine: errors of one that stays smaller are not
// looked at any closer. Between sizes that controllers have and what rounding makes of 0; a choice (decision 0027).
constexpr double kPartOfSize = 1e-3;

// clang-format off
constexpr StateField kInitial{StateKey::kInitial, "initial", Measured::kAsState, "", Rule::kAny, false, false,
                              "its value at the start", "0"};
constexpr StateField kScale{StateKey::kScale, "scale", Measured::kAsState, "", Rule::kPositive, false, false,
                            "a size below which its errors matter less, for methods that choose their steps",
                            "from its dimension"};
constexpr StateField kTime{StateKey::kTime, "time", Measured::kByUnit, "s", Rule::kPositive, true, false,
                           "how late it is"};

constexpr std::array kDerivative{
    StateField{StateKey::kOf, "derivative", Measured::kAsStateRate, "", Rule::kAny, true, true, "its rate of change"},
    kInitial, kScale};
constexpr std::array kIntegral{
    StateField{StateKey::kOf, "of", Measured::kAsStateRate, "", Rule::kAny, true, true, "what is added up"},
    kInitial, kScale};
constexpr std::array kLag{
    StateField{StateKey::kOf, "of", Measured::kAsState, "", Rule::kAny, true, true, "what it follows"},
    StateField{StateKey::kTime, "time", Measured::kByUnit, "s", Rule::kPositive, true, false, "time constant"},
    kInitial, kScale};
constexpr std::array kFilter2{
    StateField{StateKey::kOf, "of", Measured::kAsState, "", Rule::kAny, true, true, "what it follows"},
    StateField{StateKey::kFrequency, "frequency", Measured::kByUnit, "rad/s", Rule::kPositive, true, false, "w"},
    StateField{StateKey::kDamping, "damping", Measured::kByUnit, "", Rule::kNotNegative, false, false,
               "damping ratio z", "1"},
    kInitial,
    StateField{StateKey::kInitialRate, "initial_rate", Measured::kAsStateRate, "", Rule::kAny, false, false,
               "its rate at the start", "0"},
    kScale};
constexpr std::array kDelay{
    StateField{StateKey::kOf, "of", Measured::kAsState, "", Rule::kAny, true, true, "what it repeats"},
    kTime,
    StateField{StateKey::kBefore, "before", Measured::kAsState, "", Rule::kAny, false, false,
               "its value until then", "that of `of` at the start"}};

constexpr std::array kKinds{
    StateKindInfo{StateKind::kDerivative, "derivative", "x' = derivative: any state of first order", 1, kDerivative},
    StateKindInfo{StateKind::kIntegral, "integral", "x' = of", 1, kIntegral},
    StateKindInfo{StateKind::kLag, "lag", "time x' = of - x", 1, kLag},
    StateKindInfo{StateKind::kFilter2, "filter2",
                  "x'' = w^2 (of - x) - 2 z w x'; prescribed motions may read it", 2, kFilter2},
    StateKindInfo{StateKind::kDelay, "delay", "x(t) = of(t - time)", 0, kDelay}};
// clang-format on

double calc_or(const std::optional<Expression>& formula, const Resolver<double>& resolver, double otherwise) {
  return formula ? resolver.calc(*formula) : otherwise;
}

double calc_mass(const Model& model, const Resolver<double>& resolver) {
  double mass = 0;
  for (std::size_t b = 1; b < model.bodies.size(); ++b) mass += resolver.calc(model.bodies[b].mass);
  return mass > 0 ? mass : 1;
}

/// By multiplication: exact where the base is a power of two.
double raise_to(double base, int exponent) {
  double product = 1;
  for (int i = 0; i < std::abs(exponent); ++i) product *= base;
  return exponent < 0 ? 1 / product : product;
}

void require_none(const Model& model, std::string_view what, std::string_view kind,
                  bool (*counts)(const StateSpec&)) {
  const auto found = std::find_if(model.states.begin(), model.states.end(), counts);
  if (found == model.states.end()) return;
  throw InputError(
      {Problem{found->mark, fmt::format("state '{}'", found->name),
               fmt::format("{} does not know {} yet", what, kind), "a run does (`haltere run`)"}});
}

}  // namespace

std::span<const StateKindInfo> state_kinds() {
  return kKinds;
}

int count_first_order_states(const Model& model) {
  int n = 0;
  for (const StateSpec& state : model.states) n += state.info().order;
  return n;
}

int count_delays(const Model& model) {
  return static_cast<int>(std::count_if(model.states.begin(), model.states.end(),
                                        [](const StateSpec& state) { return state.is_delay(); }));
}

std::string unit_of_state(const StateSpec& state) {
  const Measure& measure = state.measure;
  if (measure.kind != Measure::Kind::kExact || measure.dimension == Dimension{}) return "";
  return to_string(measure.dimension);
}

void add_state_names(const Model& model, std::vector<std::string>* names) {
  for (const StateSpec& state : model.states) {
    if (state.info().order > 0) names->push_back(fmt::format("state.{}", state.name));
    if (state.info().order > 1) names->push_back(fmt::format("state.{}.rate", state.name));
  }
}

std::vector<double> calc_initial_states(const Model& model, const std::vector<double>& parameters) {
  const Resolver<double> resolver{parameters.data()};
  std::vector<double> x;
  for (const StateSpec& state : model.states) {
    if (state.info().order > 0) x.push_back(calc_or(state.at(StateKey::kInitial), resolver, 0));
    if (state.info().order > 1) x.push_back(calc_or(state.at(StateKey::kInitialRate), resolver, 0));
  }
  return x;
}

std::vector<double> calc_initial_locals(const Model& model, const std::vector<double>& parameters) {
  const Resolver<double> resolver{parameters.data()};
  std::vector<double> locals{0};
  for (const StateSpec& state : model.states)
    locals.push_back(state.is_delay() ? 0 : calc_or(state.at(StateKey::kInitial), resolver, 0));
  return locals;
}

std::vector<double> calc_state_scales(const Model& model, const std::vector<double>& parameters,
                                      double length) {
  const Resolver<double> resolver{parameters.data()};
  const double mass = calc_mass(model, resolver);
  std::vector<double> scales;
  for (const StateSpec& state : model.states) {
    const Dimension& d = state.measure.dimension;
    const double size = raise_to(length, d.length) * raise_to(mass, d.mass);
    const double scale = calc_or(state.at(StateKey::kScale), resolver, kPartOfSize * size);
    // the rate of a filter: what its frequency makes of that
    if (state.info().order > 0) scales.push_back(scale);
    if (state.info().order > 1) scales.push_back(scale * resolver.calc(*state.at(StateKey::kFrequency)));
  }
  return scales;
}

bool moves_by_states(const Model& model) {
  for (const JointSpec& joint : model.joints)
    for (const std::optional<Expression>& formula : joint.prescribed)
      for (std::size_t i = 0; formula && i < model.states.size(); ++i)
        if (formula->uses_local(static_cast<int>(1 + i))) return true;
  return false;
}

void require_no_states(const Model& model, std::string_view what) {
  require_none(model, what, "states", [](const StateSpec&) { return true; });
}

void require_no_delays(const Model& model, std::string_view what) {
  require_none(model, what, "delays", [](const StateSpec& state) { return state.is_delay(); });
}

}  // namespace haltere
