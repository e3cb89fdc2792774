#include "haltere/dynamics/lattice_air.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "haltere/dynamics/machine/machine.h"
#include "haltere/dynamics/snapshot.h"
#include "haltere/model/kind_info.h"
#include "haltere/model/lattices.h"
#include "haltere/model/poses.h"
#include "haltere/model/surfaces.h"
#include "haltere/model/surfaces/planform.h"
#include "haltere/model/touched_bodies.h"

namespace haltere {
namespace {

// part of a step: a motion that is as near to its end is at it. Times of rows and steps are products that may differ
// in their last digits.
constexpr double kAtEnd = 1e-9;
// of all lattices together: a dense matrix of 130 MB, some seconds a step; a choice
constexpr long kMostPanels = 4000;
// of the size of a wing: its root may lie in a plane, to rounding
constexpr double kInPlane = 1e-9;

std::set<int> find_bodies(const Model& model, const Entry& surface) {
  return find_touched_bodies(model, surface_kinds()[surface.kind], surface);
}

LatticeSpec make_spec(const VortexLattice<double>& wing) {
  const PanelCount panels = count_panels(wing);
  return {.rows = panels.rows,
          .columns = panels.columns,
          .layout = wing.layout,
          .sheds_trailing = wing.shedding != Shedding::kNone,
          .sheds_tip = wing.shedding == Shedding::kTip || wing.shedding == Shedding::kLeadingEdge,
          .sheds_leading = wing.shedding == Shedding::kLeadingEdge,
          .wake_is_free = wing.wake == WakeMotion::kFree,
          .is_closed = wing.is_closed,
          .critical_angle = wing.critical_angle,
          .critical_suction = wing.critical_suction};
}

/// What a body does not say of the air, because it sheds nothing.
void take_wakes(const VortexLattice<double>& wing, VortexLattice<double>* body) {
  body->core = wing.core;
  body->core_growth = wing.core_growth;
  body->far_field = wing.far_field;
  body->wake_age = wing.wake_age;
  body->coarsen_after = wing.coarsen_after;
  body->convection = wing.convection;
  body->coupling = wing.coupling;
  body->coupling_tolerance = wing.coupling_tolerance;
}

bool are_equal(const std::vector<VortexAir::Motion>& a, const std::vector<VortexAir::Motion>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i].corners != b[i].corners || a[i].velocities != b[i].velocities) return false;
  return true;
}

VortexSheet draw_lattice(const std::string& name, const VortexAir& air, int w,
                         const VortexLattice<double>& wing, const std::vector<Vector3<double>>& corners) {
  const PanelCount panels = count_panels(wing);
  VortexSheet sheet{.surface = name,
                    .rows = panels.rows,
                    .columns = panels.columns,
                    .air_rows = panels.rows,
                    .nodes = corners};
  const std::vector<PointForce> forces = air.calc_forces(w, LatticeLoad::kBernoulli);  // one a panel
  for (int i = 0; i < sheet.rows; ++i)
    for (int j = 0; j < sheet.columns; ++j) {
      sheet.circulations.push_back(air.circulation(w, i, j));
      const Vector3<double>* corner = &corners[static_cast<std::size_t>(i) * (sheet.columns + 1) + j];
      const Vector3<double>* behind = corner + sheet.columns + 1;
      const Vector3<double> normal =
          (behind[1] - corner[0]).cross(corner[1] - behind[0]) / 2;  // as long as the area
      const Vector3<double>& force = forces[static_cast<std::size_t>(i) * sheet.columns + j].force;
      sheet.pressures.push_back(force.dot(normal) / normal.squaredNorm());
    }
  return sheet;
}

VortexSheet draw_wake(const std::string& name, const Wake& wake) {
  VortexSheet sheet{.surface = name,
                    .is_wake = true,
                    .rows = wake.rows(),
                    .columns = wake.columns(),
                    .air_rows = wake.rows()};
  for (int i = 0; i <= sheet.rows; ++i)
    for (int j = 0; j <= sheet.columns; ++j) sheet.nodes.push_back(wake.node(i, j));
  for (int i = 0; i < sheet.rows; ++i)
    for (int j = 0; j < sheet.columns; ++j) sheet.circulations.push_back(wake.circulation(i, j));
  return sheet;
}

bool is_same(const Function<double>& a, const Function<double>& b) {
  if (a.expression == nullptr || b.expression == nullptr) return a.expression == b.expression;
  return a.expression->text() == b.expression->text() && a.value == b.value;
}

/// What of the air two surfaces tell otherwise; null: nothing.
const char* find_difference(const VortexLattice<double>& a, const VortexLattice<double>& b) {
  const std::array<std::pair<bool, const char*>, 11> fields{{
      {a.step == b.step, "step"},
      {a.core == b.core, "core"},
      {a.density == b.density, "density"},
      {a.core_growth == b.core_growth, "core_growth"},
      {a.far_field == b.far_field, "far_field"},
      {a.wake_age == b.wake_age, "wake_age"},
      {a.coarsen_after == b.coarsen_after, "coarsen_after"},
      {a.convection == b.convection, "convection"},
      {a.coupling == b.coupling, "coupling"},
      {a.coupling_tolerance == b.coupling_tolerance, "coupling_tolerance"},
      {std::equal(a.wind.begin(), a.wind.end(), b.wind.begin(), is_same), "wind"},
  }};
  const auto* other =
      std::find_if(fields.begin(), fields.end(), [](const auto& field) { return !field.first; });
  return other == fields.end() ? nullptr : other->second;
}

/// The corners of a flap, which turns on its body.
void turn_flap(const CarriedWing::Flap& flap, const Jet<double>& angle, const Scene<double>& scene,
               VortexAir::Motion* motion) {
  const Matrix3<double> turn = Eigen::AngleAxisd(angle.value, flap.axis).toRotationMatrix();
  const Transform<double>& X = scene.X_WB[flap.body];
  const Vector6<double>& V = scene.V_WB[flap.body];
  for (std::size_t k = 0; k < flap.corners.size(); ++k) {
    const Vector3<double> arm = turn * (flap.places[k] - flap.hinge), r = X.R * (flap.hinge + arm);
    motion->corners[flap.corners[k]] = X.p + r;
    motion->velocities[flap.corners[k]] =
        V.tail<3>() + V.head<3>().cross(r) + angle.d1 * (X.R * flap.axis.cross(arm));
  }
}

/// From the axes of a body.
Vector6<double> to_world(const Matrix3<double>& R_WB, const Vector6<double>& wrench) {
  Vector6<double> F;
  F << R_WB * wrench.head<3>(), R_WB * wrench.tail<3>();
  return F;
}

}  // namespace

Environments make_environments(const Model& model) {
  for (const Entry& surface : model.surfaces)
    if (is_lattice(surface)) return {std::make_shared<LatticeAir>(model)};
  return {};
}

void require_no_memory(const Model& model, std::string_view what) {
  for (const Entry& surface : model.surfaces)
    if (is_lattice(surface))
      throw InputError({Problem{surface.mark, fmt::format("surface '{}'", surface.name),
                                fmt::format("there is no {} with wakes yet", what),
                                "`haltere run` knows them; blade-element is a surface without memory"}});
}

LatticeAir::LatticeAir(const Model& model) : model_(model), locals_(model) {
  for (std::size_t i = 0; i < model.surfaces.size(); ++i)
    if (is_lattice(model.surfaces[i])) wings_.push_back({static_cast<int>(i), {}, {}});
  for (const Wing& wing : wings_) {
    const Entry& entry = model_.surfaces[wing.surface];
    const std::string freedom = find_freedom(wing);
    if (!freedom.empty() && SurfaceKinds::kNames[entry.kind] == VortexBody<double>::kName)
      throw InputError({Problem{entry.mark, fmt::format("surface '{}'", entry.name),
                                freedom + ", and the air of closed bodies does not act on what is free yet",
                                "prescribe or lock it, or leave it away"}});
    is_led_ = is_led_ && freedom.empty();
    require_whole(wing);
  }
}

/// No event tears it apart.
void LatticeAir::require_whole(const Wing& wing) const {
  const Entry& entry = model_.surfaces[wing.surface];
  const std::set<int> carriers = find_bodies(model_, entry);
  const auto hangs_on = [&](int body, int joint) {
    while (body > 0 && body - 1 != joint) body = model_.joints[body - 1].parent.value;
    return body > 0;
  };
  for (const EventSpec& event : model_.events)
    for (const int joint : event.break_off) {
      const auto beyond =
          std::count_if(carriers.begin(), carriers.end(), [&](int body) { return hangs_on(body, joint); });
      if (joint >= model_.n_tree() || beyond == 0 || beyond == static_cast<long>(carriers.size())) continue;
      throw InputError({Problem{event.mark, fmt::format("event '{}'", event.name),
                                fmt::format("joint '{}' breaks off within surface '{}', which cannot be torn",
                                            model_.joints[joint].name(), entry.name),
                                "a surface for each part"}});
    }
}

std::string LatticeAir::find_freedom(const Wing& wing) const {
  const auto names = [](const std::vector<int>& joints, int joint) {
    return std::find(joints.begin(), joints.end(), joint) != joints.end();
  };
  for (const int carrier : find_bodies(model_, model_.surfaces[wing.surface]))
    for (int body = carrier; body > 0;) {
      const int j = body - 1;
      const JointSpec& joint = model_.joints[j];
      for (const EventSpec& event : model_.events)
        if (names(event.break_off, j) || names(event.free, j))
          return fmt::format("event '{}' lets joint '{}' go", event.name, joint.name());
      for (int i = 0; i < joint.nv(); ++i)
        if (joint.mode(i) != CoordinateMode::kPrescribed)
          return fmt::format("joint '{}' is free to move", joint.name());
      body = joint.parent.value;
    }
  return "";
}

std::vector<BodyIndex> LatticeAir::bodies() const {
  std::vector<BodyIndex> list;
  for (const Wing& wing : wings_)
    for (const int body : find_bodies(model_, model_.surfaces[wing.surface])) list.push_back({body});
  return list;
}

void LatticeAir::set_machine(const Machine<double>& machine) {
  parameters_ = machine.parameters;
  const Resolver<double> resolver{parameters_.data()};
  std::vector<LatticeSpec> specs;
  std::vector<const Expression*> deflections;
  const std::vector<Transform<double>> X_WB = calc_poses(model_, parameters_, Stance::kZero);
  for (Wing& wing : wings_) wing.kind = find_lattice(model_.surfaces[wing.surface], resolver).value();
  const VortexLattice<double>& leader = first_wing().kind;
  for (Wing& wing : wings_) {
    if (wing.kind.is_closed) take_wakes(leader, &wing.kind);
    wing.carried = carry(wing.kind, X_WB);
    specs.push_back(make_spec(wing.kind));
    for (const WingFlap<double>& flap : wing.kind.flaps)
      if (flap.deflection.expression != nullptr) deflections.push_back(flap.deflection.expression);
  }
  locals_.set_machine(machine, deflections);
  require_one_air();
  if (!is_led_ && coupling_ == nullptr) make_coupling();
  const VortexLattice<double>& first = wings_.front().kind;
  if (first.step != step_) {  // the present step ends as it was meant to
    grid_ = next_;
    steps_ = 0;
    step_ = first.step;
  }
  VortexAir::Settings settings = make_settings(resolver);
  if (now_)
    now_->air.set_settings(std::move(settings));
  else
    make_air(std::move(settings), specs);
  knows_end_ = is_carried_ = false;
}

VortexAir::Settings LatticeAir::make_settings(const Resolver<double>& resolver) const {
  const VortexLattice<double>& first = wings_.front().kind;
  VortexAir::Settings settings;
  settings.density = first.density;
  settings.core = first.core;
  settings.wind = [wind = first.wind](double t, const Vector3<double>& place) {
    const std::array<double, 4> at{t, place[0], place[1], place[2]};
    return Vector3<double>(wind[0].calc(at.data()), wind[1].calc(at.data()), wind[2].calc(at.data()));
  };
  settings.core_growth = first.core_growth;
  settings.far_field = first.far_field;
  settings.limits = {first.wake_age, first.coarsen_after};
  settings.convection = first.convection;
  std::vector<AirPlane> planes;
  for (const PlaneSpec& spec : model_.planes) {
    AirPlane& plane = planes.emplace_back();
    for (int i = 0; i < 3; ++i) {
      plane.point[i] = resolver.calc(spec.point[i]);
      plane.normal[i] = resolver.calc(spec.normal[i]);
    }
  }
  settings.planes = ImagePlanes(planes);
  return settings;
}

void LatticeAir::make_air(VortexAir::Settings settings, const std::vector<LatticeSpec>& specs) {
  now_ = std::make_unique<Moment>(Moment{VortexAir(std::move(settings), specs), {}, {}, {}});
  for (const Wing& wing : wings_) {
    const std::vector<Vector6<double>> none(wing.carried.bodies.size(), Vector6<double>::Zero());
    now_->wrenches.emplace_back(Words<LatticeLoad>::kNames.size(), none);
    now_->strips.emplace_back(wing.carried.carriers.size(), Vector3<double>::Zero());
  }
  ahead_ = std::make_unique<Moment>(*now_);
  if (is_coupled()) carried_ = std::make_unique<Moment>(*now_);
}

/// The first surface that is a wing; where none is, the first body.
const LatticeAir::Wing& LatticeAir::first_wing() const {
  const auto wing =
      std::find_if(wings_.begin(), wings_.end(), [](const Wing& w) { return !w.kind.is_closed; });
  return wing == wings_.end() ? wings_.front() : *wing;
}

/// All lattices are in the same air: what is one for all of it must be alike. And its matrix must fit.
void LatticeAir::require_one_air() const {
  const Entry& first = model_.surfaces[wings_.front().surface];
  long panels = 0;
  for (const Wing& wing : wings_) {
    const Entry& entry = model_.surfaces[wing.surface];
    const PanelCount own = count_panels(wing.kind);
    panels += static_cast<long>(own.rows) * own.columns;
    if (panels > kMostPanels)
      throw InputError({Problem{entry.mark, fmt::format("surface '{}'", entry.name),
                                fmt::format("{} panels so far: their matrix takes {:.2g} GB", panels,
                                            8e-9 * static_cast<double>(panels) * static_cast<double>(panels)),
                                fmt::format("all lattices together may have {}", kMostPanels)}});
    const char* other = find_difference(wing.kind, wings_.front().kind);
    if (other == nullptr) continue;
    throw InputError({Problem{entry.mark, fmt::format("surface '{}'", entry.name),
                              fmt::format("its {} is not that of surface '{}'", other, first.name),
                              "all lattices are in one air: give it in `air`, or alike"}});
  }
}

// -- steps

/// In settled air flaps stand still, as whatever else is prescribed.
void LatticeAir::calc_motions(const Scene<double>& scene, bool is_settled,
                              std::vector<VortexAir::Motion>* motions) const {
  const Jet<double>* locals = locals_.calc(scene);
  motions->resize(wings_.size());
  for (std::size_t w = 0; w < wings_.size(); ++w) {
    const Wing& wing = wings_[w];
    VortexAir::Motion& motion = (*motions)[w];
    motion.corners.clear();
    motion.velocities.clear();
    for (std::size_t k = 0; k < wing.carried.corners.size(); ++k) {
      const int body = wing.carried.body_of(k);
      const Transform<double>& X = scene.X_WB[body];
      const Vector6<double>& V = scene.V_WB[body];
      const Vector3<double> r = X.R * wing.carried.corners[k];
      motion.corners.emplace_back(X.p + r);
      motion.velocities.emplace_back(V.tail<3>() + V.head<3>().cross(r));
    }
    for (std::size_t k = 0; k < wing.carried.flaps.size(); ++k) {
      Jet<double> angle = wing.kind.flaps[k].deflection.calc_jet(locals);
      if (is_settled) angle.d1 = 0;
      turn_flap(wing.carried.flaps[k], angle, scene, &motion);
    }
  }
}

/// What the forces are on each body of a wing. One on the line between two bodies is half on each.
void LatticeAir::share(const Wing& wing, const std::vector<PointForce>& forces, const Scene<double>& scene,
                       std::vector<Vector6<double>>* wrenches) {
  std::fill(wrenches->begin(), wrenches->end(), Vector6<double>::Zero());
  const auto add = [&](int carrier, const PointForce& f, double part) {
    const Transform<double>& X = scene.X_WB[wing.carried.bodies[carrier]];
    const Vector3<double> force = X.R.transpose() * (part * f.force),
                          place = X.R.transpose() * (f.point - X.p);
    (*wrenches)[carrier].head<3>() += place.cross(force);
    (*wrenches)[carrier].tail<3>() += force;
  };
  for (const PointForce& f : forces) {
    const int inner = wing.carried.carriers[f.column], outer = wing.carried.carriers[f.other_column];
    add(inner, f, inner == outer ? 1 : 0.5);
    if (inner != outer) add(outer, f, 0.5);
  }
}

/// The force on each column of panels, in the axes of the body that carries it. One on the line between two columns is
/// half on each.
void LatticeAir::share_strips(const Wing& wing, const std::vector<PointForce>& forces,
                              const Scene<double>& scene, std::vector<Vector3<double>>* strips) {
  std::fill(strips->begin(), strips->end(), Vector3<double>::Zero());
  for (const PointForce& f : forces)
    for (const int column : {f.column, f.other_column})
      (*strips)[column] +=
          scene.X_WB[wing.carried.bodies[wing.carried.carriers[column]]].R.transpose() * f.force / 2;
}

void LatticeAir::update_wrenches(const Scene<double>& scene, Moment* moment) const {
  for (std::size_t w = 0; w < wings_.size(); ++w)
    for (std::size_t load = 0; load < Words<LatticeLoad>::kNames.size(); ++load) {
      forces_.clear();
      moment->air.add_forces(static_cast<int>(w), static_cast<LatticeLoad>(load), &forces_);
      share(wings_[w], forces_, scene, &moment->wrenches[w][load]);
      if (load == static_cast<std::size_t>(wings_[w].kind.load))
        share_strips(wings_[w], forces_, scene, &moment->strips[w]);
    }
}

/// The image of a wing that is behind a plane lies before it, in its own air.
void LatticeAir::require_before_planes(double t, const std::vector<VortexAir::Motion>& motions) const {
  for (std::size_t w = 0; w < wings_.size(); ++w) {
    const std::vector<Vector3<double>>& corners = motions[w].corners;
    for (std::size_t k = 0; k < corners.size(); ++k)
      if (!corners[k].allFinite() || !motions[w].velocities[k].allFinite())
        throw RunError(fmt::format(
            "t = {:.10g} s: surface '{}' has a corner at no place, or with no velocity\n"
            "  try: a look at the deflections of its flaps, at what they read, and at tables that end",
            t, model_.surfaces[wings_[w].surface].name));
    const double size = (corners.back() - corners.front()).norm();
    for (const Vector3<double>& corner : corners)
      if (now_->air.settings().planes.calc_depth(corner) > kInPlane * size)
        throw RunError(fmt::format(
            "t = {:.10g} s: surface '{}' is behind a plane of the air, at ({:.6g}, {:.6g}, {:.6g}) m\n"
            "  try: another place for it or for the plane; normals point into the air",
            t, model_.surfaces[wings_[w].surface].name, corner[0], corner[1], corner[2]));
  }
}

void LatticeAir::start(const Scene<double>& motion) {
  grid_ = motion.t;
  steps_ = 1;
  next_ = grid_ + step_;
  knows_end_ = is_carried_ = false;
  locals_.start(motion);
  calc_motions(motion, false, &now_->motions);
  require_before_planes(motion.t, now_->motions);
  // what is free has not been thrown into the air: nothing of the start is a load on it
  now_->air.start(motion.t, step_, now_->motions,
                  is_coupled() ? VortexAir::Before::kSame : VortexAir::Before::kRest);
  update_wrenches(motion, now_.get());
  require_finite(motion.t);
  if (coupling_) coupling_->start(motion.t, calc_twists(motion), gather_loads(*now_));
}

void LatticeAir::advance(const Scene<double>& motion) {
  calc_motions(motion, settled_, &asked_);
  require_before_planes(motion.t, asked_);
  const Moment& end = find_moment(motion);
  if (is_coupled()) {
    coupling_->advance(motion.t, calc_rates(end), calc_twists(motion), gather_loads(end));
    ++coupled_steps_;
    iterations_ += coupling_->iterations();
    most_iterations_ = std::max(most_iterations_, coupling_->iterations());
  }
  std::swap(now_, ahead_);
  knows_end_ = is_carried_ = false;
  locals_.advance(motion);
  require_finite(motion.t);
  ++steps_;
  next_ = grid_ + static_cast<double>(steps_) * step_;
}

void LatticeAir::require_finite(double t) const {
  const auto is_finite = [](const std::vector<Vector6<double>>& shares) {
    return std::all_of(shares.begin(), shares.end(), [](const Vector6<double>& F) { return F.allFinite(); });
  };
  for (std::size_t w = 0; w < wings_.size(); ++w)
    for (const std::vector<Vector6<double>>& shares : now_->wrenches[w])
      if (!is_finite(shares))
        throw RunError(
            fmt::format("t = {:.10g} s: surface '{}': what the air does to it is not finite\n  try: a look "
                        "at the formulas of its "
                        "wind, chord, sweep and twist, and at wings that lie in each other",
                        t, model_.surfaces[wings_[w].surface].name));
}

/// That of the motion: at the end of the step a new one, and before it the old one. Settled air is always at its end.
const LatticeAir::Moment& LatticeAir::find_moment(const Scene<double>& scene) const {
  if (!settled_ && scene.t < next_ - kAtEnd * step_) return *now_;
  calc_motions(scene, settled_, &asked_);
  if (knows_end_ && are_equal(asked_, ahead_->motions)) return *ahead_;
  knows_end_ = false;  // should the air throw
  if (settled_) {
    ahead_->air.settle(scene.t, asked_);
  } else if (is_coupled()) {  // the wakes go alike, whichever motion is tried
    if (!is_carried_) {
      carried_->air = now_->air;
      carried_->air.carry(next_);
      is_carried_ = true;
    }
    ahead_->air = carried_->air;
    ahead_->air.place(asked_);
  } else {
    ahead_->air = now_->air;
    ahead_->air.advance(next_, asked_);
  }
  update_wrenches(scene, ahead_.get());
  std::swap(ahead_->motions, asked_);
  knows_end_ = true;
  return *ahead_;
}

bool LatticeAir::settle() {
  // what a leading edge sheds is never settled
  for (const Wing& wing : wings_)
    if (wing.kind.shedding == Shedding::kLeadingEdge) return false;
  settled_ = true;
  ahead_->air = now_->air;
  knows_end_ = false;
  return true;
}

std::vector<std::string> LatticeAir::surface_names() const {
  std::vector<std::string> names;
  for (const Wing& wing : wings_) names.push_back(model_.surfaces[wing.surface].name);
  return names;
}

std::optional<TunnelReading> LatticeAir::measure(const Scene<double>& scene) const {
  const VortexLattice<double>& first = first_wing().kind;
  const Transform<double>& X = scene.X_WB[first.body.value];
  TunnelModel tunnel{.motions = {},
                     .loads = {},
                     .reference = X.p,
                     .up = X.R * find_upper_side(first),
                     .density = first.density};
  calc_motions(scene, true, &tunnel.motions);
  for (const Wing& wing : wings_) tunnel.loads.push_back(wing.kind.load);
  require_before_planes(scene.t, tunnel.motions);
  VortexAir air = now_->air;
  air.settle(scene.t, tunnel.motions);
  if (!(air.mean_stream().norm() > 0)) return std::nullopt;
  return measure_in_tunnel(scene.t, tunnel, &air);
}

/// How large the air became, and its cores against the first wing's chord.
std::string LatticeAir::say_size() const {
  long panels = 0, rings = 0;
  double oldest = 0;
  for (int s = 0; s < now_->air.n_surfaces(); ++s) {
    const Wake& wake = now_->air.wake(s);
    panels += now_->air.lattice(s).n_panels();
    if (wake.rows() == 0) continue;
    rings += static_cast<long>(wake.rows()) * wake.columns();
    oldest = std::max(oldest, wake.birth(0) - wake.birth(wake.rows()));
  }
  const VortexAir::Settings& settings = now_->air.settings();
  const Wing& wing = first_wing();
  if (wing.kind.is_closed) return fmt::format("air: {} panels, nothing sheds", panels);
  const Lattice& first = now_->air.lattice(static_cast<int>(&wing - wings_.data()));
  const double chord = (first.corner(first.rows(), 0) - first.corner(0, 0)).norm();
  std::string text = fmt::format("air: {} panels, {} rings in the wakes, cores of {:.3g} chords", panels,
                                 rings, settings.core / chord);
  if (settings.core_growth > 0)
    text += fmt::format(" that have grown to {:.3g}",
                        std::sqrt(settings.core * settings.core + settings.core_growth * oldest) / chord);
  if (settings.far_field > 0)
    text += fmt::format("; largest error of the far field that was found {:.1e}, its tolerance is {:.1e}",
                        now_->air.far_error(), settings.far_field);
  return text;
}

std::vector<std::string> LatticeAir::list_notes() const {
  if (now_->air.lattice(0).corners().empty()) return {};  // it did not start
  std::vector<std::string> notes{say_size()};
  if (coupled_steps_ > 0 && is_strong())
    notes.push_back(fmt::format(
        "air: {:.2f} iterations a step with the machine, {} at most; it weighs {:.3g} of what it moves",
        static_cast<double>(iterations_) / static_cast<double>(coupled_steps_), most_iterations_,
        mass_ratio_));
  const VortexAir::Mishaps& mishaps = now_->air.mishaps();
  if (mishaps.crossings > 0)
    notes.push_back(
        fmt::format("air: nodes of the wakes went through a wing {} times; shorter steps, a larger core or "
                    "smaller panels may keep them off",
                    mishaps.crossings));
  if (mishaps.behind_planes > 0)
    notes.push_back(fmt::format(
        "air: nodes of the wakes went behind a plane {} times; shorter steps keep them in the air",
        mishaps.behind_planes));
  return notes;
}

// -- loads

Account<double> LatticeAir::add_load(const Scene<double>& scene, Loads<double>* loads) const {
  if (is_coupled()) return add_coupled_load(scene, loads);
  const Wrenches& wrenches = find_moment(scene).wrenches;
  double power = 0;
  for (std::size_t w = 0; w < wings_.size(); ++w) {
    const Wing& wing = wings_[w];
    const std::vector<Vector6<double>>& shares = wrenches[w][static_cast<std::size_t>(wing.kind.load)];
    for (std::size_t k = 0; k < wing.carried.bodies.size(); ++k) {
      const int body = wing.carried.bodies[k];
      if (body == 0) continue;
      const Vector6<double> F = to_world(scene.X_WB[body].R, shares[k]);
      loads->F_B_W[body] += F;
      power += F.dot(scene.V_WB[body]);
    }
  }
  return {.potential = 0, .dissipation = 0, .input = power, .power = power};
}

/// All of it, about the origin of the wing's own body.
void LatticeAir::observe(const Scene<double>& scene, Snapshot* out) const {
  const Moment& moment = find_moment(scene);
  const Wrenches& wrenches = moment.wrenches;
  for (std::size_t w = 0; w < wings_.size(); ++w) {
    const Wing& wing = wings_[w];
    SurfaceLoad& load = out->surfaces[wing.surface];
    load = {};
    load.strips.resize(moment.strips[w].size());
    for (std::size_t k = 0; k < load.strips.size(); ++k)
      load.strips[k].terms[AirLoad::kLift] =
          scene.X_WB[wing.carried.bodies[wing.carried.carriers[k]]].R * moment.strips[w][k];
    const auto sum_up = [&](const std::vector<Vector6<double>>& shares, double* power) {
      Vector6<double> sum = Vector6<double>::Zero();
      for (std::size_t k = 0; k < wing.carried.bodies.size(); ++k) {
        const Transform<double>& X = scene.X_WB[wing.carried.bodies[k]];
        Vector6<double> F = to_world(X.R, shares[k]);
        *power += F.dot(scene.V_WB[wing.carried.bodies[k]]);
        F.head<3>() += (X.p - scene.X_WB[wing.carried.bodies[0]].p).cross(F.tail<3>());
        sum += F;
      }
      return sum;
    };
    double unused = 0;
    for (const std::vector<Vector6<double>>& shares : wrenches[w]) {
      const Vector6<double> sum = sum_up(shares, &unused);
      load.own.insert(load.own.end(), sum.begin(), sum.end());
    }
    const Vector6<double> sum =
        is_coupled() ? sum_up(calc_acting(static_cast<int>(w), scene, *out), &load.total.power)
                     : sum_up(wrenches[w][static_cast<std::size_t>(wing.kind.load)], &load.total.power);
    load.total.terms[AirLoad::kLift] = sum.tail<3>();
    load.moment = sum.head<3>();
    for (const double number :
         {coupling_ ? coupling_->iterations() : 0., coupling_ ? coupling_->residual() : 0., mass_ratio_})
      load.own.push_back(number);
  }
}

// -- what is drawn

void LatticeAir::add_sheets(const Scene<double>& motion, std::vector<VortexSheet>* sheets) const {
  const Moment& moment = find_moment(motion);
  calc_motions(motion, settled_, &asked_);
  for (int w = 0; w < static_cast<int>(wings_.size()); ++w) {
    const std::string& name = model_.surfaces[wings_[w].surface].name;
    sheets->push_back(draw_lattice(name, moment.air, w, wings_[w].kind, asked_[w].corners));
    if (moment.air.wake(w).columns() > 0) sheets->push_back(draw_wake(name, moment.air.wake(w)));
  }
}

void LatticeAir::visit_state(Archive& archive) {
  archive(next_, grid_, steps_);
  locals_.visit_state(archive);
  for (std::vector<std::vector<Vector6<double>>>& own : now_->wrenches)
    for (std::vector<Vector6<double>>& shares : own)
      for (Vector6<double>& wrench : shares) archive(wrench);
  for (std::vector<Vector3<double>>& own : now_->strips)
    for (Vector3<double>& force : own) archive(force);
  now_->air.visit_state(archive);
  if (coupling_) {
    coupling_->visit_state(archive);
    for (Eigen::Index j = 0; j < K_.cols(); ++j) {
      Eigen::VectorXd column = K_.col(j);
      archive(column);
      K_.col(j) = column;
    }
    archive(mass_ratio_, coupled_steps_, iterations_, most_iterations_);
  }
  if (archive.is_loading()) knows_end_ = is_carried_ = false;
}

}  // namespace haltere
