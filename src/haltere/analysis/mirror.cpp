#include "haltere/analysis/mirror.h"

#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "haltere/model/joints.h"

namespace haltere {
namespace {

// cosine or sine of an angle that counts as zero: rounding of axes that the file writes as numbers; nine
// digits, a choice
constexpr double kParallel = 1e-9;

/// +1: along the normal, -1: in the plane; nothing: neither.
std::optional<int> find_side(const Vector3<double>& axis, const Vector3<double>& normal) {
  const double along = std::abs(axis.dot(normal)) / axis.norm();
  if (along < kParallel) return -1;
  if ((axis - axis.dot(normal) * normal).norm() < kParallel * axis.norm()) return 1;
  return std::nullopt;
}

/// The sign that a coordinate with these angular and linear parts gets; nothing: it has no image of its own.
std::optional<double> find_sign(const Vector6<double>& S, const Vector3<double>& normal) {
  std::optional<double> sign;
  for (const bool turns : {true, false}) {
    const Vector3<double> part = turns ? Vector3<double>(S.head<3>()) : Vector3<double>(S.tail<3>());
    if (!(part.norm() > 0)) continue;
    const std::optional<int> side = find_side(part, normal);
    if (!side) return std::nullopt;
    const double own = turns ? *side : -*side;
    if (sign && *sign != own) return std::nullopt;
    sign = own;
  }
  return sign;
}

}  // namespace

Mirror::Mirror(const Model& model, const std::vector<double>& parameters, int normal) {
  const Resolver<double> resolver{parameters.data()};
  const Vector3<double> n = Vector3<double>::Unit(normal);
  std::vector<Matrix3<double>> R_WB(model.bodies.size(), Matrix3<double>::Identity());
  std::vector<Problem> problems;
  for (int j = 0; j < model.n_tree(); ++j) {
    const JointSpec& joint = model.joints[j];
    const Transform<double> X_PF = joint.parent_frame.calc_X<double>(resolver),
                            X_BM = joint.child_frame.calc_X<double>(resolver);
    const Matrix3<double> R_WF = R_WB[joint.parent.value] * X_PF.R;
    R_WB[joint.child.value] = R_WF * X_BM.R.transpose();
    const auto any = resolve<JointKinds, double>(joint.entry, resolver);
    std::array<Vector6<double>, 6> S{};
    Matrix3<double> R_WA = R_WF;
    std::visit(
        [&](const auto& kind) {
          R_WA = R_WF * kind.calc_alignment().R;
          std::array<double, 8> q{};
          if (joint.nq() > joint.nv()) q[0] = 1;  // no turn
          const Eigen::Matrix<double, 6, Eigen::Dynamic> S_FM = kind.calc_S_FM(q.data());
          for (int k = 0; k < joint.nv(); ++k)
            S[k] << R_WA * S_FM.col(k).head<3>(), R_WA * S_FM.col(k).tail<3>();
        },
        any);
    add_joint(joint, R_WA, S.data(), n, &problems);
  }
  if (!problems.empty()) throw InputError(std::move(problems));
}

void Mirror::add_joint(const JointSpec& joint, const Matrix3<double>& R_WF, const Vector6<double>* S_W,
                       const Vector3<double>& normal, std::vector<Problem>* problems) {
  const Vector3<double> n = R_WF.transpose() * normal;
  const Matrix3<double> polar = Matrix3<double>::Identity() - 2 * n * n.transpose();
  int k = 0;
  if (joint.nq() > joint.nv()) {
    if (!joint.prescribed_sequence) {
      parts_.push_back({nq_, nv_, 1, true, true, -polar});
      nq_ += 4;
      nv_ += 3;
    }
    k = 3;
  }
  bool all_free = joint.nv() == 6;
  for (int i = 3; i < joint.nv(); ++i) all_free &= joint.mode(i) != CoordinateMode::kPrescribed;
  if (all_free && k == 3) {
    parts_.push_back({nq_, nv_, 1, false, true, polar});
    nq_ += 3;
    nv_ += 3;
    return;
  }
  for (; k < joint.nv(); ++k) {
    if (joint.mode(k) == CoordinateMode::kPrescribed) continue;
    const std::optional<double> sign = find_sign(S_W[k], normal);
    if (!sign)
      problems->push_back(
          {joint.entry.mark, fmt::format("joint '{}'", joint.name()),
           fmt::format("mirror: the axis of coordinate {} is neither in the mirror nor normal "
                       "to it, where all coordinates are zero",
                       k),
           "take another mirror, or leave it out: a whole period needs none"});
    parts_.push_back({nq_++, nv_++, sign.value_or(1), false, false, {}});
  }
}

Eigen::VectorXd Mirror::reflect(const Eigen::VectorXd& y) const {
  Eigen::VectorXd image = y;
  for (const Part& part : parts_) {
    if (!part.is_vector)
      image[part.q] *= part.sign;
    else if (part.is_turn)  // the vector of a quaternion is axial as well
      image.segment<3>(part.q + 1) = part.image * y.segment<3>(part.q + 1);
    else
      image.segment<3>(part.q) = part.image * y.segment<3>(part.q);
  }
  image.segment(nq_, nv_) = reflect_rates(y.segment(nq_, nv_));
  return image;
}

Eigen::VectorXd Mirror::reflect_rates(const Eigen::VectorXd& v) const {
  Eigen::VectorXd image = v;
  for (const Part& part : parts_) {
    if (part.is_vector)
      image.segment<3>(part.v) = part.image * v.segment<3>(part.v);
    else
      image[part.v] *= part.sign;
  }
  return image;
}

}  // namespace haltere
