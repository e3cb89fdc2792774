// How far does a mass swing whose spring becomes four times as stiff when it passes the middle?
#include <cstdio>
#include <memory>
#include <numbers>

#include <haltere/haltere.h>

constexpr const char* kSpring = R"(
haltere: 1
parameters: {k: 1 N/m}
bodies: {mass: {mass: 1 kg}}
joints: {slide: {kind: prismatic, child: mass, axis: x}}
forces: {spring: {kind: linear-spring, joint: slide, stiffness: k}}
initial: {slide: 1 m}
)";

int main() try {
  using namespace haltere;
  constexpr double kPi = std::numbers::pi;
  const Model model = read_model_text(kSpring, "spring");
  Simulation simulation(model, make_run_options(model, {}));

  // to the middle, and on with another spring
  simulation.step_until(kPi / 2);
  const Checkpoint middle = simulation.save();
  simulation.set_parameter("k", 4);
  simulation.step_until(3 * kPi / 4);
  std::printf("stiffer: position %.17g m\n", simulation.snapshot().scene.q[0]);

  // back to the middle, and on with the spring as it was, as long as the method likes its steps
  simulation.load(middle);
  int steps = 0;
  for (; simulation.t() < kPi; ++steps) simulation.step();
  std::printf("as it was: k = %g N/m, %d steps, energy balance %.17g J\n", simulation.parameter("k"), steps,
              simulation.instant().balance());

  // small motions about the place where it rests, with the stiffer spring
  const Model stiff = read_model_text(kSpring, "spring", {.case_name = "", .set = {"k=4 N/m"}});
  const std::unique_ptr<SteadyState> rest = require_steady_state(stiff, {});
  const ModeSet modes = calc_modes(linearize(*rest));
  std::printf("frequency %.17g Hz\n", modes.modes.at(0).frequency());
} catch (const std::exception& error) {  // InputError has every mistake in the model, RunError a failure
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
