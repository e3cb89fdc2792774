#include "haltere/io/model/closed_loop.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <fmt/format.h>

#include "haltere/analysis/flow.h"
#include "haltere/analysis/modes.h"
#include "haltere/math/dense.h"

namespace haltere {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

// how long it is run: time constants of the slowest motion, turns of the fastest that advances; choices ...
constexpr double kTimeConstants = 3, kTurns = 1.5;
// ... and at most, in time constants of the fastest; a choice that bounds the time
constexpr double kLongest = 3000;
constexpr int kSamples = 200;  // of the run; a choice
// largest change of a position on the way, in radians or length scales: small motions; a choice
constexpr double kDisturbance = 1e-3;
// times the largest velocity that small motions have from this disturbance: who leaves that runs away; a
// choice
constexpr double kAway = 2;
constexpr double kTolerance = 1e-9;  // far below the disturbance
constexpr double kShare = 0.1;       // of a coordinate in a shape that is named; a choice

struct ClosedLoop {
  Model model;
  std::unique_ptr<Equations> equations;
  Equilibrium equilibrium;  // that of the machine without feedback
  Linearization linearization;
  ModeSet modes;
};

ClosedLoop read_back(const ModelSource& source, const std::string& forces, const SteadyState& state) {
  std::vector<std::string> notes;
  ClosedLoop loop;
  loop.model = freeze_motions(read_model(source.path, source.options, forces), &notes);
  loop.equations = make_equations("recursive", loop.model);
  // the work of the feedback is a state of its own
  const Eigen::Index n_motion = loop.equations->sizes().nq + loop.equations->sizes().nv;
  loop.equilibrium = state.equilibrium;
  loop.equilibrium.y = loop.equations->calc_initial_state();
  loop.equilibrium.y.head(n_motion) = state.equilibrium.y.head(n_motion);
  loop.linearization = linearize({}, loop.equilibrium, loop.equations.get());
  if (!loop.linearization.failure.empty()) throw RunError(loop.linearization.failure);
  loop.modes = calc_modes(loop.linearization);
  return loop;
}

void require_decay(const ClosedLoop& loop) {
  for (const Eigenmode& mode : loop.modes.modes) {
    if (!mode.grows()) continue;
    const std::vector<ShapePart> parts = describe_shape(loop.linearization, mode, kShare);
    throw RunError(fmt::format(
        "the machine with this feedback does not stay: a motion grows by {:.3g} 1/s{}; nothing was written\n"
        "  try: --q for more states, or more --input",
        mode.eigenvalue.real(), parts.empty() ? "" : ", most of it " + parts.front().name));
  }
}

double calc_duration(const ClosedLoop& loop, const SteadyState& state) {
  double slowest = std::numeric_limits<double>::infinity(), fastest = 0, turn = 0;
  for (const Eigenmode& mode : loop.modes.modes) {
    if (mode.decays()) slowest = std::min(slowest, -mode.eigenvalue.real());
    fastest = std::max(fastest, std::abs(mode.eigenvalue));
  }
  const std::vector<StateCoordinate> coordinates = list_coordinates(state.model);
  const Vector advance = calc_advance(state);
  for (std::size_t i = 0; i < coordinates.size(); ++i)
    if (is_rotary(coordinates[i].motion))
      turn = std::max(turn, std::abs(advance[static_cast<Eigen::Index>(i)]));
  double duration = kTimeConstants / slowest;
  if (turn > 0) duration = std::max(duration, kTurns * 2 * std::numbers::pi / turn);
  return fastest > 0 ? std::min(duration, kLongest / fastest) : duration;
}

/// Changes of velocities, in scales: one column a sample.
struct SmallMotion {
  Matrix dv;
  double largest = 0;
};

/// All velocities jump by about the same.
SmallMotion predict(const Linearization& l, double duration) {
  const Eigen::Index nx = l.n_positions, nv = l.F.rows() - nx;
  Vector jump(l.V.rows());
  for (Eigen::Index i = 0; i < jump.size(); ++i) jump[i] = 1 + 0.5 * std::sin(static_cast<double>(i));
  Vector z = Vector::Zero(nx + nv);
  z.tail(nv) = l.V.rightCols(nv).transpose() * jump;
  const Matrix step = calc_exponential(l.F * (duration / kSamples));
  SmallMotion motion;
  motion.dv.resize(l.V.rows(), kSamples + 1);
  double largest = 0;
  for (int k = 0; k <= kSamples; ++k, z = step * z) {
    motion.dv.col(k) = l.V * z;
    largest = std::max(largest, (l.X * z).lpNorm<Eigen::Infinity>());
  }
  if (largest > 0) motion.dv *= kDisturbance / largest;
  motion.largest = motion.dv.cwiseAbs().maxCoeff();
  return motion;
}

/// How far velocities are from those of small motions, of the largest.
double run(const ClosedLoop& loop, double duration) {
  const Sizes sizes = loop.equations->sizes();
  const Vector& scales = loop.linearization.scales;
  const SmallMotion expected = predict(loop.linearization, duration);
  const Vector& steady = loop.equilibrium.y;
  Vector y = steady, end;
  sizes.v(y) += scales.cwiseProduct(expected.dv.col(0));
  RunOptions options;
  options.tolerance = kTolerance;
  Flow flow(loop.model, options);
  double difference = 0, when = -1;
  Eigen::Index which = 0;
  int k = 0;
  const auto take = [&](double t, const Vector& seen) {
    const Vector dv = (seen - steady).segment(sizes.nq, sizes.nv).cwiseQuotient(scales);
    difference = std::max(difference, (dv - expected.dv.col(k++)).lpNorm<Eigen::Infinity>());
    Eigen::Index i = 0;
    if (when >= 0 || dv.cwiseAbs().maxCoeff(&i) <= kAway * expected.largest) return;
    which = i;
    when = t;
  };
  std::string failure = flow.choose_steps(0, y, duration);
  if (failure.empty()) failure = flow.integrate(0, y, duration, {kSamples, take}, &end);
  if (!failure.empty())
    throw RunError(
        fmt::format("the machine with this feedback does not run: {}\nnothing was written", failure));
  if (when >= 0)
    throw RunError(fmt::format(
        "the machine with this feedback does not stay, although all small motions decay: at t = {:.3g} s {} "
        "has left them; nothing was written\n"
        "  try: a body that does not spin as the one that is free, or --q for what stays alone",
        when, loop.linearization.velocities[which]));
  return difference / expected.largest;
}

}  // namespace

std::string check_closed_loop(const ModelSource& source, const std::string& forces,
                              const SteadyState& state) {
  const ClosedLoop loop = read_back(source, forces, state);
  require_decay(loop);
  if (state.equilibrium.symmetry.depends_on_time)
    return "read back: nothing grows; not run, since the equations depend on time";
  const double duration = calc_duration(loop, state);
  if (!std::isfinite(duration)) return "read back: nothing grows, nothing decays";
  const double part = run(loop, duration);
  return fmt::format(
      "read back: nothing grows; run for {:.3g} s from a small disturbance: as small motions do, within "
      "{:.2g} % of "
      "the largest",
      duration, 100 * part);
}

}  // namespace haltere
