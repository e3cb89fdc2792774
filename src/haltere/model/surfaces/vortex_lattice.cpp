#include "haltere/model/surfaces/vortex_lattice.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "haltere/model/findings.h"
#include "haltere/model/joints/joint.h"
#include "haltere/model/surfaces/planform.h"

namespace haltere {
namespace {

using Wing = VortexLattice<double>;

// cosine: what rounding in directions given as numbers may do to a right angle; nine digits, a choice
constexpr double kSquare = 1e-9;
// along the span: a law that dips between two of them is not seen; a choice
constexpr int kLeastSamples = 256;

/// Whether exactly one of the ways to draw it is taken, with all that it needs and nothing that it has already.
bool is_drawn_once(const Wing& wing, const Findings& findings) {
  std::vector<std::string_view> ways;
  if (wing.chord.expression != nullptr) ways.emplace_back("chord");
  if (!wing.outline.empty()) ways.emplace_back("outline");
  if (wing.points != nullptr) ways.emplace_back("points");
  if (ways.empty())
    findings.report("chord is missing: nothing says what its outline is",
                    "give `span` and `chord`, or `outline`, or `points`");
  if (ways.size() > 1)
    findings.report(fmt::format("{} all say what its outline is", fmt::join(ways, " and ")),
                    "keep one of them");
  if (ways.size() != 1) return false;
  const bool by_chord = ways[0] == "chord", by_points = ways[0] == "points";
  const auto is_given = [](const Function<double>& law) { return law.expression != nullptr; };
  struct Key {
    std::string_view name;
    bool given, needed, allowed;
  };
  const std::array<Key, 10> keys{{{"span_axis", !wing.span_axis.isZero(0), !by_points, !by_points},
                                  {"chord_axis", !wing.chord_axis.isZero(0), !by_points, !by_points},
                                  {"span", wing.span != 0, by_chord, by_chord},
                                  {"sweep", is_given(wing.sweep), false, by_chord},
                                  {"root", !wing.root.isZero(0), false, !by_points},
                                  {"upper", !wing.upper.isZero(0), false, !by_points},
                                  {"twist", is_given(wing.twist), false, !by_points},
                                  {"camber", is_given(wing.camber), false, !by_points},
                                  {"parts", !wing.parts.empty(), false, !by_points},
                                  {"flaps", !wing.flaps.empty(), false, !by_points}}};
  bool is_good = true;
  for (const Key& key : keys) {
    if (key.needed && !key.given) findings.report(fmt::format("{} is missing", key.name));
    if (!key.allowed && key.given)
      findings.report(fmt::format("{} says nothing beside {}", key.name, ways[0]),
                      key.name == "parts" || key.name == "flaps" ? "draw it by chord or outline"
                                                                 : fmt::format("{} has it already", ways[0]));
    is_good &= key.needed ? key.given : key.allowed || !key.given;
  }
  return is_good;
}

/// Whether the numbers of panels, where they are given, are those of the table.
bool has_panels_of_table(const Wing& wing, const Findings& findings) {
  const PanelCount panels = count_panels(wing);
  const Wing plain;
  const auto differs = [](int own, int otherwise, int table) { return own != otherwise && own != table; };
  const bool rows = differs(wing.chord_panels, plain.chord_panels, panels.rows);
  if (!rows && !differs(wing.span_panels, plain.span_panels, panels.columns)) return true;
  findings.report(
      fmt::format("{} is {}, but the points of '{}' are the corners of {} x {} panels",
                  rows ? "chord_panels" : "span_panels", rows ? wing.chord_panels : wing.span_panels,
                  wing.points->file, panels.rows, panels.columns),
      "leave it out");
  return false;
}

bool has_axes(const Wing& wing, const Findings& findings) {
  const Vector3<double> s_axis = unit<double>(wing.span_axis), c_axis = unit<double>(wing.chord_axis);
  const double cosine = s_axis.dot(c_axis);
  const bool is_square = std::abs(cosine) <= kSquare;
  if (!is_square)
    findings.report(
        fmt::format("span_axis and chord_axis are not perpendicular: the cosine between them is {:.3g}",
                    cosine),
        "sweep is a formula of its own");
  const Vector3<double> normal = s_axis.cross(c_axis);
  const bool has_upper = !wing.upper.isZero(0);
  const bool is_flat = has_upper && std::abs(unit<double>(wing.upper).dot(normal)) <= kSquare;
  if (is_flat) findings.report("upper lies in the plane of the wing", "it points out of the upper side");
  const std::string_view reader = wing.camber.expression != nullptr  ? "camber"
                                  : wing.twist.expression != nullptr ? "twist"
                                  : !wing.flaps.empty()              ? "flaps"
                                                                     : "";
  if (is_square && !reader.empty() && !has_upper && !wing.mirrored)
    findings.warn(
        fmt::format("{} asks for the upper side, which no key names: it is that of span_axis x chord_axis = "
                    "[{:.3g}, {:.3g}, {:.3g}]",
                    reader, normal[0] + 0.0, normal[1] + 0.0, normal[2] + 0.0),
        "write upper: with a direction out of the upper side");
  return is_square && !is_flat;
}

bool has_outline(const Wing& wing, const Findings& findings) {
  if (wing.outline.size() < 2) {
    findings.report("outline has a single station", "it has two or more, from the root to the tip");
    return false;
  }
  for (std::size_t k = 0; k < wing.outline.size(); ++k) {
    const double s = wing.outline[k][0];
    if (k > 0 && !(s > wing.outline[k - 1][0])) {
      findings.report(
          fmt::format("outline: s is {:.6g} m after {:.6g} m: it crosses itself", s, wing.outline[k - 1][0]),
          "stations follow each other from the root to the tip");
      return false;
    }
    if (wing.outline[k][2] > wing.outline[k][1]) continue;
    findings.report(
        fmt::format("outline: at s = {:.6g} m the trailing edge lies {:.6g} m back, the leading edge "
                    "{:.6g} m: the panels there have no area, or are turned over",
                    s, wing.outline[k][2], wing.outline[k][1]),
        "a row is s, leading edge, trailing edge; end it before its chord does");
    return false;
  }
  return true;
}

/// Its laws along the span are such that one can draw it.
bool has_laws(const Wing& wing, const Findings& findings) {
  const double begin = wing.outline.empty() ? 0 : wing.outline.front()[0];
  const double end = wing.outline.empty() ? wing.span : wing.outline.back()[0];
  const int samples = std::max(4 * wing.span_panels, kLeastSamples);
  for (int j = 0; j <= samples; ++j) {
    const double s = begin + (end - begin) * j / samples;
    const std::string fault =
        wing.chord.expression != nullptr ? find_number_fault(wing.chord.calc(&s), "m", Rule::kPositive) : "";
    if (!fault.empty()) {
      findings.report(fmt::format("chord at s = {:.6g} m {}", s, fault),
                      fault.find("positive") == std::string::npos
                          ? ""
                          : "a panel must have an area: end the span before the chord does");
      return false;
    }
    for (const auto& [law, name] : {std::pair{&wing.sweep, "sweep"}, std::pair{&wing.twist, "twist"}})
      if (law->expression != nullptr && !std::isfinite(law->calc(&s))) {
        findings.report(fmt::format("{} at s = {:.6g} m is not finite", name, s));
        return false;
      }
  }
  if (wing.camber.expression == nullptr) return true;
  for (int j = 0; j <= wing.span_panels; ++j)
    for (int i = 0; i <= 4 * wing.chord_panels; ++i) {
      const std::array<double, 2> place{i / (4. * wing.chord_panels),
                                        begin + (end - begin) * j / wing.span_panels};
      if (std::isfinite(wing.camber.calc(place.data()))) continue;
      findings.report(fmt::format("camber at x = {:.6g}, s = {:.6g} m is not finite", place[0], place[1]));
      return false;
    }
  return true;
}

bool has_parts(const Wing& wing, const Findings& findings) {
  const double begin = wing.outline.empty() ? 0 : wing.outline.front()[0];
  const double end = wing.outline.empty() ? wing.span : wing.outline.back()[0];
  for (const WingPart<double>& part : wing.parts) {
    if (!(part.from > begin && part.from < end)) {
      findings.report(
          fmt::format("parts.{}: from is {:.6g} m; must lie between the root and the tip, {:.6g} m and "
                      "{:.6g} m",
                      part.name, part.from, begin, end));
      return false;
    }
    for (const WingPart<double>& other : wing.parts)
      if (&other != &part && other.from == part.from) {
        findings.report(fmt::format("parts.{} and parts.{} begin at the same place", part.name, other.name));
        return false;
      }
  }
  return true;
}

bool has_flaps(const Wing& wing, const Findings& findings) {
  const double begin = wing.outline.empty() ? 0 : wing.outline.front()[0];
  const double end = wing.outline.empty() ? wing.span : wing.outline.back()[0];
  const auto end_of = [&](const WingFlap<double>& flap) { return flap.end != 0 ? flap.end : end; };
  const auto begin_of = [&](const WingFlap<double>& flap) { return std::max(flap.begin, begin); };
  const auto refuse = [&](std::string message, std::string hint) {
    findings.report(std::move(message), std::move(hint));
    return false;
  };
  for (const WingFlap<double>& flap : wing.flaps) {
    if (!(flap.hinge < 1))
      return refuse(fmt::format("flaps.{}: hinge is {:.6g}; must be less than 1", flap.name, flap.hinge),
                    "it is a part of the chord");
    if (!(flap.begin >= 0 && begin_of(flap) < end_of(flap) && end_of(flap) <= end))
      return refuse(
          fmt::format("flaps.{}: it goes from {:.6g} m to {:.6g} m; the wing from {:.6g} m to {:.6g} m",
                      flap.name, flap.begin, end_of(flap), begin, end),
          "begin and end are distances s along the span");
    for (const WingFlap<double>& other : wing.flaps)
      if (&other < &flap && begin_of(flap) < end_of(other) && begin_of(other) < end_of(flap))
        return refuse(fmt::format("flaps.{} and flaps.{} lie beside each other on the same part of the span",
                                  other.name, flap.name),
                      "end one where the other begins");
    for (const WingPart<double>& part : wing.parts)
      if (part.from > begin_of(flap) && part.from < end_of(flap))
        return refuse(fmt::format("flaps.{}: parts.{} begins within it", flap.name, part.name),
                      "a flap hangs on one body: make two of it");
  }
  return true;
}

/// Panels begin where parts and flaps do.
bool has_enough_panels(const Wing& wing, const Findings& findings) {
  const auto [rows, columns] = count_least_panels(wing);
  const bool too_few_rows = wing.chord_panels < rows;
  if (!too_few_rows && wing.span_panels >= columns) return true;
  findings.report(
      fmt::format("{} is {}; its parts and flaps need {}", too_few_rows ? "chord_panels" : "span_panels",
                  too_few_rows ? wing.chord_panels : wing.span_panels, too_few_rows ? rows : columns),
      "one panel at least between the places where parts and flaps begin and end");
  return false;
}

}  // namespace

template <>
void VortexLattice<double>::check(const Findings& findings) const {
  if (load == LatticeLoad::kQ && layout == LatticeLayout::kEdge)
    findings.report("load: q has no form for layout: edge",
                    "use layout: quarter, or load: j, j-edge or bernoulli");
  if (wake == WakeMotion::kFree && core == 0)
    findings.report("a free wake has no velocity where its lines meet without a core",
                    "some hundredths of the chord, or wake: prescribed");
  if ((critical_angle > 0 || critical_suction > 0) && shedding != Shedding::kLeadingEdge)
    findings.report("a criterion is given for a leading edge that does not shed", "shedding: leading-edge");
  if (critical_angle > 0 && critical_suction > 0)
    findings.report("critical_angle and critical_suction are two criteria for one edge", "give one of them");
  if (!(coupling_tolerance < 1 && coupling_tolerance > 1e-14))
    findings.report("coupling_tolerance must lie between 1e-14 and 1", "1e-7, the default, is fine");
  if (density == 0) findings.report("density is 0: nothing acts on it", "air has 1.225 kg/m3 at sea level");
  if (!is_drawn_once(*this, findings)) return;
  if (points != nullptr ? !has_panels_of_table(*this, findings) : !has_axes(*this, findings)) return;
  if (!outline.empty() && !has_outline(*this, findings)) return;
  if (points == nullptr && !(has_laws(*this, findings) && has_parts(*this, findings) &&
                             has_flaps(*this, findings) && has_enough_panels(*this, findings)))
    return;
  const std::string fault = find_panel_fault(count_panels(*this), make_corners(*this));
  if (!fault.empty())
    findings.report(fault, "corners go from the leading to the trailing edge, and from the root to the tip");
}

}  // namespace haltere
