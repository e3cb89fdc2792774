#include "haltere/io/result/evaluation_json.h"

#include "haltere/io/json.h"
#include "haltere/simulate/version.h"

namespace haltere {
namespace {

/// Parts of a twist or wrench: angular first.
Vector3<double> angular(const Vector6<double>& x) {
  return x.head<3>();
}
Vector3<double> linear(const Vector6<double>& x) {
  return x.tail<3>();
}

Json make_bodies(const Model& model, const Snapshot& s) {
  Json bodies = Json::object();
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    const Matrix3<double> R_BW = s.scene.X_WB[b].R.transpose();
    bodies[model.bodies[b].name] = {
        {"position", to_json(s.scene.X_WB[b].p)},
        {"orientation", to_json(quaternion_of<double>(s.scene.X_WB[b].R))},
        {"velocity", to_json(linear(s.scene.V_WB[b]))},
        {"angular_velocity", to_json(Vector3<double>(R_BW * angular(s.scene.V_WB[b])))},
        {"acceleration", to_json(linear(s.A_WB[b]))},
        {"angular_acceleration", to_json(Vector3<double>(R_BW * angular(s.A_WB[b])))}};
  }
  return bodies;
}

Json make_joints(const Model& model, const Snapshot& s) {
  Json joints = Json::object();
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const int start = s.scene.v_start[j];
    const int nv = model.joints[j].nv();
    joints[model.joints[j].name()] = {
        {"velocity", to_json(s.scene.v.segment(start, nv))},
        {"acceleration", to_json(s.vdot.segment(start, nv))},
        {"force", to_json(s.tau.segment(start, nv))},
        {"reaction",
         {{"force", to_json(linear(s.F_reaction[j]))}, {"torque", to_json(angular(s.F_reaction[j]))}}}};
  }
  return joints;
}

/// Joints that close loops, then the model's constraints.
Json make_constraints(const Model& model, const Evaluation& e) {
  const Snapshot& s = e.snapshot;
  Json constraints = Json::object();
  for (std::size_t i = 0; i < s.constraints.size(); ++i) {
    Json multipliers = Json::object();
    for (std::size_t row = 0; row < e.constraint_rows[i].size(); ++row)
      multipliers[e.constraint_rows[i][row]] = s.constraints[i].lambda[static_cast<Eigen::Index>(row)];
    constraints[model.constraint_name(i)] = {{"force", to_json(linear(s.constraints[i].F))},
                                             {"torque", to_json(angular(s.constraints[i].F))},
                                             {"multipliers", multipliers},
                                             {"drift", s.constraints[i].drift}};
  }
  return constraints;
}

}  // namespace

std::string make_evaluation_json(const Model& model, const std::string& formulation, const StateNames& names,
                                 const Evaluation& e) {
  const Snapshot& s = e.snapshot;
  return to_text(
      {{"haltere", version()},
       {"model", model.name},
       {"case", model.case_name},
       {"formulation", formulation},
       {"t", e.t},
       {"q_names", names.q},
       {"q", to_json(e.q)},
       {"v_names", names.v},
       {"v", to_json(e.v)},
       {"M", rows_of(e.M)},
       {"f", to_json(e.f)},
       {"row_names", e.rows},
       {"A", rows_of(e.A)},
       {"b", to_json(e.b)},
       {"vdot", to_json(e.vdot)},
       {"multipliers", to_json(s.lambda)},
       {"energy", {{"kinetic", s.kinetic}, {"potential", s.potential}, {"total", s.kinetic + s.potential}}},
       {"system",
        {{"com", to_json(s.com)},
         {"momentum", to_json(s.momentum)},
         {"angular_momentum", to_json(s.angular_momentum)}}},
       {"bodies", make_bodies(model, s)},
       {"joints", make_joints(model, s)},
       {"constraints", make_constraints(model, e)},
       {"drift", {{"position", s.position_drift}, {"velocity", s.velocity_drift}}},
       {"notes", e.notes}});
}

}  // namespace haltere
