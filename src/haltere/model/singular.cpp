#include "haltere/model/singular.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "haltere/model/joints.h"

namespace haltere {
namespace {

// of the inertias that a pivot was computed from: below it, it is rounding; a recursion step loses a few eps
// (the same as kZeroPivot of the recursion)
constexpr double kRounding = 64 * std::numeric_limits<double>::epsilon();

using Matrix6X = Eigen::Matrix<double, 6, Eigen::Dynamic>;

/// A joint and the body outboard of it in one configuration; world axes, about the joint's origin Mo.
struct Limb {
  Transform<double> X_WB;
  Vector3<double> p_WM = Vector3<double>::Zero();  // [m]
  Matrix6X S_W;                                    // of the coordinates that are not prescribed
  std::vector<int> coordinates;                    // their numbers within the joint
  Matrix6<double> P = Matrix6<double>::Zero();     // articulated inertia of the limb
  Matrix6<double> Q = Matrix6<double>::Zero();  // the same before the joints just outboard gave way: its size
  bool massless = true;                         // the whole limb
  bool reported = false;                        // a joint further out is
};

/// Numbers in [-1, 1), the same on every machine.
class Random {
 public:
  explicit Random(unsigned seed) : generator_(seed) {}
  double next() { return static_cast<double>(generator_()) / 2147483648.0 - 1; }

 private:
  std::mt19937 generator_;
};

/// Positions of a joint in general position. Where nq > nv, a quaternion of any length comes first.
std::vector<double> calc_random_q(const JointSpec& joint, double length, Random* random) {
  std::vector<double> q;
  for (int i = 0; i < joint.nq(); ++i) q.push_back(random->next());
  for (int k = 0; k < joint.nv(); ++k) {
    if (joint.motion(k) == Motion::kAngle) q[joint.nq() - joint.nv() + k] *= std::numbers::pi;
    if (joint.motion(k) == Motion::kLength) q[joint.nq() - joint.nv() + k] *= length;
  }
  return q;
}

Matrix6<double> calc_inertia(const MassProperties<double>& m, const Transform<double>& X_WB,
                             const Vector3<double>& p_WM) {
  const Vector3<double> c = X_WB * m.p_BoBcm - p_WM;
  const Matrix3<double> C = skew(c);
  Matrix6<double> M;
  M << X_WB.R * m.I_BBcm * X_WB.R.transpose() - m.mass * C * C, m.mass * C, -m.mass * C,
      m.mass * Matrix3<double>::Identity();
  return M;
}

/// The inertia about P, from the one about Q: twists shift by Phi, v_Q = v_P + w x p_PQ.
Matrix6<double> shift_inertia(const Matrix6<double>& M_Q, const Vector3<double>& p_PQ) {
  Matrix6<double> phi = Matrix6<double>::Identity();
  phi.block<3, 3>(3, 0) = -skew(p_PQ);
  return phi.transpose() * M_Q * phi;
}

/// Size of the numbers that make up S^T Q S.
double calc_size(const Matrix6<double>& Q, const Vector6<double>& S) {
  const Vector6<double> size = Q.diagonal().cwiseAbs();
  return S.head<3>().squaredNorm() * size.head<3>().sum() + S.tail<3>().squaredNorm() * size.tail<3>().sum();
}

/// All limbs without inertia yet, in random position.
std::vector<Limb> place_limbs(const Model& model, const Resolver<double>& resolver, double length,
                              unsigned seed) {
  Random random(seed);
  std::vector<Limb> limbs(model.bodies.size());
  for (std::size_t k = 1; k < limbs.size(); ++k) {
    const JointSpec& joint = model.joints[k - 1];
    const std::vector<double> q = calc_random_q(joint, length, &random);
    Limb& limb = limbs[k];
    for (int i = 0; i < joint.nv(); ++i)
      if (joint.mode(i) != CoordinateMode::kPrescribed) limb.coordinates.push_back(i);
    limb.S_W.resize(6, static_cast<int>(limb.coordinates.size()));

    std::visit(
        [&](const auto& kind) {
          const Transform<double> X_align = kind.calc_alignment();
          const Transform<double> X_WF =
              limbs[joint.parent.value].X_WB * joint.parent_frame.calc_X(resolver) * X_align;
          const Transform<double> X_WM = X_WF * kind.calc_X_FM(q.data());
          limb.X_WB = X_WM * (joint.child_frame.calc_X(resolver) * X_align).inverse();
          limb.p_WM = X_WM.p;
          const Matrix6X S_FM = kind.calc_S_FM(q.data());
          for (int i = 0; i < limb.S_W.cols(); ++i)
            limb.S_W.col(i) << X_WF.R * S_FM.col(limb.coordinates[i]).head<3>(),
                X_WF.R * S_FM.col(limb.coordinates[i]).tail<3>();
        },
        resolve<JointKinds, double>(joint.entry, resolver));
  }
  return limbs;
}

/// Lets the joint give way in P; returns the coordinates that meet no inertia.
std::vector<int> reduce(Limb* limb) {
  std::vector<int> singular;
  for (int i = 0; i < limb->S_W.cols(); ++i) {
    const Vector6<double> S = limb->S_W.col(i);
    const Vector6<double> U = limb->P * S;
    const double D = S.dot(U);
    if (std::abs(D) > kRounding * calc_size(limb->Q, S)) {
      limb->P -= U * U.transpose() / D;
    } else {
      singular.push_back(limb->coordinates[i]);
    }
  }
  return singular;
}

std::vector<SingularJoint> find_at(const Model& model, const Resolver<double>& resolver, double length,
                                   unsigned seed) {
  std::vector<SingularJoint> found;
  std::vector<Limb> limbs = place_limbs(model, resolver, length, seed);
  for (int k = static_cast<int>(limbs.size()) - 1; k > 0; --k) {
    Limb& limb = limbs[k];
    const Matrix6<double> M =
        calc_inertia(calc_mass_properties(model.bodies[k], resolver), limb.X_WB, limb.p_WM);
    limb.massless &= M.isZero(0);
    limb.P += M;
    limb.Q += M;
    const Matrix6<double> size = limb.P;
    const std::vector<int> singular = reduce(&limb);
    if (!singular.empty() && !(limb.massless && limb.reported))
      found.push_back({k - 1, singular, limb.massless});

    Limb& parent = limbs[model.joints[k - 1].parent.value];
    const Vector3<double> p_PQ = limb.p_WM - parent.p_WM;
    parent.P += shift_inertia(limb.P, p_PQ);
    parent.Q += shift_inertia(size, p_PQ);
    parent.massless &= limb.massless;
    parent.reported |= limb.reported || !singular.empty();
  }
  return found;
}

}  // namespace

std::vector<SingularJoint> find_singular_joints(const Model& model, const std::vector<double>& parameters) {
  // singular in every configuration means singular in one chosen blindly; the second rules out bad luck
  const Resolver<double> resolver{parameters.data()};
  const double scale = calc_length_scale(model, parameters);
  const double length = scale > 0 ? scale : 1;
  std::vector<SingularJoint> found = find_at(model, resolver, length, 1);
  if (found.empty() || find_at(model, resolver, length, 2).empty()) return {};
  return found;
}

}  // namespace haltere
