#pragma once

#include <cmath>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "haltere/formula/units.h"
#include "haltere/model/kind_info.h"
#include "haltere/model/model.h"
#include "haltere/model/quantity.h"
#include "haltere/simulate/channels.h"

/// The same machine in other units of length and mass; the unit of time stays.
namespace haltere {

/// What a quantity is multiplied by when 1 m is written as 2^length and 1 kg as 2^mass of the new units.
struct UnitChange {
  int length = 0;
  int mass = 0;

  double factor(const Dimension& d) const { return std::ldexp(1, length * d.length + mass * d.mass); }
  double factor(std::string_view unit) const { return factor(unit_of(unit).dimension); }
};

class ModelScaler {
 public:
  ModelScaler(const UnitChange& change, Model* model) : change_(change), model_(*model) {
    locals_.push_back(1);  // t
    for (const Probe& probe : model_.probes)
      locals_.push_back(owner_of(probe.quantity) == Owner::kOther
                            ? change_.factor(model_.states[probe.index].measure.dimension)
                            : change_.factor(unit_of_probe(probe)));
    for (const SignalSpec& signal : model_.signals)
      locals_.push_back(change_.factor(signal.value.measure().dimension));
  }

  void scale() {
    scale(&model_.gravity, "m/s2");
    for (BodySpec& body : model_.bodies) {
      scale(&body.mass, "kg");
      scale(&body.center_of_mass, "m");
      scale(&body.inertia, "kg m2");
      if (body.inertia_shape) scale_fields(shape_kinds(), &*body.inertia_shape);
      if (body.shape) scale_fields(shape_kinds(), &*body.shape);
    }
    for (JointSpec& joint : model_.joints) scale(&joint);
    for (Entry& force : model_.forces) scale_fields(force_kinds(), &force);
    for (Entry& surface : model_.surfaces) scale_fields(surface_kinds(), &surface);
    for (PlaneSpec& plane : model_.planes) scale(&plane.point, "m");
    for (Entry& constraint : model_.constraints) scale_fields(constraint_kinds(), &constraint);
    for (StateSpec& state : model_.states) scale(&state);
    for (SignalSpec& signal : model_.signals) scale(&signal.value, signal.value.measure().dimension);
    for (EventSpec& event : model_.events)  // a formula that passes zero does so in all units
      if (event.when) *event.when = event.when->in_units(1, locals_);
    if (!model_.measures.empty() || model_.trim) scale_measures();
  }

 private:
  /// Formulas of channels have locals of their own.
  void scale_measures() {
    const std::vector<Channel> channels = make_channels(model_);
    const auto scale_formula = [&](MeasureSpec* measure) {
      std::vector<double> locals{1};
      for (const std::string& name : measure->channels)
        for (const Channel& channel : channels)
          if (channel.name == name) locals.push_back(change_.factor(channel.unit));
      measure->of = measure->of.in_units(change_.factor(measure->of.measure().dimension), locals);
    };
    for (MeasureSpec& measure : model_.measures) scale_formula(&measure);
    if (!model_.trim) return;
    for (TrimSpec::Target& target : model_.trim->targets) {
      scale(&target.value, target.mean.of.measure().dimension);
      scale_formula(&target.mean);
    }
  }

  void scale(Expression* e, const Dimension& dimension) {
    *e = e->in_units(change_.factor(dimension), locals_);
  }
  void scale(Expression* e, std::string_view unit) { scale(e, unit_of(unit).dimension); }
  template <class List>
  void scale(List* list, std::string_view unit) {
    for (auto& item : *list) scale(&item, unit);
  }

  void scale(StateSpec* state) {
    for (const StateField& field : state->info().fields)
      if (auto& value = state->at(field.key); value && field.measured != StateField::Measured::kByUnit)
        scale(&*value, state->measure.dimension);  // the unit of time stays
  }

  void scale(JointSpec* joint) {
    scale_fields(joint_kinds(), &joint->entry);
    scale(&joint->parent_frame.position, "m");
    scale(&joint->child_frame.position, "m");
    for (int i = 0; i < joint->nv(); ++i) {
      const bool rotary = is_rotary(joint->motion(i));
      const auto change = [&](std::optional<Expression>* e, std::string_view unit) {
        if (*e) scale(&**e, unit);
      };
      change(&joint->prescribed[i], rotary ? "" : "m");
      change(&joint->driven[i], rotary ? "N m" : "N");
      change(&joint->initial_position[i], rotary ? "" : "m");
      change(&joint->initial_velocity[i], rotary ? "1/s" : "m/s");
    }
  }

  void scale_fields(const std::vector<KindInfo>& kinds, Entry* entry) {
    std::size_t i = 0;
    for (const FieldInfo& field : kinds[entry->kind].fields) scale(*entry, field, &entry->values[i++]);
  }
  /// One field, and those of the structs in it.
  void scale(const Entry& entry, const FieldInfo& field, Value* value) {
    scale(entry, field.unit, field.reads, value);
    if (auto* blocks = std::get_if<std::vector<Block>>(value))
      for (Block& block : *blocks)
        for (std::size_t i = 0; i < field.fields.size(); ++i) scale(entry, field.fields[i], &block.values[i]);
    if (auto* grid = std::get_if<std::shared_ptr<const PointGrid>>(value)) {
      PointGrid scaled = **grid;
      for (Vector3<double>& point : scaled.points) point *= change_.factor(field.unit);
      *grid = std::make_shared<const PointGrid>(std::move(scaled));
    }
  }

  /// One field; `N m | N` is that of a coordinate's force.
  void scale(const Entry& entry, std::string_view unit, Reads reads, Value* value) {
    const double length = change_.factor("m");
    std::vector<double> own;  // of the variables that formulas of this field have instead of signals
    if (reads == Reads::kPlace) own = {1, length, length, length};
    if (reads == Reads::kSpan) own = {length};
    if (reads == Reads::kSection) own = {1, length};
    if (reads == Reads::kAngle) own = {1};
    if (!own.empty()) std::swap(own, locals_);
    scale(entry, unit, value);
    if (!own.empty()) std::swap(own, locals_);
  }
  void scale(const Entry& entry, std::string_view unit, Value* value) {
    bool rotary = false;
    for (const Value& other : entry.values)
      if (const auto* c = std::get_if<CoordinateIndex>(&other))
        rotary = is_rotary(model_.joints[c->joint].motion(c->coordinate));
    if (unit == "N m | N") unit = rotary ? "N m" : "N";
    if (auto* e = std::get_if<Expression>(value)) scale(e, unit);
    if (auto* list = std::get_if<std::vector<Expression>>(value)) scale(list, unit);
    if (auto* gains = std::get_if<std::vector<SignalGain>>(value))
      for (SignalGain& gain : *gains)
        gain.gain = gain.gain.in_units(change_.factor(rotary ? "N m" : "N") / locals_[gain.local], locals_);
  }

  std::string_view unit_of_probe(const Probe& probe) const {
    switch (owner_of(probe.quantity)) {
      case Owner::kBody:
        return find_quantity(body_quantities(), probe.quantity)->unit;
      case Owner::kMachine:
        return find_quantity(machine_quantities(), probe.quantity)->unit;
      default:
        return haltere::unit_of(model_.joints[probe.index].motion(probe.component), probe.quantity);
    }
  }

  const UnitChange& change_;
  Model& model_;
  std::vector<double> locals_;  // factor of each local
};

}  // namespace haltere
