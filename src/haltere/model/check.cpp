#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "haltere/math/dense.h"
#include "haltere/model/constraints.h"
#include "haltere/model/forces.h"
#include "haltere/model/joints.h"
#include "haltere/model/model.h"
#include "haltere/model/shapes.h"
#include "haltere/model/singular.h"
#include "haltere/model/surfaces.h"

namespace haltere {
namespace {

// of the trace: what rounding in the entries of an inertia may do to its principal moments
constexpr double kInertiaSlack = 1e-12;
// of a unit vector: axes this close to parallel are parallel
constexpr double kParallel = 1e-12;
// what rounding in directions given as numbers may do to a right angle
constexpr double kPerpendicular = 1e-9;

// of the largest coefficient: what rounding may do to lift(-alpha) = -lift(alpha)
constexpr double kSameCoefficient = 1e-9;
// the lift of a thin wing acts here, in chords; measured sections lie within some hundredths, low aspect
// ratios ahead
constexpr double kQuarterChord = 0.25, kSameCenter = 0.1;

constexpr std::array<std::string_view, 3> kAxisNames{"x", "y", "z"};

std::string with_unit(double x, std::string_view unit) {
  return unit.empty() ? fmt::format("{}", x) : fmt::format("{} {}", x, unit);
}

/// What is wrong with a number, or "".
std::string find_fault(double x, std::string_view unit, Rule rule) {
  if (!std::isfinite(x)) return "is not a finite number";
  if (rule == Rule::kNotNegative && x < 0)
    return fmt::format("is {}; must not be negative", with_unit(x, unit));
  if (rule == Rule::kPositive && !(x > 0)) return fmt::format("is {}; must be positive", with_unit(x, unit));
  return "";
}

/// Checks the numbers of one thing of the model and reports what is wrong with them under its name.
class Inspector {
 public:
  Inspector(const Resolver<double>& resolver, SourceMark mark, std::string thing,
            std::vector<Problem>* problems)
      : resolver_(resolver), mark_(std::move(mark)), thing_(std::move(thing)), problems_(problems) {}

  void report(std::string message, std::string hint = "") const {
    problems_->push_back({mark_, thing_, std::move(message), std::move(hint)});
  }

  /// Once for all copies of an entry.
  void warn(const std::string& message, std::string hint) const {
    for (const Problem& p : *problems_)
      if (p.message == message && p.mark.line == mark_.line && p.mark.file == mark_.file) return;
    problems_->push_back({mark_, thing_, message, std::move(hint), Problem::Severity::kWarning});
  }

  void check(std::string_view name, double x, std::string_view unit = "", Rule rule = Rule::kAny) const {
    const std::string fault = find_fault(x, unit, rule);
    if (!fault.empty()) report(fmt::format("{} {}", name, fault));
  }
  /// Three components; without a unit they are a direction.
  void check(std::string_view name, const Vector3<double>& x, std::string_view unit,
             Rule rule = Rule::kAny) const {
    for (int i = 0; i < 3; ++i) check(fmt::format("{}.{}", name, kAxisNames[i]), x[i], unit, rule);
    if (unit.empty() && x.allFinite() && !unit_vector_exists(x))
      report(fmt::format("{} has no length", name), "give it a direction");
  }
  void check(std::string_view name, const Expression& e, std::string_view unit,
             Rule rule = Rule::kAny) const {
    if (e.uses_locals()) return;  // it changes: the run looks at it
    double x = 0;
    const std::string outside = find_curve_fault([&] { x = resolver_.calc(e); });
    if (!outside.empty()) return report(fmt::format("{}: {}", name, outside));
    check(name, x, unit, rule);
  }
  void check(std::string_view name, const Expression3& e, std::string_view unit) const {
    for (int i = 0; i < 3; ++i) check(fmt::format("{}.{}", name, kAxisNames[i]), e[i], unit);
  }
  void check(std::string_view name, const Function<double>& f, std::string_view unit, Rule rule) const {
    if (f.expression) check(name, *f.expression, unit, rule);
  }
  void check(std::string_view name, const VectorFunction<double>& f, std::string_view unit, Rule rule) const {
    for (int i = 0; i < 3; ++i) check(fmt::format("{}.{}", name, kAxisNames[i]), f[i], unit, rule);
  }
  void check(std::string_view name, const Gains<double>& gains, std::string_view unit, Rule rule) const {
    for (const Gain<double>& g : gains) check(name, g.gain, unit, rule);
  }
  template <class Other>  // references, words and switches have nothing to check
  void check(std::string_view, const Other&, std::string_view, Rule) const {}

  void check(std::string_view name, const RotationSpec& rotation) const {
    for (const Expression& e : rotation.values) {
      const std::string fault = find_fault(resolver_.calc(e), "", Rule::kAny);
      if (!fault.empty()) return report(fmt::format("{} {}", name, fault));
    }
    if (!rotation.calc_R(resolver_).allFinite())
      report(fmt::format("{} has no direction: its {} is zero", name,
                         rotation.form == RotationSpec::Form::kQuaternion ? "quaternion" : "axis"));
  }

  /// Every field of a kind that the file gives, by its own rule; `prefix` stands before the names.
  template <class Kinds>
  void check_fields(const Entry& entry, std::string_view prefix = "") const {
    std::visit(
        [&]<class Kind>(const Kind& kind) {
          std::size_t i = 0;
          for_each_field<Kind>([&](const auto& f) {
            if (std::holds_alternative<std::monostate>(entry.values[i++])) return;
            check(fmt::format("{}{}", prefix, f.name), kind.*f.member, f.unit, f.rule);
          });
        },
        resolve<Kinds, double>(entry, resolver_));
  }

 private:
  static bool unit_vector_exists(const Vector3<double>& x) { return unit<double>(x).allFinite(); }

  const Resolver<double>& resolver_;
  SourceMark mark_;
  std::string thing_;
  std::vector<Problem>* problems_;
};

std::string list_of(const Vector3<double>& moments) {
  return fmt::format("{:.6g}, {:.6g}, {:.6g} kg m2", moments[0], moments[1], moments[2]);
}

/// What keeps the inertia from being that of a rigid body, or "".
std::string find_inertia_fault(const Matrix3<double>& I) {
  const Vector3<double> moments = calc_symmetric_eigenvalues(I);
  const double slack = kInertiaSlack * moments.cwiseAbs().sum();
  if (moments[0] < -slack)
    return fmt::format("no rigid body has this inertia: principal moments {}; {:.6g} is negative",
                       list_of(moments), moments[0]);
  if (moments[2] > moments[0] + moments[1] + slack)
    return fmt::format("no rigid body has this inertia: principal moments {}; {:.6g} > {:.6g} + {:.6g}",
                       list_of(moments), moments[2], moments[0], moments[1]);
  return "";
}

void check_body(const BodySpec& body, const Resolver<double>& resolver, std::vector<Problem>* problems) {
  const std::string thing = fmt::format("body '{}'", body.name);
  const Inspector inspector(resolver, body.mark, thing, problems);
  inspector.check("mass", body.mass, "kg", Rule::kNotNegative);
  inspector.check("center_of_mass", body.center_of_mass, "m");
  if (body.shape) inspector.check_fields<ShapeKinds>(*body.shape, "shape.");
  // the inertia of a shape that obeys its rules is that of a rigid body
  if (body.inertia_shape) return inspector.check_fields<ShapeKinds>(*body.inertia_shape, "inertia.");
  constexpr std::array<std::string_view, 6> kNames{"xx", "yy", "zz", "xy", "xz", "yz"};
  const std::size_t before = problems->size();
  for (int i = 0; i < 6; ++i) inspector.check(fmt::format("inertia.{}", kNames[i]), body.inertia[i], "kg m2");
  if (problems->size() != before) return;
  const std::string fault = find_inertia_fault(calc_mass_properties(body, resolver).I_BBcm);
  if (!fault.empty())
    problems->push_back({body.mark, thing, fault, "computed as given", Problem::Severity::kWarning});
}

/// Whether the velocities of the joint move it in different ways where it starts.
bool has_independent_motions(const JointSpec& joint, const Resolver<double>& resolver) {
  return std::visit(
      [&](const auto& kind) {
        std::vector<double> q(joint.nq(), 0.0);
        if (joint.nq() > joint.nv()) q[0] = 1;
        const Eigen::MatrixXd S = kind.calc_S_FM(q.data());
        if (S.cols() < 2) return true;
        return order_columns(S.colwise().normalized(), kParallel).rank == S.cols();
      },
      resolve<JointKinds, double>(joint.entry, resolver));
}

void check_joint(const JointSpec& joint, const Resolver<double>& resolver, std::vector<Problem>* problems) {
  const std::size_t before = problems->size();
  const Inspector inspector(resolver, joint.entry.mark, fmt::format("joint '{}'", joint.name()), problems);
  inspector.check_fields<JointKinds>(joint.entry);
  if (problems->size() == before && !has_independent_motions(joint, resolver))
    inspector.report("its axes are parallel", "two of its motions are one and the same: turn one axis");
  inspector.check("parent_frame.position", joint.parent_frame.position, "m");
  inspector.check("parent_frame.rotation", joint.parent_frame.rotation);
  inspector.check("child_frame.position", joint.child_frame.position, "m");
  inspector.check("child_frame.rotation", joint.child_frame.rotation);

  const SourceMark& mark = joint.initial_mark.line > 0 ? joint.initial_mark : joint.entry.mark;
  const Inspector initial(resolver, mark, fmt::format("initial of joint '{}'", joint.name()), problems);
  for (const auto& e : joint.initial_position)
    if (e) initial.check("position", *e, "");
  for (const auto& e : joint.initial_velocity)
    if (e) initial.check("velocity", *e, "");
  initial.check("orientation", joint.initial_orientation);
}

/// Whether the wing would lift, resist or turn in another way upside down. Known laws are those of plates.
bool is_cambered(const BladeElement<double>& blade) {
  constexpr int kSamples = 64;
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

void check_upper_side(const BladeElement<double>& blade, const Inspector& inspector) {
  const Vector3<double> normal = unit<double>(blade.span_axis).cross(unit<double>(blade.chord_axis));
  const bool is_given = !blade.upper.isZero(0);
  if (is_given && std::abs(unit<double>(blade.upper).dot(normal)) <= kPerpendicular)
    return inspector.report("upper lies in the plane of the wing", "it points out of the upper side");
  if (!is_cambered(blade)) return;
  if (blade.velocity == StripVelocity::kSpatial)
    inspector.warn(
        "the law has an upper side, but velocity: spatial turns the lift into the plane of a wing that moves "
        "along its span: the lift jumps where alpha changes its sign",
        "use velocity: section, or a law with lift(-alpha) = -lift(alpha)");
  if (is_given || blade.mirrored) return;
  inspector.warn(
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

void check_added_mass(const BladeElement<double>& blade, const Inspector& inspector) {
  if (blade.added_mass != AddedMass::kKirchhoff) return;
  const std::optional<double> center = calc_steady_center(blade);
  if (!center || std::abs(*center - kQuarterChord) <= kSameCenter) return;
  const double shift = blade.center_of_pressure - *center;
  const auto rounded = [](double x) { return std::round(1000 * x) / 1000 + 0.0; };
  inspector.warn(
      fmt::format("added_mass: kirchhoff has the moment that steady flow exerts about the middle "
                  "of the chord, {:.3g} chords of lift: with center_of_pressure at {:.3g} the lift "
                  "of steady flight acts at {:.3g}, that of a thin wing at 0.25",
                  rounded(shift), blade.center_of_pressure, rounded(*center)),
      fmt::format("center_of_pressure: {:.3g} goes with kirchhoff, and 0.25 with added_mass: none",
                  rounded(kQuarterChord + shift)));
}

void check_blade(const BladeElement<double>& blade, const Inspector& inspector) {
  const double overlap = unit<double>(blade.span_axis).dot(unit<double>(blade.chord_axis));
  if (std::abs(overlap) > kPerpendicular)
    inspector.report(
        fmt::format("span_axis and chord_axis are not perpendicular: the cosine between them is {:.3g}",
                    overlap),
        "a strip is a section across the span");
  check_upper_side(blade, inspector);
  check_added_mass(blade, inspector);
  constexpr int kSamples = 32;
  for (int i = 0; i <= kSamples; ++i) {
    const double s = blade.span * i / kSamples, chord = blade.chord.calc(&s);
    const std::string fault = find_fault(chord, "m", Rule::kNotNegative);
    if (!fault.empty()) return inspector.report(fmt::format("chord at s = {:.6g} m {}", s, fault));
  }
}

void check_surface(const Entry& surface, const Resolver<double>& resolver, std::vector<Problem>* problems) {
  const std::size_t before = problems->size();
  const Inspector inspector(resolver, surface.mark, fmt::format("surface '{}'", surface.name), problems);
  inspector.check_fields<SurfaceKinds>(surface);
  if (problems->size() == before)
    std::visit([&](const auto& kind) { check_blade(kind, inspector); },
               resolve<SurfaceKinds, double>(surface, resolver));
}

std::string describe(const SingularJoint& s, const Model& model, bool child_massless) {
  const JointSpec& joint = model.joints[s.joint];
  const std::string& body = model.bodies[joint.child.value].name;
  if (s.massless)
    return fmt::format("the massless body '{}' makes the system singular: nothing here has mass", body);
  std::string which = "its motion meets";
  if (joint.nv() > 1)
    which = s.coordinates.size() == 1
                ? fmt::format("its coordinate {} meets", s.coordinates[0])
                : fmt::format("its coordinates {} meet", fmt::join(s.coordinates, ", "));
  return fmt::format("the {}body '{}' makes the system singular: {} no inertia of its own",
                     child_massless ? "massless " : "", body, which);
}

}  // namespace

void check_singularity(const Model& model, const std::vector<double>& parameters,
                       std::vector<Problem>* problems) {
  const Resolver<double> resolver{parameters.data()};
  for (const SingularJoint& s : find_singular_joints(model, parameters)) {
    const JointSpec& joint = model.joints[s.joint];
    const MassProperties<double> m = calc_mass_properties(model.bodies[joint.child.value], resolver);
    const bool massless = m.mass == 0 && m.I_BBcm.isZero(0);
    problems->push_back({joint.entry.mark, fmt::format("joint '{}'", joint.name()),
                         describe(s, model, massless),
                         massless ? "give the body mass, prescribe the joint, or weld it"
                                  : "give the body inertia about that axis (a rod or a point has none), or "
                                    "use a joint without it"});
  }
}

void check_model(const Model& model, const std::vector<double>& parameters, std::vector<Problem>* problems) {
  const std::size_t before = problems->size();
  const Resolver<double> resolver{parameters.data()};
  for (std::size_t i = 0; i < model.parameters.size(); ++i) {
    const ParameterSpec& p = model.parameters[i];
    Inspector(resolver, p.mark, fmt::format("parameter '{}'", p.name), problems)
        .check("its value", parameters[i]);
  }
  // what follows from a parameter that is no number is no news
  if (problems->size() != before) return;

  Inspector(resolver, {}, "gravity", problems).check("gravity", model.gravity, "m/s2");
  for (std::size_t k = 1; k < model.bodies.size(); ++k) check_body(model.bodies[k], resolver, problems);
  for (const JointSpec& joint : model.joints) check_joint(joint, resolver, problems);
  for (const Entry& constraint : model.constraints)
    Inspector(resolver, constraint.mark, fmt::format("constraint '{}'", constraint.name), problems)
        .check_fields<ConstraintKinds>(constraint);
  for (const Entry& force : model.forces)
    Inspector(resolver, force.mark, fmt::format("force '{}'", force.name), problems)
        .check_fields<ForceKinds>(force);
  for (const Entry& surface : model.surfaces) check_surface(surface, resolver, problems);
  for (const EventSpec& event : model.events)
    if (event.at)
      Inspector(resolver, event.mark, fmt::format("event '{}'", event.name), problems)
          .check("at", *event.at, "s");
}

}  // namespace haltere
