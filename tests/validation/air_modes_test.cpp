// Small motions of wings that are free, with their air: flutter, divergence, growth, and what has none.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <vector>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "message_of.h"
#include "source_folder.h"

#include "haltere/analysis/linear_model.h"
#include "haltere/analysis/modes_walk.h"
#include "haltere/io/model/model_reader.h"
#include "haltere/simulate/simulation.h"

namespace haltere {
namespace {

using ::testing::HasSubstr;
using Complex = std::complex<double>;

Model read_plate(const std::string& case_name, const std::vector<std::string>& set) {
  return read_model(source_path("models/typical-section"), {case_name, set});
}

ModeSet find_plate_modes(const std::string& case_name, const std::vector<std::string>& set) {
  const std::unique_ptr<SteadyState> state = require_steady_state(read_plate(case_name, set), {});
  return find_small_motions(*state).set;
}

StabilityLimit find_plate_limit(const std::string& case_name, double low, double high,
                                const std::vector<std::string>& more = {}) {
  const auto read = [&](double U) {
    std::vector<std::string> set = more;
    set.push_back(fmt::format("U={:.17g}", U));
    return read_plate(case_name, set);
  };
  const auto describe = [](const Linearization&, const Eigenmode&) { return std::string(); };
  ModesWalk walk(SteadyWalk(read, {}), {}, describe);
  const RootLocus locus = calc_root_locus({low, high}, [&](double U) { return walk.calc(U); });
  EXPECT_EQ(locus.count_failures(), 0U) << locus.failures.front() << locus.failures.back();
  return locus.limits.size() == 1 ? locus.limits.front() : StabilityLimit{};
}

// independent: this lattice with an infinite wake and backward differences throughout flutters at 32.698119 m/s (-0.185 %),
// 32.743981 and 32.755069; rad/s 19.566854 (+0.500 %), 19.493394 and 19.475443. Rates of the plate's own motion are exact here
// and the wake ends: 0.1 %. analytic: Theodorsen's section does so at 32.758724389 m/s and 19.469506104 rad/s.
TEST(AirModes, FlutterWhereTheLatticeDoes) {
  struct Expected {
    int rows;
    double U, w;
  };
  double error = 1, w_error = 1;
  for (const Expected& e :
       {Expected{8, 32.698119, 19.566854}, {16, 32.743981, 19.493394}, {32, 32.755069, 19.475443}}) {
    const StabilityLimit limit = find_plate_limit("a", 32, 33.5, {fmt::format("panels={}", e.rows)});
    EXPECT_TRUE(limit.is_oscillation);
    EXPECT_NEAR(limit.value, e.U, 1e-3 * e.U) << e.rows;
    EXPECT_NEAR(limit.eigenvalue.imag(), e.w, 1e-3 * e.w) << e.rows;
    const double now = std::abs(limit.value / 32.758724389 - 1),
                 w_now = std::abs(limit.eigenvalue.imag() / 19.469506104 - 1);
    EXPECT_LT(now, 0.5 * error);
    EXPECT_LT(w_now, 0.5 * w_error);
    error = now;
    w_error = w_now;
  }
}

// analytic: Theodorsen's determinant of section B is 0 at 41.90616609 m/s and 17.50765233 rad/s (C(k) from the series of Bessel's
// functions, Newton's method; the same program has 32.75872438912 and 19.46950610417 for section A). 16 rows: that of A is 0.04
// and 0.12 % off
TEST(AirModes, FlutterOfAnotherSection) {
  const StabilityLimit limit = find_plate_limit("b", 40, 44);
  EXPECT_TRUE(limit.is_oscillation);
  EXPECT_NEAR(limit.value, 41.90616609, 1e-3 * 41.9);
  EXPECT_NEAR(limit.eigenvalue.imag(), 17.50765233, 2e-3 * 17.5);
}

// analytic: U_D = 42.426406871 m/s. What a wake of l chords ends with is a vortex half a chord further from the point at three
// quarters, which takes the part 1/(1 + 2 (l + 1/2)) of the lift; that it acts on the front less than on the rear counts as 1/l^2
TEST(AirModes, DivergeWhereTheSpringCannotHold) {
  for (const double chords : {20., 40.}) {
    const StabilityLimit limit =
        find_plate_limit("a", 41.5, 43.5, {"panels=4", fmt::format("wake={}", chords)});
    EXPECT_FALSE(limit.is_oscillation);
    const double expected = 42.426406871 * std::sqrt(1 + 1 / (2 * chords + 1));
    EXPECT_NEAR(limit.value / expected, 1, 0.2 / (chords * chords)) << chords;
  }
}

/// Eigenvalue of what is left of a motion after others have died away: pitch, less its steady part, by least squares.
Complex measure_growth(const Model& model, double from, double until) {
  RunOptions options = make_run_options(model, {});
  options.integrator = "rk4";
  Simulation simulation(model, options);
  simulation.step_until(from);
  std::vector<double> angles;
  while (simulation.t() < until) {
    simulation.step();
    angles.push_back(simulation.snapshot().scene.q[2]);
  }
  constexpr int kApart = 8;  // steps between the samples of one equation
  const int n = static_cast<int>(angles.size()) - 2 * kApart;
  Eigen::MatrixXd A(n, 3);
  Eigen::VectorXd b(n);
  for (int i = 0; i < n; ++i) {
    A.row(i) << angles[i + kApart], angles[i], 1;
    b[i] = angles[i + 2 * kApart];
  }
  A.col(2) *= A.col(0).norm();
  const Eigen::VectorXd x = A.colPivHouseholderQr().solve(b);
  const Complex z = x[0] / 2 + std::sqrt(Complex(x[0] * x[0] / 4 + x[1]));
  return std::log(z) / (kApart * options.step);
}

// the same machine in time: about wings without load, and at an angle of attack of 0.1, which changes the eigenvalue by 1e-2 of its
// size. Of the motion the slowest part is left in the end; with a short wake those of its end are gone by then. Tolerance: the
// loaded equilibrium has a wake without end and twice 1/24 more lift than the run with one of 12 chords, of which the square counts
TEST(AirModes, GrowAsRunsDo) {
  struct Case {
    double U, rest, from, tolerance;
  };
  for (const Case& c : {Case{34, 0, 2.5, 1e-3}, {30, 0.05, 2, 2e-3}}) {
    const std::vector<std::string> set{"panels=8", "wake=12", fmt::format("U={}", c.U),
                                       "air.coupling_tolerance=1e-12",
                                       fmt::format("forces.pitch.rest_angle={} rad", c.rest)};
    const ModeSet modes = find_plate_modes("a", set);
    const auto slower = [](const Eigenmode& a, const Eigenmode& b) {
      return a.eigenvalue.real() < b.eigenvalue.real();
    };
    const auto last = std::max_element(modes.modes.begin(), modes.modes.end(), slower);
    ASSERT_NE(last, modes.modes.end());
    std::vector<std::string> started = set;
    started.insert(started.end(), {"push=1e-6 rad", "simulation.until=5 s"});
    const Complex measured = measure_growth(read_plate("a", started), c.from, c.from + 1.5);
    EXPECT_NEAR(std::abs(measured - last->eigenvalue), 0, c.tolerance * std::abs(last->eigenvalue))
        << c.U << ": " << measured << last->eigenvalue;
  }
}

// analytic: without wind there are springs, the plate's mass and that of the air: (1 + 1/N) pi rho b^2 at mid chord and
// (1 - 1/N^2)(1 + 2/N) pi rho b^4/8 about it with load j
TEST(AirModes, SwingWithTheAirsMassWithoutWind) {
  const ModeSet set = find_plate_modes(
      "a", {"U=0", "dt=1 ms", "panels=8", "surfaces.section.shedding=none", "surfaces.section.wake_age=1 s",
            "surfaces.section.load=j", "surfaces.section.layout=edge"});
  const double b = 0.5, a = -0.2, N = 8, pi_rho = std::numbers::pi * 1.225;
  const double air = (1 + 1 / N) * pi_rho * b * b,
               turning = (1 - 1 / (N * N)) * (1 + 2 / N) * pi_rho * std::pow(b, 4) / 8;
  const double m = 19.2422550032375, I = 1.15453530019425;
  // plunge down, pitch nose up: mid chord goes down by h - (-a b) alpha
  Eigen::Matrix2d M, K;
  M << m + air, m * 0.1 * b - air * a * b, m * 0.1 * b - air * a * b, I + turning + air * a * a * b * b;
  K << 2770.8847204662, 0, 0, 1039.08177017482;
  const Eigen::Vector2d squares =
      Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::Matrix2d>(K, M).eigenvalues();
  ASSERT_EQ(set.modes.size(), 2U);
  for (int i = 0; i < 2; ++i) {
    // central differences, a span of 10^6
    EXPECT_NEAR(set.modes[i].eigenvalue.imag(), std::sqrt(squares[i]), 1e-7 * std::sqrt(squares[i]));
    EXPECT_NEAR(set.modes[i].eigenvalue.real(), 0, 1e-7 * std::sqrt(squares[i]));
  }
}

TEST(AirModes, RefuseWhatTheyDoNotKnow) {
  const auto refusal = [](const std::vector<std::string>& set, const LinearOptions& options = {},
                          const std::string& case_name = "a") {
    return message_of([&] {
      const std::unique_ptr<SteadyState> state = require_steady_state(read_plate(case_name, set), {});
      find_small_motions(*state, options);
    });
  };
  EXPECT_THAT(refusal({"surfaces.section.wake_age=~"}), HasSubstr("small motions need a wake that ends"));
  EXPECT_THAT(refusal({"surfaces.section.coupling=loose"}), HasSubstr("not of loads that lag"));
  EXPECT_THAT(refusal({"surfaces.section.load=j-edge"}), HasSubstr("with the loads q and j"));
  EXPECT_THAT(refusal({"surfaces.section.load=bernoulli"}), HasSubstr("with the loads q and j"));
  LinearOptions absolute;
  absolute.formulation = "absolute";
  EXPECT_THAT(refusal({}, absolute), HasSubstr("known in recursive alone"));
  EXPECT_THAT(refusal({"U=0", "dt=1 ms", "surfaces.section.wake_age=1 s"}),
              HasSubstr("no air moves against the wings"));
  EXPECT_THAT(refusal({"k_h=0 N/m^2"}), HasSubstr("makes no difference"));
  EXPECT_THAT(refusal({"surfaces.section.shedding=leading-edge"}), HasSubstr("with wakes"));
}

}  // namespace
}  // namespace haltere
