#include "haltere/dynamics/hinge_matrix/turn_chart.h"

#include <cmath>

#include <Eigen/LU>
#include <fmt/format.h>

namespace haltere {
namespace {

using Map3 = Eigen::Map<Vector3<double>>;
using Map4 = Eigen::Map<Vector4<double>>;
using ConstMap3 = Eigen::Map<const Vector3<double>>;
using ConstMap4 = Eigen::Map<const Vector4<double>>;

}  // namespace

std::optional<TurnChart> TurnChart::parse(std::string_view text) {
  TurnChart chart;
  if (text == "lie") return chart;
  constexpr std::string_view kPrefix = "euler-";
  if (!text.starts_with(kPrefix)) return std::nullopt;
  chart.sequence_ = EulerSequence::parse(text.substr(kPrefix.size()));
  if (!chart.sequence_) return std::nullopt;
  return chart;
}

std::string TurnChart::name() const {
  return sequence_ ? "euler-" + sequence_->name() : "lie";
}

std::string TurnChart::position_name(int i) const {
  return sequence_ ? fmt::format("euler.{}", i) : fmt::format("orientation.{}", "wxyz"[i]);
}

Matrix3<double> TurnChart::calc_R(const double* q) const {
  return sequence_ ? sequence_->calc_R<double>(ConstMap3(q)) : rotation_of<double>(ConstMap4(q));
}

void TurnChart::write(const Matrix3<double>& R_AB, double* q) const {
  if (sequence_)
    Map3(q, 3) = sequence_->calc_angles(R_AB);
  else
    Map4(q, 4) = quaternion_of<double>(R_AB);
}

void TurnChart::calc_rates(const double* q, const Vector3<double>& w_AB_B, double* qdot) const {
  const Vector3<double> w_AB_A = calc_R(q) * w_AB_B;
  if (sequence_)
    Map3(qdot, 3) = sequence_->calc_E<double>(ConstMap3(q)).inverse() * w_AB_A;
  else
    Map4(qdot, 4) = quaternion_rate<double>(ConstMap4(q), w_AB_A);
}

void TurnChart::shift(const Vector3<double>& turn_B, double* q) const {
  if (sequence_) {
    Vector3<double> change;
    calc_rates(q, turn_B, change.data());
    Map3(q, 3) += change;
  } else {
    Map4(q, 4) = multiply<double>(ConstMap4(q), quaternion_exp<double>(turn_B)).eval();
  }
}

void TurnChart::normalize(double* q, double* qdot) const {
  if (sequence_) return;
  const double scale = 1 / ConstMap4(q).norm();
  Map4(q, 4) *= scale;
  Map4(qdot, 4) *= scale;
}

double TurnChart::calc_regularity(const double* q) const {
  return sequence_ ? std::abs(sequence_->calc_E<double>(ConstMap3(q)).determinant()) : 1;
}

}  // namespace haltere
