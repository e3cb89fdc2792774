#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "haltere/aero/lattice/far_field.h"
#include "haltere/aero/lattice/image_planes.h"
#include "haltere/aero/lattice/lattice.h"
#include "haltere/aero/lattice/wake.h"
#include "haltere/math/archive.h"
#include "haltere/math/dense.h"

namespace haltere {

/// A force at a point, world axes, and the two columns of panels that share it; one, where they are the same.
struct PointForce {
  Vector3<double> point, force;
  int column = 0, other_column = 0;
};

/// A surface in the air: which edges shed, and what becomes of the wake.
struct LatticeSpec {
  int rows = 1, columns = 1;
  LatticeLayout layout = LatticeLayout::kQuarter;
  bool sheds_tip = false, sheds_leading = false;  // the trailing edge always does; the tip is the last column
  bool wake_is_free = true;
  // a leading edge that sheds does so ...
  double critical_angle = 0;    // ... where the flow meets its panel at more than this              [rad]
  double critical_suction = 0;  // ... what is more than this suction allows, see suction()
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
    std::function<Vector3<double>(double t, const Vector3<double>& place)> wind{};
    double core_growth = 0;  // of the square of the core of a vortex that is carried along         [m2/s]
    double far_field = 0;    // tolerance of what far vortices induce; 0: all are summed one by one
    WakeLimits limits{};
    Convection convection = Convection::kEuler;
    ImagePlanes planes{};
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
  /// As if they had always moved as they do: straight wakes to far behind, along the mean flow at the edges.
  void settle(double t, const std::vector<Motion>& motions);

  double circulation(int surface, int i, int j) const;
  /// Of the leading edge at a column: sin of the angle of attack at which a flat plate has the same circulation in its
  /// first ring (the leading-edge suction parameter, A_0 of thin-aerofoil theory).
  double suction(int surface, int column) const;
  const Lattice& lattice(int surface) const { return surfaces_[surface].lattice; }
  const Wake& wake(int surface) const { return surfaces_[surface].wake; }
  /// All forces on a surface by one formula, at the last time.
  std::vector<PointForce> calc_forces(int surface, LatticeLoad load) const;
  /// The part of them along a direction that each column of panels carries; what lies between two columns is shared.  [N]
  std::vector<double> calc_column_forces(int surface, LatticeLoad load,
                                         const Vector3<double>& direction) const;
  /// Of a settled air, from the flow far behind: Trefftz's plane.                              [N]
  double calc_far_drag() const;
  /// Of a settled air: its mean velocity against the edges that shed.                          [m/s]
  const Vector3<double>& mean_stream() const { return stream_; }
  /// rho sum Gamma S over all rings: its rate is the force on the air.                          [kg m/s]
  Vector3<double> calc_impulse() const;
  void visit_state(Archive& archive);
  /// Nodes of wakes that went through a wing, or are behind a plane, in all steps so far: what a lattice cannot do right.
  struct Mishaps {
    long crossings = 0, behind_planes = 0;
  };
  const Mishaps& mishaps() const { return mishaps_; }
  /// The largest error of the far field that was found, at a few nodes in every step, of the scale that its tolerance has.
  double far_error() const { return far_error_; }
  const Settings& settings() const { return settings_; }

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
    std::array<std::vector<double>, 3>
        released;  // by the leading edge, column by column; now, one and two steps ago
    std::vector<Vector3<double>> edge() const;
  };
  using Nodes = std::vector<std::vector<Vector3<double>>>;  // of each wake: places or velocities
  void calc_flow();
  void solve();
  void factor();
  template <class AddLeg>
  void add_bound_legs(const Surface& surface, const AddLeg& add_leg) const;
  template <class AddLeg>
  void add_settled_legs(const Surface& surface, const AddLeg& add_leg) const;
  Nodes calc_wake_velocities();
  void count_mishaps(const std::vector<Lattice>& lattices, const Nodes& nodes);
  std::vector<double> list_shed(const Surface& surface) const;
  Vector3<double> calc_onset(const Surface& surface, int panel) const;
  void update_release();
  void collect_lines(bool with_bound);
  /// By lines_ and their images.
  void induce(const PointList& points, PointList* velocities) {
    settings_.planes.add_velocities(
        points, velocities, [this](const PointList& at, PointList* out) { field_.add_velocities(at, out); });
  }
  /// By other lines, of which there are few.
  void induce_one_by_one(const VortexLines& lines, const PointList& points, PointList* velocities) const {
    settings_.planes.add_velocities(points, velocities, [&](const PointList& at, PointList* out) {
      lines.add_velocities(at, settings_.core, out);
    });
  }
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
  int n_ = 0;  // panels
  bool is_settled_ = false;
  Vector3<double> stream_ = Vector3<double>::Zero(), behind_ = Vector3<double>::Zero();
  Mishaps mishaps_;
  double far_ = 0;  // length of settled wakes                                                   [m]
  std::array<Eigen::VectorXd, 3> gamma_;  // now, one and two steps ago
  std::vector<std::vector<Vector3<double>>> span_flow_, chord_flow_, edge_flow_, panel_flow_;
  VortexLines lines_;
  FarField field_;        // of lines_, since collect_lines()
  double far_error_ = 0;  // largest found so far, of its scale
  Eigen::MatrixXd influence_;
  DenseLu factors_;
};

}  // namespace haltere
