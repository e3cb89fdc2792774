#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "haltere/math/rotation.h"

namespace haltere {

/// How a rotation R_AB stands in the state of `hinge-matrix`, beside the angular velocity in the axes of B:
///   lie        a quaternion
///   euler-IJK  the angles of a sequence; zyx are those of                        [xu2010] eq. (19)
class TurnChart {
 public:
  static std::optional<TurnChart> parse(std::string_view text);
  std::string name() const;
  int nq() const { return sequence_ ? 3 : 4; }
  std::string position_name(int i) const;

  Matrix3<double> calc_R(const double* q) const;
  void write(const Matrix3<double>& R_AB, double* q) const;
  /// dq/dt, K^-1 w in                                                             [xu2010] eq. (20)
  void calc_rates(const double* q, const Vector3<double>& w_AB_B, double* qdot) const;
  /// R exp(turn)
  void shift(const Vector3<double>& turn_B, double* q) const;
  void normalize(double* q, double* qdot) const;
  /// Near 0: the axes of the sequence lie in a plane; else 1.
  double calc_regularity(const double* q) const;
  static constexpr double kFlat = 1e-7;  // of it: angles have lost half of their digits, as Chart::kFlat

 private:
  std::optional<EulerSequence> sequence_;  // none: a quaternion
};

}  // namespace haltere
