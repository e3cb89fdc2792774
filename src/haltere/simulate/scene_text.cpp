#include "haltere/simulate/scene_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <utility>
#include <variant>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "haltere/aero/gauss.h"
#include "haltere/formula/text.h"
#include "haltere/model/constraints.h"
#include "haltere/model/forces.h"
#include "haltere/model/joints.h"
#include "haltere/model/poses.h"
#include "haltere/model/shapes.h"
#include "haltere/model/surfaces.h"

namespace haltere {
namespace {

// of a drawing; choices
constexpr double kThinnest = 0.02;  // thickness of what has none, in its longest edge
constexpr double kBarRadius =
    0.012;  // of a bar that stands for a massless or slender body, in characteristic lengths
constexpr double kPointRadius = 0.04;  // of a mass without extent, the same
constexpr double kBlocky =
    0.15;  // a guess thinner than this, in its longest edge, is a box: an ellipsoid would vanish

// -- JSON, as much as is needed

using Members = std::vector<std::pair<std::string_view, std::string>>;

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (byte < 0x20)
      out += fmt::format("\\u{:04x}", byte);
    else
      out += c;
  }
  return out + '"';
}

std::string number(double value) {
  return fmt::format("{:.9g}", value);
}
std::string numbers(const Vector3<double>& v) {
  return fmt::format("[{:.9g},{:.9g},{:.9g}]", v[0], v[1], v[2]);
}
std::string numbers(const Matrix3<double>& M) {  // row after row
  std::string out;
  for (int i = 0; i < 9; ++i) out += fmt::format("{}{:.9g}", i > 0 ? "," : "[", M(i / 3, i % 3));
  return out + "]";
}
std::string listed(const std::vector<std::string>& items) {
  return fmt::format("[{}]", fmt::join(items, ","));
}
std::string object(const Members& members) {
  std::string out = "{";
  for (const auto& [key, value] : members) {
    if (value.empty()) continue;  // an absent one
    if (out.size() > 1) out += ',';
    out += quoted(key) + ':' + value;
  }
  return out + '}';
}

bool is_finite(const Vector3<double>& v) {
  return v.allFinite();
}

// -- shapes

/// A shape, and how far it reaches from its middle along its own axes.
struct Drawn {
  std::string kind;
  Vector3<double> at = Vector3<double>::Zero();  // in the body
  Matrix3<double> R = Matrix3<double>::Identity();
  Members members;
  Vector3<double> reach = Vector3<double>::Zero();
  bool is_guess = false;

  bool holds(const Vector3<double>& p) const {
    const Vector3<double> d = (R.transpose() * (p - at)).cwiseAbs();
    return (d.array() <= 1.05 * reach.array() + 1e-9 * reach.maxCoeff()).all();
  }
  std::string text() const {
    Members all{{"kind", quoted(kind)}, {"at", numbers(at)}, {"R", numbers(R)}};
    all.insert(all.end(), members.begin(), members.end());
    if (is_guess) all.emplace_back("guess", "true");
    return object(all);
  }
};

/// The rotation that carries z to an axis.
Matrix3<double> turn_z_to(const Vector3<double>& axis) {
  return align_z<double>(axis).R;
}

Drawn draw(const Box<double>& box) {
  return {.kind = "box", .members = {{"size", numbers(box.size)}}, .reach = box.size / 2};
}
Drawn draw(const Plate<double>& plate) {
  return {.kind = "plate", .members = {{"size", numbers(plate.size)}}, .reach = plate.size / 2};
}
Drawn draw(const Ellipsoid<double>& e) {
  return {.kind = "ellipsoid", .members = {{"radii", numbers(e.radii)}}, .reach = e.radii};
}
Drawn draw(const Sphere<double>& s) {
  return {.kind = "sphere",
          .members = {{"radius", number(s.radius)}},
          .reach = Vector3<double>::Constant(s.radius)};
}
/// Cylinders and rods lie along z of their own axes.
Drawn draw(const Cylinder<double>& c) {
  return {.kind = c.length > 0 ? "cylinder" : "disc",
          .R = turn_z_to(c.axis),
          .members = {{"radius", number(c.radius)}, {"length", number(c.length)}, {"axis", "[0,0,1]"}},
          .reach = {c.radius, c.radius, c.length / 2}};
}
Drawn draw(const Rod<double>& r) {
  return {.kind = "rod",
          .R = turn_z_to(r.axis),
          .members = {{"length", number(r.length)}, {"axis", "[0,0,1]"}},
          .reach = {0, 0, r.length / 2}};
}

Drawn draw_entry(const Entry& entry, const Resolver<double>& resolver, const Vector3<double>& com) {
  Drawn drawn =
      std::visit([](const auto& shape) { return draw(shape); }, resolve<ShapeKinds, double>(entry, resolver));
  drawn.at = com;
  return drawn;
}

/// The box or ellipsoid of the same principal inertias: nothing where there is no mass, a small sphere for a point.
std::optional<Drawn> guess_shape(const MassProperties<double>& m, double length) {
  if (!(m.mass > 0)) return std::nullopt;
  const Eigen::SelfAdjointEigenSolver<Matrix3<double>> solver(m.I_BBcm);
  const Vector3<double>& I = solver.eigenvalues();
  Matrix3<double> R = solver.eigenvectors();
  if (R.determinant() < 0) R.col(2) *= -1;
  Vector3<double> square;  // sum of m x^2 over m, along each principal axis
  for (int i = 0; i < 3; ++i)
    square[i] = std::max(0., (I[(i + 1) % 3] + I[(i + 2) % 3] - I[i]) / (2 * m.mass));
  const double largest = std::sqrt(square.maxCoeff());
  if (!(largest > 1e-6 * length))
    return Drawn{.kind = "sphere",
                 .at = m.p_BoBcm,
                 .members = {{"radius", number(kPointRadius * length)}},
                 .reach = Vector3<double>::Constant(kPointRadius * length),
                 .is_guess = true};
  const bool is_box = std::sqrt(square.minCoeff()) < kBlocky * largest;
  const Vector3<double> half = std::sqrt(is_box ? 3. : 5.) * square.cwiseSqrt();
  const Vector3<double> thick = half.cwiseMax(kThinnest * half.maxCoeff());
  return Drawn{
      .kind = is_box ? "box" : "ellipsoid",
      .at = m.p_BoBcm,
      .R = R,
      .members = {is_box
                      ? std::pair<std::string_view, std::string>{"size", numbers(Vector3<double>(2 * thick))}
                      : std::pair<std::string_view, std::string>{"radii", numbers(thick)}},
      .reach = thick,
      .is_guess = true};
}

Drawn draw_bar(const Vector3<double>& from, const Vector3<double>& to, double radius) {
  const Vector3<double> d = to - from;
  return {.kind = "rod",
          .at = (from + to) / 2,
          .R = turn_z_to(d),
          .members = {{"length", number(std::sqrt(d.squaredNorm()))},
                      {"radius", number(radius)},
                      {"axis", "[0,0,1]"}},
          .reach = {radius, radius, std::sqrt(d.squaredNorm()) / 2},
          .is_guess = true};
}

// -- the scene

class SceneText {
 public:
  SceneText(const Model& model, const std::vector<double>& parameters)
      : model_(model),
        resolver_{parameters.data()},
        locals_(calc_initial_locals(model, parameters)),
        length_(calc_model_length(model, parameters)),
        X_WB_(calc_poses(model, parameters, Stance::kStart)),
        points_(model.bodies.size()),
        is_covered_(model.bodies.size(), false) {}

  std::string write() {
    const std::string joints = write_joints(), links = write_links(), surfaces = write_surfaces();
    write_constraints();
    for (const PlaneSpec& plane : model_.planes) add_plane(plane.name, calc(plane.point), calc(plane.normal));
    measure_bodies();
    if (extent_ > 0) length_ = extent_;  // of bodies alone: springs may be long, and grounds far away
    // known by now: what bodies connect, and what else is drawn of them
    const std::string bodies = write_bodies();
    return object({{"gravity", numbers(calc(model_.gravity))},
                   {"length", number(length_)},
                   {"tree", write_tree()},
                   {"bodies", bodies},
                   {"joints", joints},
                   {"links", with_distances(links)},
                   {"wheels", listed(wheels_)},
                   {"planes", listed(planes_)},
                   {"surfaces", surfaces},
                   {"closed", listed(closed_)},
                   {"arrows", write_arrows()},
                   {"units", write_units()},
                   {"presets", write_presets()}});
  }

 private:
  Vector3<double> calc(const Expression3& e) const {
    return {resolver_.calc(e[0]), resolver_.calc(e[1]), resolver_.calc(e[2])};
  }
  /// A point that may move by formulas of time, as it is at the start.
  Vector3<double> calc(const VectorFunction<double>& f) const {
    return {f[0].calc(locals_.data()), f[1].calc(locals_.data()), f[2].calc(locals_.data())};
  }
  static int index_of(BodyIndex body) { return body.value - 1; }
  static std::string end_of(BodyIndex body, const Vector3<double>& point) {
    return object({{"body", number(index_of(body))}, {"point", numbers(point)}});
  }
  void connect(BodyIndex body, const Vector3<double>& point) {
    points_[body.value].push_back(point);
    if (body.value > 0) measure(point);
  }
  /// A point of the machine, as far from the origin of its body.
  void measure(const Vector3<double>& point) {
    if (point.allFinite()) extent_ = std::max(extent_, std::sqrt(point.squaredNorm()));
  }
  void measure_bodies() {
    for (std::size_t b = 1; b < model_.bodies.size(); ++b) {
      const BodySpec& body = model_.bodies[b];
      const MassProperties<double> m = calc_mass_properties(body, resolver_);
      measure(m.p_BoBcm);
      if (m.mass > 0) measure({std::sqrt(std::max(0., m.I_BBcm.trace()) / m.mass / 2), 0, 0});
      if (body.shape) measure({draw_entry(*body.shape, resolver_, m.p_BoBcm).reach.maxCoeff(), 0, 0});
    }
  }

  std::string write_tree() const {
    std::vector<std::string> items;
    for (std::size_t b = 1; b < model_.bodies.size(); ++b) {
      const JointSpec& joint = model_.joints[b - 1];
      const std::string parent = joint.parent.value == 0 ? "" : model_.bodies[joint.parent.value].name;
      items.push_back(object({{"body", quoted(model_.bodies[b].name)},
                              {"parent", quoted(parent)},
                              {"joint", quoted(joint.name())},
                              {"kind", quoted(JointKinds::kNames[joint.entry.kind])},
                              {"mass", number(resolver_.calc(model_.bodies[b].mass))}}));
    }
    return listed(items);
  }

  std::string write_joints() {
    std::vector<std::string> items;
    for (const JointSpec& joint : model_.joints) {
      const Transform<double> X_PF = joint.parent_frame.calc_X(resolver_),
                              X_BM = joint.child_frame.calc_X(resolver_);
      std::string axis;
      std::visit(
          [&](const auto& kind) {
            if constexpr (requires { kind.axis; })
              axis = numbers(Vector3<double>(X_PF.R * unit<double>(kind.axis)));
          },
          resolve<JointKinds, double>(joint.entry, resolver_));
      items.push_back(object({{"name", quoted(joint.name())},
                              {"kind", quoted(JointKinds::kNames[joint.entry.kind])},
                              {"body", number(index_of(joint.parent))},
                              {"point", numbers(X_PF.p)},
                              {"axis", axis}}));
      if (JointKinds::kNames[joint.entry.kind] == Free<double>::kName) continue;
      if (joint.parent.value > 0) connect(joint.parent, X_PF.p);
      connect(joint.child, X_BM.p);
    }
    return listed(items);
  }

  std::string write_links() {
    std::vector<std::string> items;
    for (const Entry& entry : model_.forces) {
      const auto any = resolve<ForceKinds, double>(entry, resolver_);
      const auto* spring = std::get_if<SpringDamper<double>>(&any);
      if (spring == nullptr) continue;
      const bool is_damper = spring->stiffness == 0 && spring->damping > 0;
      items.push_back(write_link(entry, is_damper ? "damper" : "spring", *spring));
    }
    return fmt::format("{}", fmt::join(items, ","));
  }
  template <class Kind>
  std::string write_link(const Entry& entry, std::string_view what, const Kind& kind) {
    const Vector3<double> from = calc(kind.from_point);
    connect(kind.from, from);
    connect(kind.to, kind.to_point);
    return object({{"name", quoted(entry.name)},
                   {"kind", quoted(what)},
                   {"from", end_of(kind.from, from)},
                   {"to", end_of(kind.to, kind.to_point)}});
  }
  std::string with_distances(const std::string& links) const {
    std::string all = links;
    for (const std::string& distance : distances_) all += (all.empty() ? "" : ",") + distance;
    return "[" + all + "]";
  }

  void write_constraints() {
    for (const Entry& entry : model_.constraints) {
      const auto any = resolve<ConstraintKinds, double>(entry, resolver_);
      if (const auto* distance = std::get_if<Distance<double>>(&any))
        distances_.push_back(write_link(entry, "distance", *distance));
      if (const auto* point = std::get_if<Coincident<double>>(&any)) {
        connect(point->from, calc(point->from_point));
        connect(point->to, point->to_point);
      }
      if (const auto* wheel = std::get_if<Rolling<double>>(&any)) write_wheel(entry, *wheel);
    }
  }

  void write_wheel(const Entry& entry, const Rolling<double>& wheel) {
    const Transform<double>& X_WA = X_WB_[wheel.from.value];
    const Vector3<double> point = X_WA * calc(wheel.from_point), normal = X_WA.R * unit<double>(wheel.normal);
    is_covered_[wheel.to.value] = true;
    // the channels of the contact are x and y of the world: a level ground has them as its own axes
    const bool is_level = wheel.from.value == 0 && std::abs(std::abs(normal[2]) - 1) < 1e-12;
    Vector3<double> up = normal, origin = point, x = turn_z_to(normal).col(0);
    std::string path;
    if (is_level) {
      up = Vector3<double>::UnitZ();
      origin = {0, 0, point[2]};
      x = Vector3<double>::UnitX();
      const std::string channel = "constraint." + entry.name + ".point.";
      path = object({{"x", quoted(channel + "x")}, {"y", quoted(channel + "y")}});
    }
    wheels_.push_back(
        object({{"name", quoted(entry.name)},
                {"body", number(index_of(wheel.to))},
                {"center", numbers(wheel.to_point)},
                {"axis", numbers(unit<double>(wheel.axis))},
                {"radius", number(wheel.radius)},
                {"tube", number(wheel.tube_radius)},
                {"plane", object({{"point", numbers(origin)}, {"normal", numbers(up)}, {"x", numbers(x)}})},
                {"path", path}}));
    if (wheel.from.value == 0) add_plane(entry.name, point, normal);
  }

  void add_plane(const std::string& name, const Vector3<double>& point, const Vector3<double>& normal) {
    const Vector3<double> n = unit<double>(normal);
    if (!is_finite(point) || !is_finite(n)) return;
    const std::string place = numbers(n) + fmt::format("{:.6g}", n.dot(point));
    if (std::find(places_.begin(), places_.end(), place) != places_.end())
      return;  // two wheels on one ground
    places_.push_back(place);
    planes_.push_back(object({{"name", quoted(name)}, {"point", numbers(point)}, {"normal", numbers(n)}}));
  }

  std::string write_surfaces() {
    std::vector<std::string> items;
    for (const Entry& entry : model_.surfaces) {
      const auto any = resolve<SurfaceKinds, double>(entry, resolver_);
      std::visit([&](const auto& surface) { is_covered_[surface.body.value] = true; }, any);
      if (const auto* blade = std::get_if<BladeElement<double>>(&any))
        items.push_back(write_blade(entry.name, *blade));
      if (std::holds_alternative<VortexBody<double>>(any)) closed_.push_back(quoted(entry.name));
    }
    return listed(items);
  }

  /// Strips as the points of Gauss divide the span.
  std::string write_blade(const std::string& name, const BladeElement<double>& blade) {
    const Vector3<double> along = unit<double>(blade.span_axis), back = unit<double>(blade.chord_axis);
    std::vector<double> stations{0};
    for (const double weight : make_gauss_rule(blade.points).weights)
      stations.push_back(stations.back() + weight * blade.span);
    stations.back() = blade.span;
    std::string leading, trailing;
    for (const double s : stations) {
      const Vector3<double> edge = blade.root + s * along + blade.sweep.calc(&s) * back,
                            end = edge + blade.chord.calc(&s) * back;
      leading += fmt::format("{}{:.9g},{:.9g},{:.9g}", leading.empty() ? "" : ",", edge[0], edge[1], edge[2]);
      trailing += fmt::format(",{:.9g},{:.9g},{:.9g}", end[0], end[1], end[2]);
    }
    measure(blade.root + blade.span * along);
    std::vector<std::string> load;
    for (int k = 1; k <= blade.points; ++k)
      load.push_back(quoted(fmt::format("surface.{}.strip.{}.power", name, k)));
    return object({{"name", quoted(name)},
                   {"body", number(index_of(blade.body))},
                   {"columns", number(blade.points)},
                   {"nodes", "[" + leading + trailing + "]"},
                   {"load", listed(load)}});
  }

  std::string write_bodies() const {
    std::vector<std::string> items;
    for (std::size_t b = 1; b < model_.bodies.size(); ++b) {
      const MassProperties<double> m = calc_mass_properties(model_.bodies[b], resolver_);
      std::vector<std::string> shapes;
      for (const Drawn& drawn : draw_body(b, m)) shapes.push_back(drawn.text());
      items.push_back(object({{"name", quoted(model_.bodies[b].name)},
                              {"mass", number(m.mass)},
                              {"com", numbers(m.p_BoBcm)},
                              {"shapes", listed(shapes)}}));
    }
    return listed(items);
  }

  /// The reader takes the primitive of the inertia where a body has no other shape.
  static bool is_of_inertia(const BodySpec& body) {
    if (!body.inertia_shape) return false;
    const SourceMark &shape = body.shape->mark, &inertia = body.inertia_shape->mark;
    return shape.file == inertia.file && shape.line == inertia.line && shape.column == inertia.column;
  }

  std::vector<Drawn> draw_body(std::size_t b, const MassProperties<double>& m) const {
    const BodySpec& body = model_.bodies[b];
    std::vector<Drawn> shapes;
    const bool has_own = body.shape && !is_of_inertia(body);
    if (body.shape) shapes.push_back(draw_entry(*body.shape, resolver_, m.p_BoBcm));
    if (is_covered_[b]) {  // a wheel, a wing: it is drawn itself
      if (!has_own || shapes[0].kind == "plate") shapes.clear();
      return shapes;
    }
    if (auto guess = body.shape ? std::nullopt : guess_shape(m, length_)) shapes.push_back(std::move(*guess));
    // bars to the points that it connects, from its middle, or from one of them where it has no mass
    std::optional<Vector3<double>> middle;
    if (!shapes.empty()) middle = m.p_BoBcm;
    const std::size_t n_solid = shapes.size();
    for (const Vector3<double>& point : points_[b]) {
      if (!middle) middle = point;
      const bool is_inside = n_solid > 0 && shapes[0].holds(point);
      if (is_inside || !((point - *middle).squaredNorm() > 1e-12 * length_ * length_)) continue;
      shapes.push_back(draw_bar(*middle, point, kBarRadius * length_));
    }
    return shapes;
  }

  // -- arrows: forces as channels have them, in axes of the world

  static std::string three(const std::string& channel) {
    return listed({quoted(channel + ".x"), quoted(channel + ".y"), quoted(channel + ".z")});
  }
  std::string write_arrow(const std::string& name, std::string_view kind, BodyIndex body,
                          const std::optional<Vector3<double>>& point, const std::string& channel) const {
    return object({{"name", quoted(name)},
                   {"kind", quoted(kind)},
                   {"body", number(index_of(body))},
                   {"point", numbers(point ? *point : calc(model_.bodies[body.value].center_of_mass))},
                   {"channels", three(channel)}});
  }

  std::string write_arrows() const {
    std::vector<std::string> items;
    for (const JointSpec& joint : model_.joints) {
      const Vector3<double> point = joint.child_frame.calc_X(resolver_).p;
      const std::string channel = "joint." + joint.name() + ".reaction.";
      items.push_back(
          write_arrow("reaction of " + joint.name(), "force", joint.child, point, channel + "force"));
      items.push_back(
          write_arrow("reaction of " + joint.name(), "torque", joint.child, point, channel + "torque"));
    }
    for (const Entry& entry : model_.constraints)
      std::visit(
          [&](const auto& kind) {
            std::optional<Vector3<double>> point;
            if constexpr (requires { kind.to_point; }) point = kind.to_point;
            const std::string channel = "constraint." + entry.name;
            items.push_back(write_arrow(entry.name, "force", kind.to, point, channel + ".force"));
            items.push_back(write_arrow(entry.name, "torque", kind.to, point, channel + ".torque"));
          },
          resolve<ConstraintKinds, double>(entry, resolver_));
    for (const Entry& entry : model_.surfaces)
      std::visit(
          [&](const auto& kind) {
            const std::string channel = "surface." + entry.name;
            items.push_back(
                write_arrow("air on " + entry.name, "force", kind.body, std::nullopt, channel + ".force"));
            items.push_back(
                write_arrow("air on " + entry.name, "torque", kind.body, std::nullopt, channel + ".moment"));
          },
          resolve<SurfaceKinds, double>(entry, resolver_));
    return listed(items);
  }

  std::string write_units() const {
    Members units;
    for (const ParameterSpec& parameter : model_.parameters)
      if (parameter.measure.kind == Measure::Kind::kExact && parameter.measure.dimension != Dimension{})
        units.emplace_back(parameter.name, quoted(to_string(parameter.measure.dimension)));
    return object(units);
  }

  std::string write_presets() const {
    std::vector<std::string> presets;
    for (const PresetSpec& preset : model_.presets) {
      std::vector<std::string> panes;
      for (const PresetSpec::Pane& pane : preset.panes) {
        std::vector<std::string> globs;
        for (const std::string& glob : pane.channels) globs.push_back(quoted(glob));
        panes.push_back(object({{"title", pane.title.empty() ? "" : quoted(pane.title)},
                                {"channels", listed(globs)},
                                {"x", pane.x.empty() ? "" : quoted(pane.x)}}));
      }
      presets.push_back(object({{"title", quoted(preset.title)}, {"panes", listed(panes)}}));
    }
    return listed(presets);
  }

  const Model& model_;
  const Resolver<double> resolver_;
  const std::vector<double> locals_;  // t and the states at the start
  double length_, extent_ = 0;        // [m]
  const std::vector<Transform<double>> X_WB_;
  std::vector<std::vector<Vector3<double>>> points_;  // of each body: where joints and links hold it
  std::vector<bool> is_covered_;                      // bodies of which something else is drawn
  std::vector<std::string> wheels_, planes_, places_, distances_, closed_;
};

}  // namespace

std::string make_scene_text(const Model& model, const std::vector<double>& parameters) {
  return SceneText(model, parameters).write();
}

}  // namespace haltere
