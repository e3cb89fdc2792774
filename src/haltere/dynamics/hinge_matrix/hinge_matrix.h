#pragma once

#include <memory>
#include <string>
#include <vector>

#include "haltere/dynamics/equations.h"
#include "haltere/dynamics/hinge_matrix/block_system.h"
#include "haltere/dynamics/hinge_matrix/turn_chart.h"
#include "haltere/dynamics/recursive/workspace.h"

namespace haltere {

/// Formulation `hinge-matrix`: one free body with wings on spherical joints as one block system.     [xu2010]
/// The state is that of eq. (19), of origins instead of centres of mass: position, rotation, angular velocity
/// (body axes) and velocity of the body; of each wing position and velocity in the world and, unless formulas
/// of time prescribe them, rotation and angular velocity (axes of the joint frame M) against the body. The
/// wings are held at their hinges by accelerations alone: gaps, eq. (32), are the position rows.
class HingeMatrixEquations final : public Equations {
 public:
  HingeMatrixEquations(const Model& model, const EquationsOptions& options);

  const Model& model() const override { return model_; }
  Sizes sizes() const override { return sizes_; }
  Eigen::VectorXd calc_initial_state() override;
  Eigen::VectorXd calc_state(const Scene<double>& scene) const override;
  Status calc_ydot(double t, ConstRef y, Ref ydot) override;
  void calc_qdot(double t, ConstRef y, Ref ydot) override;
  void normalize(Ref y, Ref ydot) const override;
  Status accept(double t, Ref y, Ref ydot) override;
  Eigen::VectorXd calc_scales() const override;
  Status calc_drift(double t, ConstRef y, Ref g, Ref gdot) override;
  void calc_change(ConstRef r, Ref dv) override;
  void calc_position_change(ConstRef r, Ref dq) override { calc_change(r, dq); }
  void shift(ConstRef dq, ConstRef dv, Ref y) const override;
  std::string row_name(int row) const override;
  const Eigen::VectorXd& row_scales() const override { return row_scales_; }
  const std::vector<int>& position_rows() const override { return position_rows_; }
  Status observe(double t, ConstRef y, Snapshot* out) override;
  void calc_locals(double t, ConstRef y, std::vector<double>* locals) override;
  std::string explain_failure(double t, ConstRef y) override;
  const std::vector<double>& parameters() const override { return system_->parameters; }
  void set_parameters(const std::vector<double>& parameters) override;
  Status calc_mass_matrix(double t, ConstRef y, Eigen::MatrixXd* M) override;
  Status calc_generalized_force(double t, ConstRef y, Eigen::VectorXd* f) override;
  Status calc_constraint_matrix(double t, ConstRef y, Eigen::MatrixXd* A, Eigen::VectorXd* b) override;
  std::vector<std::string> coordinate_names() const override;
  /// There is none: InputError.
  std::unique_ptr<ImplicitForm> make_implicit_form() const override;

  /// Of the last evaluation: `solution()` has the unknowns of the paper.
  const BlockSystem& block_system() const { return block_; }

 private:
  /// Where a body stands in the state, and what its joint is made of.
  struct Place {
    TurnChart chart;
    int q = 0, v = 0;                                        // its first position and velocity in y
    const PrescribedRotation<double>* prescribed = nullptr;  // of a wing: its motion against the body
    Transform<double> X_PF, X_BM;                            // of a wing: the frames of its joint
    bool turns() const { return prescribed == nullptr; }     // its rotation is in the state
    int turn_q() const { return q + 3; }
    int linear_v() const { return turns() ? v + 3 : v; }
  };
  int n_wings() const { return model_.n_tree() - 1; }
  const Place& wing_place(int wing) const { return places_[wing + 2]; }
  InsectPart& part(int body) { return body == 1 ? block_.body : block_.wings[body - 2]; }

  void make_layout(const EquationsOptions& options);
  void update(double t, ConstRef y);  // scene, loads, gaps, the parts of the block system
  void update_wing_motion(int wing, double t, ConstRef y);
  void update_part(int body);
  void add_matrices();
  void update_gap(int wing);
  Status update_met(double t, ConstRef y, bool projected);
  Status update_accelerations();
  Vector6<double> calc_A_WB(BodyIndex body) const { return A_WB_[body.value]; }
  void calc_work_rates(double* zdot) const;
  Eigen::MatrixXd calc_jacobian(int body) const;
  Vector6<double> calc_bias_acceleration(int body) const;
  Matrix6<double> calc_matrix(int body) const;
  void observe_bodies(Snapshot* out) const;
  void observe_joints(Snapshot* out) const;

  const Model& model_;
  std::unique_ptr<RecursiveSystem<double>> system_;
  std::unique_ptr<RecursiveWorkspace<double>> work_;    // its scene, loads and accounts
  std::unique_ptr<ConstraintSet<double>> constraints_;  // every joint, for its coordinates and loads
  std::vector<MassProperties<double>> masses_;
  std::vector<Place> places_;  // per body, 0 unused
  BlockSystem block_;
  std::vector<Vector6<double>> A_WB_;
  Stabilization stabilization_;
  Stabilizer stabilizer_;
  bool project_always_;
  Eigen::VectorXd g_, gdot_, row_scales_;
  Eigen::VectorXd y_met_;  // a state that obeys the constraints
  std::vector<int> position_rows_;
  Sizes sizes_;
};

}  // namespace haltere
