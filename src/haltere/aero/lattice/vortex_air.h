#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "haltere/aero/lattice/closed_body.h"
#include "haltere/aero/lattice/far_field.h"
#include "haltere/aero/lattice/image_planes.h"
#include "haltere/aero/lattice/lattice.h"
#include "haltere/aero/lattice/ring_matrix.h"
#include "haltere/aero/lattice/wake.h"
#include "haltere/math/archive.h"

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
  bool sheds_trailing = true;                     // else nothing does
  bool sheds_tip = false, sheds_leading = false;  // beside it; the tip is the last column
  bool wake_is_free = true;
  bool is_closed = false;  // a body of revolution, which sheds nothing
  // a leading edge that sheds does so ...
  double critical_angle = 0;    // ... where the flow meets its panel at more than this              [rad]
  double critical_suction = 0;  // ... what is more than this suction allows, see suction()
};

/// Lattices that share one air: their wakes act on all of them. It goes in steps; at each the surfaces have moved
/// on, the wake has been carried to there, and circulations follow from the flow through the panels.
///   conventions: theory.md "Vortex lattice"
/// A copy takes the memory of what it is copied to: two of them in turns ask for none, once wakes have their length.
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

  void set_settings(Settings settings);
  double t() const { return t_; }
  int n_surfaces() const { return static_cast<int>(surfaces_.size()); }
  /// What was before the start: air at rest, so that circulations come up within the first step, or a motion whose
  /// circulations were what they are.
  enum class Before { kRest, kSame };
  /// From now on the surfaces move. `step`: how long a step before this would have taken.        [s]
  void start(double t, double step, const std::vector<Motion>& motions, Before before = Before::kRest);
  /// The surfaces have moved to there: carry(), then place().
  void advance(double t, const std::vector<Motion>& motions);
  /// The wakes have been carried to there; the surfaces are still where they were.
  void carry(double t);
  /// The surfaces are there, too.
  void place(const std::vector<Motion>& motions);
  /// As if they had always moved as they do: straight wakes to far behind, along the mean flow at the edges.
  void settle(double t, const std::vector<Motion>& motions);

  double circulation(int surface, int i, int j) const;
  /// Of the leading edge at a column: sin of the angle of attack at which a flat plate has the same circulation in its
  /// first ring (the leading-edge suction parameter, A_0 of thin-aerofoil theory).
  double suction(int surface, int column) const;
  const Lattice& lattice(int surface) const { return surfaces_[surface].lattice; }
  const Wake& wake(int surface) const { return surfaces_[surface].wake; }
  /// All forces on a surface by one formula, at the last time; on what is closed its pressures, by any of them.
  std::vector<PointForce> calc_forces(int surface, LatticeLoad load) const;
  void add_forces(int surface, LatticeLoad load, std::vector<PointForce>* forces) const;
  /// Weights of the circulations now, one and two steps ago in the rates that a formula takes.   [1/s]
  std::array<double, 3> calc_rate_weights(LatticeLoad load) const;
  /// Circulations of all panels that corners with these velocities would add, wherever the air moves otherwise: the
  /// surfaces as they stand, their corners' velocities one after the other.                      [m2/s]
  void respond(const std::vector<std::vector<Vector3<double>>>& velocities, Eigen::VectorXd* gamma);
  /// The forces on a surface that these rates of all circulations alone make; not of what is closed.
  void add_rate_forces(int surface, LatticeLoad load, const Eigen::VectorXd& rates,
                       std::vector<PointForce>* forces) const;
  /// The part of them along a direction that each column of panels carries; what lies between two columns is shared.  [N]
  std::vector<double> calc_column_forces(int surface, LatticeLoad load,
                                         const Vector3<double>& direction) const;
  /// Of a settled air, from the flow far behind: Trefftz's plane.                              [N]
  double calc_far_drag() const;
  /// Of a settled air: its mean velocity against the edges that shed; where none does, against the panels.  [m/s]
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
  const Settings& settings() const { return *settings_; }

 private:
  friend class AirResponse;
  struct Surface {
    Surface(const LatticeSpec& spec, int first);
    bool sheds() const { return !chain.empty(); }
    LatticeSpec spec;
    Lattice lattice;
    Wake wake;
    Motion motion;
    ClosedBody body;                         // of what is closed
    int first;                               // of its panels among all
    std::vector<std::pair<int, int>> chain;  // ring nodes that shed, in order
    std::vector<int> owners;                 // panel of each segment of the chain
    std::array<std::vector<double>, 3>
        released;  // by the leading edge, column by column; now, one and two steps ago
    // velocity of the air against it, in the middle of segments and at the points of panels
    std::vector<Vector3<double>> span_flow, chord_flow, edge_flow, panel_flow;
    // of a step: where it began, how the nodes of the wake went, what the edge shed
    Lattice lattice_before = lattice;
    std::vector<Vector3<double>> nodes_before, node_velocities, later_velocities;
    std::vector<Vector3<double>> edge;
    std::vector<double> shed;
  };
  /// What every step makes anew: not copied.
  struct Workspace {
    Workspace() = default;
    Workspace(const Workspace&) {}
    Workspace& operator=(const Workspace&) { return *this; }
    ~Workspace() = default;

    VortexLines lines;  // of wakes, or of wakes and wings
    FarField field;     // of them
    // of induce(): where, and what
    PointList points, velocities;
    ImagePlanes::Workspace images;
    std::vector<Vector3<double>> places, own_velocities;
    std::vector<const Lattice*> lattices;
    Eigen::VectorXd through;  // flow through the panels, the other way
  };
  void calc_flow();
  void calc_panel_flow();
  void update_bodies();
  void calc_flow_at(const std::vector<Vector3<double>>& places, const std::vector<Vector3<double>>& own,
                    std::vector<Vector3<double>>* flow);
  void solve();
  void factor();
  void list_lattices();
  void correct_wakes(double dt);
  std::vector<RingLeg> list_settled_legs() const;
  void calc_wake_velocities(std::vector<Vector3<double>> Surface::*velocities);
  void count_mishaps();
  void update_edge(Surface* surface) const;
  void attach_wakes();
  void update_shed(Surface* surface) const;
  Vector3<double> calc_onset(const Surface& surface, int panel) const;
  void update_release();
  long count_free_nodes() const;
  long count_segments() const;
  void collect_lines(bool with_bound, long points);
  void induce();
  Vector3<double> wind(const Vector3<double>& place) const;
  double rate(int panel) const;                // of circulation, two points                    [m2/s2]
  std::array<double, 3> calc_weights() const;  // of now, one and two steps ago, in rates         [1/s]
  double rate_of_potential(int surface, int i, int j) const;  // of load Q
  PointForce calc_rate_force(int surface, int i, int j, bool is_q, double phi_rate) const;
  void set_motion(const std::vector<Motion>& motions);
  double bound(const Surface& surface, int i, int j) const;
  PointForce calc_segment(const Vector3<double>& a, const Vector3<double>& b, double circulation,
                          const Vector3<double>& flow) const;
  void add_pressures(const Surface& surface, std::vector<PointForce>* forces) const;
  void add_bernoulli(int s, std::vector<PointForce>* forces) const;
  void add_joukowski(int s, std::vector<PointForce>* forces) const;
  void add_unsteady(int s, bool is_q, std::vector<PointForce>* forces) const;
  void add_edge(int s, std::vector<PointForce>* forces) const;

  std::shared_ptr<const Settings> settings_;
  std::vector<Surface> surfaces_;
  double t_ = 0, step_ = 0, last_step_ = 0;
  int n_ = 0;  // panels
  bool is_settled_ = false;
  Vector3<double> stream_ = Vector3<double>::Zero(), behind_ = Vector3<double>::Zero();
  Mishaps mishaps_;
  double far_ = 0;  // length of settled wakes                                                   [m]
  std::array<Eigen::VectorXd, 3> gamma_;  // now, one and two steps ago
  RingMatrix matrix_;
  double far_error_ = 0;  // largest found so far, of its scale
  Workspace work_;
};

}  // namespace haltere
