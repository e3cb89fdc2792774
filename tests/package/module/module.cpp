// What a binding for another language does: a shared library with the archive in it.
#include <cmath>

#include <haltere/haltere.h>

/// Position of a mass of 1 kg on a spring of 1 N/m, let go at 1 m, after t seconds; NaN where that fails.
extern "C" double calc_position(double t) try {
  const haltere::Model model = haltere::read_model_text(R"(
haltere: 1
bodies: {mass: {mass: 1 kg}}
joints: {slide: {kind: prismatic, child: mass, axis: x}}
forces: {spring: {kind: linear-spring, joint: slide, stiffness: 1 N/m}}
initial: {slide: 1 m}
)",
                                                        "spring");
  haltere::Simulation simulation(model, haltere::make_run_options(model, {}));
  simulation.step_until(t);
  return simulation.state()[0];
} catch (const std::exception&) {
  return NAN;
}
