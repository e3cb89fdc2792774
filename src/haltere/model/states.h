#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "haltere/formula/expression.h"
#include "haltere/model/kind.h"
#include "haltere/model/problem.h"

/// What a model remembers besides its motion: `states:` of a model file. See docs/decisions/0027.
namespace haltere {

struct Model;

enum class StateKind { kDerivative, kIntegral, kLag, kFilter2, kDelay };

/// What an entry of `states` may say.
enum class StateKey {
  kOf,           // the input u, or the derivative itself
  kInitial,      // x at the start
  kInitialRate,  // x' at the start
  kTime,         // of a lag or a delay
  kFrequency,    // w of a filter
  kDamping,      // its damping ratio
  kBefore,       // what a delay gives before there is a past
  kScale         // a typical size, for error norms
};
inline constexpr int kStateKeys = 8;

struct StateField {
  /// Its dimension: one of its own, that of the state, or that of the state per second.
  enum class Measured { kByUnit, kAsState, kAsStateRate };
  StateKey key{};
  std::string_view name;
  Measured measured{};
  std::string_view unit;  // kByUnit
  Rule rule{};
  bool required = false;
  bool of_motion = false;  // a formula of t, probes, signals and states; else of parameters
  std::string_view meaning;
  std::string_view otherwise{};  // where it is not given
};

struct StateKindInfo {
  StateKind kind{};
  std::string_view name;
  std::string_view summary;
  int order = 0;  // first-order states that it takes; 0: it reads the past
  std::span<const StateField> fields;
};

/// All kinds, in the order of StateKind.
std::span<const StateKindInfo> state_kinds();

struct StateSpec {
  std::string name;
  SourceMark mark;
  StateKind kind{};
  Measure measure{Measure::Kind::kAny, {}};  // kAny: nothing says what it is
  std::array<std::optional<Expression>, kStateKeys> values;
  int slot = 0;  // of its first entry among the first-order states; of a delay: among the delays

  const std::optional<Expression>& at(StateKey key) const { return values[static_cast<int>(key)]; }
  std::optional<Expression>& at(StateKey key) { return values[static_cast<int>(key)]; }
  const StateKindInfo& info() const { return state_kinds()[static_cast<int>(kind)]; }
  bool is_delay() const { return kind == StateKind::kDelay; }
};

int count_first_order_states(const Model& model);
int count_delays(const Model& model);
/// "rad/s"; "" for pure numbers and where nothing says what it is.
std::string unit_of_state(const StateSpec& state);
/// Of the first-order states: "state.NAME", and "state.NAME.rate" of filters.
void add_state_names(const Model& model, std::vector<std::string>* names);

/// The first-order states at the start.
std::vector<double> calc_initial_states(const Model& model, const std::vector<double>& parameters);
/// t and the states at the start, as formulas of prescribed motions read them; 0 for delays.
std::vector<double> calc_initial_locals(const Model& model, const std::vector<double>& parameters);
/// What errors of first-order states are measured by, at least: `scale`, or a part of the size that their dimension has
/// in this machine. The same numbers in all units of length and mass.
std::vector<double> calc_state_scales(const Model& model, const std::vector<double>& parameters,
                                      double length);

/// Whether prescribed motions read states.
bool moves_by_states(const Model& model);
/// InputError where there are any (delays): `what` has no method yet for them.
void require_no_states(const Model& model, std::string_view what);
void require_no_delays(const Model& model, std::string_view what);

}  // namespace haltere
