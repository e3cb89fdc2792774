#include <algorithm>
#include <cmath>

#include "haltere/model/kind_info.h"
#include "haltere/model/model.h"

namespace haltere {
namespace {

/// Largest of the lengths shown to it; not finite ones do not count.
class Largest {
 public:
  explicit Largest(const std::vector<double>& parameters) : resolver_{parameters.data()} {}
  double value() const { return value_; }

  void add(double length) {
    if (std::isfinite(length)) value_ = std::max(value_, std::abs(length));
  }
  void add(const Expression& e) {
    if (!e.uses_locals()) add(resolver_.calc(e));
  }
  void add(const Expression3& position) {
    add(std::sqrt(
        Vector3<double>(resolver_.calc(position[0]), resolver_.calc(position[1]), resolver_.calc(position[2]))
            .squaredNorm()));
  }
  void add(const BodySpec& body) {
    add(body.center_of_mass);
    const MassProperties<double> m = calc_mass_properties(body, resolver_);
    if (m.mass != 0) add(std::sqrt(std::abs(m.I_BBcm.trace() / m.mass / 2)));  // about the radius of gyration
  }

 private:
  Resolver<double> resolver_;
  double value_ = 0;
};

/// Lengths among the fields of force elements or constraints: all of them, or those that are no points of a
/// body.
void add_fields(const std::vector<KindInfo>& kinds, const std::vector<Entry>& entries, bool points,
                Largest* largest) {
  for (const Entry& entry : entries)
    for (std::size_t i = 0; i < kinds[entry.kind].fields.size(); ++i) {
      const Value& value = entry.values[i];
      if (kinds[entry.kind].fields[i].unit != "m") continue;
      if (const auto* e = std::get_if<Expression>(&value)) largest->add(*e);
      if (const auto* list = std::get_if<std::vector<Expression>>(&value); points && list)
        for (const Expression& e : *list) largest->add(e);
    }
}

}  // namespace

double calc_length_scale(const Model& model, const std::vector<double>& parameters) {
  Largest largest(parameters);
  for (const BodySpec& body : model.bodies) largest.add(body);
  for (const JointSpec& joint : model.joints) {
    largest.add(joint.child_frame.position);
    if (joint.parent.value != 0) largest.add(joint.parent_frame.position);
  }
  add_fields(force_kinds(), model.forces, false, &largest);
  add_fields(surface_kinds(), model.surfaces, false, &largest);
  add_fields(constraint_kinds(), model.constraints, false, &largest);
  if (largest.value() > 0) return largest.value();

  // point masses without arms: where they stand and what they are tied to
  add_fields(force_kinds(), model.forces, true, &largest);
  add_fields(surface_kinds(), model.surfaces, true, &largest);
  add_fields(constraint_kinds(), model.constraints, true, &largest);
  for (const JointSpec& joint : model.joints) {
    largest.add(joint.parent_frame.position);
    for (std::size_t k = 0; k < joint.initial_position.size(); ++k)
      if (joint.initial_position[k] && joint.motion(static_cast<int>(k)) == Motion::kLength)
        largest.add(*joint.initial_position[k]);
  }
  return largest.value();
}

double calc_model_length(const Model& model, const std::vector<double>& parameters) {
  double length = calc_length_scale(model, parameters);
  if (length > 0) return length;
  const Resolver<double> resolver{parameters.data()};
  for (const Expression& g : model.gravity) length = std::hypot(length, resolver.calc(g));
  for (const JointSpec& joint : model.joints)
    for (int i = 0; i < joint.nv(); ++i) {
      if (joint.motion(i) != Motion::kLength) continue;
      for (const auto* value : {&joint.initial_position[i], &joint.initial_velocity[i]})
        if (*value) length = std::max(length, std::abs(resolver.calc(**value)));
    }
  return length > 0 ? length : 1;
}

}  // namespace haltere
