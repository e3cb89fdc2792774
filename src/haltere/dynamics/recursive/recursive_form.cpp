#include "haltere/dynamics/recursive/recursive_form.h"

#include <numeric>
#include <utility>

#include "haltere/dynamics/machine/memory.h"
#include "haltere/dynamics/recursive/recursive.h"

namespace haltere {
namespace {

/// The loads G^T lambda of the rows on their bodies, as wrenches at the joint points: add(body, F).
template <class T, class Add>
void add_row_loads(const RecursiveSystem<T>& system, const RecursiveWorkspace<T>& work,
                   const VectorX<T>& lambda, const Add& add) {
  for (const BodyRows<T>& rows : work.rows)
    for (const auto& [body, G] : {std::pair{rows.first, &rows.G_A}, std::pair{rows.second, &rows.G_B}}) {
      if (body.value == 0) continue;
      const Vector6<T> F_Bo = calc_row_load(*G, rows.n, lambda.data() + rows.start);
      const Vector3<T> p_JB_W = work.nodes[body.value].R_WJ.eigen() * system.nodes[body.value].p_JB;
      add(body.value, shift_wrench<T>(F_Bo, -p_JB_W));
    }
}

}  // namespace

RecursiveForm::RecursiveForm(const RecursiveFormulation& formulation)
    : ImplicitForm(formulation.layout().sizes),
      formulation_(formulation),
      plain_(formulation.machine()),
      dual_(formulation.machine()) {
  const int n = static_cast<int>(plain_.system.free_v.size()), m = plain_.system.constraints.n_rows;
  std::vector<int> all(n + m), accelerations(n);
  std::iota(all.begin(), all.end(), 0);
  std::iota(accelerations.begin(), accelerations.end(), 0);
  std::vector<std::vector<int>> columns(n, all);
  columns.resize(n + m, accelerations);
  const CoordinateLayout& layout = formulation.layout();
  set_pattern(layout.scales.tail(layout.sizes.nv), layout.row_scales, std::move(columns), list_links());
}

std::vector<ImplicitForm::Link> RecursiveForm::list_links() const {
  const RecursiveSystem<double>& system = plain_.system;
  const int nq = static_cast<int>(system.free_q.size());
  std::vector<Link> links;
  int q = 0, v = 0;
  for (std::size_t k = 1; k < system.nodes.size(); ++k) {
    const Node<double>& node = system.nodes[k];
    int i = 0;
    if (q < nq && node.nq > node.nv && system.free_q[q] == node.q_start) {
      links.push_back({q, v, true});
      q += 4;
      v += 3;
      i = 3;
    }
    for (; i < node.n_free; ++i, ++q, ++v) links.push_back({q, v, false});
  }
  return links;
}

void RecursiveForm::read_multipliers(Eigen::VectorXd* lambda) const {
  *lambda = formulation_.multipliers();
}

void RecursiveForm::take_row_forces(const Take& take) {
  unit_.setZero(m());
  forces_.setZero(n());
  for (int row = 0; row < m(); ++row) {
    unit_[row] = 1;
    calc_row_forces(unit_, &forces_);
    unit_[row] = 0;
    for (int i = 0; i < n(); ++i) take(i, row, forces_[i]);
  }
}

void RecursiveForm::calc_row_forces(const Eigen::VectorXd& mu, Eigen::VectorXd* forces) {
  const RecursiveSystem<double>& system = plain_.system;
  for (Vector6<double>& F : plain_.F_joint) F.setZero();
  add_row_loads<double>(system, plain_.work, mu,
                        [&](int body, const Vector6<double>& F) { plain_.F_joint[body] += F; });
  collect_joint_forces<double>(system, plain_.work, &plain_.F_joint, &plain_.tau);
  for (std::size_t i = 0; i < system.free_v.size(); ++i)
    (*forces)[static_cast<Eigen::Index>(i)] = plain_.tau[system.free_v[i]];
}

template <class T>
Status RecursiveForm::evaluate(const Point<T>& point, Side<T>* side, Residual<T>* out) const {
  const RecursiveSystem<T>& system = side->system;
  RecursiveWorkspace<T>& work = side->work;
  Scene<T>& scene = side->scene;
  BodyLoads<T>& loads = side->loads;
  move<T>(point.dq, &side->q);
  side->turns = turns().cast<T>();
  put_memory<T>(side->machine, point.t, &scene);
  update_kinematics<T>(system, T(point.t), side->q.data(), point.v.data(), &scene, &work);
  update_scene<T>(system, work, side->turns.data(), &scene);
  if (side->machine.moves_by_states) {
    update_filter_accelerations<T>(side->machine, &scene);
    update_kinematics<T>(system, T(point.t), side->q.data(), point.v.data(), &scene, &work);
  }
  for (const int k : side->machine.read_bodies) loads.F_B_W[k].setZero();
  add_loads<T>(side->machine, scene, &loads);
  take_loads<T>(system, &scene, &loads, &work);
  if (!system.constraints.starts.empty()) {
    system.constraints.update_rows(scene, &work.rows);
    system.constraints.calc_residuals(work.rows, scene, out->g.data(), out->gdot.data());
    add_row_loads<T>(system, work, point.lambda, [&](int body, const Vector6<T>& F) {
      work.F_J_W[body] = work.F_J_W[body] - Spatial<T>::of(F);
    });
  }
  side->vdot = work.vdot;  // prescribed ones
  for (std::size_t i = 0; i < system.free_v.size(); ++i) side->vdot[system.free_v[i]] = point.vdot[i];
  calc_inverse_dynamics<T>(system, side->vdot, &work, &side->tau, &side->F_joint);
  if (!loads.coupled.empty()) {  // loads that follow from the accelerations of other bodies
    for (const typename Loads<T>::Coupled& coupled : loads.coupled) {
      const NodeState<T>& of = work.nodes[coupled.other.value];
      const Vector3<T> p_of = of.R_WJ.eigen() * system.nodes[coupled.other.value].p_JB,
                       p_on = work.nodes[coupled.body.value].R_WJ.eigen() *
                              system.nodes[coupled.body.value].p_JB;
      const Vector6<T> F = -(coupled.K * shift_acceleration<T>(of.A.eigen(), of.w.eigen(), p_of));
      work.F_J_W[coupled.body.value] =
          work.F_J_W[coupled.body.value] + Spatial<T>::of(shift_wrench<T>(F, -p_on));
    }
    calc_inverse_dynamics<T>(system, side->vdot, &work, &side->tau, &side->F_joint);
  }
  for (std::size_t i = 0; i < system.free_v.size(); ++i)
    out->r[i] = side->tau[system.free_v[i]] - loads.tau[system.free_v[i]];
  return Status::kOk;
}

}  // namespace haltere
