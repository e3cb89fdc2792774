#include "haltere/dynamics/recursive/hybrid_general.h"

#include <array>
#include <cmath>
#include <utility>

#include "haltere/dynamics/machine/ldl.h"

namespace haltere {
namespace {

/// Solves D X = B (n x n, m right-hand sides, in place) by elimination with row pivoting; false where D is
/// singular. `roots`: of the sizes of its diagonal, so that rows of turns and of shifts can be compared.
template <class T>
bool solve_lu(int n, int m, const std::array<double, 6>& roots, Matrix6<T>* D, Eigen::Matrix<T, 6, 13>* B) {
  std::array<double, 6> of_row = roots;
  const auto size = [&](int i, int j) { return std::abs(value_of((*D)(i, j))) / of_row[i]; };
  for (int j = 0; j < n; ++j) {
    int pivot = j;
    for (int i = j + 1; i < n; ++i)
      if (size(i, j) > size(pivot, j)) pivot = i;
    if (!(size(pivot, j) > kZeroPivot * roots[j])) return false;
    D->row(j).swap(D->row(pivot));
    B->row(j).swap(B->row(pivot));
    std::swap(of_row[j], of_row[pivot]);
    for (int i = j + 1; i < n; ++i) {
      const T factor = (*D)(i, j) / (*D)(j, j);
      for (int k = j + 1; k < n; ++k) (*D)(i, k) -= factor * (*D)(j, k);
      for (int k = 0; k < m; ++k) (*B)(i, k) -= factor * (*B)(j, k);
    }
  }
  for (int i = n - 1; i >= 0; --i)
    for (int k = 0; k < m; ++k) {
      for (int j = i + 1; j < n; ++j) (*B)(i, k) -= (*D)(i, j) * (*B)(j, k);
      (*B)(i, k) /= (*D)(i, i);
    }
  return true;
}

template <class T>
Matrix6<T> shift_matrix(const Vector3<T>& p) {  // X: A_child = X A_parent
  Matrix6<T> X = Matrix6<T>::Identity();
  X.template block<3, 3>(3, 0) = -skew<T>(p);
  return X;
}

/// D^-1 (u - S^T IA A) for the free coordinates, as a constant and a matrix against A: x = G.col(6) - G A.
template <class T>
bool reduce(const Node<T>& node, const RecursiveWorkspace<T>& work, const Vector6<T>& c_known,
            GeneralArticulated<T>* s) {
  Eigen::Matrix<T, 6, 13>* G = &s->reduced;
  const int n = node.n_free;
  Matrix6<T> D;
  std::array<double, 6> roots{};
  for (int i = 0; i < n; ++i) {
    const Vector6<T> S = work.S[node.v_start + node.free[i]].eigen();
    const Vector6<T> row = s->IA.transpose() * S;  // S^T IA
    for (int j = 0; j < n; ++j) D(i, j) = row.dot(work.S[node.v_start + node.free[j]].eigen());
    G->row(i).template head<6>() = row.transpose();
    (*G)(i, 6) = work.tau[node.v_start + node.free[i]] - S.dot(s->pA) - row.dot(c_known);
    for (int j = 0; j < n; ++j) (*G)(i, 7 + j) = T(i == j ? 1 : 0);
    // a pivot of a light direction beside a heavy one is judged by its own kind
    const double turn = value_of(S.template head<3>().squaredNorm());
    roots[i] = std::sqrt(turn * s->size_I + (1 - turn) * s->size_M);
  }
  return solve_lu<T>(n, 7 + n, roots, &D, G);
}

/// What gives the forces of prescribed coordinates.
template <class T>
void keep_prescribed(const Node<T>& node, const GeneralArticulated<T>& s, RecursiveWorkspace<T>* work) {
  for (int c = node.v_start; c < node.v_start + node.nv; ++c) {
    const Vector6<T> S = work->S[c].eigen();
    work->U[c] = Spatial<T>::of(s.IA.transpose() * S);
    work->u[c] = work->tau[c] - S.dot(s.pA);
  }
}

}  // namespace

template <class T>
void start_general(const Articulated<T>& own, const Matrix6<T>& added, GeneralArticulated<T>* result) {
  const Matrix3<T> H = own.IA.H.eigen();
  result->IA << own.IA.I.eigen(), H, H.transpose(), own.IA.M.eigen();
  result->IA += added;
  result->pA = own.pA.eigen();
  result->size_I = own.size_I;
  result->size_M = own.size_M;
  for (int i = 0; i < 3; ++i) {
    result->size_I += std::abs(value_of(added(i, i)));
    result->size_M += std::abs(value_of(added(3 + i, 3 + i))) / 3;
  }
}

template <class T>
Status calc_hybrid_dynamics_general(const RecursiveSystem<T>& system, RecursiveWorkspace<T>* work) {
  const int n = static_cast<int>(system.nodes.size());
  // inward
  for (int k = n - 1; k > 0; --k) {
    const Node<T>& node = system.nodes[k];
    GeneralArticulated<T>& s = work->general[k];
    const Matrix6<T>& IA = s.IA;
    const Vector6<T> c_known = work->nodes[k].known(node).eigen();
    if (!reduce<T>(node, *work, c_known, &s)) {
      work->singular_joint = k - 1;
      return Status::kSingular;
    }
    if (node.n_free < node.nv) keep_prescribed(node, s, work);
    if (node.parent == 0) continue;
    Matrix6<T> Ia = IA;
    Vector6<T> pa = s.pA + IA * c_known;
    for (int i = 0; i < node.n_free; ++i) {
      const Vector6<T> U = IA * work->S[node.v_start + node.free[i]].eigen();
      Ia -= U * s.reduced.row(i).template head<6>();
      pa += U * s.reduced(i, 6);
    }
    const Vector3<T> p_PJ = work->nodes[k].p_PJ_W.eigen();
    const Matrix6<T> X = shift_matrix<T>(p_PJ);
    GeneralArticulated<T>& p = work->general[node.parent];
    p.IA += X.transpose() * Ia * X;
    p.pA += X.transpose() * pa;
    p.size_I += s.size_I + s.size_M * value_of(p_PJ.squaredNorm());
    p.size_M += s.size_M;
  }
  // outward
  for (int k = 1; k < n; ++k) {
    const Node<T>& node = system.nodes[k];
    NodeState<T>& s = work->nodes[k];
    const Vector6<T> A = shift_matrix<T>(s.p_PJ_W.eigen()) * work->nodes[node.parent].A.eigen();
    s.A = Spatial<T>::of(A) + s.known(node);
    for (int i = 0; i < node.n_free; ++i) {
      const int c = node.v_start + node.free[i];
      const Eigen::Matrix<T, 6, 13>& G = work->general[k].reduced;
      work->vdot[c] = G(i, 6) - G.row(i).template head<6>().dot(A);
      s.A = s.A + work->vdot[c] * work->S[c];
    }
  }
  return Status::kOk;
}

template void start_general<double>(const Articulated<double>&, const Matrix6<double>&,
                                    GeneralArticulated<double>*);
template void start_general<Dual>(const Articulated<Dual>&, const Matrix6<Dual>&, GeneralArticulated<Dual>*);
template Status calc_hybrid_dynamics_general<double>(const RecursiveSystem<double>&,
                                                     RecursiveWorkspace<double>*);
template Status calc_hybrid_dynamics_general<Dual>(const RecursiveSystem<Dual>&, RecursiveWorkspace<Dual>*);

}  // namespace haltere
