#pragma once

#include <memory>
#include <string>
#include <vector>

#include "haltere/dynamics/implicit_form.h"

namespace haltere {

/// The equations at index 2, where positions and velocities obey the constraints both: theory.md (E32),
/// [gear1985]
///   qdot = N(q) (v - S^2 A^T mu),   M vdot = f - A^T lambda,   A v + b = 0,   g(t, q) = 0,
/// as F(t, Y, Ydot) = 0 for Y = (q, v, lambda, mu). mu is zero but for the errors of a method; S: the scales
/// of positions, so that mu has no unit of its own. Quaternions may have any length.
class StabilizedForm {
 public:
  StabilizedForm(std::unique_ptr<ImplicitForm> form, const Sizes& sizes);

  int nq() const { return nq_; }
  int n() const { return n_; }
  int m() const { return m_; }
  int size() const { return nq_ + n_ + m_ + mh_; }
  void read_multipliers(Ref lambda) const;
  /// Angles that know their turns, near those of what follows (Sizes::nt).
  void set_turns(ConstRef turns) { y_.tail(turns.size()) = turns; }

  /// As ImplicitForm::set_memory(), for what follows.
  void set_memory(const Eigen::VectorXd& memory) { memory_ = memory; }

  Status calc(double t, ConstRef Y, ConstRef Ydot, Ref F);
  /// Factors of dF/dY + c dF/dYdot, exact where mu = 0.
  bool factor(double t, ConstRef Y, ConstRef Ydot, double c);
  void solve(Ref b);
  double calc_condition() const { return lu_->calc_condition(); }  // reciprocal, a cheap estimate
  /// The row of constraints that is furthest off, and by how much, in the last calc().
  std::string name_worst_row() const;

 private:
  void set_point(double t, ConstRef Y, ConstRef Ydot);
  void make_pattern();
  void add_motion(double c);
  void set_units(double c);

  std::unique_ptr<ImplicitForm> form_;
  int nq_, n_, m_, mh_ = 0;
  std::vector<int> position_row_;  // of each row among those of positions; -1: it is none
  ImplicitForm::Point<double> point_;
  ImplicitForm::Residual<double> residual_;
  Eigen::VectorXd y_, mu_, forces_, u_;  // u: v - S^2 A^T mu
  Eigen::VectorXd memory_;
  double c_ = 0;  // of the factors
  Eigen::VectorXd q_factored_, u_factored_;
  std::unique_ptr<SparseLu> lu_;
  Eigen::VectorXd row_units_, column_units_, b_;
};

}  // namespace haltere
