#include "haltere/dynamics/mode_change.h"

#include <algorithm>

#include "haltere/dynamics/equations.h"
#include "haltere/dynamics/machine/constraint_set.h"
#include "haltere/dynamics/machine/machine.h"

namespace haltere {
namespace {

// in radians or length scales, and per second: more than rounding. A choice between rounding of poses, 1e-15,
// and a change that anybody means.
constexpr double kMisfit = 1e-9;

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

/// Coordinates from poses and twists; the angles of the scene say how often the joint has turned.
void read_coordinates(const HeldJoint<double>& joint, Scene<double>* scene) {
  std::array<double, 6> turns{};
  std::size_t n = 0;
  for (const int i : joint.angles()) turns[n++] = scene->q[scene->q_of[joint.joint()] + i];
  joint.update_coordinates(turns.data(), scene);
}

/// All joints and constraints as rows against the twists of the bodies.
class RowsOfBodies {
 public:
  RowsOfBodies(const Model& model, const std::vector<double>& parameters, const Scene<double>& scene)
      : equations_("absolute", model, {.own_charts = false}) {
    equations_.set_parameters(parameters);
    g_.setZero(equations_.sizes().ng);
    gdot_.setZero(equations_.sizes().na);
    status_ = equations_.calc_drift(scene.t, equations_.calc_state(scene), g_, gdot_);
  }
  Status status() const { return status_; }
  Fit fit() const {
    const Eigen::VectorXd& scales = equations_.row_scales();
    const Eigen::VectorXd position_scales = scales(equations_.position_rows());
    return {g_.size() == 0 ? 0 : g_.cwiseQuotient(position_scales).lpNorm<Eigen::Infinity>(),
            gdot_.size() == 0 ? 0 : gdot_.cwiseQuotient(scales).lpNorm<Eigen::Infinity>()};
  }
  /// dV = -M^-1 A^T (A M^-1 A^T)^-1 (A V + b)
  bool stop(Scene<double>* scene) {
    if (status_ != Status::kOk) return false;
    Eigen::VectorXd change(equations_.n_change());
    equations_.calc_change(-gdot_, change);
    for (int b = 1; b <= equations_.model().n_tree(); ++b)
      scene->V_WB[b] += change.segment<6>(Eigen::Index{6} * (b - 1));
    return change.allFinite();
  }

 private:
  Equations equations_;
  Eigen::VectorXd g_, gdot_;
  Status status_;
};

/// Joint coordinates as they are, prescribed ones and frames as the parameters say now.
Status move_by_joints(const Model& model, const std::vector<double>& parameters, Scene<double>* scene,
                      double* moved) {
  Equations tree("recursive", model);
  tree.set_parameters(parameters);
  Eigen::VectorXd y = tree.calc_state(*scene);
  if (tree.sizes().na > 0) {
    const Status status = Stabilizer(Stabilization{}).assemble(scene->t, y, &tree);
    if (status != Status::kOk) return status;
  }
  const std::vector<Transform<double>> poses = scene->X_WB;
  tree.calc_scene(scene->t, y, scene);
  const double length = calc_model_length(model, parameters);
  for (std::size_t b = 1; b < poses.size(); ++b) {
    const Transform<double>& X = scene->X_WB[b];
    const double turned = quaternion_log<double>(quaternion_of<double>(X.R * poses[b].R.transpose())).norm();
    *moved = std::max({*moved, (X.p - poses[b].p).norm() / length, turned});
  }
  return Status::kOk;
}

}  // namespace

Scene<double> to_mode(const Scene<double>& base, const Model& base_model, const ModeModel& mode,
                      const std::vector<double>& parameters) {
  Scene<double> scene = make_scene<double>(mode.model);
  scene.t = base.t;
  scene.X_WB = base.X_WB;
  scene.V_WB = base.V_WB;
  scene.xi = base.xi;
  scene.states = base.states;
  scene.delayed = base.delayed;
  for (int j = 0; j < static_cast<int>(base_model.joints.size()); ++j) {
    const JointPlaces p(base_model.joints[j], base, j, scene, mode.joint[j]);
    scene.q.segment(p.q_to, p.nq) = base.q.segment(p.q_from, p.nq);
    scene.v.segment(p.v_to, p.nv) = base.v.segment(p.v_from, p.nv);
  }
  const Resolver<double> resolver{parameters.data()};
  for (const int j : mode.loose) read_coordinates(HeldJoint<double>(mode.model, j, resolver), &scene);
  return scene;
}

Fit calc_fit(const Model& model, const std::vector<double>& parameters, const Scene<double>& scene) {
  return RowsOfBodies(model, parameters, scene).fit();
}

Status settle(const Model& model, const std::vector<double>& parameters, const Fit& before,
              Scene<double>* scene, Settled* settled) {
  RowsOfBodies bodies(model, parameters, *scene);
  const Fit fit = bodies.fit();
  *settled = {};
  if (fit.position > before.position + kMisfit) {
    settled->moved = true;
    return move_by_joints(model, parameters, scene, &settled->size);
  }
  if (!(fit.velocity > before.velocity + kMisfit)) return bodies.status();
  settled->jumped = true;
  settled->size = fit.velocity;
  if (!bodies.stop(scene)) return Status::kSingular;
  const Eigen::VectorXd q = scene->q;
  const ConstraintSet<double> all(model, parameters, 0);
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
  scene.xi = own.scene.xi;
  scene.xi_rate = own.scene.xi_rate;
  scene.locals = own.scene.locals;
  scene.states = own.scene.states;
  scene.delayed = own.scene.delayed;
  scene.jets = own.scene.jets;
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
