#include "haltere/simulate/audit.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "haltere/model/entry_kinds.h"
#include "haltere/model/kind_info.h"

namespace haltere {
namespace {

// of the energies in play: some last bits, 64 eps for sums over a machine; a choice
constexpr double kRounding = 64 * std::numeric_limits<double>::epsilon();

/// A joint with the world carries no load if it leaves all six motions free and drives none.
bool leaves_free(const JointSpec& joint) {
  if (joint.nv() < 6) return false;
  for (int k = 0; k < joint.nv(); ++k)
    if (joint.mode(k) != CoordinateMode::kPassive) return false;
  return true;
}

/// An element loads the machine from outside if it holds to the world, to one body only, or to a joint of the
/// world.
bool is_internal(const Model& model, const KindInfo& kind, const Entry& element) {
  int bodies = 0, joints = 0;
  bool world = false;
  for (std::size_t i = 0; i < kind.fields.size(); ++i) {
    if (kind.fields[i].type == FieldType::kBody) {
      const auto* body = std::get_if<BodyIndex>(&element.values[i]);
      ++bodies;
      world |= body == nullptr || body->value == 0;
    }
    if (const auto* c = std::get_if<CoordinateIndex>(&element.values[i])) {
      ++joints;
      world |= model.joints[c->joint].parent.value == 0;
    }
  }
  return !world && (joints > 0 || bodies > 1);
}

Vector3<double> calc_gravity(const Model& model, const std::vector<double>& parameters) {
  const Resolver<double> resolver{parameters.data()};
  return {resolver.calc(model.gravity[0]), resolver.calc(model.gravity[1]), resolver.calc(model.gravity[2])};
}

double calc_total_mass(const Instant& instant) {
  double mass = 0;
  for (std::size_t b = 1; b < instant.masses.size(); ++b) mass += instant.masses[b].mass;
  return mass;
}

}  // namespace

bool is_isolated(const Model& model) {
  for (const JointSpec& joint : model.joints)
    if (joint.parent.value == 0 && !leaves_free(joint)) return false;
  for (const EventSpec& event : model.events)
    for (const int j : event.lock)
      if (model.joints[j].parent.value == 0) return false;
  if (!model.surfaces.empty()) return false;
  return std::all_of(
             model.forces.begin(), model.forces.end(),
             [&](const Entry& force) { return is_internal(model, force_kinds()[force.kind], force); }) &&
         std::all_of(model.constraints.begin(), model.constraints.end(), [&](const Entry& constraint) {
           return is_internal(model, constraint_kinds()[constraint.kind], constraint);
         });
}

Auditor::Auditor(const Model& model, const std::vector<double>& parameters, double length)
    : model_(model), length_(length), gravity_(calc_gravity(model, parameters)) {
  audit_.momentum_applies = is_isolated(model);
  const int n_loops = static_cast<int>(model.joints.size()) - model.n_tree();
  for (std::size_t i = 0; i < model.constraints.size(); ++i) {
    const ContactReading read = find_contact_force(model.constraints[i]);
    if (!read) continue;
    contacts_.push_back({n_loops + static_cast<int>(i), read});
    audit_.contacts.push_back({model.constraints[i].name});
  }
  last_normal_.assign(contacts_.size(), 0);
}

void Auditor::see(const Snapshot& s, double work_done) {
  largest_kinetic_ = std::max(largest_kinetic_, s.kinetic);
  least_potential_ = std::min(least_potential_, s.potential);
  largest_potential_ = std::max(largest_potential_, s.potential);
  largest_work_ = std::max(largest_work_, work_done + std::abs(s.event_work));
  audit_.energy_scale = largest_kinetic_ + (largest_potential_ - least_potential_) + largest_work_;
}

void Auditor::add(const Instant& instant, double work_done) {
  const Snapshot& s = instant.snapshot;
  if (!started_) least_potential_ = largest_potential_ = s.potential;
  see(s, work_done);
  audit_.energy_rounding = std::max(audit_.energy_rounding, kRounding * calc_size(instant));
  audit_.energy_balance = std::max(audit_.energy_balance, std::abs(instant.balance()));
  if (audit_.momentum_applies) add_momentum(instant);
  add_contacts(s);
  started_ = true;
  t_ = s.scene.t;
}

/// Energies that the balance is a small difference of: those that were in play, whole, and what the loads
/// would do over the length of the machine, since they are moved by its rounding.
double Auditor::calc_size(const Instant& instant) const {
  const double potential = std::max(std::abs(least_potential_), std::abs(largest_potential_));
  double loads = calc_total_mass(instant) * gravity_.norm() * length_;
  for (const Vector6<double>& F : instant.snapshot.F_reaction)
    loads += F.head<3>().norm() + F.tail<3>().norm() * length_;
  return largest_kinetic_ + potential + largest_work_ + loads;
}

void Auditor::add_contacts(const Snapshot& s) {
  const double step = started_ ? s.scene.t - last_time_ : 0;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const ContactForce force = contacts_[i].read(s.constraints[contacts_[i].constraint].lambda);
    audit_.contacts[i].add(force, started_ ? last_normal_[i] : force.normal, s.scene.t, step);
    last_normal_[i] = force.normal;
  }
  last_time_ = s.scene.t;
}

void Auditor::add_momentum(const Instant& instant) {
  const Snapshot& s = instant.snapshot;
  if (!started_) {
    momentum_ = s.momentum;
    angular_momentum_ = s.angular_momentum;
  }
  momentum_ += calc_total_mass(instant) * (s.scene.t - t_) * gravity_;
  momentum_error_ = std::max(momentum_error_, (s.momentum - momentum_).norm());
  angular_momentum_error_ =
      std::max(angular_momentum_error_, (s.angular_momentum - angular_momentum_).norm());

  // what the bodies carry, without cancellation: a cat that turns with zero momentum has a scale too
  double linear = 0, angular = 0;
  const double mass = calc_total_mass(instant);
  const Vector3<double> v_com = mass > 0 ? Vector3<double>(s.momentum / mass) : Vector3<double>::Zero();
  for (std::size_t b = 1; b < instant.masses.size(); ++b) {
    const MassProperties<double>& m = instant.masses[b];
    const Transform<double>& X_WB = s.scene.X_WB[b];
    const Vector3<double> w = s.scene.V_WB[b].head<3>();
    const Vector3<double> r = X_WB.R * m.p_BoBcm;
    const Vector3<double> v = s.scene.V_WB[b].tail<3>() + w.cross(r);
    linear += m.mass * v.norm();
    angular += (m.I_BBcm * (X_WB.R.transpose() * w)).norm() +
               m.mass * (X_WB.p + r - s.com).norm() * (v - v_com).norm();
  }
  momentum_scale_ = std::max(momentum_scale_, linear);
  angular_momentum_scale_ = std::max(angular_momentum_scale_, angular);
  audit_.momentum_drift = momentum_scale_ > 0 ? momentum_error_ / momentum_scale_ : 0;
  audit_.angular_momentum_drift =
      angular_momentum_scale_ > 0 ? angular_momentum_error_ / angular_momentum_scale_ : 0;
}

void Auditor::visit_state(Archive& archive) {
  archive(started_, t_, largest_kinetic_, least_potential_, largest_potential_, largest_work_, gravity_,
          momentum_, angular_momentum_, momentum_error_, momentum_scale_, angular_momentum_error_,
          angular_momentum_scale_);
  archive(audit_.energy_scale, audit_.energy_balance, audit_.energy_rounding, audit_.momentum_applies,
          audit_.momentum_drift, audit_.angular_momentum_drift, last_normal_, last_time_);
  for (ContactAudit& c : audit_.contacts)
    archive(c.pulled, c.first_pull, c.strongest_pull, c.friction_needed, c.friction_time);
}

void Auditor::add_event(const Instant& before, const Instant& after, const std::vector<double>& parameters) {
  // up to the event with the old mass and gravity
  momentum_ += calc_total_mass(before) * (before.snapshot.scene.t - t_) * gravity_;
  momentum_ += after.snapshot.momentum - before.snapshot.momentum;
  angular_momentum_ += after.snapshot.angular_momentum - before.snapshot.angular_momentum;
  t_ = before.snapshot.scene.t;
  gravity_ = calc_gravity(model_, parameters);
}

}  // namespace haltere
