#include "haltere/dynamics/mode_change.h"

#include "haltere/dynamics/absolute/absolute.h"
#include "haltere/dynamics/constraint_set.h"

namespace haltere {
namespace {

/// A joint's coordinates in two scenes.
struct JointPlaces {
  int nq, nv;
  int q_from, q_to, v_from, v_to;

  JointPlaces(const JointSpec& joint, const Scene<double>& from, int j_from, const Scene<double>& to,
              int j_to)
      : nq(joint.nq()),
        nv(joint.nv()),
        q_from(from.q_of[j_from] - (nq - nv)),
        q_to(to.q_of[j_to] - (nq - nv)),
        v_from(from.v_start[j_from]),
        v_to(to.v_start[j_to]) {}
};

/// Angles of all held joints as the scene has them: they say how often a joint has turned.
void read_coordinates(const HeldJoint<double>& joint, Scene<double>* scene) {
  std::array<double, 6> turns{};
  std::size_t n = 0;
  for (const int i : joint.angles()) turns[n++] = scene->q[scene->q_of[joint.joint()] + i];
  joint.update_coordinates(turns.data(), scene);
}

}  // namespace

Scene<double> to_mode(const Scene<double>& base, const Model& base_model, const ModeModel& mode,
                      const std::vector<double>& parameters) {
  Scene<double> scene = make_scene<double>(mode.model);
  scene.t = base.t;
  scene.X_WB = base.X_WB;
  scene.V_WB = base.V_WB;
  for (int j = 0; j < static_cast<int>(base_model.joints.size()); ++j) {
    const JointPlaces p(base_model.joints[j], base, j, scene, mode.joint[j]);
    scene.q.segment(p.q_to, p.nq) = base.q.segment(p.q_from, p.nq);
    scene.v.segment(p.v_to, p.nv) = base.v.segment(p.v_from, p.nv);
  }
  const Resolver<double> resolver{parameters.data()};
  for (const int j : mode.loose) read_coordinates(HeldJoint<double>(mode.model, j, resolver), &scene);
  return scene;
}

Status stop_locked_joints(const ModeModel& mode, const std::vector<double>& parameters,
                          Scene<double>* scene) {
  AbsoluteEquations equations(mode.model, {.own_charts = false});
  equations.set_parameters(parameters);
  Eigen::VectorXd g(equations.sizes().ng), gdot(equations.sizes().na), change(equations.n_change());
  const Status status = equations.calc_drift(scene->t, equations.calc_state(*scene), g, gdot);
  if (status != Status::kOk) return status;
  equations.calc_change(-gdot, change);
  if (!change.allFinite()) return Status::kSingular;
  for (int b = 1; b <= mode.model.n_tree(); ++b) scene->V_WB[b] += change.segment<6>(Eigen::Index{6} * (b - 1));
  const Eigen::VectorXd q = scene->q;
  const ConstraintSet<double> all(mode.model, parameters, 0);
  for (const HeldJoint<double>& joint : all.joints) read_coordinates(joint, scene);
  scene->q = q;  // only velocities jump
  return Status::kOk;
}

void to_base(const Model& base_model, const ModeModel& mode, Snapshot* snapshot) {
  const Snapshot own = *snapshot;
  const int n = static_cast<int>(base_model.joints.size()), n_tree = base_model.n_tree();
  Scene<double>& scene = snapshot->scene;
  scene = make_scene<double>(base_model);
  scene.t = own.scene.t;
  scene.X_WB = own.scene.X_WB;
  scene.V_WB = own.scene.V_WB;
  scene.locals = own.scene.locals;
  snapshot->vdot.setZero(base_model.nv());
  snapshot->tau.setZero(base_model.nv());
  snapshot->F_reaction.resize(n);
  for (int j = 0; j < n; ++j) {
    const JointPlaces p(base_model.joints[j], own.scene, mode.joint[j], scene, j);
    scene.q.segment(p.q_to, p.nq) = own.scene.q.segment(p.q_from, p.nq);
    scene.v.segment(p.v_to, p.nv) = own.scene.v.segment(p.v_from, p.nv);
    snapshot->vdot.segment(p.v_to, p.nv) = own.vdot.segment(p.v_from, p.nv);
    snapshot->tau.segment(p.v_to, p.nv) = own.tau.segment(p.v_from, p.nv);
    snapshot->F_reaction[j] = own.F_reaction[mode.joint[j]];
  }
  // joints that have broken off stand between those that close loops and the constraints
  const auto first_loop = own.constraints.begin();
  snapshot->constraints.assign(first_loop, first_loop + (n - n_tree));
  snapshot->constraints.insert(snapshot->constraints.end(),
                               own.constraints.end() - static_cast<long>(base_model.constraints.size()),
                               own.constraints.end());
}

}  // namespace haltere
