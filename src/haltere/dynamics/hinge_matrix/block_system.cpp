#include "haltere/dynamics/hinge_matrix/block_system.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "haltere/math/rotation.h"

namespace haltere {
namespace {

// of the largest entry of its column, rows being scaled to one: a pivot below it is rounding (some dozen
// operations)
constexpr double kRoundedPivot = 64 * std::numeric_limits<double>::epsilon();

double power_of_two(double x) {
  return x > 0 && std::isfinite(x) ? std::ldexp(1.0, std::ilogb(x)) : 1;
}

/// w x I w
Vector3<double> calc_gyroscopic(const InsectPart& part) {
  return part.w.cross(part.I * part.w);
}

/// w x (w x p), own axes
Vector3<double> calc_centripetal(const Vector3<double>& w, const Vector3<double>& p) {
  return w.cross(w.cross(p));
}

}  // namespace

void BlockSystem::resize(double length) {
  const int n = start(static_cast<int>(wings.size()));
  C_.setZero(n, n);
  d_.setZero(n);
  x_.setZero(n);
  row_scale_.setOnes(n);
  unit_.setOnes(n);
  lu_ = Eigen::PartialPivLU<Eigen::MatrixXd>(n);
  double total = body.mass;
  for (const InsectWing& wing : wings) total += wing.mass;
  unit_.segment<3>(0).setConstant(power_of_two(length));
  for (int k = 0; k < static_cast<int>(wings.size()); ++k) {
    const InsectWing& wing = wings[k];
    // a small wing is judged by its own size
    const double mass = wing.mass > 0 ? wing.mass : total;
    const double size = std::max(wing.x_Hw.norm(), std::sqrt(wing.I.trace() / mass));
    const double l = power_of_two(size > 0 ? size : length), m = power_of_two(mass);
    unit_.segment<3>(start(k)).setConstant(l);
    unit_.segment<3>(start(k) + 6).setConstant(m * l);
    if (wing.is_prescribed) unit_.segment<3>(start(k) + 9).setConstant(m * l * l);
  }
}

//   [ C11 C12 | C13  0  C15  0  ]   1  Newton of all
//   [ C21 C22 | C23  0  C25 C26 ]   2  Euler of the body
//   [  0   0  | C33 C34 C35 C36 ]   3  Euler of the wing
//   [ C41 C42 | C43 C44  0   0  ]   4  the hinge
//   [  0  C52 |  0  C54  0  C56 ]   5  Omega_W' against Omega_B'
//   [  0   0  | C63 C64 C65  0  ]   6  f_W
// C21 is not in the paper: other elements than its fluid may couple torques and x''.
void BlockSystem::fill_body() {
  const Matrix3<double>& R = body.R;
  const auto K_tt = body.K.block<3, 3>(0, 0), K_tf = body.K.block<3, 3>(0, 3),
             K_ft = body.K.block<3, 3>(3, 0), K_ff = body.K.block<3, 3>(3, 3);
  C_.block<3, 3>(0, 0) = body.mass * Matrix3<double>::Identity();
  C_.block<3, 3>(3, 3) = body.I;
  if (!body.has_added) return;
  C_.block<3, 3>(0, 0) += K_ff;
  C_.block<3, 3>(0, 3) = K_ft * R;
  C_.block<3, 3>(3, 0) = R.transpose() * K_tf;
  C_.block<3, 3>(3, 3) += R.transpose() * K_tt * R;
}

void BlockSystem::fill_wing(int k) {
  const InsectWing& wing = wings[k];
  const Matrix3<double> E = Matrix3<double>::Identity();
  const Matrix3<double> R_lb = body.R.transpose(), R_lw = wing.R.transpose();
  const Matrix3<double> H_b = skew<double>(wing.x_Hb), H_w = skew<double>(wing.x_Hw);
  const int s = start(k);
  const auto C = [&](int row, int column) { return C_.block<3, 3>(row, column); };
  C(0, s) = wing.mass * E;
  C(0, s + 6) = -E;
  C(3, s + 6) = -H_b * R_lb;
  C(3, s) = -wing.mass * C(3, s + 6);
  C(s, s + 6) = H_w * R_lw;
  C(s, s) = -wing.mass * C(s, s + 6);
  C(s, s + 3) = wing.I;
  C(s + 3, 0) = -E;
  C(s + 3, 3) = body.R * H_b;
  C(s + 3, s) = E;
  C(s + 3, s + 3) = -wing.R * H_w;
  C(s + 6, 3) = -wing.R_bw;
  C(s + 6, s + 3) = E;
  C(s + 9, s + 6) = E;
  if (wing.is_prescribed) {
    C(3, s + 9) = E;
    C(s, s + 9) = -wing.R_bw;
  } else {
    C(s + 6, s + 9) = -E;
  }
  if (!wing.has_added) return;
  C(s, s) += R_lw * wing.K.block<3, 3>(0, 3);
  C(s, s + 3) += R_lw * wing.K.block<3, 3>(0, 0) * wing.R;
  C(s + 9, s) = wing.K.block<3, 3>(3, 3);
  C(s + 9, s + 3) = wing.K.block<3, 3>(3, 0) * wing.R;
}

/// Unknowns in their units, rows to a largest entry near one.
void BlockSystem::scale_rows() {
  for (Eigen::Index j = 0; j < C_.cols(); ++j) C_.col(j) *= unit_[j];
  for (Eigen::Index i = 0; i < C_.rows(); ++i) {
    row_scale_[i] = 1 / power_of_two(C_.row(i).lpNorm<Eigen::Infinity>());
    C_.row(i) *= row_scale_[i];
  }
}

bool BlockSystem::factor() {
  C_.setZero();
  fill_body();
  for (int k = 0; k < static_cast<int>(wings.size()); ++k) fill_wing(k);
  scale_rows();
  lu_.compute(C_);
  for (Eigen::Index j = 0; j < C_.cols(); ++j)
    if (!(std::abs(lu_.matrixLU()(j, j)) > kRoundedPivot * C_.col(j).lpNorm<Eigen::Infinity>())) return false;
  return true;
}

void BlockSystem::solve_scaled() {
  d_.array() *= row_scale_.array();
  x_ = lu_.solve(d_);
  x_.array() *= unit_.array();
}

void BlockSystem::solve() {
  const Matrix3<double> R_lb = body.R.transpose();
  Vector3<double> d1 = body.f + body.mass * gravity;
  Vector3<double> d2 = R_lb * body.tau - calc_gyroscopic(body);
  for (int k = 0; k < static_cast<int>(wings.size()); ++k) {
    const InsectWing& wing = wings[k];
    const Matrix3<double> R_lw = wing.R.transpose();
    const Vector3<double> weight = wing.mass * gravity;
    const int s = start(k);
    // d1 and d2 sum over all wings; the sums are lost in                         [xu2010] eq. (21)
    d1 += weight;
    d2 += wing.x_Hb.cross(R_lb * weight) - wing.c;
    d_.segment<3>(s) =
        wing.R_bw * wing.c - calc_gyroscopic(wing) + R_lw * wing.tau - wing.x_Hw.cross(R_lw * weight);
    d_.segment<3>(s + 3) = body.R * calc_centripetal(body.w, wing.x_Hb) -
                           wing.R * calc_centripetal(wing.w, wing.x_Hw) + wing.wanted;
    d_.segment<3>(s + 6) = -wing.Pi.cross(wing.R_bw * body.w);
    if (wing.is_prescribed) d_.segment<3>(s + 6) += wing.Pi_rate;
    d_.segment<3>(s + 9) = wing.f;
  }
  d_.segment<3>(0) = d1;
  d_.segment<3>(3) = d2;
  solve_scaled();
}

void BlockSystem::solve_gaps(ConstRef r) {
  d_.setZero();
  for (int k = 0; k < static_cast<int>(wings.size()); ++k)
    d_.segment<3>(start(k) + 3) = r.segment<3>(Eigen::Index{3} * k);
  solve_scaled();
}

Vector3<double> BlockSystem::calc_hinge_force(int k) const {
  return wings[k].mass * (acceleration(k) - gravity) - force(k);
}

}  // namespace haltere
