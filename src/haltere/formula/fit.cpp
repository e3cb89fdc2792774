#include "haltere/formula/fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include <Eigen/Core>
#include <fmt/format.h>

#include "haltere/math/dense.h"

namespace haltere {
namespace {

using std::numbers::pi;

// -- harmonics

// of noise in the points by the fit, in the mean over a period; evenly spaced points make it smaller, points
// in a part of the period only make it huge. A choice: what is larger has little to do with the points
constexpr double kMostNoise = 10;

/// Rows of the least squares: the functions of a series at a point, and the value there.
class HarmonicRows {
 public:
  HarmonicRows(const CurveFit& fit, const std::vector<double>& x)
      : n_(2 * fit.harmonics + 1),
        first_(x.front()),
        period_(fit.period > 0 ? fit.period : x.back() - x.front()),
        triangle_(Eigen::MatrixXd::Zero(n_ + 1, n_ + 1)) {}

  void add(double x, double y) {
    if (used_ == block_.rows()) take_block();
    const double turns = (x - first_) / period_, phase = 2 * pi * (turns - std::floor(turns));
    auto row = block_.row(used_++);
    row[0] = 1;
    for (Eigen::Index k = 1; 2 * k < n_; ++k) {
      row[2 * k - 1] = std::cos(static_cast<double>(k) * phase);
      row[2 * k] = std::sin(static_cast<double>(k) * phase);
    }
    row[n_] = y;
  }

  /// What the points know of the coefficients: a triangle, with the right side as its last column.
  const Eigen::MatrixXd& finish() {
    take_block();
    return triangle_;
  }
  double first() const { return first_; }
  double period() const { return period_; }
  int n() const { return n_; }

 private:
  /// Orthogonal transforms of some rows after the other: a long table needs no large matrix.
  void take_block() {
    Eigen::MatrixXd rows(triangle_.rows() + used_, n_ + 1);
    rows << triangle_, block_.topRows(used_);
    triangle_ = calc_triangle(rows);
    used_ = 0;
  }

  int n_;
  double first_, period_;
  Eigen::MatrixXd triangle_;
  Eigen::MatrixXd block_ = Eigen::MatrixXd::Zero(4 * triangle_.rows(), n_ + 1);
  Eigen::Index used_ = 0;
};

/// What white noise of size 1 in the points becomes in the series: the root of its mean square over a period.
double calc_noise(HarmonicRows* rows) {
  const int n = rows->n();
  const auto r = rows->finish().topLeftCorner(n, n).triangularView<Eigen::Upper>();
  const Eigen::MatrixXd inverse = r.solve(Eigen::MatrixXd::Identity(n, n));
  // cosines and sines have a mean square of 1/2
  return std::sqrt((inverse.squaredNorm() + inverse.row(0).squaredNorm()) / 2);
}

std::optional<CurveFitFault> find_harmonics_fault(const CurveFit& fit, const std::vector<double>& x) {
  const std::size_t needed = 2 * static_cast<std::size_t>(fit.harmonics) + 1;
  // one period ends where the next begins: its last point says the same as its first one
  const std::size_t n = fit.period > 0 ? x.size() : x.size() - 1;
  if (n < needed)
    return CurveFitFault{
        fmt::format("{} harmonics have {} coefficients, and there are {} points", fit.harmonics, needed, n),
        "fewer harmonics"};
  HarmonicRows rows(fit, x);
  for (const double at : x) rows.add(at, 0);
  const double noise = calc_noise(&rows);
  if (noise <= kMostNoise) return std::nullopt;
  const std::string much =
      std::isfinite(noise) ? fmt::format("{:.2g} times as large in the fit", noise) : "infinite in the fit";
  return CurveFitFault{
      fmt::format("the points from {:.10g} to {:.10g} do not say what {} harmonics of a period "
                  "of {:.10g} are: noise in them would be {}",
                  x.front(), x.back(), fit.harmonics, rows.period(), much),
      "fewer harmonics, or points in all parts of the period"};
}

// -- smoothing

// below, the curve is hardly more than the parabola that it keeps; a choice
constexpr double kFewestCycles = 1;
// in a cycle of the cut-off: the weights of points and of g''' then differ by its third power, 1e10 here, which
// costs no digits yet; a choice
constexpr double kMostPoints = 10000;
// cycles of the cut-off after which a point is forgotten: the slowest part of the answer to one falls as
// exp(-pi f_c x), here to 1e-18
constexpr double kMemory = 13;

/// How much a wave of `phase` from a point to the next counts as third derivative, of points at a distance of
/// 1: third differences, by what splines of degree two are to each other.
double calc_roughness(double phase) {
  const double side = 2 * std::sin(phase / 2), square = side * side;
  return square * square * square * 120 / (66 + 52 * std::cos(phase) + 2 * std::cos(2 * phase));
}

/// The smoothing spline as the path with the least noise: state (g, g', g''), driven by g''', measured at the
/// points [wecker1983]. What is known of a state from all points before it goes on as a triangle, by orthogonal
/// transforms alone [bierman1977] ch. VI: normal equations would lose twice the digits.
class Smoother {
 public:
  /// `roughness`: the weight of the integral of the third derivative's square against points of weight 1.
  explicit Smoother(double roughness) : root_(std::sqrt(roughness)) {}

  void add_point(double weight, double y) {
    const double root = std::sqrt(weight);
    Eigen::Matrix<double, 4, 4> rows;
    rows.topRows<3>() = known_;
    rows.row(3) << root, 0, 0, root * y;
    known_ = calc_triangle(rows).topRows<3>();
  }

  /// To the next point: the parts of g''' along Legendre's polynomials of degree 2, 1, 0 are wanted to be 0.
  void go_on(double h) {
    const double p = root_ / std::sqrt(h), p1 = p * std::sqrt(3.0), p2 = p * std::sqrt(5.0);
    Eigen::Matrix<double, 6, 7> rows;
    rows.row(0) << -12 * p2 / (h * h), -6 * p2 / h, -p2, 12 * p2 / (h * h), -6 * p2 / h, p2, 0;
    rows.row(1) << 0, 2 * p1 / h, p1, 0, -2 * p1 / h, p1, 0;
    rows.row(2) << 0, 0, -p, 0, 0, p, 0;
    rows.bottomLeftCorner<3, 3>() = known_.leftCols<3>();
    rows.block<3, 3>(3, 3).setZero();
    rows.bottomRightCorner<3, 1>() = known_.rightCols<1>();
    const Eigen::Matrix<double, 6, 7> r = calc_triangle(rows);
    steps_.emplace_back(r.topRows<3>());
    known_ = r.bottomRightCorner<3, 4>();
  }

  /// All states, from the last one back.
  std::vector<CurveNode> solve() const {
    std::vector<CurveNode> nodes(steps_.size() + 1);
    Eigen::Vector3d state = known_.leftCols<3>().triangularView<Eigen::Upper>().solve(known_.rightCols<1>());
    for (std::size_t i = steps_.size();; --i) {
      nodes[i] = {state[0], state[1], state[2]};
      if (i == 0) return nodes;
      const auto& step = steps_[i - 1];
      const Eigen::Vector3d right = step.rightCols<1>() - step.middleCols<3>(3) * state;
      state = step.leftCols<3>().triangularView<Eigen::Upper>().solve(right);
    }
  }

 private:
  double root_;
  Eigen::Matrix<double, 3, 4> known_ = Eigen::Matrix<double, 3, 4>::Zero();
  std::vector<Eigen::Matrix<double, 3, 7>> steps_;
};

/// The points again and again, before and after themselves.
void repeat(std::size_t times, std::vector<double>* x, std::vector<double>* y) {
  const std::vector<double> x0 = *x, y0 = *y;
  const std::size_t n = x0.size() - 1;
  const double period = x0.back() - x0.front(), joint = y0.front() + (y0.back() - y0.front()) / 2;
  x->clear();
  y->clear();
  for (std::size_t turn = 0; turn <= 2 * times; ++turn)
    for (std::size_t i = 0; i < n; ++i) {
      x->push_back(x0[i] + period * (static_cast<double>(turn) - static_cast<double>(times)));
      y->push_back(i == 0 ? joint : y0[i]);
    }
  x->push_back(x0.back() + period * static_cast<double>(times));
  y->push_back(joint);
}

std::optional<CurveFitFault> find_smooth_fault(const CurveFit& fit, const std::vector<double>& x) {
  const double range = x.back() - x.front(), h = range / static_cast<double>(x.size() - 1);
  if (fit.cut_off * h > 0.5)
    return CurveFitFault{fmt::format("the cut-off {:.10g} is above {:.10g}, half the rate of the points",
                                     fit.cut_off, 0.5 / h),
                         "without a fit the curve goes through all points"};
  if (fit.cut_off * range < kFewestCycles)
    return CurveFitFault{fmt::format("the cut-off {:.10g} is below {:.10g}, one cycle in the whole table",
                                     fit.cut_off, kFewestCycles / range),
                         "so little can be said in a formula, as a + b*t + c*t^2"};
  if (fit.cut_off * h * kMostPoints < 1)
    return CurveFitFault{
        fmt::format("a cycle of the cut-off {:.10g} has {:.10g} points; at most {:.10g} can be smoothed",
                    fit.cut_off, 1 / (fit.cut_off * h), kMostPoints),
        "a higher cut-off, or a table of every tenth point"};
  return std::nullopt;
}

}  // namespace

std::string describe(const CurveFit& fit) {
  if (fit.kind == CurveFit::Kind::kSmooth) return fmt::format("smooth:{:.10g}", fit.cut_off);
  if (fit.kind == CurveFit::Kind::kNone) return "no fit";
  const std::string text = fmt::format("harmonics:{}", fit.harmonics);
  return fit.period > 0 ? text + fmt::format(", period:{:.10g}", fit.period) : text;
}

std::optional<CurveFitFault> find_fit_fault(const CurveFit& fit, const std::vector<double>& x) {
  if (fit.kind == CurveFit::Kind::kHarmonics) return find_harmonics_fault(fit, x);
  if (fit.kind == CurveFit::Kind::kSmooth) return find_smooth_fault(fit, x);
  return std::nullopt;
}

FourierSeries fit_harmonics(const CurveFit& fit, const std::vector<double>& x, const std::vector<double>& y) {
  HarmonicRows rows(fit, x);
  for (std::size_t i = 0; i < x.size(); ++i) rows.add(x[i], y[i]);
  const int n = rows.n();
  const Eigen::MatrixXd& triangle = rows.finish();
  const Eigen::VectorXd c =
      triangle.topLeftCorner(n, n).triangularView<Eigen::Upper>().solve(triangle.col(n).head(n));
  FourierSeries series{rows.first(), rows.period(), {c[0]}, {0}};
  for (Eigen::Index k = 1; 2 * k < n; ++k) {
    series.a.push_back(c[2 * k - 1]);
    series.b.push_back(c[2 * k]);
  }
  return series;
}

std::vector<CurveNode> calc_smooth_nodes(double cut_off, const std::vector<double>& x,
                                         const std::vector<double>& y, bool periodic) {
  // lengths near 1 by a power of two, which rounds nothing: other units give the same bits, and no power
  // of them leaves the range of numbers
  const double spacing = (x.back() - x.front()) / static_cast<double>(x.size() - 1);
  const int unit = std::ilogb(spacing);
  const double h0 = std::ldexp(spacing, -unit), phase = 2 * pi * std::ldexp(cut_off, unit) * h0;
  std::vector<double> at(x.size()), values = y;
  for (std::size_t i = 0; i < x.size(); ++i) at[i] = std::ldexp(x[i] - x.front(), -unit);
  std::size_t before = 0;
  if (periodic) {
    const auto times = static_cast<std::size_t>(std::ceil(kMemory * 2 * pi / (phase / h0 * at.back())));
    before = times * (x.size() - 1);
    repeat(times, &at, &values);
  }

  Smoother smoother(std::pow(h0, 6) / calc_roughness(phase));
  const std::size_t last = at.size() - 1;
  for (std::size_t i = 0; i <= last; ++i) {
    if (i > 0) smoother.go_on(at[i] - at[i - 1]);
    // an end counts as if the points went on
    const double left = i > 0 ? at[i] - at[i - 1] : at[1] - at[0];
    const double right = i < last ? at[i + 1] - at[i] : left;
    smoother.add_point((left + right) / 2, values[i]);
  }
  std::vector<CurveNode> nodes = smoother.solve();
  nodes = {nodes.begin() + static_cast<std::ptrdiff_t>(before),
           nodes.begin() + static_cast<std::ptrdiff_t>(before + x.size())};
  for (CurveNode& node : nodes) {
    node.slope = std::ldexp(node.slope, -unit);
    node.bend = std::ldexp(node.bend, -2 * unit);
  }
  if (periodic) nodes.back() = nodes.front();
  return nodes;
}

}  // namespace haltere
