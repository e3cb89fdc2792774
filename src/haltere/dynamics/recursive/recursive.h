#pragma once

#include <memory>

#include "haltere/dynamics/equations.h"
#include "haltere/dynamics/recursive/loops.h"

namespace haltere {

/// Formulation `recursive`: joint coordinates, O(n) hybrid articulated-body algorithm. The state holds the
/// coordinates that are not prescribed.
class RecursiveEquations final : public Equations {
 public:
  RecursiveEquations(const Model& model, const EquationsOptions& options);

  const Model& model() const override { return model_; }
  Sizes sizes() const override { return sizes_; }
  Eigen::VectorXd calc_initial_state() override;
  Eigen::VectorXd calc_state(const Scene<double>& scene) const override;
  Status calc_ydot(double t, ConstRef y, Ref ydot) override;
  void calc_qdot(double t, ConstRef y, Ref ydot) override;
  void normalize(Ref y, Ref ydot) const override;
  Status accept(double t, Ref y, Ref ydot) override;
  Status calc_drift(double t, ConstRef y, Ref g, Ref gdot) override;
  void calc_change(ConstRef r, Ref dv) override;
  void calc_position_change(ConstRef r, Ref dq) override;
  void shift(ConstRef dq, ConstRef dv, Ref y) const override;
  const Eigen::VectorXd& change_scales() const override { return change_scales_; }
  void read_velocities(ConstRef y, Ref dq) const override { dq = y.segment(sizes_.nq, sizes_.nv); }
  int count_weak_rows() const override { return loops_ ? loops_->count_weak() : 0; }
  bool has_moving_constraints() const override;
  bool has_loops() const override { return loops_ != nullptr; }
  bool is_near_singular(double t, ConstRef y, double ahead) override {
    return has_loops() && stabilizer_.is_near_singular(t, y, ahead, this);
  }
  Status calc_met_ydot(double t, ConstRef y, Ref ydot) override;
  std::string row_name(int row) const override { return system_->constraints.row_name(row); }
  const Eigen::VectorXd& row_scales() const override { return row_scales_; }
  const std::vector<int>& position_rows() const override { return system_->constraints.position_rows; }
  std::vector<int> find_dependent_rows() override;
  Eigen::VectorXd calc_scales() const override;
  Status observe(double t, ConstRef y, Snapshot* out) override;
  void calc_locals(double t, ConstRef y, std::vector<double>* locals) override;
  std::string explain_failure(double t, ConstRef y) override;
  const std::vector<double>& parameters() const override { return system_->parameters; }
  void set_parameters(const std::vector<double>& parameters) override;
  Status calc_mass_matrix(double t, ConstRef y, Eigen::MatrixXd* M) override;
  Status calc_generalized_force(double t, ConstRef y, Eigen::VectorXd* f) override;
  Status calc_constraint_matrix(double t, ConstRef y, Eigen::MatrixXd* A, Eigen::VectorXd* b) override;
  std::vector<std::string> coordinate_names() const override;
  std::unique_ptr<ImplicitForm> make_implicit_form() const override;

  Eigen::VectorXd multipliers() const;  // of the last evaluation

  /// Poses and twists of all bodies, and all joint coordinates; no accelerations.
  void calc_scene(double t, ConstRef y, Scene<double>* scene);

 private:
  void update(double t, ConstRef y);  // kinematics and loads
  Status update_met(double t, ConstRef y, bool projected);
  Status update_accelerations();  // with all constraints
  void move(ConstRef dq, Ref q) const;
  void update_wanted();
  void observe_constraints(Snapshot* out) const;
  void calc_work_rates(double* zdot) const;
  double calc_prescribed_power(int k) const;
  double calc_row_power(std::size_t set) const;
  double calc_loop_power(int j) const;
  Vector6<double> calc_A_WB(BodyIndex body) const;  // (alpha; a of Bo), once accelerations are known
  void observe_bodies(Snapshot* out) const;
  void observe_joints(Snapshot* out);

  const Model& model_;
  std::unique_ptr<RecursiveSystem<double>> system_;
  std::unique_ptr<RecursiveWorkspace<double>> work_;
  std::unique_ptr<Loops> loops_;  // none where nothing is constrained
  Stabilization stabilization_;
  Stabilizer stabilizer_;
  bool project_always_;
  Eigen::VectorXd wanted_;    // second derivatives of the rows
  Eigen::VectorXd g_, gdot_;  // residuals of the rows
  Eigen::VectorXd y_met_;     // a state that obeys them
  Eigen::VectorXd row_scales_, change_scales_;
  Sizes sizes_;
  std::vector<int> quaternions_;  // where quaternions start in the state
};

/// Poses and twists of the joint coordinates that the model gives.
Scene<double> calc_initial_scene(const Model& model, const std::vector<double>& parameters);

/// Of length one to rounding, w >= 0: what an initial state takes as it stands.
Vector4<double> settle_quaternion(Vector4<double> q);

}  // namespace haltere
