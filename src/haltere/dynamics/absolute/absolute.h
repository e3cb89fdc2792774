#pragma once

#include <memory>

#include "haltere/dynamics/absolute/chart.h"
#include "haltere/dynamics/absolute/kkt.h"
#include "haltere/dynamics/absolute/tree_reduction.h"
#include "haltere/dynamics/formulation.h"

namespace haltere {

struct EquationsOptions;

/// Formulation `absolute`: six or seven coordinates a body, every joint a constraint. The accelerations of
/// all bodies and the (Lagrange) multipliers of all rows come out of one sparse system, theory.md (E16); what
/// stands in the state is the chart's affair.
class AbsoluteFormulation final : public Formulation {
 public:
  AbsoluteFormulation(const Model& model, const EquationsOptions& options);

  void set_machine(const Machine<double>& machine) override;
  const Machine<double>& machine() const { return *machine_; }

  void read(double t, ConstRef y, Bodies bodies, Scene<double>* scene) override;
  void write(const Scene<double>& scene, Ref y) const override;
  void calc_qdot(ConstRef y, Ref ydot) override;
  void normalize(Ref y, Ref ydot) const override;
  void shift(ConstRef dq, ConstRef dv, Ref y) const override;
  void read_velocities(ConstRef y, Ref dq) const override;

  Status factor(Scene<double>* scene, BodyLoads<double>* loads) override;
  void solve(const Eigen::VectorXd& wanted) override;
  void calc_change(Level level, ConstRef r, Ref change) override;
  void calc_response(const std::vector<BodyIndex>& bodies, Eigen::MatrixXd* response) override;
  void add_response(const std::vector<BodyIndex>& bodies, const Eigen::VectorXd& wrenches) override;

  Status write_rates(const Scene<double>& scene, ConstRef y, Ref ydot) override;
  Vector6<double> calc_A_WB(BodyIndex body) const override;
  double calc_prescribed_power(const Scene<double>& scene, int holder) const override;
  const Eigen::VectorXd& multipliers() const { return lambda_; }
  void observe(const Scene<double>& scene, const BodyLoads<double>& loads, Snapshot* out) override;

  void calc_free_motion(const Scene<double>& scene, const BodyLoads<double>& loads, Eigen::MatrixXd* M,
                        Eigen::VectorXd* f) override;
  void calc_constraint_matrix(ConstRef y, const Scene<double>& scene, Eigen::MatrixXd* A,
                              Eigen::VectorXd* b) override;
  std::unique_ptr<ImplicitForm> make_implicit_form() const override;
  std::string find_fault(ConstRef y, const Scene<double>& scene) override;

 private:
  void make_layout();
  void make_loops(const std::vector<BodyRows<double>>& joints);
  void take_loads(Scene<double>* scene, BodyLoads<double>* loads);
  void update_loop_blocks();   // of loops_
  void update_loop_columns();  //
  void solve(Level level, Eigen::VectorXd* bodies);
  void add_loop_loads(const Eigen::VectorXd& lambda, double sign, Eigen::VectorXd* bodies) const;
  void calc_loop_rows(const Eigen::VectorXd& bodies, Eigen::Ref<Eigen::VectorXd> out) const;
  int n_loop_rows() const {
    const std::size_t n = model_.n_tree();
    return n < constraints_->starts.size() ? constraints_->n_rows - constraints_->starts[n] : 0;
  }
  void observe_bodies(const Scene<double>& scene, Snapshot* out) const;
  void observe_joints(const Scene<double>& scene, const BodyLoads<double>& loads, Snapshot* out) const;

  const Model& model_;
  const Machine<double>* machine_ = nullptr;
  std::vector<Chart> charts_;           // per body, 0 unused
  std::vector<int> q_start_, v_start_;  // of each body in the state
  std::unique_ptr<ConstraintSet<double>> own_constraints_;
  std::unique_ptr<Kkt> kkt_;
  std::vector<BodyRows<double>> rows_;
  Eigen::VectorXd f_;                         // loads on all bodies; after solve() their accelerations
  Eigen::VectorXd lambda_;                    // multipliers of all rows
  RowSystem loops_;                           // what the loops feel of each other
  std::unique_ptr<TreeReduction> reduction_;  // where there are any
  std::unique_ptr<RowPaths> paths_;           //
  SmallMatrix block_;
  Eigen::VectorXd unit_, column_, wanted_, tree_lambda_, response_, change_, found_lambda_;
};

}  // namespace haltere
