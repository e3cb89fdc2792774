#include "haltere/model/surfaces/blade_element.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include <fmt/format.h>

#include "haltere/model/findings.h"
#include "haltere/model/joints/joint.h"

namespace haltere {
namespace {

// cosine: what rounding in directions given as numbers may do to a right angle; nine digits, a choice
constexpr double kPerpendicular = 1e-9;
// of the largest coefficient: what rounding may do to lift(-alpha) = -lift(alpha); nine digits, a choice
constexpr double kSameCoefficient = 1e-9;
// the lift of a thin wing acts here, in chords; measured sections lie within some hundredths, low aspect
// ratios ahead: what is nearer than 0.1 is taken for it
constexpr double kQuarterChord = 0.25, kSameCenter = 0.1;

/// Whether the wing would lift, resist or turn in another way upside down. Known laws are those of plates.
bool is_cambered(const BladeElement<double>& blade) {
  constexpr int kSamples = 64;  // of alpha, densest at 0; a choice, it decides on a warning only
  for (const Function<double>* law : {&blade.lift, &blade.drag, &blade.moment}) {
    const double sign = law == &blade.drag ? 1 : -1;
    double size = 0, difference = 0;
    for (int i = 1; law->expression && i <= kSamples; ++i) {  // closest to 0: a table may not reach far
      const double alpha = std::numbers::pi / 2 * i * i / (kSamples * kSamples), other = -alpha;
      const double up = law->calc(&alpha), down = sign * law->calc(&other);
      if (!std::isfinite(up - down)) continue;
      size = std::max({size, std::abs(up), std::abs(down)});
      difference = std::max(difference, std::abs(up - down));
    }
    if (difference > kSameCoefficient * size) return true;
  }
  return false;
}

void check_upper_side(const BladeElement<double>& blade, const Findings& findings) {
  const Vector3<double> normal = unit<double>(blade.span_axis).cross(unit<double>(blade.chord_axis));
  const bool is_given = !blade.upper.isZero(0);
  if (is_given && std::abs(unit<double>(blade.upper).dot(normal)) <= kPerpendicular)
    return findings.report("upper lies in the plane of the wing", "it points out of the upper side");
  if (!is_cambered(blade)) return;
  if (blade.velocity == StripVelocity::kSpatial)
    findings.warn(
        "the law has an upper side, but velocity: spatial turns the lift into the plane of a wing that moves "
        "along its span: the lift jumps where alpha changes its sign",
        "use velocity: section, or a law with lift(-alpha) = -lift(alpha)");
  if (is_given || blade.mirrored) return;
  findings.warn(
      fmt::format(
          "the law has an upper side, which no key names: it is that of span_axis x chord_axis = [{:.3g}, "
          "{:.3g}, {:.3g}]",
          normal[0] + 0.0, normal[1] + 0.0, normal[2] + 0.0),
      "write upper: with a direction out of the upper side; the law of a plate has lift(-alpha) = "
      "-lift(alpha)");
}

/// Where in chords behind the leading edge the load of steady flow acts at small angles; nothing for a wing
/// that does not lift.
std::optional<double> calc_steady_center(const BladeElement<double>& blade) {
  const Jet<double> alpha = Jet<double>::time(0);
  const double slope = blade.lift.expression ? blade.lift.calc_jet(&alpha).d1
                                             : calc_known_polar(blade.coefficients, alpha).lift.d1;
  if (!(slope > 0)) return std::nullopt;
  // the moment kappa rho c^2 a n of the carried air over the lift rho/2 c slope a n
  return blade.center_of_pressure - 2 * blade.added_mass_coefficient / slope;
}

void check_added_mass(const BladeElement<double>& blade, const Findings& findings) {
  if (blade.added_mass != AddedMass::kKirchhoff) return;
  const std::optional<double> center = calc_steady_center(blade);
  if (!center || std::abs(*center - kQuarterChord) <= kSameCenter) return;
  const double shift = blade.center_of_pressure - *center;
  const auto rounded = [](double x) { return std::round(1000 * x) / 1000 + 0.0; };
  findings.warn(fmt::format("added_mass: kirchhoff has the moment that steady flow exerts about the middle "
                            "of the chord, {:.3g} chords of lift: with center_of_pressure at {:.3g} the lift "
                            "of steady flight acts at {:.3g}, that of a thin wing at 0.25",
                            rounded(shift), blade.center_of_pressure, rounded(*center)),
                fmt::format("center_of_pressure: {:.3g} goes with kirchhoff, and 0.25 with added_mass: none",
                            rounded(kQuarterChord + shift)));
}

}  // namespace

template <>
void BladeElement<double>::check(const Findings& findings) const {
  const double overlap = unit<double>(span_axis).dot(unit<double>(chord_axis));
  if (std::abs(overlap) > kPerpendicular)
    findings.report(
        fmt::format("span_axis and chord_axis are not perpendicular: the cosine between them is {:.3g}",
                    overlap),
        "a strip is a section across the span");
  check_upper_side(*this, findings);
  check_added_mass(*this, findings);
  constexpr int kSamples = 32;  // along the span; a choice
  for (int i = 0; i <= kSamples; ++i) {
    const double s = span * i / kSamples;
    const std::string fault = find_number_fault(chord.calc(&s), "m", Rule::kNotNegative);
    if (!fault.empty()) return findings.report(fmt::format("chord at s = {:.6g} m {}", s, fault));
    const std::string swept = find_number_fault(sweep.calc(&s), "m", Rule::kAny);
    if (!swept.empty()) return findings.report(fmt::format("sweep at s = {:.6g} m {}", s, swept));
  }
}

}  // namespace haltere
