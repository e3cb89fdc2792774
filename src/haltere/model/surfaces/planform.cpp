#include "haltere/model/surfaces/planform.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace haltere {
namespace {

// of the largest coordinate: what rounding may do to a corner, with room
constexpr double kCornerRounding = 8 * std::numeric_limits<double>::epsilon();
// of the span or the chord: cuts that are meant to be the same may differ by rounding, with room
constexpr double kSameCut = 1e-9;
// cosine of the angle between neighbouring panels; a choice: 120 degrees, a wing bends less in one place
constexpr double kTurnedOver = -0.5;

double calc_law(const Function<double>& law, const double* locals) {
  return law.expression ? law.calc(locals) : 0.;
}

/// From the part of the span where a panel of equal ones would begin to that where it does, and back.
double spread(double u, PanelSpacing spacing) {
  return spacing == PanelSpacing::kUniform ? u : (1 - std::cos(std::numbers::pi * u)) / 2;
}
double gather(double y, PanelSpacing spacing) {
  return spacing == PanelSpacing::kUniform ? y : std::acos(1 - 2 * y) / std::numbers::pi;
}

/// The columns that begin at the cuts: the nearest ones, each another one.
std::vector<int> choose_columns(int n, PanelSpacing spacing, const std::vector<double>& cuts) {
  std::vector<int> columns;
  const int n_cuts = static_cast<int>(cuts.size());
  for (int k = 0; k < n_cuts; ++k) {
    const int first = columns.empty() ? 1 : columns.back() + 1;
    const int nearest = static_cast<int>(std::lround(n * gather(cuts[k], spacing)));
    columns.push_back(std::clamp(nearest, first, std::max(first, n - n_cuts + k)));
  }
  return columns;
}

/// Where a wing begins and ends along its span, and its edges in between.
struct Outline {
  explicit Outline(const VortexLattice<double>& w)
      : wing(w),
        begin(w.outline.empty() ? 0 : w.outline.front()[0]),
        end(w.outline.empty() ? w.span : w.outline.back()[0]) {}

  double to_part(double s) const { return (s - begin) / (end - begin); }
  struct Edges {
    double leading, chord;
  };
  Edges calc(double s) const {
    if (wing.outline.empty()) return {calc_law(wing.sweep, &s), wing.chord.calc(&s)};
    std::size_t k = 1;
    while (k + 1 < wing.outline.size() && wing.outline[k][0] < s) ++k;
    const Vector3<double>&a = wing.outline[k - 1], &b = wing.outline[k];
    const double part = (s - a[0]) / (b[0] - a[0]);
    const double leading = a[1] + part * (b[1] - a[1]), trailing = a[2] + part * (b[2] - a[2]);
    return {leading, trailing - leading};
  }

  const VortexLattice<double>& wing;
  const double begin, end;
};

/// Sorted, each once.
std::vector<double> sort_cuts(std::vector<double> cuts) {
  std::sort(cuts.begin(), cuts.end());
  const auto end = std::unique(cuts.begin(), cuts.end(), [](double a, double b) { return b - a < kSameCut; });
  cuts.erase(end, cuts.end());
  while (!cuts.empty() && cuts.back() > 1 - kSameCut) cuts.pop_back();
  while (!cuts.empty() && cuts.front() < kSameCut) cuts.erase(cuts.begin());
  return cuts;
}

/// Where panels must begin, as parts of the span or the chord.
std::vector<double> list_span_cuts(const VortexLattice<double>& wing) {
  const Outline outline(wing);
  std::vector<double> cuts;
  for (const WingPart<double>& part : wing.parts) cuts.push_back(outline.to_part(part.from));
  for (const WingFlap<double>& flap : wing.flaps) {
    cuts.push_back(outline.to_part(flap.begin));
    if (flap.end != 0) cuts.push_back(outline.to_part(flap.end));
  }
  return sort_cuts(std::move(cuts));
}
std::vector<double> list_chord_cuts(const VortexLattice<double>& wing) {
  std::vector<double> cuts;
  for (const WingFlap<double>& flap : wing.flaps) cuts.push_back(flap.hinge);
  return sort_cuts(std::move(cuts));
}

/// The row or column of panels that begins at a cut, or at one of the ends.
int find_cut(int n, PanelSpacing spacing, const std::vector<double>& cuts, double place) {
  const std::vector<int> columns = choose_columns(n, spacing, cuts);
  for (std::size_t k = 0; k < cuts.size(); ++k)
    if (std::abs(cuts[k] - place) < kSameCut) return columns[k];
  return place < 0.5 ? 0 : n;
}

/// Out of the upper side, of length one.
Vector3<double> calc_up(const VortexLattice<double>& wing) {
  const Vector3<double> up = wing.span_axis.normalized().cross(wing.chord_axis.normalized());
  const bool is_other = wing.upper.isZero(0) ? wing.mirrored : wing.upper.dot(up) < 0;
  return is_other ? Vector3<double>(-up) : up;
}

CarriedWing::Flap draw_flap(const VortexLattice<double>& wing, const WingFlap<double>& flap,
                            const CarriedWing& carried, const std::vector<Vector3<double>>& corners,
                            const std::vector<Transform<double>>& X_WB) {
  const Outline outline(wing);
  const std::vector<double> cuts = list_span_cuts(wing);
  const auto find_column = [&](double s) {
    return find_cut(wing.span_panels, wing.span_spacing, cuts, outline.to_part(s));
  };
  const int row = find_cut(wing.chord_panels, wing.chord_spacing, list_chord_cuts(wing), flap.hinge);
  const int first = find_column(std::max(flap.begin, outline.begin)),
            last = flap.end != 0 ? find_column(flap.end) : wing.span_panels;
  CarriedWing::Flap drawn{carried.bodies[carried.carriers[first]], {}, {}, {}, {}};
  const Transform<double> X = X_WB[drawn.body].inverse() * X_WB[wing.body.value];
  const auto place = [&](int i, int j) -> Vector3<double> {
    const Vector3<double>& corner = corners[i * (wing.span_panels + 1) + j];
    return drawn.body == wing.body.value ? corner : Vector3<double>(X.p + X.R * corner);
  };
  drawn.hinge = place(row, first);
  drawn.axis = (place(row, last) - drawn.hinge).normalized();
  const Vector3<double> along = wing.span_axis.normalized(), back = wing.chord_axis.normalized();
  if (along.cross(back).dot(calc_up(wing)) > 0) drawn.axis = -drawn.axis;
  for (int i = row + 1; i <= wing.chord_panels; ++i)
    for (int j = first; j <= last; ++j) {
      drawn.corners.push_back(static_cast<std::size_t>(i) * (wing.span_panels + 1) + j);
      drawn.places.push_back(place(i, j));
    }
  return drawn;
}

std::string describe_panel(int i, int j) {
  return fmt::format("the panel in row {} and column {}", i + 1, j + 1);
}

}  // namespace

std::vector<double> make_stations(int n, PanelSpacing spacing, const std::vector<double>& cuts) {
  const std::vector<int> columns = choose_columns(n, spacing, cuts);
  std::vector<double> stations;
  std::size_t next = 0;  // of the cuts
  int column = 0;        // the last one before that begins at a cut, and where it would be of equal ones
  double u = 0;
  for (int i = 0; i <= n; ++i) {
    if (next < cuts.size() && i == columns[next]) {
      stations.push_back(cuts[next]);
      column = i;
      u = gather(cuts[next++], spacing);
      continue;
    }
    const int column1 = next < cuts.size() ? columns[next] : n;
    const double u1 = next < cuts.size() ? gather(cuts[next], spacing) : 1;
    const double equal = cuts.empty() ? static_cast<double>(i) / n
                                      : u + (u1 - u) * (i - column) / std::max(1, column1 - column);
    stations.push_back(i == n ? 1 : spread(equal, spacing));
  }
  return stations;
}

Vector3<double> find_upper_side(const VortexLattice<double>& wing) {
  if (!wing.points) return calc_up(wing);
  if (wing.is_closed) return wing.upper;
  const std::vector<Vector3<double>> corners = make_corners(wing);
  const PanelCount panels = count_panels(wing);
  Vector3<double> area = Vector3<double>::Zero();
  for (int i = 0; i < panels.rows; ++i)
    for (int j = 0; j < panels.columns; ++j) {
      const Vector3<double>* ahead = &corners[static_cast<std::size_t>(i) * (panels.columns + 1) + j];
      const Vector3<double>* behind = ahead + panels.columns + 1;
      area += (behind[1] - ahead[0]).cross(ahead[1] - behind[0]);
    }
  return area.normalized();
}

PanelCount count_panels(const VortexLattice<double>& wing) {
  if (wing.points) return {wing.points->rows - 1, wing.points->columns - 1};
  return {wing.chord_panels, wing.span_panels};
}

PanelCount count_least_panels(const VortexLattice<double>& wing) {
  return {static_cast<int>(list_chord_cuts(wing).size()) + 1,
          static_cast<int>(list_span_cuts(wing).size()) + 1};
}

std::vector<int> find_parts(const VortexLattice<double>& wing) {
  std::vector<int> order(wing.parts.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](int a, int b) { return wing.parts[a].from < wing.parts[b].from; });
  const Outline outline(wing);
  const std::vector<double> cuts = list_span_cuts(wing);
  std::vector<int> parts(count_panels(wing).columns, -1);
  const int n = static_cast<int>(parts.size());
  for (const int k : order)
    for (int j = find_cut(n, wing.span_spacing, cuts, outline.to_part(wing.parts[k].from)); j < n; ++j)
      parts[j] = k;
  return parts;
}

std::vector<Vector3<double>> make_corners(const VortexLattice<double>& wing) {
  if (wing.points) return wing.points->points;
  const Vector3<double> along = wing.span_axis.normalized(), back = wing.chord_axis.normalized(),
                        up = calc_up(wing);
  const Outline outline(wing);
  const std::vector<double> stations =
      make_stations(wing.span_panels, wing.span_spacing, list_span_cuts(wing));
  std::vector<Vector3<double>> corners;
  for (const double x : make_stations(wing.chord_panels, wing.chord_spacing, list_chord_cuts(wing)))
    for (const double y : stations) {
      const double s = outline.begin + y * (outline.end - outline.begin), twist = calc_law(wing.twist, &s);
      const auto [leading, chord] = outline.calc(s);
      const std::array<double, 2> place{x, s};
      const Vector3<double> chord_line = std::cos(twist) * back - std::sin(twist) * up,
                            normal = std::sin(twist) * back + std::cos(twist) * up;
      corners.emplace_back(wing.root + s * along + leading * back + x * (chord * chord_line) +
                           calc_law(wing.camber, place.data()) * chord * normal);
    }
  return corners;
}

CarriedWing carry(const VortexLattice<double>& wing, const std::vector<Transform<double>>& X_WB) {
  CarriedWing carried{{wing.body.value}, find_parts(wing), make_corners(wing), {}};
  for (const WingPart<double>& part : wing.parts) carried.bodies.push_back(part.body.value);
  for (int& carrier : carried.carriers) ++carrier;  // its own body is the first
  for (const WingFlap<double>& flap : wing.flaps)
    carried.flaps.push_back(draw_flap(wing, flap, carried, carried.corners, X_WB));
  for (std::size_t k = 0; k < carried.corners.size(); ++k) {
    const int body = carried.body_of(k);
    if (body == wing.body.value) continue;
    const Transform<double> X = X_WB[body].inverse() * X_WB[wing.body.value];
    carried.corners[k] = (X.p + X.R * carried.corners[k]).eval();
  }
  return carried;
}

std::string find_panel_fault(const PanelCount& panels, const std::vector<Vector3<double>>& corners) {
  double size = 0;
  for (const Vector3<double>& corner : corners) size = std::max(size, corner.lpNorm<Eigen::Infinity>());
  if (!std::isfinite(size)) return "a corner of a panel is not finite";
  std::vector<Vector3<double>> normals;
  for (int i = 0; i < panels.rows; ++i)
    for (int j = 0; j < panels.columns; ++j) {
      const auto at = [&](int k, int l) { return corners[(i + k) * (panels.columns + 1) + j + l]; };
      const std::array<Vector3<double>, 4> loop{at(0, 0), at(0, 1), at(1, 1), at(1, 0)};
      const Vector3<double> twice = (loop[2] - loop[0]).cross(loop[1] - loop[3]);
      const double longest = std::max((loop[2] - loop[0]).norm(), (loop[1] - loop[3]).norm());
      const double nothing = kCornerRounding * size * longest;
      if (!(twice.norm() > nothing)) return describe_panel(i, j) + " has no area";
      normals.push_back(twice.normalized());
      for (int k = 0; k < 4; ++k) {
        const Vector3<double> in = loop[k] - loop[(k + 3) % 4], out = loop[(k + 1) % 4] - loop[k];
        if (out.cross(in).dot(normals.back()) < -nothing) return describe_panel(i, j) + " crosses itself";
      }
      const auto is_turned = [&](int other) { return normals.back().dot(normals[other]) < kTurnedOver; };
      const int own = i * panels.columns + j;
      if ((j > 0 && is_turned(own - 1)) || (i > 0 && is_turned(own - panels.columns)))
        return describe_panel(i, j) + " is turned over against its neighbour";
    }
  return "";
}

}  // namespace haltere
