#pragma once

#include <memory>
#include <vector>

#include "haltere/aero/lattice/image_planes.h"
#include "haltere/aero/lattice/lattice.h"
#include "haltere/math/archive.h"
#include "haltere/math/dense.h"
#include "haltere/math/gmres.h"

namespace haltere {

/// A segment that the rings of two panels share, with opposite sense; -1: of none.
struct RingLeg {
  Vector3<double> from, to;
  int ring, other;
};

/// What rings of circulation one do to the flow through the panels of all lattices, and the circulations that stop a
/// given flow.
///
/// A lattice that moves as a rigid body does to itself what it always did: its block is computed and factored once. What
/// lattices and walls do to each other is computed anew when they have moved against each other, and the system is
/// then solved by GMRES, preconditioned by the factors of the blocks.                theory.md (E35)
class RingMatrix {
 public:
  /// A lattice by itself, in air without walls.
  struct Block {
    Lattice lattice;
    double core;
    Eigen::MatrixXd matrix;
    DenseLu factors;
  };
  static std::shared_ptr<const Block> make_block(const Lattice& lattice, double core);

  /// Panels are numbered through, lattice by lattice.
  void update(const std::vector<const Lattice*>& lattices, double core, const ImagePlanes& planes);
  /// Where other segments have the circulations of panels, too: factored as a whole.
  void update_whole(const std::vector<const Lattice*>& lattices, const std::vector<RingLeg>& others,
                    double core, const ImagePlanes& planes);
  /// matrix * x = b. x: where the search begins.
  void solve(const Eigen::VectorXd& b, Eigen::VectorXd* x);
  /// Of a run that begins: the same bits whatever was before.
  void forget() {
    blocks_.clear();
    assembled_.clear();
  }
  void visit_state(Archive& archive, const std::vector<const Lattice*>& lattices, double core,
                   const ImagePlanes& planes);

 private:
  void prepare(const std::vector<const Lattice*>& lattices);
  void assemble(const std::vector<const Lattice*>& lattices, double core, const ImagePlanes& planes);
  void add_leg(const RingLeg& leg, int own, double core, const ImagePlanes& planes,
               const std::vector<const Lattice*>& lattices);

  std::vector<std::shared_ptr<const Block>> blocks_;  // shared by copies: they do not change
  std::vector<Lattice> assembled_;                    // lattices as they stood when matrix_ was made
  bool has_images_ = false;                           // in matrix_
  bool is_whole_ = false;                             // factored as one
  Eigen::MatrixXd matrix_;                            // empty where one lattice is all there is
  DenseLu factors_;
  Gmres gmres_;
  // of the lattices, for the time of assembling
  std::vector<PointList> points_, velocities_;
  ImagePlanes::Workspace images_;
  std::vector<int> first_;  // panel of each lattice
  VortexLines line_;
};

/// Legs of the rings of a lattice, whose panels are numbered from `first` on.
template <class Visit>
void for_each_leg(const Lattice& l, int first, const Visit& visit) {
  const int m = l.rows(), n = l.columns();
  const auto of = [&](int i, int j) {
    return i < 0 || j < 0 || i >= m || j >= n ? -1 : first + l.panel(i, j);
  };
  for (int i = 0; i <= m; ++i)
    for (int j = 0; j < n; ++j)
      visit(RingLeg{l.ring_node(i, j), l.ring_node(i, j + 1), of(i, j), of(i - 1, j)});
  for (int i = 0; i < m; ++i)
    for (int j = 0; j <= n; ++j)
      visit(RingLeg{l.ring_node(i, j), l.ring_node(i + 1, j), of(i, j - 1), of(i, j)});
}

}  // namespace haltere
