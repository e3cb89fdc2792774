#include "haltere/dynamics/absolute/absolute_form.h"

#include <set>

#include <fmt/format.h>

#include "haltere/dynamics/absolute/absolute.h"
#include "haltere/dynamics/machine/body_inertia.h"
#include "haltere/dynamics/machine/coupling.h"
#include "haltere/dynamics/machine/memory.h"

namespace haltere {

template <class T>
AbsoluteForm::Side<T>::Side(const Machine<double>& of)
    : machine(of.model, {of.parameters.begin(), of.parameters.end()}, of.environments),
      scene(make_scene<T>(of.model)),
      loads(machine),
      constraints(of.model, machine.parameters, 0),
      A(of.model.bodies.size(), Vector6<T>::Zero()),
      F(A) {
  scene.gravity = machine.gravity;
}

AbsoluteForm::AbsoluteForm(const AbsoluteFormulation& formulation, const std::vector<Chart>& charts)
    : ImplicitForm(formulation.layout().sizes),
      formulation_(formulation),
      charts_(charts),
      q_start_(charts.size(), 0),
      v_start_(charts.size(), 0),
      unit_row_(charts.size(), -1),
      plain_(formulation.machine()),
      dual_(formulation.machine()) {
  make_pattern();
}

void AbsoluteForm::make_pattern() {
  const Model& model = plain_.machine.model;
  const int n_bodies = static_cast<int>(model.bodies.size());
  int nq = 0, n = 0, m = plain_.constraints.n_rows;
  for (int b = 1; b < n_bodies; ++b) {
    q_start_[b] = nq;
    v_start_[b] = n;
    nq += charts_[b].nq();
    n += charts_[b].nv();
    if (charts_[b].kind() == Chart::Kind::kQuaternion) unit_row_[b] = m++;
  }
  Eigen::VectorXd row_scales = Eigen::VectorXd::Ones(m);
  row_scales.head(plain_.constraints.n_rows) = formulation_.layout().row_scales;

  plain_.constraints.update_rows(plain_.scene, &plain_.rows);  // which bodies, how many rows
  std::vector<std::set<int>> columns(n + m);
  const auto add_body = [&](int column, int body) {
    for (int i = 0; i < charts_[body].nv(); ++i) columns[column].insert(v_start_[body] + i);
  };
  const std::vector<std::set<int>> coupled = find_coupled_bodies(model);
  for (int b = 1; b < n_bodies; ++b)
    for (int i = 0; i < charts_[b].nv(); ++i)
      for (const int other : coupled[b]) add_body(v_start_[b] + i, other);
  for (const BodyRows<double>& rows : plain_.rows)
    for (const BodyIndex body : {rows.first, rows.second}) {
      if (body.value == 0) continue;
      for (int row = rows.start; row < rows.start + rows.n; ++row) {
        add_body(n + row, body.value);
        for (int i = 0; i < charts_[body.value].nv(); ++i) columns[v_start_[body.value] + i].insert(n + row);
      }
    }
  for (int b = 1; b < n_bodies; ++b) {
    if (unit_row_[b] < 0) continue;
    add_body(n + unit_row_[b], b);
    for (int i = 0; i < charts_[b].nv(); ++i) columns[v_start_[b] + i].insert(n + unit_row_[b]);
  }
  std::vector<std::vector<int>> lists;
  lists.reserve(columns.size());
  for (const std::set<int>& column : columns) lists.emplace_back(column.begin(), column.end());
  set_pattern(formulation_.layout().scales.tail(n), row_scales, std::move(lists), list_links());
}

std::vector<ImplicitForm::Link> AbsoluteForm::list_links() const {
  std::vector<Link> links;
  for (std::size_t b = 1; b < charts_.size(); ++b) {
    const bool lie = charts_[b].kind() == Chart::Kind::kLie;  // velocities: the angular one first
    for (int i = 0; i < (lie ? 3 : charts_[b].nv()); ++i)
      links.push_back({q_start_[b] + i, v_start_[b] + (lie ? 3 + i : i), false});
    if (lie) links.push_back({q_start_[b] + 3, v_start_[b], true});
  }
  return links;
}

std::string AbsoluteForm::row_name(int row) const {
  if (row < plain_.constraints.n_rows) return plain_.constraints.row_name(row);
  for (std::size_t b = 1; b < unit_row_.size(); ++b)
    if (unit_row_[b] == row)
      return fmt::format("body '{}', length of its quaternion", plain_.machine.model.bodies[b].name);
  return "";
}

void AbsoluteForm::read_multipliers(Eigen::VectorXd* lambda) const {
  lambda->setZero(m());
  lambda->head(plain_.constraints.n_rows) = formulation_.multipliers();
}

template <class T>
Status AbsoluteForm::evaluate(const Point<T>& point, Side<T>* side, Residual<T>* out) const {
  const int n_bodies = static_cast<int>(charts_.size());
  Scene<T>& scene = side->scene;
  BodyLoads<T>& loads = side->loads;
  scene.t = T(point.t);
  scene.locals[0] = T(point.t);
  put_memory<T>(side->machine, point.t, &scene);
  move<T>(point.dq, &side->q);
  for (int b = 1; b < n_bodies; ++b)
    charts_[b].calc_motion<T>(side->q.data() + q_start_[b], point.v.data() + v_start_[b],
                              point.vdot.data() + v_start_[b], &scene.X_WB[b], &scene.V_WB[b], &side->A[b]);
  side->turns = turns().cast<T>();
  side->constraints.update_coordinates(side->turns.data(), &scene);
  update_locals<T>(side->machine, &scene);
  if (side->machine.moves_by_states) update_filter_accelerations<T>(side->machine, &scene);
  for (Vector6<T>& F : loads.F_B_W) F.setZero();
  add_loads<T>(side->machine, scene, &loads);
  for (const HeldJoint<T>& joint : side->constraints.joints)
    joint.add_load(loads.tau.data() + scene.v_start[joint.joint()], &scene, &loads);
  for (int b = 1; b < n_bodies; ++b) {
    const BodyInertia<T> inertia(side->machine.masses[b], scene.X_WB[b].R);
    const Vector3<T> w = scene.V_WB[b].template head<3>();
    side->F[b] = inertia.calc_load(side->A[b]) + inertia.calc_bias(w) - loads.F_B_W[b] -
                 inertia.calc_weight(side->machine.gravity);
  }
  for (const auto& added : loads.added) side->F[added.body.value] += added.K * side->A[added.body.value];
  for (const auto& coupled : loads.coupled)
    side->F[coupled.body.value] += coupled.K * side->A[coupled.other.value];
  side->constraints.update_rows(scene, &side->rows);
  side->constraints.calc_residuals(side->rows, scene, out->g.data(), out->gdot.data());
  add_row_loads(point.lambda, side, &out->r);
  for (int b = 1; b < n_bodies; ++b) {
    if (unit_row_[b] < 0) continue;
    T length2{0}, rate{0};
    for (int i = 3; i < 7; ++i) {
      const T q = side->q[q_start_[b] + i];
      length2 += q * q;
      rate += q * point.v[v_start_[b] + i];
    }
    out->g[unit_row_[b]] = (length2 - T(1)) / T(2);
    if (out->gdot.size() > 0) out->gdot[unit_row_[b]] = rate;
  }
  return Status::kOk;
}

/// All that stands in side->F and the loads of the rows, as generalised forces.
template <class T>
void AbsoluteForm::add_row_loads(const VectorX<T>& lambda, Side<T>* side, VectorX<T>* forces) const {
  for (const BodyRows<T>& rows : side->rows) {
    const T* own = lambda.data() + rows.start;
    if (rows.first.value != 0) side->F[rows.first.value] += calc_row_load(rows.G_A, rows.n, own);
    if (rows.second.value != 0) side->F[rows.second.value] += calc_row_load(rows.G_B, rows.n, own);
  }
  for (std::size_t b = 1; b < charts_.size(); ++b) {
    const T* q = side->q.data() + q_start_[b];
    T* f = forces->data() + v_start_[b];
    charts_[b].calc_forces<T>(q, side->F[b], f);
    if (unit_row_[b] < 0) continue;
    for (int i = 3; i < 7; ++i) f[i] += q[i] * lambda[unit_row_[b]];
  }
}

void AbsoluteForm::take_row_forces(const Take& take) {
  std::array<double, 7> f{};
  const auto take_body = [&](BodyIndex body, int row, const Vector6<double>& F) {
    if (body.value == 0) return;
    const Chart& chart = charts_[body.value];
    chart.calc_forces<double>(plain_.q.data() + q_start_[body.value], F, f.data());
    for (int i = 0; i < chart.nv(); ++i) take(v_start_[body.value] + i, row, f[i]);
  };
  for (const BodyRows<double>& rows : plain_.rows)
    for (int i = 0; i < rows.n; ++i) {
      take_body(rows.first, rows.start + i, rows.G_A.row(i).transpose());
      take_body(rows.second, rows.start + i, rows.G_B.row(i).transpose());
    }
  for (std::size_t b = 1; b < charts_.size(); ++b)
    for (int i = 3; i < 7 && unit_row_[b] >= 0; ++i)
      take(v_start_[b] + i, unit_row_[b], plain_.q[q_start_[b] + i]);
}

void AbsoluteForm::calc_row_forces(const Eigen::VectorXd& mu, Eigen::VectorXd* forces) {
  for (Vector6<double>& F : plain_.F) F.setZero();
  add_row_loads(mu, &plain_, forces);
}

}  // namespace haltere
