#pragma once

#include "haltere/dynamics/absolute/chart.h"
#include "haltere/dynamics/implicit_form.h"
#include "haltere/dynamics/machine/constraint_set.h"
#include "haltere/dynamics/machine/machine.h"

namespace haltere {

class AbsoluteFormulation;

/// Six or seven coordinates a body, every joint a constraint; unit quaternions of the chart `quaternion` are
/// constraints, too. The tangent is sparse: a body knows its neighbours only.
class AbsoluteForm final : public ImplicitForm {
 public:
  AbsoluteForm(const AbsoluteFormulation& formulation, const std::vector<Chart>& charts);

  std::string row_name(int row) const override;
  bool is_holonomic(int row) const override {
    return row >= plain_.constraints.n_rows || plain_.constraints.is_holonomic[row];
  }
  void read_multipliers(Eigen::VectorXd* lambda) const override;
  void take_row_forces(const Take& take) override;
  void calc_row_forces(const Eigen::VectorXd& mu, Eigen::VectorXd* forces) override;

 private:
  template <class T>
  struct Side {
    explicit Side(const Machine<double>& of);
    Machine<T> machine;
    Scene<T> scene;
    BodyLoads<T> loads;
    ConstraintSet<T> constraints;
    std::vector<BodyRows<T>> rows;
    std::vector<Vector6<T>> A, F;  // accelerations of the bodies; what is left over of their loads
    VectorX<T> q, turns;
  };
  void make_pattern();
  std::vector<Link> list_links() const;
  Status evaluate(const Point<double>& point, Residual<double>* out) override {
    return evaluate(point, &plain_, out);
  }
  Status evaluate(const Point<Dual>& point, Residual<Dual>* out) override {
    return evaluate(point, &dual_, out);
  }
  const Scene<Dual>& dual_scene() const override { return dual_.scene; }
  const Machine<Dual>* dual_machine() const override { return &dual_.machine; }
  template <class T>
  Status evaluate(const Point<T>& point, Side<T>* side, Residual<T>* out) const;
  template <class T>
  void add_row_loads(const VectorX<T>& lambda, Side<T>* side, VectorX<T>* forces) const;

  const AbsoluteFormulation& formulation_;
  std::vector<Chart> charts_;
  std::vector<int> q_start_, v_start_, unit_row_;  // per body; -1: none
  Side<double> plain_;
  Side<Dual> dual_;
};

}  // namespace haltere
