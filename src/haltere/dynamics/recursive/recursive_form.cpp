#include "haltere/dynamics/recursive/recursive_form.h"

#include <numeric>
#include <utility>

#include "haltere/dynamics/recursive/recursive.h"

namespace haltere {
namespace {

/// Puts -G^T lambda on the bodies, as wrenches at the joint points.
template <class T>
void subtract_row_loads(const RecursiveSystem<T>& system, const VectorX<T>& lambda,
                        RecursiveWorkspace<T>* work) {
  for (const BodyRows<T>& rows : work->rows)
    for (const auto& [body, G] : {std::pair{rows.first, &rows.G_A}, std::pair{rows.second, &rows.G_B}}) {
      if (body.value == 0) continue;
      const Vector6<T> F_Bo = calc_row_load(*G, rows.n, lambda.data() + rows.start);
      const Vector3<T> p_JB_W = work->nodes[body.value].R_WJ.eigen() * system.nodes[body.value].p_JB;
      Spatial<T>& F = work->F_J_W[body.value];
      F = F - Spatial<T>::of(shift_wrench<T>(F_Bo, -p_JB_W));
    }
}

}  // namespace

RecursiveForm::RecursiveForm(const RecursiveEquations& equations, const Eigen::VectorXd& row_scales)
    : ImplicitForm(equations.sizes()),
      equations_(equations),
      plain_(equations.model(), equations.parameters()),
      dual_(equations.model(), equations.parameters()) {
  const int n = static_cast<int>(plain_.system.free_v.size()), m = plain_.system.constraints.n_rows;
  for (int i = 0; i < static_cast<int>(plain_.system.free_q.size()); ++i)
    for (const Node<double>& node : plain_.system.nodes)
      if (node.nq > node.nv && plain_.system.free_q[i] == node.q_start) quaternions_.push_back(i);
  std::vector<int> all(n + m), accelerations(n);
  std::iota(all.begin(), all.end(), 0);
  std::iota(accelerations.begin(), accelerations.end(), 0);
  std::vector<std::vector<int>> columns(n, all);
  columns.resize(n + m, accelerations);
  const Sizes sizes = equations.sizes();
  set_pattern(equations.calc_scales().segment(sizes.nq, sizes.nv), row_scales, std::move(columns));
}

template <class T>
void RecursiveForm::move(const VectorX<T>& dq, const RecursiveSystem<T>& system, VectorX<T>* q) const {
  *q = q0().cast<T>();
  int iq = 0, iv = 0;
  for (std::size_t k = 1; k < system.nodes.size(); ++k) {
    const Node<T>& node = system.nodes[k];
    int i = 0;
    if (iq < q->size() && node.nq > node.nv && system.free_q[iq] == node.q_start) {
      const Vector3<T> turn = dq.template segment<3>(iv);
      const Vector4<T> before = q->template segment<4>(iq);
      q->template segment<4>(iq) = multiply<T>(quaternion_exp<T>(turn), before);
      iq += 4;
      iv += 3;
      i = 3;
    }
    for (; i < node.n_free; ++i, ++iq, ++iv) (*q)[iq] += dq[iv];
  }
}

void RecursiveForm::move(const Eigen::VectorXd& dq, Ref y) const {
  move<double>(dq, plain_.system, &q1_);
  y.head(q1_.size()) = q1_;
  for (const int i : quaternions_) y.segment<4>(i).normalize();
}

void RecursiveForm::read_multipliers(Eigen::VectorXd* lambda) const {
  *lambda = equations_.multipliers();
}

template <class T>
Status RecursiveForm::evaluate(const Point<T>& point, Side<T>* side, Residual<T>* out) const {
  const RecursiveSystem<T>& system = side->system;
  RecursiveWorkspace<T>& work = side->work;
  move<T>(point.dq, system, &side->q);
  work.turns = turns().cast<T>();
  update_kinematics<T>(system, T(point.t), side->q.data(), point.v.data(), &work);
  update_loads<T>(system, &work);
  if (!system.constraints.starts.empty()) {
    system.constraints.update_rows(work.scene, &work.rows);
    system.constraints.calc_residuals(work.rows, work.scene, out->g.data());
    subtract_row_loads<T>(system, point.lambda, &work);
  }
  side->vdot = work.vdot;  // prescribed ones
  for (std::size_t i = 0; i < system.free_v.size(); ++i) side->vdot[system.free_v[i]] = point.vdot[i];
  calc_inverse_dynamics<T>(system, side->vdot, &work, &side->tau, &side->F_joint);
  for (std::size_t i = 0; i < system.free_v.size(); ++i)
    out->r[i] = side->tau[system.free_v[i]] - work.loads.tau[system.free_v[i]];
  return Status::kOk;
}

}  // namespace haltere
