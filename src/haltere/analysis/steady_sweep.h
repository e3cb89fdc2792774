#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "haltere/analysis/steady_air.h"
#include "haltere/analysis/steady_state.h"
#include "haltere/simulate/state_names.h"

namespace haltere {

/// Steady states of a machine over a parameter, point by point: each is sought from the last one that was found, moved
/// as the initial state has moved.
class SteadyWalk {
 public:
  using Read = std::function<Model(double)>;  // the model at a value; InputError where it makes no sense
  SteadyWalk(Read read, SteadyOptions options) : read_(std::move(read)), options_(std::move(options)) {}

  /// RunError where there is none.
  std::unique_ptr<SteadyState> find(double value);

 private:
  Read read_;
  SteadyOptions options_;
  Eigen::VectorXd last_, last_initial_;
};

/// A steady state as far as a sweep keeps it.
struct SteadyPoint {
  explicit SteadyPoint(double at, std::string why = {}) : value(at), failure(std::move(why)) {}

  double value = 0;     // of the parameter
  std::string failure;  // why there is nothing else; empty: it was found
  Eigen::VectorXd q, v;
  bool is_at_rest = false;
  double residual = 0, acceleration = 0;  // what is left, see Equilibrium and calc_acceleration_left()
  int iterations = 0;
  std::vector<std::string> notes;
  std::optional<SteadyAir> air;

  bool is_found() const { return failure.empty(); }
};

/// Those of a parameter's values.
struct SteadySweep {
  std::string parameter, unit;
  // of the first that was found
  Names q_names, v_names;
  std::vector<std::string> units;  // of both
  std::vector<SteadyPoint> points;
};

/// Adds the point at a value, found or not; InputError where already the first one shows that what is asked for makes
/// no sense. `formulation`: whose accelerations check it.
void add_steady_point(double value, const std::string& formulation, SteadyWalk* walk, SteadySweep* sweep);

/// One number over a sweep; NaN where a point has none.
struct SweepColumn {
  enum class Of { kState, kCheck, kAir, kMoreAir };
  Of of{};
  std::string name, unit;
  std::vector<double> values;
};
/// All that there are: states, what is left of loads, coefficients of a settled air, and what belongs to them.
std::vector<SweepColumn> list_columns(const SteadySweep& sweep);
/// Those that are not the same everywhere, to rounding, against the others of their unit.
std::vector<const SweepColumn*> find_varying(const std::vector<SweepColumn>& columns, SweepColumn::Of of);

}  // namespace haltere
