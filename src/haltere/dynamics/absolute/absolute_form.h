#pragma once

#include "haltere/dynamics/absolute/chart.h"
#include "haltere/dynamics/implicit_form.h"
#include "haltere/dynamics/recursive/workspace.h"

namespace haltere {

class AbsoluteEquations;

/// Six or seven coordinates a body, every joint a constraint; unit quaternions of the chart `quaternion` are
/// constraints, too. The tangent is sparse: a body knows its neighbours only.
class AbsoluteForm final : public ImplicitForm {
 public:
  AbsoluteForm(const AbsoluteEquations& equations, const std::vector<Chart>& charts);

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
    Side(const Model& model, const std::vector<double>& parameters);
    RecursiveSystem<T> system;
    RecursiveWorkspace<T> work;  // its scene, loads and accounts
    ConstraintSet<T> constraints;
    std::vector<BodyRows<T>> rows;
    std::vector<MassProperties<T>> masses;
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
  const Scene<Dual>& dual_scene() const override { return dual_.work.scene; }
  template <class T>
  Status evaluate(const Point<T>& point, Side<T>* side, Residual<T>* out) const;
  template <class T>
  void add_row_loads(const VectorX<T>& lambda, Side<T>* side, VectorX<T>* forces) const;

  const AbsoluteEquations& equations_;
  std::vector<Chart> charts_;
  std::vector<int> q_start_, v_start_, unit_row_;  // per body; -1: none
  Side<double> plain_;
  Side<Dual> dual_;
};

}  // namespace haltere
