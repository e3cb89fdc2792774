#include "haltere/integrate/alpha_method.h"

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "unit/integrate/problems.h"

namespace haltere {
namespace {

/// One step of the method for q" = -q as a matrix on (q, v, a): its defining equations, solved densely for
/// the values at the end of the step. (source: independent)
Eigen::Matrix3d calc_amplification(const AlphaParameters& p, double h) {
  const double m = 1 - p.alpha_m, f = 1 - p.alpha_f;
  Eigen::Matrix3d after, before;  // after (q1, v1, a1) = before (q0, v0, a0), with vdot = -q
  after << 1, 0, -h * h * p.beta, 0, 1, -h * p.gamma, f, 0, m;
  before << 1, h, h * h * (0.5 - p.beta), 0, 1, h * (1 - p.gamma), -p.alpha_f, 0, -p.alpha_m;
  return after.inverse() * before;
}

AlphaParameters make_parameters(double rho) {
  AlphaParameters p;
  p.alpha_m = (2 * rho - 1) / (rho + 1);
  p.alpha_f = rho / (rho + 1);
  p.gamma = 0.5 + p.alpha_f - p.alpha_m;
  p.beta = 0.25 * (p.gamma + 0.5) * (p.gamma + 0.5);
  return p;
}

std::vector<double> list_positions(const AlphaParameters& p, double h, int n) {
  problems::Oscillator problem;
  AlphaMethod method(problem, {h, 1e-12, n * h, 0}, p);
  method.start(0, problem.calc_initial_state());
  std::vector<double> q{method.y()[0]};
  while (static_cast<int>(q.size()) <= n) {
    const StepReport report = method.step(n * h);
    EXPECT_EQ(report.outcome, StepReport::Outcome::kOk) << report.message;
    if (report.outcome != StepReport::Outcome::kOk) break;
    q.push_back(method.y()[0]);
  }
  return q;
}

// Whatever the first a is, positions obey the characteristic equation of the matrix (Cayley and Hamilton):
//   q3 = I1 q2 - I2 q1 + I3 q0 with its invariants.
// Tolerance: Newton's method ends at a part of the tolerance of the run, 1e-12.
TEST(AlphaMethod, StepsAsItsEquationsSay) {
  std::vector<AlphaParameters> list{AlphaParameters{}};  // the trapezoidal rule
  for (const double rho : {0.0, 0.5, 0.9, 1.0}) list.push_back(make_parameters(rho));
  for (const AlphaParameters& p : list)
    for (const double h : {0.1, 1.0, 10.0}) {
      const Eigen::Matrix3d A = calc_amplification(p, h);
      const double I1 = A.trace(), I2 = (I1 * I1 - (A * A).trace()) / 2, I3 = A.determinant();
      const std::vector<double> q = list_positions(p, h, 12);
      for (std::size_t k = 3; k < q.size(); ++k)
        EXPECT_NEAR(q[k], I1 * q[k - 1] - I2 * q[k - 2] + I3 * q[k - 3], 1e-9)
            << "alpha_f " << p.alpha_f << ", h " << h;
    }
}

}  // namespace
}  // namespace haltere
