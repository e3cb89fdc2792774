#include "haltere/analysis/steady_state.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "haltere/math/dense.h"
#include "haltere/model/read_quantity.h"
#include "haltere/model/wrong_input.h"
#include "haltere/simulate/start.h"

namespace haltere {
namespace {

constexpr double kNoVelocity = 1e-10;  // velocities below this part of the largest are none; a choice

/// --keep NAME[=VALUE]: positions and velocities that a name or glob means.
void read_keep(const std::string& text, const SteadyState& state, EquilibriumOptions* options) {
  const std::size_t sign = text.find('=');
  const std::string glob = text.substr(0, sign);
  const std::vector<StateCoordinate> coordinates = list_coordinates(state.model);
  const CoordinateSelection named = select_coordinates(state.model, glob, "--keep");
  const int nq = state.equations->sizes().nq;
  const auto value = [&](std::string_view unit, double otherwise) {
    return sign == std::string::npos
               ? otherwise
               : read_quantity("--keep " + glob, text.substr(sign + 1), std::string(unit));
  };
  for (int i = 0; i < static_cast<int>(coordinates.size()); ++i) {
    const StateCoordinate& c = coordinates[i];
    if (named.positions[i] && c.motion == Motion::kTurn)
      throw wrong_input("--keep", fmt::format("'{}' is no single number", c.position),
                        "an orientation cannot be kept; its velocities can");
    if (named.positions[i]) options->positions.emplace_back(i, value(c.position_unit, state.guess[c.q]));
    if (named.velocities[i]) options->velocities.emplace_back(i, value(c.velocity_unit, state.guess[nq + i]));
  }
}

}  // namespace

std::unique_ptr<SteadyState> find_steady_state(const Model& model, const SteadyOptions& options,
                                               const Eigen::VectorXd* from) {
  require_no_delays(model, "the search for an equilibrium");
  if (moves_by_states(model)) require_no_states(model, "an equilibrium of motions that filters prescribe");
  auto state = std::make_unique<SteadyState>();
  std::vector<std::string> notes;
  state->model = freeze_motions(model, &notes);
  state->equations = make_equations("recursive", state->model);
  for (const std::shared_ptr<Environment>& environment : state->equations->environments())
    if (!environment->settle()) require_no_memory(model, "equilibrium");
  state->guess = from != nullptr ? *from : calc_start(state->model, state->equations->parameters()).y;
  EquilibriumOptions asked;
  asked.settle = options.settle;
  for (const std::string& text : options.keep) read_keep(text, *state, &asked);
  for (const std::string& glob : options.drift) {
    const CoordinateSelection named = select_coordinates(state->model, glob, "--drift");
    for (int i = 0; i < static_cast<int>(named.positions.size()); ++i)
      if (named.positions[i] || named.velocities[i]) asked.drift.push_back(i);
  }
  state->equilibrium = find_equilibrium(asked, state->guess, state->equations.get());
  notes.insert(notes.end(), state->equilibrium.notes.begin(), state->equilibrium.notes.end());
  state->equilibrium.notes = std::move(notes);
  return state;
}

std::unique_ptr<SteadyState> require_steady_state(const Model& model, const SteadyOptions& options) {
  std::unique_ptr<SteadyState> state = find_steady_state(model, options);
  if (!state->equilibrium.failure.empty()) {
    std::string message = state->equilibrium.failure;
    for (const std::string& note : state->equilibrium.notes) message += "\n  note: " + note;
    throw RunError(message);
  }
  return state;
}

double calc_acceleration_left(const SteadyState& state, const std::string& formulation) {
  const Equilibrium& found = state.equilibrium;
  const std::unique_ptr<Equations> equations = make_equations(formulation, state.model);
  for (const std::shared_ptr<Environment>& environment : equations->environments()) environment->settle();
  Snapshot at_start, seen;
  const auto demand = [&](Status status) {
    if (status != Status::kOk)
      throw RunError(fmt::format("the equilibrium cannot be evaluated in {}", formulation));
  };
  demand(state.equations->observe(0, found.y, &at_start));
  const Eigen::VectorXd y = formulation == "recursive" ? found.y : equations->calc_state(at_start.scene);
  demand(equations->observe(0, y, &seen));
  const Eigen::VectorXd scales =
      state.equations->calc_scales().segment(state.equations->sizes().nq, state.equations->sizes().nv);
  double worst = 0;
  int i = 0;
  for (int j = 0; j < state.model.n_tree(); ++j)
    for (int k = 0; k < state.model.joints[j].nv(); ++k) {
      if (state.model.joints[j].mode(k) == CoordinateMode::kPrescribed) continue;
      const double vdot = seen.vdot[seen.scene.v_start[j] + k];
      worst = std::max(worst, std::abs(vdot - found.vdot[i]) / scales[i]);
      ++i;
    }
  return worst;
}

SteadyRoles calc_roles(const SteadyState& state) {
  const Equilibrium& found = state.equilibrium;
  const Sizes sizes = state.equations->sizes();
  const std::vector<StateCoordinate> coordinates = list_coordinates(state.model);
  SteadyRoles roles{std::vector(sizes.nq, SteadyRole::kFound), std::vector(sizes.nv, SteadyRole::kFound)};
  for (int i = 0; i < sizes.nv; ++i) {
    if (found.undetermined_velocities[i]) roles.v[i] = SteadyRole::kAny;
    const bool drifts = calc_row_norm(found.symmetry.drift, i) > 0 && found.y[sizes.nq + i] != 0;
    if (!drifts && !found.undetermined_positions[i]) continue;
    const int width = coordinates[i].motion == Motion::kTurn ? 4 : 1;
    for (int k = 0; k < width; ++k) {
      SteadyRole& role = roles.q[coordinates[i].q + k];
      if (role == SteadyRole::kFound) role = drifts ? SteadyRole::kDrifts : SteadyRole::kAny;
    }
  }
  return roles;
}

Eigen::VectorXd calc_advance(const SteadyState& state) {
  const Sizes sizes = state.equations->sizes();
  const Eigen::VectorXd v = sizes.v(state.equilibrium.y);
  const Eigen::VectorXd parts = v.cwiseQuotient(state.equations->calc_scales().segment(sizes.nq, sizes.nv));
  const double none = kNoVelocity * (v.size() == 0 ? 0 : parts.cwiseAbs().maxCoeff());
  return (parts.array().abs() > none).select(v, 0.);
}

}  // namespace haltere
