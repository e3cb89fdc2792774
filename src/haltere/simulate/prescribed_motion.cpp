#include "haltere/simulate/prescribed_motion.h"

#include <algorithm>

#include <fmt/format.h>

#include "haltere/dynamics/equations.h"
#include "haltere/dynamics/machine/constraint_set.h"
#include "haltere/integrate/evaluator.h"

namespace haltere {
namespace {

// looks ahead in so many steps: Newton's method then starts next to where it ends; a choice
constexpr int kSteps = 64;

bool moves_by_formula(const JointSpec& joint) {
  if (joint.locked) return false;
  return std::any_of(joint.prescribed.begin(), joint.prescribed.end(),
                     [](const auto& formula) { return formula && formula->uses_locals(); });
}

/// Joints of the tree between two bodies.
std::vector<int> list_path(const Model& model, int a, int b) {
  std::vector<int> path;
  while (a != b) {  // a parent has the smaller number
    int& outer = a > b ? a : b;
    path.push_back(outer - 1);
    outer = model.joints[outer - 1].parent.value;
  }
  std::sort(path.begin(), path.end());
  return path;
}

}  // namespace

std::string name_prescribed_motion(const Model& model, const std::vector<double>& parameters, int row) {
  const ConstraintSet<double> set(model, parameters, model.n_tree());
  std::vector<BodyRows<double>> rows;
  set.update_rows(calc_initial_scene(model, parameters), &rows);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (row < rows[i].start || row >= rows[i].start + rows[i].n) continue;
    if (set.rheonomic[i]) names.push_back(set.names[i]);
    for (const int j : list_path(model, rows[i].first.value, rows[i].second.value))
      if (moves_by_formula(model.joints[j]))
        names.push_back(fmt::format("joint '{}'", model.joints[j].name()));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string find_blocked_motion(double t, ConstRef y, double horizon, Equations* equations) {
  const Model& model = equations->model();
  Equations tree("recursive", model);
  tree.set_parameters(equations->parameters());
  Snapshot now;
  if (tree.sizes().na == 0 || equations->observe(t, y, &now) != Status::kOk) return "";
  Eigen::VectorXd state = tree.calc_state(now.scene);
  Stabilizer stabilizer(Stabilization{});
  if (stabilizer.assemble(t, state, &tree) != Status::kOk) return "";
  for (int i = 1; i <= kSteps; ++i) {
    const double later = t + horizon * i / kSteps;
    if (stabilizer.assemble(later, state, &tree) != Status::kSingular) continue;
    const int row = stabilizer.worst_row();
    const std::string moved = row < 0 ? "" : name_prescribed_motion(model, equations->parameters(), row);
    if (moved.empty()) return "";
    return make_step_message(
        t, fmt::format("the prescribed motion of {} cannot be followed", moved),
        fmt::format(
            "at t = {:.9g} s {} stays off by {:.3g} (radians, or length scales) wherever the rest goes",
            later, tree.row_name(row), stabilizer.position_drift()),
        "", "a smaller motion, other dimensions, or a drive instead of a prescribed motion");
  }
  return "";
}

}  // namespace haltere
