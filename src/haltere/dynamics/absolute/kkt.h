#pragma once

#include <array>
#include <memory>
#include <vector>

#include "haltere/dynamics/machine/constraint_set.h"
#include "haltere/math/sparse_ldl.h"
#include "haltere/math/sparse_lu.h"

namespace haltere {

/// The sparse system of the bodies and joints of a tree, a saddle-point or KKT system (Karush, Kuhn, Tucker):
///   [ M  G^T ] [ A      ]   [ f ]
///   [ G   0  ] [ lambda ] = [ r ]                                             theory.md (E16), [benzi2005]
/// Unknowns are eliminated from the tips of the tree to its root, each body before its joint: this makes no
/// new entries outside the block of a joint's rows, and the cost is linear [baraff1996]. After a body its
/// joint's rows hold the Schur complement -G M^-1 G^T, hence the signs of the pivots. Matrices that force
/// elements add to M need be neither symmetric nor positive: where they are not, pivots are chosen by size
/// instead.
class Kkt {
 public:
  /// The two bodies and the number of rows of each joint; joint k - 1 has the child k. `is_length`: per row
  /// of all constraints, see ConstraintSet.
  Kkt(const std::vector<BodyRows<double>>& joints, const std::vector<bool>& is_length);

  /// Thin rods and massless bodies get a little inertia, which is refined away again.
  void set_thin(const std::vector<MassProperties<double>>& masses, double length);
  void set_body(int body, const Matrix6<double>& M);  // 1 ...
  /// Adds K to the matrix of the body; after its set_body().
  void add_to_body(int body, const Matrix6<double>& K);
  void set_rows(int joint, const BodyRows<double>& rows);
  /// False where the accelerations are not defined: a pivot has the wrong sign, or is zero.
  bool factor();
  bool is_general() const {
    return is_general_;
  }  // the matrix of the last factor() is not symmetric, or not definite
  /// In: f (6 per body) and r; out: A and lambda.
  void solve(Ref bodies, Ref rows);

 private:
  using Sparse = Eigen::SparseMatrix<double>;
  void make_pattern(const std::vector<BodyRows<double>>& joints);
  void find_places(const std::vector<BodyRows<double>>& joints);
  int place(int i, int j) const;  // of an entry in the values
  void multiply(const Eigen::VectorXd& x, Eigen::VectorXd* out) const;
  bool factor_symmetric();
  bool factor_general();
  void make_general();
  void set_units(double mass, double length);

  int n_ = 0;
  std::vector<int> body_index_;              // first unknown of each body; -1 for the world
  std::vector<std::vector<int>> row_index_;  // unknowns of the rows of each set
  Sparse K_;                                 // upper triangle, with what is added
  Eigen::VectorXd added_;                    // to the diagonal
  std::vector<std::array<int, 36>> body_places_;
  struct SetPlaces {
    BodyIndex first, second;
    std::vector<int> on_first, on_second;  // 6 per row
  };
  std::vector<SetPlaces> set_places_;
  int refinements_ = 0;
  std::vector<double> sign_;  // expected of each pivot
  SparseLdl factor_;
  Eigen::VectorXd b_, x_, dx_;

  // -- with matrices that were added
  enum class Added { kNothing, kSymmetric, kGeneral };
  std::vector<Added> kind_;                 // per body
  std::vector<Matrix6<double>> skew_;       // per body: the lower triangle less the upper one
  bool is_general_ = false;                 // the factors in use
  std::unique_ptr<SparseLu> general_;       // the same matrix, all of it; made when it is needed
  std::vector<std::array<int, 2>> places_;  // of each value of K_ in it, and in its transpose
  std::vector<std::array<int, 36>> general_body_places_;
  std::vector<bool> is_force_;  // per unknown: a force; else a torque, or no load at all
  Eigen::VectorXd units_;       // of the unknowns, for its pivots
};

}  // namespace haltere
