#pragma once

#include <array>
#include <optional>
#include <vector>

#include "haltere/aero/lattice/lattice.h"
#include "haltere/math/archive.h"

namespace haltere {

/// Pressures outside of a closed lattice, which moves as a rigid body does.
///
/// Its rings are a sheet across which the potential jumps by Gamma: phi outside = phi within + Gamma. No air goes through the
/// sheet, so that the fluid within, which nothing else moves, goes along with the body as in a vessel: it rests against
/// a body that does not turn, whatever flows outside. What is outside follows from the rings and the body's own
/// motion.                                                                             theory.md (E41), (E42)
class ClosedBody {
 public:
  /// At rest until now.
  void start(const Lattice& lattice, double core);
  /// The lattice has moved on.
  void advance(const Lattice& lattice, double core);
  /// As if it had always moved so, through air with this wind.
  void settle(const Lattice& lattice, double core, const Vector3<double>& wind);

  /// Of the air, as it is outside.
  struct Flow {
    double density;
    Vector3<double> wind;           // far away                                                     [m/s]
    std::array<double, 3> weights;  // of now, one and two steps ago, in rates                      [1/s]
    std::array<const double*, 3> circulations;  // of the panels, at the same times                [m2/s]
  };
  /// On each panel, against that far away. While the flow changes they are right but for what is the same everywhere.     [Pa]
  const std::vector<double>& pressures() const { return pressures_; }
  void update_pressures(const Lattice& lattice, const Flow& flow);
  const Vector3<double>& middle() const { return now().middle; }
  void visit_state(Archive& archive, const Lattice& lattice);

 private:
  struct Motion {
    Vector3<double> middle = Vector3<double>::Zero(), velocity = Vector3<double>::Zero();  // world
    Vector3<double> spin = Vector3<double>::Zero();  // its axes  [rad/s]
  };
  const Motion& now() const { return motions_[0]; }
  void read_motion(const Lattice& lattice, double core);

  std::array<Motion, 3> motions_;  // now, one and two steps ago
  Vector3<double> turning_ =
      Vector3<double>::Zero();  // acceleration of a settled body                  [m/s2]
  /// Of the fluid within, at each panel, per spin about each of its axes: found when it first turns.   [m2]
  std::vector<Vector3<double>> vessel_;
  std::optional<Lattice> vessel_of_;  // its shape then: parameters may change it
  std::vector<double> pressures_;
};

}  // namespace haltere
