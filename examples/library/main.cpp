// How high does a pendulum swing that is pushed at its lowest point?
#include <algorithm>
#include <cstdio>
#include <numbers>

#include <haltere/haltere.h>

constexpr const char* kPendulum = R"(
haltere: 1
gravity: [0, 0, -9.81]
bodies: {bob: {mass: 2 kg, center_of_mass: [0, 0, -1 m]}}
joints: {pivot: {kind: revolute, child: bob, axis: y}}
events: {top: {when: joint.pivot.rate, direction: falling, stop: true}}
initial: {pivot: {rate: sqrt(9.81)}}
)";

int main() try {
  using namespace haltere;
  const Model model = read_model_text(kPendulum, "pendulum");

  // a run until its event, with the rows in memory
  MemorySink rows;
  const RunSummary summary = run(model, make_run_options(model, {}), {&rows});
  if (summary.outcome == RunSummary::Outcome::kFailed) throw RunError(summary.message);
  const std::vector<double> angle = rows.column("joint.pivot.angle");
  std::printf("largest angle %.17g rad\n", *std::max_element(angle.begin(), angle.end()));
  std::printf("energy balance %.17g of the energy in play\n", summary.audit.relative_balance());

  // one right-hand side, with the rod level
  const std::unique_ptr<Equations> equations = make_equations("recursive", model);
  Eigen::VectorXd y = equations->calc_initial_state(), ydot(y.size());
  y[0] = std::numbers::pi / 2;
  if (equations->calc_ydot(0, y, ydot) != Status::kOk) throw RunError(equations->explain_failure(0, y));
  std::printf("acceleration %.17g rad/s2\n", ydot[equations->sizes().nq]);
} catch (const std::exception& error) {  // InputError has every mistake in the model, RunError a failure
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
