#pragma once

#include <memory>

#include "haltere/dynamics/equations.h"
#include "haltere/dynamics/recursive/workspace.h"

namespace haltere {

/// Formulation `recursive`: joint coordinates, O(n) hybrid articulated-body algorithm. The state holds the
/// coordinates that are not prescribed.
class RecursiveEquations final : public Equations {
 public:
  explicit RecursiveEquations(const Model& model);

  const Model& model() const override { return model_; }
  Sizes sizes() const override { return sizes_; }
  Eigen::VectorXd calc_initial_state() override;
  Status calc_ydot(double t, ConstRef y, Ref ydot) override;
  void normalize(Ref y, Ref ydot) const override;
  void move(ConstRef q, ConstRef dq, Ref out) const override;
  Eigen::VectorXd calc_scales() const override;
  Status observe(double t, ConstRef y, Snapshot* out) override;
  void calc_locals(double t, ConstRef y, std::vector<double>* locals) override;
  std::string explain_failure(double t, ConstRef y) override;
  const std::vector<double>& parameters() const override { return system_->parameters; }
  void set_parameters(const std::vector<double>& parameters) override;
  Status calc_mass_matrix(double t, ConstRef y, Eigen::MatrixXd* M) override;
  Status calc_generalized_force(double t, ConstRef y, Eigen::VectorXd* f) override;
  std::vector<std::string> coordinate_names() const override;

 private:
  void update(double t, ConstRef y);  // kinematics and loads
  void calc_work_rates(double* zdot) const;
  double calc_prescribed_power(int k) const;
  double calc_length() const;
  void observe_bodies(Snapshot* out) const;
  void observe_joints(Snapshot* out);

  const Model& model_;
  std::unique_ptr<RecursiveSystem<double>> system_;
  std::unique_ptr<RecursiveWorkspace<double>> work_;
  Sizes sizes_;
  std::vector<int> quaternions_;  // where quaternions start in the state
};

}  // namespace haltere
