#include "haltere/model/poses.h"

#include "haltere/math/rotation.h"
#include "haltere/model/joints.h"

namespace haltere {
namespace {

/// A resolver of parameters, and t and the states at the start.
struct AtStart {
  Resolver<double> resolver;
  std::vector<double> locals;
};

double calc_start(const JointSpec& joint, int coordinate, const AtStart& start) {
  const Resolver<double>& resolver = start.resolver;
  if (const auto& law = joint.prescribed[coordinate])
    return law->calc<double, double>(resolver.parameters, start.locals.data());
  const auto& initial = joint.initial_position[coordinate];
  return initial ? resolver.calc(*initial) : 0;
}

std::vector<double> calc_joint_position(const JointSpec& joint, const AtStart& start, Stance stance) {
  const int nq = joint.nq(), nv = joint.nv();
  const bool turns = nq > nv;  // by a quaternion
  std::vector<double> q(nq, 0.);
  if (turns) q[0] = 1;
  if (stance == Stance::kZero) return q;
  for (int k = turns ? 3 : 0; k < nv; ++k) q[nq - nv + k] = calc_start(joint, k, start);
  if (!turns) return q;
  const Matrix3<double> R =
      joint.prescribed_sequence
          ? joint.prescribed_sequence->calc_R<double>(
                {calc_start(joint, 0, start), calc_start(joint, 1, start), calc_start(joint, 2, start)})
          : joint.initial_orientation.calc_R(start.resolver);
  const Vector4<double> turn = quaternion_of(R);
  for (int k = 0; k < 4; ++k) q[k] = turn[k];
  return q;
}

}  // namespace

std::vector<Transform<double>> calc_poses(const Model& model, const std::vector<double>& parameters,
                                          Stance stance) {
  const Resolver<double> resolver{parameters.data()};
  const AtStart start{resolver, calc_initial_locals(model, parameters)};
  std::vector<Transform<double>> X_WB(model.bodies.size());
  for (std::size_t k = 1; k < X_WB.size(); ++k) {
    const JointSpec& joint = model.joints[k - 1];
    const std::vector<double> q = calc_joint_position(joint, start, stance);
    std::visit(
        [&](const auto& kind) {
          const Transform<double> X_align = kind.calc_alignment();
          const Transform<double> X_PF = joint.parent_frame.calc_X(resolver) * X_align,
                                  X_BM = joint.child_frame.calc_X(resolver) * X_align;
          X_WB[k] = X_WB[joint.parent.value] * X_PF * kind.calc_X_FM(q.data()) * X_BM.inverse();
        },
        resolve<JointKinds, double>(joint.entry, resolver));
  }
  return X_WB;
}

}  // namespace haltere
