#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "haltere/model/kind.h"
#include "haltere/model/surfaces/air_fields.h"
#include "haltere/model/values.h"

namespace haltere {

class Findings;

/// Where the vortex rings of a panel lie: a quarter of its chord behind its corners with the flow met at three
/// quarters, or on its corners with the flow met in the middle.
enum class LatticeLayout { kQuarter, kEdge };
template <>
struct Words<LatticeLayout> {
  static constexpr std::array<std::string_view, 2> kNames{"quarter", "edge"};
};

/// How circulations become loads: theory.md, "Vortex lattice".
enum class LatticeLoad { kQ, kJ, kJEdge, kBernoulli };
template <>
struct Words<LatticeLoad> {
  static constexpr std::array<std::string_view, 4> kNames{"q", "j", "j-edge", "bernoulli"};
};

enum class WakeMotion { kFree, kPrescribed };
template <>
struct Words<WakeMotion> {
  static constexpr std::array<std::string_view, 2> kNames{"free", "prescribed"};
};

/// How wakes are carried along: by the velocities at the beginning of a step, or by the mean of those at both ends.
enum class Convection { kEuler, kHeun };
template <>
struct Words<Convection> {
  static constexpr std::array<std::string_view, 2> kNames{"euler", "heun"};
};

enum class PanelSpacing { kUniform, kCosine };
template <>
struct Words<PanelSpacing> {
  static constexpr std::array<std::string_view, 2> kNames{"uniform", "cosine"};
};

/// Edges that leave a wake: each word has those before it.
enum class Shedding { kNone, kTrailingEdge, kTip, kLeadingEdge };
template <>
struct Words<Shedding> {
  static constexpr std::array<std::string_view, 4> kNames{"none", "trailing-edge", "tip", "leading-edge"};
};

/// How the air goes with a machine that is free: until both agree at the end of each step, or with loads that are
/// carried on from the steps before.
enum class Coupling { kStrong, kLoose };
template <>
struct Words<Coupling> {
  static constexpr std::array<std::string_view, 2> kNames{"strong", "loose"};
};

/// The rest of a wing from some distance along its span on, on another body.
template <class T>
struct WingPart {
  std::string name;
  BodyIndex body;
  T from{0};  // [m]

  static constexpr auto fields() {
    return std::tuple{required("body", &WingPart::body, "", "body that carries it"),
                      required("from", &WingPart::from, "m", "where it begins, the distance s along the span",
                               Rule::kPositive)};
  }
};

/// What lies behind a line along the span, and turns about it.
template <class T>
struct WingFlap {
  std::string name;
  T hinge{0};              // part of the chord
  T begin{0}, end{0};      // s; none: as the wing                                          [m]
  Function<T> deflection;  // trailing edge away from the upper side                      [rad]

  static constexpr auto fields() {
    return std::tuple{required("hinge", &WingFlap::hinge, "", "where its line lies, the part x of the chord",
                               Rule::kPositive),
                      otherwise("the root", field("begin", &WingFlap::begin, "m", "where it begins, s")),
                      otherwise("the tip", field("end", &WingFlap::end, "m", "where it ends, s")),
                      required("deflection", &WingFlap::deflection, "rad",
                               "trailing edge away from the upper side: a formula of t, probes and signals")};
  }
};

/// A thin wing on a body as a lattice of vortex rings that sheds a wake. What it does: aero/lattice/.
template <class T>
struct VortexLattice {
  static constexpr std::string_view kName = "vortex-lattice";
  static constexpr std::string_view kSummary = "wing of vortex rings that sheds a wake";

  static constexpr double kForever = std::numeric_limits<double>::infinity();

  BodyIndex body;
  Vector3<T> root = Vector3<T>::Zero();        // of the leading edge, in the body           [m]
  Vector3<T> span_axis = Vector3<T>::Zero();   // away from the root
  Vector3<T> chord_axis = Vector3<T>::Zero();  // from the leading to the trailing edge
  Vector3<T> upper = Vector3<T>::Zero();       // out of the upper side; none: span_axis x chord_axis
  bool mirrored = false;                       // a copy: its upper side is the image of the original's
  bool is_closed = false;                      // no wing: what a vortex-body is made of
  T span{0};                                   // [m]
  // its outline: chord and sweep over the span, or stations, or all corners
  Function<T> chord;                        // of s, the distance from the root           [m]
  Function<T> sweep;                        // of s: how far the leading edge lies back   [m]
  Triples<T> outline;                       // s, leading and trailing edge               [m]
  std::shared_ptr<const PointGrid> points;  // in the body                                [m]
  Function<T> twist;                        // of s: nose up, about the leading edge      [rad]
  Function<T> camber;                       // of x, s: out of the upper side, in chords
  std::vector<WingPart<T>> parts;
  std::vector<WingFlap<T>> flaps;
  int chord_panels = 4, span_panels = 8;
  PanelSpacing chord_spacing = PanelSpacing::kUniform, span_spacing = PanelSpacing::kUniform;
  LatticeLayout layout = LatticeLayout::kQuarter;
  LatticeLoad load = LatticeLoad::kQ;
  WakeMotion wake = WakeMotion::kFree;
  Shedding shedding = Shedding::kTrailingEdge;
  T critical_angle{0};        // of a leading edge that sheds                  [rad]
  T critical_suction{0};      // the same
  T core{0};                  // of its vortex lines                        [m]
  T core_growth{0};           // of its square, of vortices in the wake       [m2/s]
  T far_field{0};             // tolerance; 0: none
  T wake_age{kForever};       // when vortices are given up                 [s]
  T coarsen_after{kForever};  // when two steps of the wake become one   [s]
  Convection convection = Convection::kEuler;
  Coupling coupling = Coupling::kStrong;
  T coupling_tolerance{1e-7};  // of loads, against the largest so far
  T step{0};                   // of the wake                                [s]
  T density{0};                // of the air                                 [kg/m3]
  VectorFunction<T> wind;      // of t, x, y, z, world axes                  [m/s]

  // NOLINTNEXTLINE(readability-function-size): a list of data, a line or two each
  static constexpr auto fields() {
    using Self = VortexLattice;
    return std::tuple{
        required("body", &Self::body, "", "body that it is fixed to"),
        field("root", &Self::root, "m", "where the leading edge begins"),
        otherwise("none: it is needed but for `points`",
                  field("span_axis", &Self::span_axis, "", "direction of the span, away from the root")),
        otherwise(
            "none: it is needed but for `points`",
            field("chord_axis", &Self::chord_axis, "", "direction from the leading to the trailing edge")),
        otherwise("`span_axis` x `chord_axis`, and its image in a mirrored copy",
                  field("upper", &Self::upper, "",
                        "direction out of the upper side, for `twist`, `camber` and `flaps`")),
        otherwise("that of `outline` or `points`",
                  field("span", &Self::span, "m", "its length along `span_axis`", Rule::kPositive)),
        otherwise(
            "that of `outline` or `points`",
            reading(Reads::kSpan, field("chord", &Self::chord, "m",
                                        "its law along the span: a formula of s, the distance from the root",
                                        Rule::kPositive))),
        otherwise("0", reading(Reads::kSpan, field("sweep", &Self::sweep, "m",
                                                   "how far the leading edge lies back: a formula of s"))),
        field("outline", &Self::outline, "m",
              "instead of `span`, `chord` and `sweep`: stations in rows, s and how far leading and trailing "
              "edge "
              "lie back there; straight between them"),
        field("points", &Self::points, "m",
              "instead of all of those: a table i, j, x, y, z of the corners of the panels in the body, i "
              "from the "
              "leading edge on, j from the root on, both from 0"),
        otherwise("0", reading(Reads::kSpan, field("twist", &Self::twist, "rad",
                                                   "nose up about the leading edge: a formula of s"))),
        otherwise(
            "0",
            reading(Reads::kSection,
                    field("camber", &Self::camber, "",
                          "how far it lies out of the upper side, in chords: a formula of x, the part of "
                          "the chord behind the leading edge, and of s"))),
        field("parts", &Self::parts, "",
              "bodies that carry it from some distance along the span on; it is drawn as the machine stands "
              "with "
              "all coordinates of its joints 0"),
        field("flaps", &Self::flaps, "",
              "control surfaces without mass; rows and columns of panels begin at their edges, gaps are "
              "closed"),
        field("chord_panels", &Self::chord_panels, "", "rows of panels", Rule::kPositive),
        field("span_panels", &Self::span_panels, "", "columns of panels", Rule::kPositive),
        field("chord_spacing", &Self::chord_spacing, "", "of the rows"),
        field("span_spacing", &Self::span_spacing, "", "of the columns"),
        field("layout", &Self::layout, "",
              "rings a quarter of a panel behind its corners, or on them; `load: q` goes with `quarter`"),
        field("load", &Self::load, "",
              "formula for the loads: q is second order in lift and moment; j-edge has the best history of "
              "lift"),
        field("wake", &Self::wake, "", "it goes with all velocities of the air, or with the wind alone"),
        field("shedding", &Self::shedding, "",
              "edges that leave a wake; tip: the trailing edge, too; leading-edge: all three; none: a wing "
              "without "
              "lift, but with its added mass"),
        otherwise("a leading edge that sheds does so always",
                  field("critical_angle", &Self::critical_angle, "rad",
                        "`shedding: leading-edge` only where the undisturbed air meets the first panel at "
                        "more than this",
                        Rule::kNotNegative)),
        otherwise("a leading edge that sheds releases all",
                  field("critical_suction", &Self::critical_suction, "",
                        "`shedding: leading-edge` of what exceeds this leading-edge suction parameter, the "
                        "sine of the "
                        "angle of attack of a flat plate",
                        Rule::kNotNegative)),
        required("core", &Self::core, "m", "radius within which vortex lines are smoothed",
                 Rule::kNotNegative),
        field("core_growth", &Self::core_growth, "m2/s",
              "of the square of the core, for vortices that have left the edge: `4*1.256*nu` is that of "
              "viscosity",
              Rule::kNotNegative),
        otherwise(
            "none: all is summed one by one",
            field("far_field", &Self::far_field, "",
                  "tolerance of velocities that far vortices induce, of those that nearly all have; 1e-4 is "
                  "much quicker for wakes of many thousand rings",
                  Rule::kNotNegative)),
        otherwise("never", field("wake_age", &Self::wake_age, "s",
                                 "vortices that left the edge longer ago are given up, in whole rings",
                                 Rule::kPositive)),
        otherwise("never", field("coarsen_after", &Self::coarsen_after, "s",
                                 "rings that are older are joined in pairs, after twice the time in fours, "
                                 "and so on: a wake of n steps has some log n rows",
                                 Rule::kPositive)),
        field("convection", &Self::convection, "",
              "wakes go with the velocities at the beginning of a step, or with the mean of both ends, of "
              "second "
              "order at twice the cost"),
        field(
            "coupling", &Self::coupling, "",
            "of the air and a machine that is free: they agree at the end of each step, or loads are carried "
            "on from the steps before, which is refused where the air is heavy"),
        field("coupling_tolerance", &Self::coupling_tolerance, "",
              "how far the loads at the end of a step may be from those of the motion there, in parts of the "
              "largest so far",
              Rule::kPositive),
        required("step", &Self::step, "s",
                 "of the wake: best as long as the air takes over a panel; `air` may give it instead",
                 Rule::kPositive),
        density_field<Self>(),
        wind_field<Self>()};
  }

  /// Axes, outline, panels, and what goes with what.
  void check(const Findings& findings) const;
};
template <>
void VortexLattice<double>::check(const Findings& findings) const;

}  // namespace haltere
