#include "haltere/model/surfaces/vortex_body.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include <fmt/format.h>

#include "haltere/model/findings.h"
#include "haltere/model/surfaces/planform.h"

namespace haltere {
namespace {

// of the largest radius: an end that is thinner is a point. Square roots make 1e-8 of rounding; a choice
constexpr double kPointed = 1e-6;
// along the axis: a law that dips between two of them is not seen; a choice
constexpr int kLeastRadii = 256;
// of an axis against z: what rounding in directions given as numbers may do; nine digits, a choice
constexpr double kUpright = 1e-9;
// below these the sides of a sphere are a cube's
constexpr int kLeastRows = 4, kLeastColumns = 4;

/// Whether one can draw it: a radius everywhere, and none at both ends.
bool has_radii(const VortexBody<double>& body, const Findings& findings) {
  const int samples = std::max(4 * body.length_panels, kLeastRadii);
  double largest = 0;
  for (int k = 0; k <= samples; ++k) {
    const double s = body.length * k / samples, r = body.radius.calc(&s);
    const bool is_end = k == 0 || k == samples;
    const std::string fault = find_number_fault(r, "m", is_end ? Rule::kNotNegative : Rule::kPositive);
    if (!fault.empty()) {
      findings.report(fmt::format("radius at s = {:.6g} m {}", s, fault),
                      "it is positive between the nose, s = 0, and the tail, s = length");
      return false;
    }
    largest = std::max(largest, r);
  }
  for (const double s : {0., body.length}) {
    const double r = body.radius.calc(&s);
    if (r <= kPointed * largest) continue;
    findings.report(fmt::format("radius at s = {:.6g} m is {:.6g} m: the body is open there", s, r),
                    "it must be 0 at both ends: close it by a round or a cone");
    return false;
  }
  return true;
}

bool has_panels(const VortexBody<double>& body, const Findings& findings) {
  if (body.length_panels < kLeastRows) {
    findings.report(
        fmt::format("length_panels is {}; a closed body needs {} at least", body.length_panels, kLeastRows));
    return false;
  }
  if (body.around_panels < kLeastColumns || body.around_panels % 2 != 0) {
    findings.report(fmt::format("around_panels is {}; must be an even number, {} at least",
                                body.around_panels, kLeastColumns),
                    "beyond a pole the opposite column goes on");
    return false;
  }
  return true;
}

}  // namespace

template <>
void VortexBody<double>::check(const Findings& findings) const {
  if (density == 0) findings.report("density is 0: nothing acts on it", "air has 1.225 kg/m3 at sea level");
  if (!has_panels(*this, findings) || !has_radii(*this, findings)) return;
  const VortexLattice<double> lattice = make_lattice(*this);
  const std::string fault = find_panel_fault(count_panels(lattice), make_corners(lattice));
  if (!fault.empty()) findings.report(fault, "a smoother radius, or another number of panels");
}

/// Columns begin where the z axis of the body points, or its y axis, where z is the axis; they go round so that normals
/// point into the air. The last one ends on the very corners of the first. Polygons are as large as the circles.
VortexLattice<double> make_lattice(const VortexBody<double>& body) {
  const Vector3<double> along = body.axis.normalized();
  const bool is_upright = along.head<2>().norm() < kUpright * std::abs(along.z());
  const Vector3<double> zenith = is_upright ? Vector3<double>::UnitY() : Vector3<double>::UnitZ();
  const Vector3<double> up = (zenith - zenith.dot(along) * along).normalized(), side = up.cross(along);
  const int m = body.length_panels, n = body.around_panels;
  const double step = 2 * std::numbers::pi / n, widening = std::sqrt(step / std::sin(step));
  PointGrid grid{.rows = m + 1, .columns = n + 1, .points = {}, .file = {}};
  const std::vector<double> stations = make_stations(m, body.length_spacing);
  for (int i = 0; i <= m; ++i) {
    const double s = stations[i] * body.length, r = i == 0 || i == m ? 0 : widening * body.radius.calc(&s);
    for (int j = 0; j <= n; ++j) {
      const double angle = step * (j % n);
      grid.points.emplace_back(body.nose + s * along + r * (std::cos(angle) * up + std::sin(angle) * side));
    }
  }
  VortexLattice<double> lattice;
  lattice.body = body.body;
  lattice.is_closed = true;
  lattice.points = std::make_shared<const PointGrid>(std::move(grid));
  lattice.upper = up;
  lattice.layout = LatticeLayout::kEdge;
  lattice.load = LatticeLoad::kBernoulli;
  lattice.step = body.step;
  lattice.density = body.density;
  lattice.wind = body.wind;
  return lattice;
}

}  // namespace haltere
