#pragma once

#include "haltere/dynamics/implicit_form.h"
#include "haltere/dynamics/recursive/workspace.h"

namespace haltere {

class RecursiveEquations;

/// Joint coordinates: r by inverse dynamics in O(n) with the loads of the loops on the bodies; its tangent is
/// full.
class RecursiveForm final : public ImplicitForm {
 public:
  RecursiveForm(const RecursiveEquations& equations, const Eigen::VectorXd& row_scales);

  std::string row_name(int row) const override { return plain_.system.constraints.row_name(row); }
  bool is_holonomic(int row) const override { return plain_.system.constraints.is_holonomic[row]; }
  void read_multipliers(Eigen::VectorXd* lambda) const override;
  void take_row_forces(const Take& take) override;
  void calc_row_forces(const Eigen::VectorXd& mu, Eigen::VectorXd* forces) override;

 private:
  template <class T>
  struct Side {
    Side(const Model& model, const std::vector<double>& parameters)
        : system(model, {parameters.begin(), parameters.end()}), work(system) {}
    RecursiveSystem<T> system;
    RecursiveWorkspace<T> work;
    VectorX<T> q, vdot, tau;
    std::vector<Vector6<T>> F_joint;
  };
  Status evaluate(const Point<double>& point, Residual<double>* out) override {
    return evaluate(point, &plain_, out);
  }
  Status evaluate(const Point<Dual>& point, Residual<Dual>* out) override {
    return evaluate(point, &dual_, out);
  }
  std::vector<Link> list_links() const;
  const Scene<Dual>& dual_scene() const override { return dual_.work.scene; }
  template <class T>
  Status evaluate(const Point<T>& point, Side<T>* side, Residual<T>* out) const;

  const RecursiveEquations& equations_;
  Side<double> plain_;
  Side<Dual> dual_;
  Eigen::VectorXd unit_, forces_;
};

}  // namespace haltere
