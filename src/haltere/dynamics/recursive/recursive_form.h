#pragma once

#include "haltere/dynamics/implicit_form.h"
#include "haltere/dynamics/recursive/workspace.h"

namespace haltere {

class RecursiveFormulation;

/// Joint coordinates: r by inverse dynamics in O(n) with the loads of the loops on the bodies; its tangent is
/// full.
class RecursiveForm final : public ImplicitForm {
 public:
  explicit RecursiveForm(const RecursiveFormulation& formulation);

  std::string row_name(int row) const override { return plain_.system.constraints.row_name(row); }
  bool is_holonomic(int row) const override { return plain_.system.constraints.is_holonomic[row]; }
  void read_multipliers(Eigen::VectorXd* lambda) const override;
  void take_row_forces(const Take& take) override;
  void calc_row_forces(const Eigen::VectorXd& mu, Eigen::VectorXd* forces) override;

 private:
  template <class T>
  struct Side {
    explicit Side(const Machine<double>& of)
        : machine(of.model, {of.parameters.begin(), of.parameters.end()}, of.environments),
          system(machine),
          work(system),
          scene(make_scene<T>(of.model)),
          loads(machine) {
      scene.gravity = machine.gravity;
    }
    Machine<T> machine;
    RecursiveSystem<T> system;
    RecursiveWorkspace<T> work;
    Scene<T> scene;
    BodyLoads<T> loads;
    VectorX<T> q, vdot, tau, turns;
    std::vector<Vector6<T>> F_joint;
  };
  Status evaluate(const Point<double>& point, Residual<double>* out) override {
    return evaluate(point, &plain_, out);
  }
  Status evaluate(const Point<Dual>& point, Residual<Dual>* out) override {
    return evaluate(point, &dual_, out);
  }
  std::vector<Link> list_links() const;
  const Scene<Dual>& dual_scene() const override { return dual_.scene; }
  const Machine<Dual>* dual_machine() const override { return &dual_.machine; }
  template <class T>
  Status evaluate(const Point<T>& point, Side<T>* side, Residual<T>* out) const;

  const RecursiveFormulation& formulation_;
  Side<double> plain_;
  Side<Dual> dual_;
  Eigen::VectorXd unit_, forces_;
};

}  // namespace haltere
