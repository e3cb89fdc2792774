#include "haltere/simulate/start.h"

#include <fmt/format.h>

#include "haltere/dynamics/recursive/recursive.h"
#include "haltere/integrate/evaluator.h"

namespace haltere {

Start calc_start(const Model& model, const std::vector<double>& parameters) {
  RecursiveEquations tree(model, {});
  tree.set_parameters(parameters);
  const Eigen::VectorXd guess = tree.calc_initial_state();
  Eigen::VectorXd y = guess;
  Start start;
  if (tree.sizes().na > 0) {
    Stabilizer stabilizer(Stabilization{});
    const Status status = stabilizer.assemble(0, y, &tree);
    if (status != Status::kOk)
      throw RunError(make_step_message(
          0, "the machine cannot be put together from its initial state",
          stabilizer.worst_row() < 0 || status == Status::kNotFinite
              ? tree.explain_failure(0, y)
              : fmt::format("{} stays off by {:.3g}", tree.row_name(stabilizer.worst_row()),
                            stabilizer.position_drift()),
          "",
          "an initial state nearer to a position that obeys its constraints (haltere assemble finds one)"));
    const int nq = tree.sizes().nq;
    if (nq > 0)
      start.moved = (y - guess).head(nq).cwiseQuotient(tree.calc_scales().head(nq)).lpNorm<Eigen::Infinity>();
    for (const int row : tree.find_dependent_rows()) start.redundant.push_back(tree.row_name(row));
  }
  tree.calc_scene(0, y, &start.scene);
  return start;
}

}  // namespace haltere
