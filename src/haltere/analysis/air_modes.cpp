#include "haltere/analysis/air_modes.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "haltere/dynamics/lattice_feedback.h"
#include "haltere/math/complex_dense.h"
#include "haltere/math/dense.h"
#include "haltere/model/wrong_input.h"

namespace haltere {
namespace {

using Complex = std::complex<double>;
using Matrix = Eigen::MatrixXd;
using Complexes = Eigen::MatrixXcd;

// of the fastest rate of the machine: what central differences leave of an eigenvalue, with room
constexpr double kAirAccuracy = 1e-8;
// the same, within which the search for one ends
constexpr double kSearched = 1e-11;
constexpr int kMostSearches = 60;
// of the largest terms of an equation: what may be left of it; ten times what central differences leave
constexpr double kMostLeft = 1e-8;
// the air comes in by so many parts, eigenvalues followed; a choice
constexpr int kParts = 6;
// angle between neighbours on the unit circle, in radians: half a turn would be lost; a choice
constexpr double kMostTurn = 1;
constexpr int kGrid = 48;
constexpr double kLeastArc = 1e-13;  // rounding of points on the circle
// log of what dies away while the wake passes: what dies faster is as much of the wake's end as of the machine, for vortices
// shed long ago are stronger by that factor, 20. By experience with typical-section: eigenvalues at the limit change by 1 % with
// twice the wake.
constexpr double kMostDecay = 3;
// starts of a second search, growth a step
constexpr int kLooks = 40;

/// Machine and air over a step:  x' = Phi x + Psi_0 g + Psi_1 g',  g = L(z) x.            theory.md (E50), (E51)
class AirModes {
 public:
  AirModes(const SteadyState& state, Linearization linearization, const LatticeAir& air);
  ModeSet find();

 private:
  struct Root {
    Complex s;
    Eigen::VectorXcd x;
    double left = 0;  // of the equation
  };
  void make_machine();
  Complexes calc_loads(Complex z) {
    return to_rates_ * (feedback_->calc_loads(z) * feedback_->parts().asDiagonal()).eval();
  }
  Complexes calc_equation(Complex z);
  std::optional<Root> search(Complex s, double part);
  void add(Root root);
  void follow_all();
  int count_growing_roots() const;
  int count_by_turns();
  double calc_turn(double from, Complex f_from, double to, Complex f_to);
  Complex calc_on_circle(double angle);
  void look_for_more();

  Linearization linearization_;
  std::unique_ptr<ImplicitForm> form_;
  std::unique_ptr<LatticeAir::Feedback> feedback_;
  double h_ = 0, rate_ = 0;  // step, fastest rate of the machine
  Matrix F_, to_rates_;      // with the air's mass; of loads in the axes of their bodies
  Matrix Phi_, Psi_0_, Psi_1_;
  std::vector<Root> roots_;  // with s.imag() >= 0
  int lost_ = 0;
};

AirModes::AirModes(const SteadyState& state, Linearization linearization, const LatticeAir& air)
    : linearization_(std::move(linearization)), form_(state.equations->make_implicit_form()) {
  const Eigen::VectorXd& y0 = state.equilibrium.y;
  const Sizes sizes = state.equations->sizes();
  form_->set_start(y0);
  Scene<double> base;
  state.equations->calc_scene(0, y0, &base);
  const auto move_by = [&](int way, double part) {
    Eigen::VectorXd y = y0;
    const Eigen::VectorXd& scales = linearization_.scales;
    form_->move(part * scales.cwiseProduct(linearization_.X.col(way)), y);
    sizes.v(y) += part * scales.cwiseProduct(linearization_.V.col(way));
    Scene<double> scene;
    state.equations->calc_scene(0, y, &scene);
    return scene;
  };
  feedback_ =
      std::make_unique<LatticeAir::Feedback>(air, base, static_cast<int>(linearization_.F.cols()), move_by);
  h_ = feedback_->step();
  // wrenches in the axes of the bodies
  Matrix axes = Matrix::Zero(linearization_.wrenches.cols(), linearization_.wrenches.cols());
  for (std::size_t i = 0; i < feedback_->bodies().size(); ++i)
    for (Eigen::Index k = 0; k < 2; ++k)
      axes.block<3, 3>(static_cast<Eigen::Index>(6 * i) + 3 * k, static_cast<Eigen::Index>(6 * i) + 3 * k) =
          base.X_WB[feedback_->bodies()[i]].R;
  to_rates_ = linearization_.wrenches * axes;
  make_machine();
}

/// Small motions are counted in parts that move the wings about alike: their own scales may differ by the aspect of a wing.
/// The air's mass among the machine's; loads go straight from one end of a step to the other.
void AirModes::make_machine() {
  const Eigen::Index n = linearization_.F.cols();
  const Eigen::VectorXd& parts = feedback_->parts();
  const auto to_parts = [&](const Matrix& rows) -> Matrix {
    return parts.cwiseInverse().asDiagonal() * rows;
  };
  to_rates_ = to_parts(to_rates_);
  const Matrix heavy =
      Matrix::Identity(n, n) + to_rates_ * feedback_->added() * (feedback_->twists() * parts.asDiagonal());
  DenseLu lu;
  lu.factor(heavy);
  const auto divide = [&](const Matrix& right) {
    Matrix result(right.rows(), right.cols());
    for (Eigen::Index k = 0; k < right.cols(); ++k) result.col(k) = lu.solve(Eigen::VectorXd(right.col(k)));
    return result;
  };
  const Matrix F = linearization_.F + linearization_.wrenches * feedback_->turned();
  F_ = divide(to_parts(F * parts.asDiagonal()));
  to_rates_ = divide(to_rates_);
  rate_ = calc_eigenvalues(F_).cwiseAbs().maxCoeff();
  Matrix whole = Matrix::Zero(3 * n, 3 * n);
  whole.topLeftCorner(n, n) = h_ * F_;
  whole.block(0, n, n, n) = h_ * Matrix::Identity(n, n);
  whole.block(n, 2 * n, n, n) = Matrix::Identity(n, n);
  const Matrix step = calc_exponential(whole);
  Phi_ = step.topLeftCorner(n, n);
  Psi_1_ = step.block(0, 2 * n, n, n);
  Psi_0_ = step.block(0, n, n, n) - Psi_1_;
}

/// What is 0 times the shape of a mode.
Complexes AirModes::calc_equation(Complex z) {
  const Complexes L = calc_loads(z);
  return z * Complexes::Identity(L.rows(), L.cols()) - Phi_ - (Psi_0_ + z * Psi_1_) * L;
}

/// With the loads as they are at exp(s h) there are eigenvalues of a matrix; the nearest shall be exp(s h) itself. By
/// secants.
std::optional<AirModes::Root> AirModes::search(Complex s, double part) {
  const Eigen::Index n = F_.cols();
  Complex before = s, off_before = 0;
  for (int k = 0; k < kMostSearches; ++k) {
    const Complex z = std::exp(s * h_);
    const Complexes L = part * calc_loads(z);
    const ComplexEigensystem system = calc_eigensystem(
        solve_square(Complexes::Identity(n, n) - Psi_1_ * L, Phi_.cast<Complex>() + Psi_0_ * L));
    if (!system.exists) return std::nullopt;
    Eigen::Index nearest = 0;
    (system.values.array() - z).abs().minCoeff(&nearest);
    const Complex off = std::log(system.values[nearest]) / h_ - s;
    if (!std::isfinite(off.real()) || !std::isfinite(off.imag())) return std::nullopt;
    if (std::abs(off) <= kSearched * rate_) {
      Root root{s + off, system.vectors.col(nearest), 0};
      if (part == 1) {
        const Complexes D = calc_equation(std::exp(root.s * h_));
        const double size = std::abs(z) * root.x.norm() + (Phi_ * root.x).norm();
        root.left = (D * root.x).norm() / size;
      }
      return root;
    }
    Complex next = s + off;
    if (k > 0) {
      const Complex slope = (off - off_before) / (s - before);
      const Complex step = -off / slope;
      // a secant that goes much further than the loads say is none
      if (std::isfinite(std::abs(step)) && std::abs(step) < 5 * std::abs(off)) next = s + step;
    }
    before = s;
    off_before = off;
    if (std::abs(s.imag()) == 0 && std::abs(off.imag()) == 0) next.imag(0);
    s = next;
  }
  return std::nullopt;
}

void AirModes::add(Root root) {
  if (root.s.imag() < 0) {
    root.s = std::conj(root.s);
    root.x = root.x.conjugate().eval();
  }
  if (root.s.imag() <= kAirAccuracy * rate_) root.s.imag(0);
  for (const Root& other : roots_)
    if (std::abs(other.s - root.s) <= 10 * kAirAccuracy * rate_) return;
  roots_.push_back(std::move(root));
}

/// From those of the machine with the air's mass alone on, as more and more of the other loads come in.
void AirModes::follow_all() {
  const Eigen::VectorXcd alone = calc_eigenvalues(F_);
  for (Eigen::Index i = 0; i < alone.size(); ++i) {
    if (alone[i].imag() < 0) continue;
    std::optional<Root> root = Root{alone[i], {}, 0};
    for (int k = 1; k <= kParts && root; ++k) root = search(root->s, static_cast<double>(k) / kParts);
    if (!root) root = search(alone[i], 1);
    if (root)
      add(*std::move(root));
    else
      ++lost_;
  }
}

int AirModes::count_growing_roots() const {
  int count = 0;
  for (const Root& root : roots_)
    if (root.s.real() > kAirAccuracy * rate_) count += root.s.imag() > 0 ? 2 : 1;
  return count;
}

Complex AirModes::calc_on_circle(double angle) {
  const Complex z = std::exp(Complex(kAirAccuracy * rate_ * h_, angle));
  return calc_determinant(calc_equation(z) / (z * h_ * rate_));
}

double AirModes::calc_turn(double from, Complex f_from, double to, Complex f_to) {
  const double middle = from + (to - from) / 2;
  const double turn = std::arg(f_to / f_from);
  if (to - from < kLeastArc) return turn;
  const Complex f = calc_on_circle(middle);
  const double first = std::arg(f / f_from), second = std::arg(f_to / f);
  if (std::abs(first) < kMostTurn / 2 && std::abs(second) < kMostTurn / 2) return first + second;
  return calc_turn(from, f_from, middle, f) + calc_turn(middle, f, to, f_to);
}

/// det(D/z) has no poles outside of the unit circle, where the air by itself only forgets, and is not 0 far out: it turns
/// backwards once for each eigenvalue there.                                           theory.md (E52)
int AirModes::count_by_turns() {
  double turn = 0;
  const auto angle_of = [](int k) { return std::numbers::pi * std::pow(static_cast<double>(k) / kGrid, 3); };
  Complex before = calc_on_circle(0);
  for (int k = 1; k <= kGrid; ++k) {
    const Complex f = calc_on_circle(angle_of(k));
    turn += calc_turn(angle_of(k - 1), before, angle_of(k), f);
    before = f;
  }
  return static_cast<int>(std::lround(-turn / std::numbers::pi));
}

/// Along the real axis, where a slow motion begins to grow with no mode before it, and from points on the circle.
void AirModes::look_for_more() {
  const auto value = [&](double s) {
    const double z = std::exp(s * h_);
    return calc_determinant(calc_equation(z) / (z * h_ * rate_)).real();
  };
  double low = kAirAccuracy * rate_, f_low = value(low);
  for (int k = 1; k <= kLooks; ++k) {
    const double high = low * 2, f_high = value(high);
    if (f_low * f_high < 0) {
      double a = low, b = high, f_a = f_low;
      while (b - a > 1e-4 * b) {
        const double middle = a + (b - a) / 2, f = value(middle);
        (f * f_a > 0 ? a : b) = middle;
        if (a == middle) f_a = f;
      }
      if (std::optional<Root> root = search(a + (b - a) / 2, 1)) add(*std::move(root));
    }
    low = high;
    f_low = f_high;
    if (low * h_ > 2) break;
  }
  for (int k = 1; k < kGrid; ++k)
    if (std::optional<Root> root =
            search(Complex(0, std::numbers::pi * std::pow(static_cast<double>(k) / kGrid, 3) / h_), 1))
      add(*std::move(root));
}

ModeSet AirModes::find() {
  follow_all();
  const int growing = count_by_turns();
  if (growing != count_growing_roots()) look_for_more();
  if (growing != count_growing_roots())
    throw RunError(
        fmt::format("small motions with the air: {} eigenvalues grow by the turns of their determinant, but "
                    "{} were found\n"
                    "  try: a shorter `step`, a longer `wake_age`",
                    growing, count_growing_roots()));
  ModeSet set;
  double most_left = 0;
  for (const Root& root : roots_) {
    if (root.s.real() * h_ * feedback_->rows() < -kMostDecay) {
      ++lost_;
      continue;
    }
    most_left = std::max(most_left, root.left);
    if (!(root.left <= kMostLeft))
      throw RunError(
          fmt::format("small motions with the air: at {:.6g} + {:.6g} i the equations are left with "
                      "{:.2g} of their terms",
                      root.s.real(), root.s.imag(), root.left));
    Eigenmode mode;
    mode.eigenvalue = root.s;
    mode.accuracy = kAirAccuracy * rate_;
    mode.is_neutral = std::abs(root.s) <= mode.accuracy;
    if (mode.is_neutral) mode.eigenvalue = 0;
    set_shape(linearization_, feedback_->parts().asDiagonal() * root.x, &mode);
    set.modes.push_back(std::move(mode));
  }
  sort_modes(&set.modes);
  set.notes.push_back(fmt::format(
      "with the air, wakes straight and of {} rows; residual {:.1e}; {} eigenvalues grow by the turns of the "
      "determinant, too",
      feedback_->rows(), most_left, growing));
  if (lost_ > 0)
    set.notes.push_back(
        fmt::format("{} that die away within the time of the wake (faster than {:.3g} 1/s) are not listed: a "
                    "shorter `wake_age` "
                    "shows them",
                    lost_, kMostDecay / (h_ * std::max(feedback_->rows(), 1))));
  return set;
}

}  // namespace

LatticeAir* find_free_air(const SteadyState& state) {
  for (const std::shared_ptr<Environment>& environment : state.equations->environments()) {
    auto* air = dynamic_cast<LatticeAir*>(environment.get());
    if (air != nullptr && air->is_free()) return air;
  }
  return nullptr;
}

SmallMotions find_air_modes(const SteadyState& state, const LinearOptions& asked) {
  if (asked.formulation != "recursive")
    throw wrong_input("--formulation", "small motions with wakes are known in recursive alone",
                      "leave it out");
  if (asked.chart != "lie") throw wrong_input("--chart", "is of the bodies of absolute", "leave it out");
  LatticeAir& air = *find_free_air(state);
  LinearizationOptions options;
  options.without_air = true;
  for (const BodyIndex body : air.moving_bodies()) options.bodies.push_back(body.value);
  struct Slopes {  // come back, whatever happens
    LatticeAir& air;
    ~Slopes() { air.tell_slopes(true); }
  };
  air.tell_slopes(false);
  const Slopes slopes{air};
  Linearization linearization = linearize(options, state.equilibrium, state.equations.get());
  if (!linearization.failure.empty()) throw RunError(linearization.failure);
  if (linearization.n_states > 0)
    throw RunError("small motions with wakes are not known yet where a model has states of its own");
  if (linearization.neutral.cols() > 0)
    throw RunError(
        "small motions with wakes are not known yet where a place or a heading of the machine makes no "
        "difference\n  try: a weak spring along it, or `hold` it");
  SmallMotions found{linearization, {}, true};
  found.set = AirModes(state, std::move(linearization), air).find();
  return found;
}

}  // namespace haltere
