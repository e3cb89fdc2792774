#pragma once

#include <memory>
#include <string>
#include <vector>

#include "haltere/dynamics/formulation.h"
#include "haltere/dynamics/recursive/loops.h"

namespace haltere {

/// Formulation `recursive`: joint coordinates, O(n) recursion; loops and constraints on top of the tree.
class RecursiveFormulation final : public Formulation {
 public:
  void set_machine(const Machine<double>& machine) override;
  const Machine<double>& machine() const { return system_->machine; }

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
  Eigen::VectorXd multipliers() const { return loops_ ? loops_->lambda() : Eigen::VectorXd(); }
  void observe(const Scene<double>& scene, const BodyLoads<double>& loads, Snapshot* out) override;

  void calc_free_motion(const Scene<double>& scene, const BodyLoads<double>& loads, Eigen::MatrixXd* M,
                        Eigen::VectorXd* f) override;
  void calc_constraint_matrix(ConstRef y, const Scene<double>& scene, Eigen::MatrixXd* A,
                              Eigen::VectorXd* b) override;
  std::unique_ptr<ImplicitForm> make_implicit_form() const override;
  std::string find_fault(ConstRef y, const Scene<double>& scene) override;

 private:
  const Model& model() const { return system_->machine.model; }
  void make_layout();
  void put_load(BodyIndex body, const Vector6<double>& F);
  Eigen::VectorXd calc_scales() const;
  void move(ConstRef dq, Ref q) const;
  double calc_row_power(int set) const;
  void observe_constraints(const Scene<double>& scene, const BodyLoads<double>& loads, Snapshot* out);
  void observe_bodies(const Scene<double>& scene, Snapshot* out) const;
  void observe_joints(const BodyLoads<double>& loads, Snapshot* out);

  std::unique_ptr<RecursiveSystem<double>> system_;
  std::unique_ptr<RecursiveWorkspace<double>> work_;
  std::unique_ptr<Loops> loops_;  // none where nothing is constrained
  std::unique_ptr<Response> response_;
  Scene<double> scratch_;         // of calc_qdot(): joint coordinates alone
  Eigen::VectorXd none_;          // zeros: second derivatives of rows that nobody asks for
  std::vector<int> quaternions_;  // where quaternions start in the state
  std::vector<int> all_bodies_;
};

/// Of length one to rounding, w >= 0: what an initial state takes as it stands.
Vector4<double> settle_quaternion(Vector4<double> q);

}  // namespace haltere
