#pragma once

#include <vector>

#include "haltere/dynamics/machine/constraint_set.h"
#include "haltere/dynamics/row_paths.h"

namespace haltere {

/// The tree of bodies and joints, eliminated from its tips to its root as in `recursive`, but with the
/// motions that the rows of each joint leave free, whatever the positions:
///   A = X A_P + S a,                        X = -G^+ G_P,  G S = 0,                 theory.md (E17)
///   IA_P += X^T (IA - U D^-1 U^T) X,        U = IA S,      D = S^T U.               theory.md (E11)
/// S spans the null space of G; IA - U D^-1 U^T is the Schur complement of D in [IA U; U^T D]. It tells what
/// loads of other rows leave at each joint (RowPaths). Where M is symmetric.
class TreeReduction {
 public:
  /// The rows of each joint; joint k - 1 has the child k.
  explicit TreeReduction(const std::vector<BodyRows<double>>& joints);
  const std::vector<int>& parents() const { return parents_; }
  const std::vector<int>& n_free() const { return n_free_; }

  /// Of the whole machine, for pivots: powers of two.
  void set_units(double mass, double length);
  void set_body(int body, const Matrix6<double>& M);
  void add_to_body(int body, const Matrix6<double>& K);  // after its set_body()
  void reduce(const std::vector<BodyRows<double>>& joints);

  /// Loads (at Bo, in the units of to_units()) pass the joint of a body.
  void pass(int body, RowPaths::Loads* loads, SmallMatrix* e, SmallMatrix* h) const;
  /// Moments, and forces times the unit of length.
  Vector6<double> to_units(const Vector6<double>& load) const { return unit_.cwiseProduct(load); }

 private:
  struct Joint {
    Matrix6<double> S, U;  // the first n_free columns
    Matrix6<double> D;     // factors, see factor_ldl()
    Matrix6<double> X;
  };
  void find_motions(const BodyRows<double>& rows, Joint* joint) const;
  void factor(int n, const Matrix6<double>& IA, Joint* joint) const;

  std::vector<int> parents_, n_free_;               // per body; 0 is the world
  Vector6<double> unit_ = Vector6<double>::Ones();  // of twists
  double inertia_ = 1;                              // a moment of inertia of the whole
  std::vector<Matrix6<double>> IA_;
  std::vector<Joint> joints_;  // per body
};

}  // namespace haltere
