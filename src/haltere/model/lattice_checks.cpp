#include "haltere/model/lattice_checks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "haltere/model/poses.h"
#include "haltere/model/surfaces.h"
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
  for (const Entry& surface : model.surfaces) {
    auto any = resolve<SurfaceKinds, double>(surface, resolver);
    if (auto* wing = std::get_if<VortexLattice<double>>(&any))
      wings.push_back({&surface, *wing, count_panels(*wing), {}});
  }
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

void check_overlap(const PlacedWing& wing, const std::vector<Panel>& own, const PlacedWing& other,
                   const std::vector<Panel>& others, std::vector<Problem>* problems) {
  const double gap = std::max(wing.kind.core, other.kind.core);
  for (const Panel& a : own)
    for (const Panel& b : others) {
      if (!a.is_near(b, gap)) continue;
      std::optional<Vector3<double>> place = a.find_contact(b, gap);
      if (!place) place = b.find_contact(a, gap);
      if (!place) continue;
      problems->push_back(
          {wing.entry->mark, fmt::format("surface '{}'", wing.entry->name),
           fmt::format("it lies in surface '{}' where the motion begins, at [{:.4g}, {:.4g}, {:.4g}] m "
                       "in the world",
                       other.entry->name, (*place)[0] + 0., (*place)[1] + 0., (*place)[2] + 0.),
           "lattices may share an edge, but not a place: velocities there have no meaning",
           Problem::Severity::kWarning});
      return;
    }
}

}  // namespace

void check_lattices(const Model& model, const std::vector<double>& parameters,
                    std::vector<Problem>* problems) {
  const std::vector<PlacedWing> wings = place_wings(model, parameters);
  std::vector<std::vector<Panel>> panels;
  for (std::size_t w = 0; w < wings.size(); ++w) {
    check_connection(model, wings[w], problems);
    check_step(model, wings[w], problems);
    panels.push_back(list_panels(wings[w]));
    for (std::size_t v = 0; v < w; ++v) check_overlap(wings[w], panels[w], wings[v], panels[v], problems);
  }
}

}  // namespace haltere
