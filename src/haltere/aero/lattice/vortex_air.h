#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "haltere/aero/lattice/lattice.h"
#include "haltere/math/archive.h"
#include "haltere/math/dense.h"

namespace haltere {

/// A force at a point, world axes.
struct PointForce {
  Vector3<double> point, force;
};

/// A surface in the air: which edges shed, and what becomes of the wake.
struct LatticeSpec {
  int rows = 1, columns = 1;
  LatticeLayout layout = LatticeLayout::kQuarter;
  bool sheds_tip = false, sheds_leading = false;  // the trailing edge always does; the tip is the last column
  bool wake_is_free = true;
};

/// The sheet of rings that a surface has left behind. Row 0 hangs on the edge.
class Wake {
 public:
  explicit Wake(int columns) : columns_(columns) {}
  int columns() const { return columns_; }
  int rows() const { return static_cast<int>(circulations_.size()) / columns_; }  // of rings
  const Vector3<double>& node(int row, int column) const { return nodes_[index(row, column)]; }
  double circulation(int row, int column) const {
    return circulations_[static_cast<std::size_t>(rows() - 1 - row) * columns_ + column];
  }
  void clear();
  void attach(const std::vector<Vector3<double>>& edge);  // as row 0
  void push(const std::vector<double>& circulations);     // of the rings between it and the row behind
  std::vector<Vector3<double>>& nodes() { return nodes_; }
  const std::vector<Vector3<double>>& nodes() const { return nodes_; }
  void visit_state(Archive& archive);

 private:
  std::size_t index(int row, int column) const {
    return static_cast<std::size_t>(rows() - row) * (columns_ + 1) + column;
  }
  int columns_;
  std::vector<Vector3<double>> nodes_;  // oldest row first
  std::vector<double> circulations_;
};

/// Lattices that share one air: their wakes act on all of them. It goes in steps; at each the surfaces have moved
/// on, the wake has been carried to there, and circulations follow from the flow through the panels.
///   conventions: theory.md "Vortex lattice"
class VortexAir {
 public:
  struct Settings {
    double density = 1.225;  //                                                                [kg/m3]
    double core = 0;         // of all vortex lines                                            [m]
    /// Velocity of the undisturbed air.
    std::function<Vector3<double>(double t, const Vector3<double>& place)> wind;
  };
  /// Corners of a lattice and their velocities.
  struct Motion {
    std::vector<Vector3<double>> corners, velocities;
  };

  VortexAir(Settings settings, const std::vector<LatticeSpec>& surfaces);

  void set_settings(Settings settings) { settings_ = std::move(settings); }
  int n_surfaces() const { return static_cast<int>(surfaces_.size()); }
  /// At rest until now; from now on the surfaces move. `step`: how long the first step would have taken, for
  /// the rates of circulation at an impulsive start.                                             [s]
  void start(double t, double step, const std::vector<Motion>& motions);
  /// The surfaces have moved to there.
  void advance(double t, const std::vector<Motion>& motions);

  double circulation(int surface, int i, int j) const;
  const Wake& wake(int surface) const { return surfaces_[surface].wake; }
  /// All forces on a surface by one formula, at the last time.
  std::vector<PointForce> calc_forces(int surface, LatticeLoad load) const;
  /// rho sum Gamma S over all rings: its rate is the force on the air.                          [kg m/s]
  Vector3<double> calc_impulse() const;
  void visit_state(Archive& archive);

 private:
  struct Surface {
    Surface(const LatticeSpec& spec, int first);
    LatticeSpec spec;
    Lattice lattice;
    Wake wake;
    Motion motion;
    int first;                               // of its panels among all
    std::vector<std::pair<int, int>> chain;  // ring nodes that shed, in order
    std::vector<int> owners;                 // panel of each segment of the chain
    std::vector<Vector3<double>> edge() const;
  };
  void calc_flow();
  void solve();
  void convect(double dt);
  void collect_lines(bool with_bound);
  Vector3<double> wind(const Vector3<double>& place) const;
  double rate(int panel) const;  // of circulation, two points                    [m2/s2]
  double rate_of_potential(int surface, int i, int j) const;  // of load Q
  void set_motion(const std::vector<Motion>& motions);
  double bound(const Surface& surface, int i, int j) const;
  PointForce calc_segment(const Vector3<double>& a, const Vector3<double>& b, double circulation,
                          const Vector3<double>& flow) const;
  void add_bernoulli(int s, std::vector<PointForce>* forces) const;
  void add_joukowski(int s, std::vector<PointForce>* forces) const;
  void add_unsteady(int s, bool is_q, std::vector<PointForce>* forces) const;
  void add_edge(int s, std::vector<PointForce>* forces) const;

  Settings settings_;
  std::vector<Surface> surfaces_;
  double t_ = 0, step_ = 0, last_step_ = 0;
  int n_ = 0;                             // panels
  std::array<Eigen::VectorXd, 3> gamma_;  // now, one and two steps ago
  std::vector<std::vector<Vector3<double>>> span_flow_, chord_flow_, edge_flow_, panel_flow_;
  VortexLines lines_;
  Eigen::MatrixXd influence_;
  DenseLu factors_;
};

}  // namespace haltere
