// Rows that depend on others, in every method and formulation.
#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formulations_of.h"
#include "shipped_models.h"
#include "tolerance.h"

#include "haltere/io/model/model_reader.h"
#include "haltere/simulate/run.h"

namespace haltere {
namespace {

// a plane four-bar on a free body that turns out of its plane: one row of the ball joint is implied by the
// hinges
constexpr const char* kFloatingLoop = R"yaml(haltere: 1
bodies:
  a: {mass: 2, center_of_mass: [0.4, 0.1, 0], inertia: [0.05, 0.12, 0.16]}
  b: {mass: 1, center_of_mass: [0.3, 0, 0], inertia: [0.01, 0.05, 0.05]}
  c: {mass: 1.5, center_of_mass: [0.4, 0, 0], inertia: [0.02, 0.1, 0.1]}
  d: {mass: 0.7, center_of_mass: [0.25, 0, 0], inertia: [0.01, 0.03, 0.03]}
joints:
  base: {kind: free, child: a}
  ab: {kind: revolute, parent: a, child: b, parent_frame: [0.8, 0, 0], axis: z}
  bc: {kind: revolute, parent: b, child: c, parent_frame: [0.6, 0, 0], axis: z}
  ad: {kind: revolute, parent: a, child: d, axis: z}
  dc: {kind: spherical, parent: d, child: c, parent_frame: [0.5, 0, 0], child_frame: [0.85, 0, 0]}
initial:
  base: {angular_velocity: [0.6, -0.4, 1.1]}
  ab: 1.8
  bc: 1.4
  ad: 1.2
simulation: {until: 0.2 s, every: 0.2 s}
)yaml";

// Bennett's linkage: four hinges in space that move against all counting, with a spring
constexpr const char* kBennett = R"yaml(haltere: 1
parameters: {a: 1 m, b: 0.7 m, al: 60 deg, be: asin(b/a*sin(al))}
gravity: [0.5, 1, -9.6]
bodies:
  l1: {mass: 1, center_of_mass: [a/2, 0, 0.02 m], inertia: [0.02, 0.1, 0.1]}
  l2: {mass: 0.8, center_of_mass: [b/2, 0.01 m, 0], inertia: [0.015, 0.05, 0.05]}
  l3: {mass: 1.2, center_of_mass: [a/2, 0, 0], inertia: {xx: 0.02, yy: 0.11, zz: 0.11, xz: 0.005}}
joints:
  h1: {kind: revolute, child: l1, axis: z}
  h2: {kind: revolute, parent: l1, child: l2, parent_frame: {position: [a, 0, 0], rotation: {axis: x, angle: al}}, axis: z}
  h3: {kind: revolute, parent: l2, child: l3, parent_frame: {position: [b, 0, 0], rotation: {axis: x, angle: be}}, axis: z}
  h4: {kind: revolute, child: l3, parent_frame: {position: [-b, 0, 0], rotation: {axis: x, angle: -be}}, child_frame: {position: [a, 0, 0], rotation: {axis: x, angle: al}}, axis: z}
forces:
  s: {kind: rotary-spring, joint: h2, stiffness: 3 N*m/rad, damping: 0.05, rest_angle: 2}
initial: {h1: {angle: 1.0, rate: 1}, h2: 2.3, h3: -1.0}
simulation: {until: 1 s, every: 1 s}
)yaml";

// a cart on three wheels, two of them on one axle: together they hold it sideways twice
constexpr const char* kCart = R"yaml(haltere: 1
gravity: [0, 0, -9.81]
bodies:
  cart: {mass: 8, center_of_mass: [0.3, 0.02, 0.1], inertia: [0.4, 0.6, 0.8]}
  wl: {mass: 1, inertia: [0.01, 0.02, 0.01]}
  wr: {mass: 1.2, inertia: [0.011, 0.021, 0.011]}
  fork: {mass: 0.5, inertia: [0.004, 0.004, 0.003]}
  wf: {mass: 0.8, inertia: [0.006, 0.012, 0.006]}
joints:
  base: {kind: free, child: cart}
  al: {kind: revolute, parent: cart, child: wl, parent_frame: [0, 0.3, 0], axis: y}
  ar: {kind: revolute, parent: cart, child: wr, parent_frame: [0, -0.3, 0], axis: y}
  steer: {kind: revolute, parent: cart, child: fork, parent_frame: [0.8, 0, 0.1], axis: z, prescribed: "0.4*sin(1.5 rad/s*t)"}
  af: {kind: revolute, parent: fork, child: wf, parent_frame: [0.0, 0, -0.15], axis: y}
constraints:
  cl: {kind: rolling, to: wl, radius: 0.2}
  cr: {kind: rolling, to: wr, radius: 0.2}
  cf: {kind: rolling, to: wf, radius: 0.15, tube_radius: 0.02}
initial:
  base: {position: [0, 0, 0.2], velocity: [0.5, 0, 0]}
  al: {rate: 2.5}
  ar: {rate: 2.5}
  af: {rate: 2.94}
simulation: {until: 1 s, every: 1 s}
)yaml";

struct Method {
  std::string integrator;
  double step = 0, tolerance = 1e-8;
};

/// The last row of these channels.
std::vector<double> run_to_end(const Model& model, std::string_view formulation, const Method& method,
                               const std::vector<std::string>& channels) {
  Settings settings;
  settings.formulation = formulation;
  settings.integrator = method.integrator;
  settings.tolerance = method.tolerance;
  if (method.step > 0) settings.step = method.step;
  MemorySink sink;
  run(model, make_run_options(model, settings), {&sink});
  EXPECT_EQ(sink.summary().outcome, RunSummary::Outcome::kFinished) << sink.summary().message;
  std::vector<double> values;
  for (const std::string& channel : channels) values.push_back(sink.value(sink.rows() - 1, channel));
  return values;
}

double calc_distance(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

const Method kExact{"dop853", 0, 1e-12};

// (source: self, dop853 at 1e-12, which conserves energy and momentum to 1e-11; orders: analytic, the methods
// are of second order)
TEST(RedundantRows, ThatTheTreeImpliesAreTakenByEveryAlphaMethod) {
  const Model model = read_model_text(kFloatingLoop, "floating.yaml");
  const std::vector<std::string> channels{"joint.ab.angle", "joint.bc.angle", "joint.ad.angle"};
  const std::vector<double> exact = run_to_end(model, "recursive", kExact, channels);
  for (const FormulationInfo& formulation : general_formulations())
    for (const char* integrator : {"generalized-alpha", "hht:0", "newmark"}) {
      SCOPED_TRACE(std::string(formulation.name) + ' ' + integrator);
      const double coarse =
          calc_distance(run_to_end(model, formulation.name, {integrator, 4e-3}, channels), exact);
      const double fine =
          calc_distance(run_to_end(model, formulation.name, {integrator, 2e-3}, channels), exact);
      EXPECT_LT(fine, 2e-6);  // solver: h^2 times a tenth of the fourth derivative
      EXPECT_NEAR(std::log2(coarse / fine), 2, 0.3);
    }
}

// (source: self, dop853 at 1e-12)
TEST(RedundantRows, OfBennettsLinkageAreTakenByBackwardDifferences) {
  const Model model = read_model_text(kBennett, "bennett.yaml");
  const std::vector<std::string> channels{"joint.h1.angle", "joint.h2.angle", "joint.h4.angle"};
  const std::vector<double> exact = run_to_end(model, "recursive", kExact, channels);
  for (const FormulationInfo& formulation : general_formulations())
    EXPECT_LT(calc_distance(run_to_end(model, formulation.name, {"ida-bdf", 0, 1e-8}, channels), exact), 2e-5)
        << formulation.name;  // solver: local errors of 1e-8 over some hundred steps
}

// Halving the step quarters the error. (source: self, dop853 at 1e-12; order: analytic)
TEST(RedundantRows, OfBricardsLinkageAreTakenByNewmarkAtEveryStep) {
  const Model model = read_model(shipped_model("bricard"));
  const auto run_until = [&](std::string_view formulation, const Method& method) {
    Settings settings;
    settings.formulation = formulation;
    settings.integrator = method.integrator;
    settings.tolerance = method.tolerance;
    settings.until = settings.every = 1;
    if (method.step > 0) settings.step = method.step;
    MemorySink sink;
    run(model, make_run_options(model, settings), {&sink});
    EXPECT_EQ(sink.summary().outcome, RunSummary::Outcome::kFinished) << sink.summary().message;
    return sink.value(sink.rows() - 1, "joint.hinge1.angle");
  };
  const double exact = run_until("recursive", kExact);
  for (const FormulationInfo& formulation : general_formulations()) {
    SCOPED_TRACE(formulation.name);
    double before = 0;
    for (const double step : {0.01, 0.005, 0.0025}) {
      const double error = std::abs(run_until(formulation.name, {"newmark", step}) - exact);
      if (before > 0) {
        EXPECT_NEAR(std::log2(before / error), 2, 0.5);
      }
      before = error;
    }
  }
}

// The two wheels share the load on their axle alike, whoever computes it.  (source: analytic; their rows are
// the same but for the sign of nothing, and so the shortest multipliers are equal)
TEST(RedundantRows, CarryTheSameLoadsInEveryMethodAndFormulation) {
  const Model model = read_model_text(kCart, "cart.yaml");
  const std::vector<std::string> channels{"constraint.cl.lateral", "constraint.cr.lateral"};
  const std::vector<double> exact = run_to_end(model, "recursive", kExact, channels);
  EXPECT_GT(std::abs(exact[0]), 0.1);  // [N]
  for (const FormulationInfo& formulation : general_formulations())
    for (const Method& method : {Method{"dopri5"}, Method{"generalized-alpha", 1e-3}, Method{"hht", 1e-3},
                                 Method{"newmark:0.01", 1e-3}, Method{"ida-bdf"}, Method{"cvode-bdf"}}) {
      SCOPED_TRACE(std::string(formulation.name) + ' ' + method.integrator);
      const std::vector<double> loads = run_to_end(model, formulation.name, method, channels);
      // solver: motions differ by 1e-5 of their size (newmark with damping is of first order)
      EXPECT_NEAR(loads[0], exact[0], 1e-3 * std::abs(exact[0]));
      EXPECT_NEAR(loads[1], exact[1], 1e-3 * std::abs(exact[1]));
      EXPECT_NEAR(loads[0], loads[1], 1e-6 * std::abs(exact[0]));
    }
}

}  // namespace
}  // namespace haltere
