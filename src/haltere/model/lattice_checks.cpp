#include "haltere/model/lattice_checks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "haltere/model/lattices.h"
#include "haltere/model/poses.h"
#include "haltere/model/surfaces/planform.h"

namespace haltere {
namespace {

// rows of panels that the air passes in a step: one is best, a quarter is usual; choices
constexpr double kFewRows = 1. / 16, kManyRows = 4;
// of an edge or a side: what touches is not in it; far above rounding, far below a panel; a choice
constexpr double kInside = 1e-9;

struct PlacedWing {
  const Entry* entry;
  VortexLattice<double> kind;
  PanelCount panels;
  std::vector<Vector3<double>> corners;  // in the world, where the motion begins

  const Vector3<double>& corner(int i, int j) const { return corners[i * (panels.columns + 1) + j]; }
};

using Triangle = std::array<Vector3<double>, 3>;

/// Where the line a + t (b - a) meets the plane of a triangle within it: t.
std::optional<double> find_crossing(const Triangle& triangle, const Vector3<double>& a,
                                    const Vector3<double>& d) {
  const Vector3<double> e1 = triangle[1] - triangle[0], e2 = triangle[2] - triangle[0], p = d.cross(e2);
  const double det = e1.dot(p);
  if (det == 0) return std::nullopt;
  const Vector3<double> r = a - triangle[0], q = r.cross(e1);
  const double u = r.dot(p) / det, v = d.dot(q) / det;
  if (!(u > kInside && v > kInside && u + v < 1 - kInside)) return std::nullopt;
  return e2.dot(q) / det;
}

/// Two triangles, and the four sides and the middle of another panel against them.
struct Panel {
  std::array<Vector3<double>, 4> corners;  // round it
  Vector3<double> low, high, middle;

  explicit Panel(const std::array<Vector3<double>, 4>& c)
      : corners(c), low(c[0]), high(c[0]), middle((c[0] + c[1] + c[2] + c[3]) / 4) {
    for (const Vector3<double>& corner : c) {
      low = low.cwiseMin(corner);
      high = high.cwiseMax(corner);
    }
  }
  bool is_near(const Panel& other, double gap) const {
    return ((other.low - high).array() <= gap).all() && ((low - other.high).array() <= gap).all();
  }
  /// Where the other one's sides go through it, or its middle lies on it.
  std::optional<Vector3<double>> find_contact(const Panel& other, double gap) const {
    const Vector3<double> normal = (corners[2] - corners[0]).cross(corners[1] - corners[3]).normalized();
    for (const Triangle& half :
         {Triangle{corners[0], corners[1], corners[2]}, {corners[0], corners[2], corners[3]}}) {
      for (int k = 0; k < 4; ++k) {
        const Vector3<double>& a = other.corners[k];
        const Vector3<double> d = other.corners[(k + 1) % 4] - a;
        const std::optional<double> t = find_crossing(half, a, d);
        if (t && *t > kInside && *t < 1 - kInside) return Vector3<double>(a + *t * d);
      }
      const std::optional<double> height = find_crossing(half, other.middle, normal);
      if (height && std::abs(*height) <= gap) return other.middle;
    }
    return std::nullopt;
  }
};

std::vector<Panel> list_panels(const PlacedWing& wing) {
  std::vector<Panel> panels;
  for (int i = 0; i < wing.panels.rows; ++i)
    for (int j = 0; j < wing.panels.columns; ++j)
      panels.emplace_back(std::array<Vector3<double>, 4>{wing.corner(i, j), wing.corner(i, j + 1),
                                                         wing.corner(i + 1, j + 1), wing.corner(i + 1, j)});
  return panels;
}

std::vector<PlacedWing> place_wings(const Model& model, const std::vector<double>& parameters) {
  const Resolver<double> resolver{parameters.data()};
  std::vector<PlacedWing> wings;
  for (const Entry& surface : model.surfaces)
    if (const std::optional<VortexLattice<double>> wing = find_lattice(surface, resolver))
      wings.push_back({&surface, *wing, count_panels(*wing), {}});
  if (wings.empty()) return wings;
  const std::vector<Transform<double>> X_zero = calc_poses(model, parameters, Stance::kZero),
                                       X_start = calc_poses(model, parameters, Stance::kStart);
  for (PlacedWing& wing : wings) {
    const CarriedWing carried = carry(wing.kind, X_zero);
    for (std::size_t k = 0; k < carried.corners.size(); ++k) {
      const Transform<double>& X = X_start[carried.body_of(k)];
      wing.corners.emplace_back(X.p + X.R * carried.corners[k]);
    }
  }
  return wings;
}

/// For each body one of those that joints connect it with, not by way of the world unless it `carries`.
std::vector<int> find_groups(const Model& model, bool world_carries) {
  std::vector<int> group(model.bodies.size());
  std::iota(group.begin(), group.end(), 0);
  for (const JointSpec& joint : model.joints) {
    if (joint.parent.value == 0 && !world_carries) continue;
    const int from = group[joint.child.value], to = group[joint.parent.value];
    std::replace(group.begin(), group.end(), from, to);
  }
  return group;
}

void check_connection(const Model& model, const PlacedWing& wing, std::vector<Problem>* problems) {
  if (wing.kind.parts.empty()) return;
  bool world_carries = wing.kind.body.value == 0;
  for (const WingPart<double>& part : wing.kind.parts) world_carries |= part.body.value == 0;
  const std::vector<int> groups = find_groups(model, world_carries);
  for (const WingPart<double>& part : wing.kind.parts)
    if (groups[part.body.value] != groups[wing.kind.body.value])
      problems->push_back(
          {wing.entry->mark, fmt::format("surface '{}'", wing.entry->name),
           fmt::format("parts.{}: nothing joins body '{}' with body '{}'", part.name,
                       model.bodies[part.body.value].name, model.bodies[wing.kind.body.value].name),
           "a hinge along the line between them, or a weld"});
}

double calc_mean_panel_chord(const PlacedWing& wing) {
  double sum = 0;
  for (int i = 0; i < wing.panels.rows; ++i)
    for (int j = 0; j <= wing.panels.columns; ++j) sum += (wing.corner(i + 1, j) - wing.corner(i, j)).norm();
  return sum / (wing.panels.rows * (wing.panels.columns + 1));
}

/// Of the wind, where it is the same at all times and places.
std::optional<double> find_wind_speed(const VortexLattice<double>& wing) {
  Vector3<double> wind = Vector3<double>::Zero();
  for (int i = 0; i < 3; ++i) {
    if (wing.wind[i].varies) return std::nullopt;
    wind[i] = wing.wind[i].value;
  }
  return wind.norm();
}

/// Whether all that carries it stays where it is.
bool is_still(const Model& model, BodyIndex body) {
  while (body.value > 0) {
    const JointSpec& joint = model.joints[body.value - 1];
    for (const auto& law : joint.prescribed)
      if (!law || law->uses_locals()) return false;
    body = joint.parent;
  }
  return true;
}

void check_step(const Model& model, const PlacedWing& wing, std::vector<Problem>* problems) {
  if (wing.kind.is_closed) return;  // it sheds nothing
  const std::optional<double> speed = find_wind_speed(wing.kind);
  if (!speed || *speed == 0) return;
  const double chord = calc_mean_panel_chord(wing), rows = wing.kind.step * *speed / chord;
  const bool is_short = rows < kFewRows && is_still(model, wing.kind.body) && wing.kind.parts.empty();
  if (rows <= kManyRows && !is_short) return;
  problems->push_back(
      {wing.entry->mark, fmt::format("surface '{}'", wing.entry->name),
       fmt::format("in a step of {:.6g} s the wind of {:.6g} m/s passes {:.3g} rows of panels",
                   wing.kind.step, *speed, rows),
       fmt::format("one is best: step: {:.3g} s", chord / *speed), Problem::Severity::kWarning});
}

/// A corner or the middle of a panel of `other` within a body of revolution: where its edges meet those of the body exactly, no
/// side goes through a panel.
std::optional<Vector3<double>> find_within(const PlacedWing& body, const PlacedWing& other,
                                           const std::vector<Panel>& others) {
  if (!body.kind.is_closed) return std::nullopt;
  const int rows = body.panels.rows, columns = body.panels.columns;
  const Vector3<double> nose = body.corner(0, 0), axis = (body.corner(rows, 0) - nose).normalized();
  const double length = (body.corner(rows, 0) - nose).norm();
  const double across = std::cos(std::numbers::pi / columns);  // of a polygon, from its middle to a side
  const auto is_within = [&](const Vector3<double>& place) {
    const Vector3<double> r = place - nose;
    const double x = r.dot(axis), off = (r - x * axis).norm();
    for (int i = 0; i < rows; ++i) {
      const Vector3<double> front = body.corner(i, 0) - nose, back = body.corner(i + 1, 0) - nose;
      const double x0 = front.dot(axis), x1 = back.dot(axis);
      if (x < x0 || x > x1 || !(x1 > x0)) continue;
      const double r0 = (front - x0 * axis).norm(), r1 = (back - x1 * axis).norm();
      return off < across * (r0 + (r1 - r0) * (x - x0) / (x1 - x0)) - kInside * length;
    }
    return false;
  };
  for (const Vector3<double>& corner : other.corners)
    if (is_within(corner)) return corner;
  for (const Panel& panel : others)
    if (is_within(panel.middle)) return panel.middle;
  return std::nullopt;
}

std::optional<Vector3<double>> find_overlap(const PlacedWing& wing, const std::vector<Panel>& own,
                                            const PlacedWing& other, const std::vector<Panel>& others) {
  const double gap = std::max(wing.kind.core, other.kind.core);
  for (const Panel& a : own)
    for (const Panel& b : others) {
      if (!a.is_near(b, gap)) continue;
      std::optional<Vector3<double>> place = a.find_contact(b, gap);
      if (!place) place = b.find_contact(a, gap);
      if (place) return place;
    }
  const std::optional<Vector3<double>> place = find_within(wing, other, others);
  return place ? place : find_within(other, wing, own);
}

void check_overlap(const PlacedWing& wing, const std::vector<Panel>& own, const PlacedWing& other,
                   const std::vector<Panel>& others, std::vector<Problem>* problems) {
  const std::optional<Vector3<double>> place = find_overlap(wing, own, other, others);
  if (!place) return;
  problems->push_back(
      {wing.entry->mark, fmt::format("surface '{}'", wing.entry->name),
       fmt::format("it lies in surface '{}' where the motion begins, at [{:.4g}, {:.4g}, {:.4g}] m "
                   "in the world",
                   other.entry->name, (*place)[0] + 0., (*place)[1] + 0., (*place)[2] + 0.),
       "lattices may share an edge, but not a place: velocities there have no meaning",
       Problem::Severity::kWarning});
}

/// All of a lattice lies before the planes of the air, or to rounding in one.
void check_planes(const Model& model, const std::vector<double>& parameters, const PlacedWing& wing,
                  std::vector<Problem>* problems) {
  const Resolver<double> resolver{parameters.data()};
  const double size = (wing.corners.back() - wing.corners.front()).norm();
  for (const PlaneSpec& spec : model.planes) {
    Vector3<double> point, normal;
    for (int i = 0; i < 3; ++i) {
      point[i] = resolver.calc(spec.point[i]);
      normal[i] = resolver.calc(spec.normal[i]);
    }
    normal.normalize();
    for (const Vector3<double>& corner : wing.corners) {
      if (!((corner - point).dot(normal) < -kInside * size)) continue;
      problems->push_back(
          {wing.entry->mark, fmt::format("surface '{}'", wing.entry->name),
           fmt::format(
               "it is behind plane '{}' of the air where the motion begins, at [{:.4g}, {:.4g}, {:.4g}] m in "
               "the world",
               spec.name, corner[0] + 0., corner[1] + 0., corner[2] + 0.),
           "another place for it or for the plane; normals point into the air"});
      break;
    }
  }
}

/// What becomes of wakes that there are not.
void check_events(const Model& model, std::vector<Problem>* problems) {
  for (const EventSpec& event : model.events)
    if (event.air)
      problems->push_back({event.air_mark, fmt::format("event '{}'", event.name),
                           "air: nothing sheds a wake that could be kept or cleared",
                           "leave it out, or add a surface of kind vortex-lattice"});
}

}  // namespace

void check_lattices(const Model& model, const std::vector<double>& parameters,
                    std::vector<Problem>* problems) {
  const std::vector<PlacedWing> wings = place_wings(model, parameters);
  if (wings.empty()) check_events(model, problems);
  std::vector<std::vector<Panel>> panels;
  for (std::size_t w = 0; w < wings.size(); ++w) {
    check_connection(model, wings[w], problems);
    check_step(model, wings[w], problems);
    check_planes(model, parameters, wings[w], problems);
    panels.push_back(list_panels(wings[w]));
    for (std::size_t v = 0; v < w; ++v) check_overlap(wings[w], panels[w], wings[v], panels[v], problems);
  }
}

}  // namespace haltere
