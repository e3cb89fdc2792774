#pragma once

#include "haltere/model/kind.h"
#include "haltere/model/surfaces/air_fields.h"
#include "haltere/model/surfaces/vortex_lattice.h"
#include "haltere/model/values.h"

namespace haltere {

class Findings;

/// A fuselage or the body of an insect: a body of revolution as a closed lattice of vortex rings. What it does:
/// aero/lattice/closed_body.h.
template <class T>
struct VortexBody {
  static constexpr std::string_view kName = "vortex-body";
  static constexpr std::string_view kSummary = "body of revolution of vortex rings, which sheds nothing";

  BodyIndex body;
  Vector3<T> nose = Vector3<T>::Zero();  // in the body                                        [m]
  Vector3<T> axis = Vector3<T>::Zero();  // from the nose to the tail
  T length{0};                           // [m]
  Function<T> radius;                    // of s, the distance from the nose along the axis    [m]
  int length_panels = 16, around_panels = 16;
  PanelSpacing length_spacing = PanelSpacing::kCosine;
  T step{0};               // of the air                                                       [s]
  T density{0};            //                                                                  [kg/m3]
  VectorFunction<T> wind;  // of t, x, y, z, world axes                                        [m/s]

  static constexpr auto fields() {
    using Self = VortexBody;
    return std::tuple{
        required("body", &Self::body, "", "body that it is fixed to"),
        field("nose", &Self::nose, "m", "where it begins"),
        required("axis", &Self::axis, "", "direction of its middle line, from the nose to the tail"),
        required("length", &Self::length, "m", "from the nose to the tail", Rule::kPositive),
        reading(
            Reads::kSpan,
            required("radius", &Self::radius, "m",
                     "its law along the axis: a formula of s, the distance from the nose; 0 at both ends")),
        field("length_panels", &Self::length_panels, "", "rows of panels, from the nose on", Rule::kPositive),
        field("around_panels", &Self::around_panels, "", "columns of panels, an even number",
              Rule::kPositive),
        field("length_spacing", &Self::length_spacing, "", "of the rows"),
        required("step", &Self::step, "s", "of the air and its wakes; `air` may give it instead",
                 Rule::kPositive),
        density_field<Self>(),
        wind_field<Self>()};
  }

  void check(const Findings& findings) const;
};
template <>
void VortexBody<double>::check(const Findings& findings) const;

/// Its panels as those of a wing that is drawn by points: rows from the nose to the tail, columns around, out of the air.
VortexLattice<double> make_lattice(const VortexBody<double>& body);

}  // namespace haltere
