#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "haltere/dynamics/formulation.h"
#include "haltere/dynamics/hinge_matrix/block_system.h"
#include "haltere/dynamics/hinge_matrix/turn_chart.h"

namespace haltere {

struct EquationsOptions;

/// Formulation `hinge-matrix`: one free body with wings on spherical joints as one block system.     [xu2010]
/// The state is that of eq. (19), of origins instead of centres of mass: position, rotation, angular velocity
/// (body axes) and velocity of the body; of each wing position and velocity in the world and, unless formulas
/// of time prescribe them, rotation and angular velocity (axes of the joint frame M) against the body. The
/// wings are held at their hinges by accelerations alone: gaps, eq. (32), are the position rows.
class HingeMatrixFormulation final : public Formulation {
 public:
  HingeMatrixFormulation(const Model& model, const EquationsOptions& options);

  void set_machine(const Machine<double>& machine) override;

  void read(double t, ConstRef y, Bodies bodies, Scene<double>* scene) override;
  void write(const Scene<double>& scene, Ref y) const override;
  void calc_qdot(ConstRef y, Ref ydot) override;
  void normalize(Ref y, Ref ydot) const override;
  void shift(ConstRef dq, ConstRef dv, Ref y) const override;
  void read_velocities(ConstRef y, Ref dq) const override { dq = layout_.sizes.v(y); }

  Status factor(Scene<double>* scene, BodyLoads<double>* loads) override;
  void solve(const Eigen::VectorXd& wanted) override;
  void calc_change(Level level, ConstRef r, Ref change) override;
  /// Of coupled environments, which do not fit.
  void calc_response(const std::vector<BodyIndex>& bodies, Eigen::MatrixXd* response) override;
  void add_response(const std::vector<BodyIndex>& bodies, const Eigen::VectorXd& wrenches) override;

  Status write_rates(const Scene<double>& scene, ConstRef y, Ref ydot) override;
  Vector6<double> calc_A_WB(BodyIndex body) const override { return A_WB_[body.value]; }
  double calc_prescribed_power(const Scene<double>& scene, int joint) const override;
  void observe(const Scene<double>& scene, const BodyLoads<double>& loads, Snapshot* out) override;

  void calc_free_motion(const Scene<double>& scene, const BodyLoads<double>& loads, Eigen::MatrixXd* M,
                        Eigen::VectorXd* f) override;
  void calc_constraint_matrix(ConstRef y, const Scene<double>& scene, Eigen::MatrixXd* A,
                              Eigen::VectorXd* b) override;
  /// There is none: InputError.
  std::unique_ptr<ImplicitForm> make_implicit_form() const override;
  std::string find_fault(ConstRef y, const Scene<double>& scene) override;

  /// Of the last evaluation: `solution()` has the unknowns of the paper.
  const BlockSystem& block_system() const { return block_; }

 private:
  /// Where a body stands in the state, and what its joint is made of.
  struct Place {
    TurnChart chart;
    int q = 0, v = 0;                        // its first position and velocity in y
    bool turns = true;                       // its rotation is in the state ...
    std::array<Function<double>, 3> angles;  // ... or, of a wing, given by these formulas of time
    Transform<double> X_PF, X_BM;            // of a wing: the frames of its joint
    int turn_q() const { return q + 3; }
    int linear_v() const { return turns ? v + 3 : v; }
  };
  int n_wings() const { return model_.n_tree() - 1; }
  const Place& wing_place(int wing) const { return places_[wing + 2]; }
  InsectPart& part(int body) { return body == 1 ? block_.body : block_.wings[body - 2]; }
  const MassProperties<double>& mass(int body) const { return machine_->masses[body]; }

  void place_bodies(const EquationsOptions& options);
  std::vector<std::string> list_names() const;
  std::vector<std::string> list_row_names() const;
  void set_length(double length);
  void update_wing_motion(int wing, ConstRef y, Scene<double>* scene);
  void take_loads(Scene<double>* scene, BodyLoads<double>* loads);
  void take_wrench(int body, const Vector6<double>& F_B_W);
  void add_matrices(const Scene<double>& scene, const BodyLoads<double>& loads);
  void update_gap(int wing, const Scene<double>& scene, const BodyLoads<double>& loads);
  Eigen::MatrixXd calc_jacobian(int body) const;
  Vector6<double> calc_bias_acceleration(int body) const;
  Matrix6<double> calc_matrix(int body, const Scene<double>& scene, const BodyLoads<double>& loads) const;
  void observe_bodies(const Scene<double>& scene, Snapshot* out) const;
  void observe_joints(const Scene<double>& scene, const BodyLoads<double>& loads, Snapshot* out) const;

  const Model& model_;
  const Machine<double>* machine_ = nullptr;
  std::unique_ptr<ConstraintSet<double>> joints_;  // for their coordinates and loads; rows are the gaps alone
  std::vector<Place> places_;                      // per body, 0 unused
  BlockSystem block_;
  std::vector<Vector6<double>> A_WB_;
  std::vector<Vector3<double>> w_;  // angular velocity of each body, world axes
};

}  // namespace haltere
