#include "haltere/io/model/regulator_text.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <Eigen/LU>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "haltere/math/rotation.h"

namespace haltere {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

// Choices: the first two between rounding of a regulator, and what it means; the third keeps rates of angles
// below twenty times the turn.
constexpr double kNoGain = 1e-10;  // gains below this part of the largest are those of nothing
constexpr double kCancels = 1e-7;  // what is left of two gains that cancel, of their sizes
constexpr double kLocked = 0.05;   // volume of the three axes of Euler angles: below it they are no measure

/// What a feedback reads, its value in the steady motion, and what each input does with it.
struct Reading {
  std::string signal;
  double value = 0;
  Vector gains;
};

template <class List>
bool has_name(const List& list, const std::string& name) {
  return std::any_of(list.begin(), list.end(), [&](const auto& item) { return item.name == name; });
}

/// a*NAME.w + b*NAME.x + ...
std::string write_sum(const Vector4<double>& factors, const std::string& name) {
  std::string text;
  for (int i = 0; i < 4; ++i) {
    if (std::abs(factors[i]) < kNoGain) continue;
    const double size = std::abs(factors[i]);
    text += text.empty() ? (factors[i] < 0 ? "-" : "") : (factors[i] < 0 ? " - " : " + ");
    if (size != 1) text += fmt::format("{}*", size);
    text += fmt::format("{}.{}", name, "wxyz"[i]);
  }
  return text.find(' ') == std::string::npos && text[0] != '-' ? text : '(' + text + ')';
}

class RegulatorText {
 public:
  RegulatorText(const Linearization& linearization, const SteadyState& state);
  void place_gains(const StateSpace& system, const Matrix& K);
  std::string write();

 private:
  void update_jacobians();
  bool is_steady(std::size_t body) const;
  int find_body(int turn, bool with_angles) const;
  bool has_angles(std::size_t body) const;
  void read_turn(int turn);
  void add_angles(int body, const Matrix& gains);
  void add_quaternion(int body, const Matrix& gains);
  void add_coordinates();
  void check_advance() const;
  std::string write_input(std::size_t input, const std::string& name) const;
  [[noreturn]] void refuse_turn(int turn) const;

  const Linearization& linearization_;
  const SteadyState& state_;
  const Model& model_;
  const std::vector<StateCoordinate> coordinates_;
  const Sizes sizes_;
  const Vector advance_;
  Matrix by_position_, by_velocity_;  // gains, one row an input
  std::vector<Matrix> turns_;         // of each body, world axes, by velocities of the coordinates
  Snapshot seen_;
  std::vector<Reading> readings_;
  std::string signals_;  // formulas that some of them need
};

RegulatorText::RegulatorText(const Linearization& linearization, const SteadyState& state)
    : linearization_(linearization),
      state_(state),
      model_(state.model),
      coordinates_(list_coordinates(state.model)),
      sizes_(state.equations->sizes()),
      advance_(calc_advance(state)) {
  update_jacobians();
}

void RegulatorText::update_jacobians() {
  Vector y = state_.equilibrium.y;
  sizes_.v(y).setZero();
  turns_.assign(model_.bodies.size(), Matrix::Zero(3, sizes_.nv));
  std::vector<Vector3<double>> prescribed(model_.bodies.size());
  state_.equations->observe(0, y, &seen_);
  for (std::size_t b = 0; b < model_.bodies.size(); ++b) prescribed[b] = seen_.scene.V_WB[b].head<3>();
  for (int i = 0; i < sizes_.nv; ++i) {
    y[sizes_.nq + i] = 1;
    state_.equations->observe(0, y, &seen_);
    y[sizes_.nq + i] = 0;
    for (std::size_t b = 0; b < model_.bodies.size(); ++b)
      turns_[b].col(i) = seen_.scene.V_WB[b].head<3>() - prescribed[b];
  }
  state_.equations->observe(0, state_.equilibrium.y, &seen_);
}

void RegulatorText::place_gains(const StateSpace& system, const Matrix& K) {
  by_position_ = by_velocity_ = Matrix::Zero(K.rows(), sizes_.nv);
  for (std::size_t k = 0; k < system.states.size(); ++k)
    for (int i = 0; i < sizes_.nv; ++i) {
      if (system.states[k] == linearization_.positions[i])
        by_position_.col(i) = -K.col(static_cast<Eigen::Index>(k));
      if (system.states[k] == linearization_.velocities[i])
        by_velocity_.col(i) = -K.col(static_cast<Eigen::Index>(k));
    }
}

bool RegulatorText::is_steady(std::size_t body) const {
  double largest = 0;
  for (const Vector6<double>& V : seen_.scene.V_WB) largest = std::max(largest, V.head<3>().norm());
  return seen_.scene.V_WB[body].head<3>().norm() <= kNoGain * largest;
}

/// The nearest that turns with the three coordinates from `turn` on and keeps its orientation; -1: none.
int RegulatorText::find_body(int turn, bool with_angles) const {
  int nearest = -1;
  Eigen::Index fewest = sizes_.nv + 1;  // coordinates that turn it
  for (std::size_t b = 1; b < model_.bodies.size(); ++b) {
    // along unit axes: what is below is rounding
    const bool turns_along = turns_[b].middleCols<3>(turn).norm() > 0.5;
    const Eigen::Index count = (turns_[b].colwise().norm().array() > 0.5).count();
    if (!turns_along || count >= fewest || !is_steady(b) || (with_angles && !has_angles(b))) continue;
    nearest = static_cast<int>(b);
    fewest = count;
  }
  return nearest;
}

/// Euler angles, and they are a measure of its orientation.
bool RegulatorText::has_angles(std::size_t body) const {
  const auto& euler = model_.bodies[body].euler;
  if (!euler) return false;
  const Vector3<double> angles = euler->calc_angles(seen_.scene.X_WB[body].R);
  return std::abs(euler->calc_E<double>(angles).determinant()) > kLocked;
}

/// The turn of a joint is that of the body less what other coordinates do to it.
void RegulatorText::read_turn(int turn) {
  const Matrix own = by_position_.middleCols<3>(turn);
  if (own.isZero(0)) return;
  int body = find_body(turn, true);
  const bool by_angles = body > 0;
  if (!by_angles) body = find_body(turn, false);
  if (body < 0) refuse_turn(turn);
  // the inverse of the slope is its transpose
  const Matrix gains = own * turns_[body].middleCols<3>(turn).transpose();
  const Matrix taken = gains * turns_[body];
  for (Eigen::Index i = 0; i < taken.rows(); ++i)
    for (Eigen::Index k = 0; k < taken.cols(); ++k) {
      double& gain = by_position_(i, k);
      const double size = std::abs(gain) + std::abs(taken(i, k));
      gain -= taken(i, k);
      if (std::abs(gain) <= kCancels * size) gain = 0;
    }
  if (by_angles)
    add_angles(body, gains);
  else
    add_quaternion(body, gains);
}

void RegulatorText::add_angles(int body, const Matrix& gains) {
  const BodySpec& spec = model_.bodies[body];
  const Vector3<double> angles = spec.euler->calc_angles(seen_.scene.X_WB[body].R);
  const Matrix by_angle = gains * spec.euler->calc_E<double>(angles);
  for (int k = 0; k < 3; ++k)
    readings_.push_back({fmt::format("body.{}.euler.{}", spec.name, k), angles[k], by_angle.col(k)});
}

/// The turn from the steady orientation q0 is 2 w (x, y, z) of q q0^-1, to second order: q and -q give the
/// same, and nothing jumps.
void RegulatorText::add_quaternion(int body, const Matrix& gains) {
  const std::string name = fmt::format("body.{}.orientation", model_.bodies[body].name);
  Vector4<double> inverse = quaternion_of<double>(seen_.scene.X_WB[body].R);
  inverse.tail<3>() *= -1;
  Eigen::Matrix4d factors;  // of w, x, y, z: one row a component of the product
  for (int i = 0; i < 4; ++i) factors.col(i) = multiply<double>(Vector4<double>::Unit(i), inverse);
  const std::string w = write_sum(factors.row(0), name);
  for (int k = 0; k < 3; ++k) {
    std::string signal = fmt::format("{}_turn_{}", model_.bodies[body].name, "xyz"[k]);
    while (has_name(model_.signals, signal) || has_name(model_.parameters, signal)) signal += '_';
    signals_ += fmt::format("  {}: 2*{}*{}\n", signal, w, write_sum(factors.row(1 + k), name));
    readings_.push_back({signal, 0, gains.col(k)});
  }
}

void RegulatorText::add_coordinates() {
  std::vector<Reading> own;
  for (int i = 0; i < sizes_.nv; ++i)
    if (coordinates_[i].motion != Motion::kTurn)
      own.push_back({coordinates_[i].position, state_.equilibrium.y[coordinates_[i].q], by_position_.col(i)});
  for (int i = 0; i < sizes_.nv; ++i)
    own.push_back({coordinates_[i].velocity, state_.equilibrium.y[sizes_.nq + i], by_velocity_.col(i)});
  readings_.insert(readings_.begin(), own.begin(), own.end());
}

/// Coordinates that advance may be fed back where what they add up to stays.
void RegulatorText::check_advance() const {
  for (Eigen::Index input = 0; input < by_position_.rows(); ++input) {
    const Vector parts = by_position_.row(input).transpose().cwiseProduct(advance_);
    Eigen::Index worst = 0;
    if (parts.size() == 0 || !(parts.cwiseAbs().maxCoeff(&worst) > 0)) continue;
    const double largest = by_position_.row(input).cwiseAbs().maxCoeff() * advance_.cwiseAbs().maxCoeff();
    if (std::abs(parts.sum()) <= kCancels * largest) continue;
    throw RunError(fmt::format(
        "the feedback of {} needs {}, which advances in the steady motion: it would not stay one\n"
        "  try: --q for what stays alone",
        linearization_.inputs[input].name, linearization_.positions[worst]));
  }
}

void RegulatorText::refuse_turn(int turn) const {
  const std::string& name = linearization_.positions[turn];
  throw RunError(fmt::format(
      "the feedback needs the turn of {}, and no body that turns with it keeps its orientation in the steady "
      "motion: an angle that advances cannot be fed back\n"
      "  try: a body that does not spin as the child of that joint, with the spinning one on it",
      name.substr(0, name.rfind(".turn."))));
}

std::string RegulatorText::write_input(std::size_t i, const std::string& name) const {
  const InputCoordinate& input = linearization_.inputs[i];
  const JointSpec& joint = model_.joints[input.joint];
  const auto row = static_cast<Eigen::Index>(i);
  double largest = 0;
  for (const Reading& r : readings_) largest = std::max(largest, std::abs(r.gains[row]));
  std::string gains;
  double constant = 0, size = 0;
  for (const Reading& reading : readings_) {
    const double gain = reading.gains[row];
    if (std::abs(gain) <= kNoGain * largest) continue;
    gains += fmt::format("      {}: {}\n", reading.signal, gain);
    constant -= gain * reading.value;
    size += std::abs(gain);
  }
  return fmt::format("  {}:\n    kind: feedback\n    joint: {}\n", name,
                     joint.nv() > 1 ? fmt::format("{}.{}", joint.name(), input.coordinate) : joint.name()) +
         (gains.empty() ? "    gains: {}\n" : "    gains:\n" + gains) +
         (std::abs(constant) > kNoGain * size ? fmt::format("    offset: {}\n", constant) : "");
}

std::string RegulatorText::write() {
  // those farther out first: what is taken from them counts for the joints that carry them
  for (int i = sizes_.nv - 1; i >= 2; --i)
    if (linearization_.positions[i].ends_with(".turn.z")) read_turn(i - 2);
  check_advance();
  add_coordinates();
  std::string text = (signals_.empty() ? "" : "signals:\n" + signals_) + "forces:\n";
  int number = 0;
  for (std::size_t i = 0; i < linearization_.inputs.size(); ++i) {
    std::string name;
    do name = fmt::format("regulator{}", ++number);
    while (has_name(model_.forces, name));
    text += write_input(i, name);
  }
  return text;
}

}  // namespace

std::string write_regulator(const StateSpace& system, const Matrix& K, const Linearization& linearization,
                            const SteadyState& state) {
  RegulatorText text(linearization, state);
  text.place_gains(system, K);
  return text.write();
}

}  // namespace haltere
