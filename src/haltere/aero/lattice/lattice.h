#pragma once

#include <vector>

#include "haltere/aero/lattice/vortex_lines.h"
#include "haltere/model/surfaces/vortex_lattice.h"

namespace haltere {

/// Panels on a surface, rows from the leading to the trailing edge and columns along the span, with a vortex
/// ring each, which goes from the first corner along the span: with Gamma > 0 it turns about minus the normal.
/// A closed one is a body of revolution: its columns go round, the first and the last row of corners are a pole each.
class Lattice {
 public:
  Lattice(int rows, int columns, LatticeLayout layout, bool is_closed = false);

  int rows() const { return rows_; }
  int columns() const { return columns_; }
  bool is_closed() const { return is_closed_; }
  int n_panels() const { return rows_ * columns_; }
  int n_nodes() const { return (rows_ + 1) * (columns_ + 1); }
  int panel(int i, int j) const { return i * columns_ + j; }
  int node(int i, int j) const { return i * (columns_ + 1) + j; }

  /// Corners of the panels and their velocities, n_nodes() each, in the world.
  void update(const std::vector<Vector3<double>>& corners, const std::vector<Vector3<double>>& velocities);

  // -- corners of the rings, by node(), and how they move
  const Vector3<double>& ring_node(int i, int j) const { return ring_nodes_[node(i, j)]; }
  const Vector3<double>& ring_velocity(int i, int j) const { return ring_velocities_[node(i, j)]; }
  // -- of each panel(): where the flow is met, how that point moves; normal, area, middle of the corners
  const std::vector<Vector3<double>>& points() const { return points_; }
  const std::vector<Vector3<double>>& point_velocities() const { return point_velocities_; }
  const std::vector<Vector3<double>>& normals() const { return normals_; }
  const std::vector<double>& areas() const { return areas_; }
  const std::vector<Vector3<double>>& middles() const { return middles_; }
  const Vector3<double>& corner(int i, int j) const { return corners_[node(i, j)]; }
  const std::vector<Vector3<double>>& corners() const { return corners_; }  // by node(); none before update()
  /// The same panels elsewhere, at rest.
  Lattice make_at(const std::vector<Vector3<double>>& corners) const;

 private:
  int rows_, columns_;
  LatticeLayout layout_;
  bool is_closed_;
  std::vector<Vector3<double>> corners_, ring_nodes_, ring_velocities_;
  std::vector<Vector3<double>> points_, point_velocities_, normals_, middles_;
  std::vector<double> areas_;
};

/// Adds the lines of a grid of rings with their net circulations: each leg once. node(i, j) for i = 0..rows and
/// j = 0..columns, circulation(i, j) of the rings, growth(i) of the square of the core at the nodes of row i.
template <class Node, class Circulation, class Growth>
void add_rings(int rows, int columns, const Node& node, const Circulation& circulation, const Growth& growth,
               VortexLines* lines) {
  const auto of = [&](int i, int j) {
    return i < 0 || j < 0 || i >= rows || j >= columns ? 0. : circulation(i, j);
  };
  if (rows == 0 || columns == 0) return;
  for (int i = 0; i <= rows; ++i) {
    lines->begin(node(i, 0));
    for (int j = 0; j < columns; ++j) lines->extend(node(i, j + 1), of(i, j) - of(i - 1, j), growth(i));
  }
  for (int j = 0; j <= columns; ++j) {
    lines->begin(node(0, j));
    for (int i = 0; i < rows; ++i)
      lines->extend(node(i + 1, j), of(i, j - 1) - of(i, j), (growth(i) + growth(i + 1)) / 2);
  }
}

/// The same with one core.
template <class Node, class Circulation>
void add_rings(int rows, int columns, const Node& node, const Circulation& circulation, VortexLines* lines) {
  add_rings(
      rows, columns, node, circulation, [](int) { return 0.; }, lines);
}

}  // namespace haltere
