#pragma once

#include <vector>

#include <Eigen/SparseCholesky>

#include "haltere/dynamics/constraint_set.h"

namespace haltere {

/// The sparse system of the bodies and joints of a tree
///   [ M  G^T ] [ A      ]   [ f ]
///   [ G   0  ] [ lambda ] = [ r ]
/// Unknowns are eliminated from the tips of the tree to its root, each body before its joint: this makes no
/// new entries, and the cost is linear.
class Kkt {
 public:
  /// The two bodies and the number of rows of each joint; joint k - 1 has the child k.
  explicit Kkt(const std::vector<BodyRows<double>>& joints);

  /// Thin rods and massless bodies get a little inertia, which is refined away again.
  void set_thin(const std::vector<MassProperties<double>>& masses, double length);
  void set_body(int body, const Matrix6<double>& M);  // 1 ...
  void set_rows(int joint, const BodyRows<double>& rows);
  /// False where a pivot has the wrong sign: the accelerations are not defined.
  bool factor();
  /// In: f (6 per body) and r; out: A and lambda.
  void solve(Ref bodies, Ref rows);

 private:
  using Sparse = Eigen::SparseMatrix<double>;
  void make_pattern(const std::vector<BodyRows<double>>& joints);
  void find_places(const std::vector<BodyRows<double>>& joints);
  int place(int i, int j) const;  // of an entry in the values
  void multiply(const Eigen::VectorXd& x, Eigen::VectorXd* out) const;

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
  /// factorize() and vectorD() of Eigen take memory from the heap at every call.
  struct Factor : Eigen::SimplicialLDLT<Sparse, Eigen::Upper, Eigen::NaturalOrdering<int>> {
    void refactor(const Sparse& K) { this->template factorize_preordered<true>(K); }
    const Eigen::VectorXd& pivots() const { return this->m_diag; }
  };
  Factor factor_;
  Eigen::VectorXd b_, x_, dx_;
};

}  // namespace haltere
