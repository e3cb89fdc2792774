#include "haltere/analysis/evaluation.h"

#include <fmt/format.h>

#include "haltere/dynamics/machine/constraint_set.h"
#include "haltere/model/problem.h"
#include "haltere/simulate/start.h"

namespace haltere {
namespace {

/// Rows that the state does not obey, by more than rounding.
void add_violations(double t, const Eigen::VectorXd& y, Equations* equations,
                    std::vector<std::string>* notes) {
  const Sizes sizes = equations->sizes();
  if (sizes.na == 0) return;
  Eigen::VectorXd g = Eigen::VectorXd::Zero(sizes.ng), gdot = Eigen::VectorXd::Zero(sizes.na);
  if (equations->calc_drift(t, y, g, gdot) != Status::kOk) return;
  const Eigen::VectorXd& scales = equations->row_scales();
  const auto add = [&](const char* what, const char* unit, const Eigen::VectorXd& r, const auto& row_of,
                       double rounding) {
    Eigen::Index worst = 0;
    if (r.size() == 0 || !(r.cwiseAbs().maxCoeff(&worst) > rounding)) return;
    notes->push_back(fmt::format(
        "the {} of the state do not obey the constraints: {} is off by {:.3g} ({}); accelerations are those "
        "of the nearest state that does",
        what, equations->row_name(row_of(worst)), r[worst], unit));
  };
  constexpr double kNoMotion = 1e-9;  // of angles, lengths in length scales, and of the largest velocity
  const std::vector<int>& rows = equations->position_rows();
  add(
      "positions", "radians, or length scales", g.cwiseQuotient(scales(rows)),
      [&](Eigen::Index i) { return rows[i]; }, kNoMotion);
  const Eigen::VectorXd v = sizes.v(y), v_scales = equations->calc_scales().segment(sizes.nq, sizes.nv);
  const double speed = sizes.nv == 0 ? 0 : v.cwiseQuotient(v_scales).lpNorm<Eigen::Infinity>();
  add(
      "velocities", "radians, or length scales, per second", gdot.cwiseQuotient(scales),
      [](Eigen::Index i) { return static_cast<int>(i); }, kNoMotion * speed);
}

Evaluation calc(double t, const Eigen::VectorXd& y, Equations* equations) {
  require_no_memory(equations->model(), "evaluation at one instant");
  require_no_delays(equations->model(), "an evaluation at one instant");
  const Sizes sizes = equations->sizes();
  Evaluation e;
  e.t = t;
  Eigen::VectorXd ydot = Eigen::VectorXd::Zero(y.size());
  const auto demand = [&](Status status) {
    if (status != Status::kOk)
      throw RunError(fmt::format("t = {:g} s: {}", e.t, equations->explain_failure(e.t, y)));
  };
  demand(equations->calc_ydot(e.t, y, ydot));
  demand(ydot.allFinite() ? Status::kOk : Status::kNotFinite);
  demand(equations->calc_free_motion(e.t, y, &e.M, &e.f));
  demand(equations->calc_constraint_matrix(e.t, y, &e.A, &e.b));
  for (int row = 0; row < sizes.na; ++row) e.rows.push_back(equations->row_name(row));
  demand(equations->observe(e.t, y, &e.snapshot));
  const Model& model = equations->model();
  e.constraint_rows = ConstraintSet<double>(model, equations->parameters(), model.n_tree()).row_names;
  e.q = sizes.q(y);
  e.v = sizes.v(y);
  e.vdot = sizes.v(ydot);
  return e;
}

Eigen::VectorXd calc_normal(Eigen::VectorXd y, const Equations& equations) {
  Eigen::VectorXd rates = Eigen::VectorXd::Zero(y.size());
  equations.normalize(y, rates);
  return y;
}

}  // namespace

Evaluation evaluate_start(Equations* equations) {
  if (equations->sizes().na == 0)
    return calc(0, calc_normal(equations->calc_initial_state(), *equations), equations);
  const Start start = calc_start(equations->model(), equations->parameters());
  Evaluation e = calc(0, equations->calc_state(start.scene), equations);
  e.notes = start.notes;
  return e;
}

Evaluation evaluate(double t, const Eigen::VectorXd& y, Equations* equations) {
  const Eigen::VectorXd normal = calc_normal(y, *equations);
  Evaluation e = calc(t, normal, equations);
  add_violations(t, normal, equations, &e.notes);
  return e;
}

}  // namespace haltere
