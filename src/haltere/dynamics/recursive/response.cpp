#include "haltere/dynamics/recursive/response.h"

#include "haltere/dynamics/machine/ldl.h"

namespace haltere {
namespace {

using System = RecursiveSystem<double>;
using Workspace = RecursiveWorkspace<double>;

/// D^-1 r for the free coordinates of a node, in place.
void solve_own(const Node<double>& node, const Workspace& work, int k, double* r) {
  if (work.has_general) {
    Vector6<double> x = Vector6<double>::Zero();
    for (int i = 0; i < node.n_free; ++i)
      for (int j = 0; j < node.n_free; ++j) x[i] += work.general[k].reduced(i, 7 + j) * r[j];
    for (int i = 0; i < node.n_free; ++i) r[i] = x[i];
  } else if (node.path == Node<double>::Path::kGeneral) {
    solve_ldl<double>(node.n_free, work.L[work.L_of[k]], r);
  } else {
    r[0] *= work.nodes[k].D_inverse;
  }
}

/// D^-1 S^T IA A: what the motion A of the joint's inner side takes from the free coordinates.
void calc_carried(const Node<double>& node, const Workspace& work, int k, const Spatial<double>& A,
                  double* x) {
  if (work.has_general) {
    const Vector6<double> motion = A.eigen();
    for (int i = 0; i < node.n_free; ++i) x[i] = work.general[k].reduced.row(i).head<6>().dot(motion);
    return;
  }
  for (int i = 0; i < node.n_free; ++i) x[i] = dot(work.U[node.v_start + node.free[i]], A);
  if (node.n_free > 0) solve_own(node, work, k, x);
}

}  // namespace

Response::Response(const System& system)
    : F(system.nodes.size(), Spatial<double>::zero()), pA(F), A(F), vdot(Eigen::VectorXd::Zero(system.nv)) {}

/// As the hybrid recursion with tau = 0, c = 0:  pA = -F + ...,  u = -S^T pA,  pa = pA + U D^-1 u.
void Response::calc(const System& system, const Workspace& work) {
  const int n = static_cast<int>(system.nodes.size());
  for (int k = 1; k < n; ++k) pA[k] = Spatial<double>::zero() - F[k];
  double x[6];
  for (int k = n - 1; k > 0; --k) {
    const Node<double>& node = system.nodes[k];
    for (int i = 0; i < node.n_free; ++i) x[i] = -dot(work.S[node.v_start + node.free[i]], pA[k]);
    if (node.n_free > 0) solve_own(node, work, k, x);
    Spatial<double> pa = pA[k];
    for (int i = 0; i < node.n_free; ++i) {
      const int c = node.v_start + node.free[i];
      vdot[c] = x[i];  // without the parent's motion, for now
      pa = pa + x[i] * (work.has_general ? Spatial<double>::of(work.general[k].IA * work.S[c].eigen())
                                         : work.U[c]);
    }
    if (node.parent == 0) continue;
    const Vec3<double>& p = work.nodes[k].p_PJ_W;
    Spatial<double>& parent = pA[node.parent];
    parent.a = parent.a + pa.a + cross(p, pa.l);
    parent.l = parent.l + pa.l;
  }
  A[0] = Spatial<double>::zero();
  for (int k = 1; k < n; ++k) {
    const Node<double>& node = system.nodes[k];
    const Spatial<double>& P = A[node.parent];
    A[k] = {P.a, P.l + cross(P.a, work.nodes[k].p_PJ_W)};
    calc_carried(node, work, k, A[k], x);
    for (int i = 0; i < node.n_free; ++i) {
      const int c = node.v_start + node.free[i];
      vdot[c] -= x[i];
      A[k] = A[k] + vdot[c] * work.S[c];
    }
    F[k] = Spatial<double>::zero();
  }
}

void take_response(const System& system, const Response& response, Workspace* work) {
  for (int k = 1; k < static_cast<int>(system.nodes.size()); ++k) {
    const Node<double>& node = system.nodes[k];
    work->nodes[k].A = work->nodes[k].A + response.A[k];
    for (int i = 0; i < node.n_free; ++i)
      work->vdot[node.v_start + node.free[i]] += response.vdot[node.v_start + node.free[i]];
    // what prescribed motions carry, too
    if (node.n_free < node.nv)
      for (int c = node.v_start; c < node.v_start + node.nv; ++c)
        work->u[c] -= dot(work->S[c], response.pA[k]);
  }
}

void pass_loads(const System& system, const Workspace& work, int k, RowPaths::Loads* loads, SmallMatrix* e,
                SmallMatrix* h) {
  const Node<double>& node = system.nodes[k];
  const int n_rows = static_cast<int>(loads->cols());
  e->resize(node.n_free, n_rows);
  h->resize(node.n_free, n_rows);
  const Vec3<double>& p = work.nodes[k].p_PJ_W;
  double x[6];
  for (int row = 0; row < n_rows; ++row) {
    Spatial<double> load = Spatial<double>::of(loads->col(row));
    for (int i = 0; i < node.n_free; ++i)
      (*e)(i, row) = x[i] = dot(work.S[node.v_start + node.free[i]], load);
    if (node.n_free > 0) solve_own(node, work, k, x);
    for (int i = 0; i < node.n_free; ++i) {
      (*h)(i, row) = x[i];
      load = load - x[i] * work.U[node.v_start + node.free[i]];
    }
    load.a = load.a + cross(p, load.l);
    loads->col(row) = load.eigen();
  }
}

}  // namespace haltere
