#pragma once

#include <memory>

#include "haltere/dynamics/absolute/chart.h"
#include "haltere/dynamics/absolute/kkt.h"
#include "haltere/dynamics/absolute/tree_reduction.h"
#include "haltere/dynamics/equations.h"
#include "haltere/dynamics/recursive/workspace.h"
#include "haltere/dynamics/row_system.h"

namespace haltere {

/// Formulation `absolute`: six or seven coordinates a body, every joint a constraint. The accelerations of
/// all bodies and the multipliers of all rows come out of one sparse system; what stands in the state is the
/// chart's affair.
class AbsoluteEquations final : public Equations {
 public:
  AbsoluteEquations(const Model& model, const EquationsOptions& options);

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
  void calc_position_change(ConstRef r, Ref dq) override;
  int n_change() const override { return 6 * model_.n_tree(); }
  void shift(ConstRef dq, ConstRef dv, Ref y) const override;
  const Eigen::VectorXd& change_scales() const override { return change_scales_; }
  void read_velocities(ConstRef y, Ref dq) const override;
  int count_weak_rows() const override { return loops_.count_weak(); }
  bool has_moving_constraints() const override;
  bool has_loops() const override { return n_loop_rows() > 0; }
  bool is_near_singular(double t, ConstRef y, double ahead) override {
    return has_loops() && stabilizer_.is_near_singular(t, y, ahead, this);
  }
  Status calc_met_ydot(double t, ConstRef y, Ref ydot) override;
  std::string row_name(int row) const override { return constraints_->row_name(row); }
  const Eigen::VectorXd& row_scales() const override { return row_scales_; }
  const std::vector<int>& position_rows() const override { return constraints_->position_rows; }
  std::vector<int> find_dependent_rows() override;
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

  const Eigen::VectorXd& multipliers() const { return lambda_; }  // of the last evaluation

 private:
  void update(double t, ConstRef y);  // scene, loads, mass matrices, rows
  Status update_met(double t, ConstRef y, bool projected);
  Status update_accelerations();  //
  bool factor();
  void update_loop_blocks();   // of loops_
  void update_loop_columns();  //
  enum class Level { kPosition, kAcceleration };
  void solve(Level level, Eigen::VectorXd* bodies);
  void add_loop_loads(const Eigen::VectorXd& lambda, double sign, Eigen::VectorXd* bodies) const;
  void calc_loop_rows(const Eigen::VectorXd& bodies, Eigen::Ref<Eigen::VectorXd> out) const;
  int n_loop_rows() const {
    const std::size_t n = model_.n_tree();
    return n < constraints_->starts.size() ? constraints_->n_rows - constraints_->starts[n] : 0;
  }
  void calc_work_rates(double* zdot) const;
  double calc_row_power(std::size_t set) const;
  Vector6<double> calc_A_WB(BodyIndex body) const;  // once accelerations are known
  void observe_bodies(Snapshot* out) const;
  void observe_joints(Snapshot* out) const;

  const Model& model_;
  std::vector<Chart> charts_;           // per body, 0 unused
  bool has_quaternion_rates_ = false;   // in one of them
  std::vector<int> q_start_, v_start_;  // of each body in q and v of the state
  std::unique_ptr<RecursiveSystem<double>> system_;
  std::unique_ptr<RecursiveWorkspace<double>> work_;  // its scene, loads and accounts
  std::unique_ptr<ConstraintSet<double>> constraints_;
  std::unique_ptr<Kkt> kkt_;
  std::vector<MassProperties<double>> masses_;
  std::vector<BodyRows<double>> rows_;
  Stabilization stabilization_;
  Stabilizer stabilizer_;
  bool project_always_;
  Eigen::VectorXd f_;       // loads on all bodies; then their accelerations
  Eigen::VectorXd lambda_;  //
  Eigen::VectorXd g_, gdot_, row_scales_, change_scales_;
  Eigen::VectorXd y_met_;                     // a state that obeys the constraints
  RowSystem loops_;                           // what the loops feel of each other
  std::unique_ptr<TreeReduction> reduction_;  // where there are any
  std::unique_ptr<RowPaths> paths_;           //
  SmallMatrix block_;
  Eigen::VectorXd unit_, column_, wanted_, tree_lambda_, response_, change_;
  Sizes sizes_;
};

}  // namespace haltere
