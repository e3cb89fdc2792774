#include "haltere/aero/lattice/planform.h"

#include <cmath>
#include <numbers>

namespace haltere {

std::vector<double> make_stations(int n, PanelSpacing spacing) {
  std::vector<double> stations;
  for (int i = 0; i <= n; ++i) {
    const double part = static_cast<double>(i) / n;
    stations.push_back(spacing == PanelSpacing::kUniform ? part
                                                         : (1 - std::cos(std::numbers::pi * part)) / 2);
  }
  return stations;
}

Vector3<double> find_upper_side(const VortexLattice<double>& wing) {
  const Vector3<double> up = wing.span_axis.normalized().cross(wing.chord_axis.normalized());
  return (wing.upper.isZero(0) ? wing.mirrored : wing.upper.dot(up) < 0) ? -up : up;
}

std::vector<Vector3<double>> make_corners(const VortexLattice<double>& wing) {
  const Vector3<double> along = wing.span_axis.normalized(), back = wing.chord_axis.normalized();
  const Vector3<double> up = find_upper_side(wing);
  const auto calc = [](const Function<double>& law, double s) { return law.expression ? law.calc(&s) : 0.; };
  std::vector<Vector3<double>> corners;
  for (const double x : make_stations(wing.chord_panels, wing.chord_spacing))
    for (const double y : make_stations(wing.span_panels, wing.span_spacing)) {
      const double s = y * wing.span, twist = calc(wing.twist, s);
      const Vector3<double> chord = wing.chord.calc(&s) * (std::cos(twist) * back - std::sin(twist) * up);
      corners.emplace_back(wing.root + s * along + calc(wing.sweep, s) * back + x * chord);
    }
  return corners;
}

}  // namespace haltere
