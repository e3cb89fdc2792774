#include "haltere/model/surfaces/vortex_lattice.h"

#include <cmath>

#include <fmt/format.h>

#include "haltere/model/findings.h"
#include "haltere/model/joints/joint.h"

namespace haltere {
namespace {

// cosine: what rounding in directions given as numbers may do to a right angle; nine digits, a choice
constexpr double kSquare = 1e-9;

}  // namespace

template <>
void VortexLattice<double>::check(const Findings& findings) const {
  const Vector3<double> s_axis = unit<double>(span_axis), c_axis = unit<double>(chord_axis);
  if (std::abs(s_axis.dot(c_axis)) > kSquare)
    findings.report(
        fmt::format("span_axis and chord_axis are not perpendicular: the cosine between them is {:.3g}",
                    s_axis.dot(c_axis)),
        "sweep is a formula of its own");
  if (!upper.isZero(0) && std::abs(unit<double>(upper).dot(s_axis.cross(c_axis))) <= kSquare)
    findings.report("upper lies in the plane of the wing", "it points out of the upper side");
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
  if (density == 0) findings.report("density is 0: nothing acts on it", "air has 1.225 kg/m3 at sea level");
  for (int j = 0; j <= 4 * span_panels; ++j) {
    const double s = span * j / (4 * span_panels);
    const std::string fault = find_number_fault(chord.calc(&s), "m", Rule::kPositive);
    if (!fault.empty())
      return findings.report(fmt::format("chord at s = {:.6g} m {}", s, fault),
                             fault.find("positive") == std::string::npos
                                 ? ""
                                 : "a panel must have an area: end the span before the chord does");
    for (const auto& [law, name] : {std::pair{&sweep, "sweep"}, std::pair{&twist, "twist"}})
      if (law->expression && !std::isfinite(law->calc(&s)))
        return findings.report(fmt::format("{} at s = {:.6g} m is not finite", name, s));
  }
}

}  // namespace haltere
