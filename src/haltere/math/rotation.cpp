#include "haltere/math/rotation.h"

#include <limits>

namespace haltere {
namespace {

constexpr std::string_view kLetters = "xyz";

std::optional<int> find_axis(char c) {
  if (c >= '1' && c <= '3') return c - '1';
  if (c >= 'x' && c <= 'z') return c - 'x';
  if (c >= 'X' && c <= 'Z') return c - 'X';
  return std::nullopt;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// atan2(y, x), or 0 where both are nothing but the rounding of a rotation matrix
double calc_outer_angle(double y, double x) {
  constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
  return std::hypot(y, x) < rounding ? 0 : std::atan2(y, x);
}

}  // namespace

std::optional<EulerSequence> EulerSequence::parse(std::string_view text) {
  if (text.size() != 3) return std::nullopt;
  EulerSequence sequence;
  for (int i = 0; i < 3; ++i) {
    const std::optional<int> axis = find_axis(text[i]);
    if (!axis || is_digit(text[i]) != is_digit(text[0])) return std::nullopt;
    sequence.axes[i] = *axis;
  }
  const auto& [i, j, k] = sequence.axes;
  if (i == j || j == k) return std::nullopt;
  return sequence;
}

std::string EulerSequence::name() const {
  std::string text;
  for (const int axis : axes) text += kLetters[axis];
  return text;
}

Vector3<double> EulerSequence::calc_angles(const Matrix3<double>& R) const {
  const int i = axes[0], j = axes[1], k = 3 - i - j;
  const double s = (j - i + 3) % 3 == 1 ? 1 : -1;  // i, j, k right- or left-handed
  Vector3<double> angles;
  if (axes[2] == i) {
    // column i of R = R_i(a0) R_j(a1) R_i(a2):  R_ii = c1,  R_ji = s0 s1,  R_ki = -s c0 s1
    angles[0] = calc_outer_angle(R(j, i), -s * R(k, i));
    angles[1] = std::atan2(std::hypot(R(j, i), R(k, i)), R(i, i));
  } else {
    // column k of R = R_i(a0) R_j(a1) R_k(a2):  R_ik = s s1,  R_jk = -s s0 c1,  R_kk = c0 c1
    angles[0] = calc_outer_angle(-s * R(j, k), R(k, k));
    angles[1] = std::atan2(s * R(i, k), std::hypot(R(j, k), R(k, k)));
  }
  // the last angle from what the first leaves over: near a singularity it takes up the error of the first.
  // Row j of R_j(a1) R(a2) is row j of R(a2).
  const Matrix3<double> rest = rotation_about<double>(i, angles[0]).transpose() * R;
  angles[2] = axes[2] == i ? std::atan2(-s * rest(j, k), rest(j, j)) : std::atan2(s * rest(j, i), rest(j, j));
  return angles;
}

}  // namespace haltere
