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
  const ConstraintSet<double>& constraints() const override { return system_->constraints; }
  const Machine<double>& machine() const { return system_->machine; }

  void read(double t, ConstRef y, Scene<double>* scene) override;
  void complete(Scene<double>* scene) const override;
  void write(const Scene<double>& scene, Ref y) const override;
  void calc_qdot(ConstRef y, Ref ydot) override;
  void normalize(Ref y, Ref ydot) const override;
  void shift(ConstRef dq, ConstRef dv, Ref y) const override;
  void read_velocities(ConstRef y, Ref dq) const override;

  void take(Scene<double>* scene, BodyLoads<double>* loads) override;
  Status factor(const Scene<double>& scene) override;
  void solve(const Eigen::VectorXd& wanted) override;
  void calc_change(ConstRef r, Ref dv) override;
  void calc_position_change(ConstRef r, Ref dq) override;
  RowSystem* loop_rows() override { return loops_ ? &loops_->rows() : nullptr; }

  Status write_rates(const Scene<double>& scene, ConstRef y, Ref ydot) override;
  Vector6<double> calc_A_WB(BodyIndex body) const override;
  double calc_prescribed_power(const Scene<double>& scene, int joint) const override;
  double calc_row_power(int set) const override;
  Eigen::VectorXd multipliers() const override { return loops_ ? loops_->lambda() : Eigen::VectorXd(); }
  void observe(const Scene<double>& scene, const BodyLoads<double>& loads, Snapshot* out) override;

  void calc_mass_matrix(const Scene<double>& scene, const BodyLoads<double>& loads,
                        Eigen::MatrixXd* M) override;
  void calc_generalized_force(const Scene<double>& scene, const BodyLoads<double>& loads,
                              Eigen::VectorXd* f) override;
  void calc_constraint_matrix(ConstRef y, const Scene<double>& scene, Eigen::MatrixXd* A,
                              Eigen::VectorXd* b) override;
  std::unique_ptr<ImplicitForm> make_implicit_form() const override;
  std::string find_coordinate_fault(ConstRef y) const override;
  std::string find_singularity(const Scene<double>& scene) override;

 private:
  const Model& model() const { return system_->machine.model; }
  void make_layout();
  Eigen::VectorXd calc_scales() const;
  void move(ConstRef dq, Ref q) const;
  void observe_constraints(const Scene<double>& scene, const BodyLoads<double>& loads, Snapshot* out);
  void observe_bodies(const Scene<double>& scene, Snapshot* out) const;
  void observe_joints(const BodyLoads<double>& loads, Snapshot* out);

  std::unique_ptr<RecursiveSystem<double>> system_;
  std::unique_ptr<RecursiveWorkspace<double>> work_;
  std::unique_ptr<Loops> loops_;  // none where nothing is constrained
  Scene<double> scratch_;         // of calc_qdot(): joint coordinates alone
  Eigen::VectorXd none_;          // zeros: second derivatives of rows that nobody asks for
  std::vector<int> quaternions_;  // where quaternions start in the state
  std::vector<int> all_bodies_;
};

/// Of length one to rounding, w >= 0: what an initial state takes as it stands.
Vector4<double> settle_quaternion(Vector4<double> q);

}  // namespace haltere
