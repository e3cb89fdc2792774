#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "haltere/math/dense.h"
#include "haltere/model/constraints.h"
#include "haltere/model/findings.h"
#include "haltere/model/forces.h"
#include "haltere/model/joints.h"
#include "haltere/model/model.h"
#include "haltere/model/shapes.h"
#include "haltere/model/singular.h"
#include "haltere/model/surfaces.h"

namespace haltere {
namespace {

// of the sum of the principal moments: what rounding in the entries of an inertia may do to them, with room
constexpr double kInertiaSlack = 1e-12;
// of a unit vector: axes this close to parallel are parallel; rounding, with room
constexpr double kParallel = 1e-12;

constexpr std::array<std::string_view, 3> kAxisNames{"x", "y", "z"};

// cosine: what rounding in directions given as numbers may do to a right angle; nine digits, a choice
constexpr double kPerpendicular = 1e-9;

/// Checks the numbers of one thing of the model and reports what is wrong with them under its name.
class Inspector {
 public:
  Inspector(const Resolver<double>& resolver, SourceMark mark, std::string thing,
            std::vector<Problem>* problems)
      : resolver_(resolver), findings_(std::move(mark), std::move(thing), problems), problems_(problems) {}

  void report(std::string message, std::string hint = "") const {
    findings_.report(std::move(message), std::move(hint));
  }

  void check(std::string_view name, double x, std::string_view unit = "", Rule rule = Rule::kAny) const {
    const std::string fault = find_number_fault(x, unit, rule);
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
  void check(std::string_view name, const Triples<double>& rows, std::string_view unit, Rule rule) const {
    for (std::size_t k = 0; k < rows.size(); ++k)
      check(fmt::format("{}.{}", name, k), rows[k], unit.empty() ? "1" : unit, rule);
  }
  template <class Part>
  requires requires { Part::fields(); }
  void check(std::string_view name, const std::vector<Part>& parts, std::string_view, Rule) const {
    for (const Part& part : parts)
      for_each_field<Part>([&](const auto& f) {
        check(fmt::format("{}.{}.{}", name, part.name, f.name), part.*f.member, f.unit, f.rule);
      });
  }
  template <class Other>  // references, words and switches have nothing to check
  void check(std::string_view, const Other&, std::string_view, Rule) const {}

  void check(std::string_view name, const RotationSpec& rotation) const {
    for (const Expression& e : rotation.values) {
      const std::string fault = find_number_fault(resolver_.calc(e), "", Rule::kAny);
      if (!fault.empty()) return report(fmt::format("{} {}", name, fault));
    }
    if (!rotation.calc_R(resolver_).allFinite())
      report(fmt::format("{} has no direction: its {} is zero", name,
                         rotation.form == RotationSpec::Form::kQuaternion ? "quaternion" : "axis"));
  }

  /// Every field of a kind that the file gives, by its own rule; then the kind as a whole, where it has
  /// something to say. `prefix` stands before the names.
  template <class Kinds>
  void check_entry(const Entry& entry, std::string_view prefix = "") const {
    const std::size_t before = problems_->size();
    std::visit(
        [&]<class Kind>(const Kind& kind) {
          std::size_t i = 0;
          for_each_field<Kind>([&](const auto& f) {
            if (std::holds_alternative<std::monostate>(entry.values[i++])) return;
            check(fmt::format("{}{}", prefix, f.name), kind.*f.member, f.unit, f.rule);
          });
          if constexpr (requires { kind.check(findings_); })
            if (problems_->size() == before) kind.check(findings_);
        },
        resolve<Kinds, double>(entry, resolver_));
  }

 private:
  static bool unit_vector_exists(const Vector3<double>& x) { return unit<double>(x).allFinite(); }

  const Resolver<double>& resolver_;
  Findings findings_;
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
  if (body.shape) inspector.check_entry<ShapeKinds>(*body.shape, "shape.");
  // the inertia of a shape that obeys its rules is that of a rigid body
  if (body.inertia_shape) return inspector.check_entry<ShapeKinds>(*body.inertia_shape, "inertia.");
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
  inspector.check_entry<JointKinds>(joint.entry);
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

void check_state(const StateSpec& state, const Resolver<double>& resolver, std::vector<Problem>* problems) {
  const Inspector inspector(resolver, state.mark, fmt::format("state '{}'", state.name), problems);
  for (const StateField& field : state.info().fields)
    if (const auto& value = state.at(field.key); value && !field.of_motion)
      inspector.check(field.name, *value, field.unit, field.rule);
}

/// Images of images must end.
void check_planes(const Model& model, const Resolver<double>& resolver, std::vector<Problem>* problems) {
  std::vector<Vector3<double>> normals;
  for (const PlaneSpec& plane : model.planes) {
    const Inspector inspector(resolver, plane.mark, fmt::format("plane '{}'", plane.name), problems);
    const std::size_t before = problems->size();
    Vector3<double>& normal = normals.emplace_back();
    for (int i = 0; i < 3; ++i) normal[i] = resolver.calc(plane.normal[i]);
    inspector.check("point", plane.point, "m");
    inspector.check("normal", normal, "");
    if (problems->size() != before) return;
    normal.normalize();
    for (std::size_t i = 0; i + 1 < normals.size(); ++i)
      if (std::abs(normals[i].dot(normal)) > kPerpendicular)
        inspector.report(fmt::format("it is not perpendicular to plane '{}'", model.planes[i].name),
                         "images of images between such walls have no end; at most three planes, all "
                         "perpendicular to each other");
  }
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
        .check_entry<ConstraintKinds>(constraint);
  for (const Entry& force : model.forces)
    Inspector(resolver, force.mark, fmt::format("force '{}'", force.name), problems)
        .check_entry<ForceKinds>(force);
  for (const StateSpec& state : model.states) check_state(state, resolver, problems);
  check_planes(model, resolver, problems);
  for (const Entry& surface : model.surfaces)
    Inspector(resolver, surface.mark, fmt::format("surface '{}'", surface.name), problems)
        .check_entry<SurfaceKinds>(surface);
  for (const EventSpec& event : model.events)
    if (event.at)
      Inspector(resolver, event.mark, fmt::format("event '{}'", event.name), problems)
          .check("at", *event.at, "s");
}

}  // namespace haltere
