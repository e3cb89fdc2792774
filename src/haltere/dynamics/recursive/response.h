#pragma once

#include "haltere/dynamics/recursive/workspace.h"
#include "haltere/dynamics/row_paths.h"

namespace haltere {

/// What loads add to the accelerations: everything else as it was in the last calc_hybrid_dynamics(), whose
/// factors it uses. In: the wrench on each node at Jo, world axes; out: the wrench through its joint that the
/// prescribed motions see (`pA`), the accelerations of coordinates and nodes.
struct Response {
  explicit Response(const RecursiveSystem<double>& system);
  void calc(const RecursiveSystem<double>& system, const RecursiveWorkspace<double>& work);

  std::vector<Spatial<double>> F;   // (nodes) set by the caller; zero again after calc()
  std::vector<Spatial<double>> pA;  // (nodes)
  std::vector<Spatial<double>> A;   // (nodes)
  Eigen::VectorXd vdot;             // (nv of the tree)
};

/// Its accelerations, and what prescribed motions carry of its loads, on top of those of the workspace.
void take_response(const RecursiveSystem<double>& system, const Response& response,
                   RecursiveWorkspace<double>* work);

/// Loads on a node pass its joint: what its free coordinates take of them, e = S^T p and h = D^-1 e, and what
/// reaches the parent's joint point. Where M is symmetric.
void pass_loads(const RecursiveSystem<double>& system, const RecursiveWorkspace<double>& work, int k,
                RowPaths::Loads* loads, SmallMatrix* e, SmallMatrix* h);

}  // namespace haltere
