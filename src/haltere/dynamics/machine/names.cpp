#include "haltere/dynamics/machine/names.h"

#include <cmath>

#include <fmt/format.h>

#include "haltere/dynamics/machine/memory.h"
#include "haltere/model/entry_kinds.h"
#include "haltere/model/quantity.h"

namespace haltere {

void add_first_order_names(const Machine<double>& machine, const ConstraintSet<double>& constraints,
                           std::vector<std::string>* names) {
  const Model& model = machine.model;
  add_state_names(model, names);
  for (const Entry& force : model.forces) names->push_back(fmt::format("work.force.{}", force.name));
  for (const Entry& surface : model.surfaces) names->push_back(fmt::format("work.surface.{}", surface.name));
  for (const std::shared_ptr<Environment>& environment : machine.environments)
    names->push_back(fmt::format("work.environment.{}", environment->name()));
  for (const int j : machine.work_joints)
    names->push_back(fmt::format("work.joint.{}", model.joints[j].name()));
  for (const Entry& constraint : model.constraints)
    names->push_back(fmt::format("work.constraint.{}", constraint.name));
  for (const HeldJoint<double>& joint : constraints.joints)
    for (const int i : joint.angles())
      names->push_back(
          fmt::format("turns.{}", name_coordinate(model.joints[joint.joint()], Quantity::kJointPosition, i)));
  for (const Entry& constraint : model.constraints)
    if (const std::string_view angle = find_contact_angle(constraint); !angle.empty())
      names->push_back(fmt::format("turns.constraint.{}.{}", constraint.name, angle));
}

int count_work_states(const Machine<double>& machine) {
  const Model& model = machine.model;
  return static_cast<int>(model.forces.size() + model.surfaces.size() + machine.environments.size() +
                          machine.work_joints.size() + model.constraints.size());
}

std::string find_load_fault(const Machine<double>& machine, const Scene<double>& scene,
                            const BodyLoads<double>& loads) {
  const Model& model = machine.model;
  if (std::string fault = find_state_fault(machine, scene); !fault.empty()) return fault;
  for (std::size_t i = 0; i < model.signals.size(); ++i)
    if (!std::isfinite(scene.locals[1 + model.probes.size() + i]))
      return fmt::format(
          "signal '{}' ({}:{}) is not finite; look for a division by zero, or a function outside its range, "
          "in {}",
          model.signals[i].name, model.signals[i].mark.file, model.signals[i].mark.line,
          model.signals[i].value.text());
  for (std::size_t i = 0; i < model.forces.size(); ++i) {
    const Account<double>& a = loads.accounts[i];
    if (!std::isfinite(a.power) || !std::isfinite(a.potential) || !std::isfinite(a.input))
      return fmt::format("force '{}' is not finite; check its formulas, or a spring whose two points meet",
                         model.forces[i].name);
  }
  for (std::size_t i = 0; i < model.surfaces.size(); ++i) {
    const Account<double>& a = loads.accounts[model.forces.size() + i];
    if (!std::isfinite(a.power) || !std::isfinite(a.potential))
      return fmt::format("surface '{}' is not finite; check its formulas of lift, drag and wind",
                         model.surfaces[i].name);
  }
  for (std::size_t i = 0; i < machine.environments.size(); ++i) {
    const Account<double>& a = loads.accounts[model.forces.size() + model.surfaces.size() + i];
    if (!std::isfinite(a.power) || !std::isfinite(a.potential) || !std::isfinite(a.input))
      return fmt::format("environment '{}': what it does to the machine is not finite",
                         machine.environments[i]->name());
  }
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (int i = 0; i < model.joints[j].nv(); ++i) {
      const int c = scene.v_start[j] + i;
      if (!std::isfinite(scene.v[c]) || !std::isfinite(loads.tau[c]))
        return fmt::format("joint '{}': its prescribed motion or drive is not finite",
                           model.joints[j].name());
    }
  return "";
}

}  // namespace haltere
