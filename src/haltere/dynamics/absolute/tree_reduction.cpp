#include "haltere/dynamics/absolute/tree_reduction.h"

#include <cmath>

#include <Eigen/QR>

#include "haltere/dynamics/machine/ldl.h"

namespace haltere {
namespace {

// of its size: given to a motion that has no inertia, as a thin rod about its axis. As kAdded of kkt.cpp, but
// not refined away: only rows that load such a motion feel it.
constexpr double kGiven = 1e-8;

}  // namespace

TreeReduction::TreeReduction(const std::vector<BodyRows<double>>& joints)
    : parents_(1, 0), n_free_(1, 0), IA_(joints.size() + 1), joints_(joints.size() + 1) {
  for (const BodyRows<double>& rows : joints) {
    parents_.push_back(rows.first.value);
    n_free_.push_back(6 - rows.n);
  }
}

void TreeReduction::set_units(double mass, double length) {
  const auto power = [](double x) { return x > 0 && std::isfinite(x) ? std::exp2(std::ilogb(x)) : 1; };
  unit_.tail<3>().setConstant(power(length));
  inertia_ = power(mass) * power(length) * power(length);
}

void TreeReduction::set_body(int body, const Matrix6<double>& M) {
  IA_[body] = unit_.asDiagonal() * M * unit_.asDiagonal();
}

void TreeReduction::add_to_body(int body, const Matrix6<double>& K) {
  IA_[body] += unit_.asDiagonal() * K * unit_.asDiagonal();
}

/// Q = (Q1, S) of the rows of the child, each of length one: G^T = Q1 R, so that G S = 0 and
/// G^+ = Q1 R^-T, theory.md (E17).
void TreeReduction::find_motions(const BodyRows<double>& rows, Joint* joint) const {
  Matrix6<double> G = Matrix6<double>::Zero(), G_P = G;  // columns: rows of the joint
  for (int i = 0; i < rows.n; ++i) {
    G.col(i) = unit_.cwiseProduct(rows.G_B.row(i).transpose());
    const double length = G.col(i).norm();
    G.col(i) /= length;
    if (rows.first.value != 0) G_P.col(i) = unit_.cwiseProduct(rows.G_A.row(i).transpose()) / length;
  }
  const Eigen::HouseholderQR<Matrix6<double>> qr(G);
  Matrix6<double> Q = Matrix6<double>::Identity();
  Q.applyOnTheLeft(qr.householderQ());
  joint->S.leftCols(6 - rows.n) = Q.rightCols(6 - rows.n);
  // R^-T G_P^T, row after row
  const Matrix6<double>& R = qr.matrixQR();
  Matrix6<double> Y = Matrix6<double>::Zero();
  for (int i = 0; i < rows.n; ++i) {
    Y.row(i) = G_P.col(i).transpose();
    for (int k = 0; k < i; ++k) Y.row(i) -= R(k, i) * Y.row(k);
    Y.row(i) /= R(i, i);
  }
  joint->X.setZero();
  for (int i = 0; i < rows.n; ++i) joint->X -= Q.col(i) * Y.row(i);
}

void TreeReduction::factor(int n, const Matrix6<double>& IA, Joint* joint) const {
  joint->U.leftCols(n) = IA * joint->S.leftCols(n);
  joint->D.topLeftCorner(n, n) = joint->S.leftCols(n).transpose() * joint->U.leftCols(n);
  std::array<double, 6> sizes{};
  for (int i = 0; i < n; ++i) sizes[i] = joint->S.col(i).cwiseAbs2().dot(IA.diagonal());
  Matrix6<double> D = joint->D;
  for (int tries = 0; tries < n; ++tries) {
    const int thin = factor_ldl<double>(n, sizes.data(), &joint->D);
    if (thin < 0) return;
    if (!(sizes[thin] > 0)) sizes[thin] = inertia_;
    D(thin, thin) += kGiven * sizes[thin];
    joint->D = D;
  }
  factor_ldl<double>(n, sizes.data(), &joint->D);
}

/// IA_P += X^T (IA - U D^-1 U^T) X, theory.md (E11).
void TreeReduction::reduce(const std::vector<BodyRows<double>>& joints) {
  for (int body = static_cast<int>(joints_.size()) - 1; body > 0; --body) {
    Joint& joint = joints_[body];
    const int n = n_free_[body];
    find_motions(joints[body - 1], &joint);
    factor(n, IA_[body], &joint);
    if (parents_[body] == 0) continue;
    Matrix6<double> Ia = IA_[body];
    Vector6<double> x;
    for (int j = 0; j < 6; ++j) {
      for (int i = 0; i < n; ++i) x[i] = joint.U(j, i);
      solve_ldl<double>(n, joint.D, x.data());
      for (int i = 0; i < n; ++i) Ia.col(j) -= x[i] * joint.U.col(i);
    }
    IA_[parents_[body]] += joint.X.transpose() * Ia * joint.X;
  }
}

/// e = S^T p, h = D^-1 e, p_P = X^T (p - U h): the terms of theory.md (E15).
void TreeReduction::pass(int body, RowPaths::Loads* loads, SmallMatrix* e, SmallMatrix* h) const {
  const Joint& joint = joints_[body];
  const int n = n_free_[body];
  e->resize(n, loads->cols());
  h->resize(n, loads->cols());
  for (Eigen::Index row = 0; row < loads->cols(); ++row) {
    Vector6<double> load = loads->col(row), x;
    for (int i = 0; i < n; ++i) (*e)(i, row) = x[i] = joint.S.col(i).dot(load);
    solve_ldl<double>(n, joint.D, x.data());
    for (int i = 0; i < n; ++i) {
      (*h)(i, row) = x[i];
      load -= x[i] * joint.U.col(i);
    }
    if (parents_[body] != 0) loads->col(row) = joint.X.transpose() * load;
  }
}

}  // namespace haltere
