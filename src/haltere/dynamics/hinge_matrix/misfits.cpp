#include "haltere/dynamics/hinge_matrix/misfits.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "haltere/model/joints.h"
#include "haltere/model/lattices.h"

namespace haltere {
namespace {

constexpr const char* kElsewhere = "use --formulation recursive or absolute";

std::string_view kind_of(const JointSpec& joint) {
  return JointKinds::kNames[joint.entry.kind];
}

bool is_prescribed(const JointSpec& joint) {
  return std::any_of(joint.prescribed.begin(), joint.prescribed.end(),
                     [](const auto& formula) { return formula.has_value(); });
}

}  // namespace

std::vector<Problem> find_hinge_matrix_misfits(const Model& model) {
  std::vector<Problem> problems;
  const auto refuse = [&](const SourceMark& mark, std::string thing, std::string message) {
    problems.push_back(
        {mark, std::move(thing), "formulation hinge-matrix: " + std::move(message), kElsewhere});
  };
  const auto refuse_joint = [&](const JointSpec& joint, std::string message) {
    refuse(joint.entry.mark, fmt::format("joint '{}'", joint.name()), std::move(message));
  };
  if (model.n_tree() == 0) refuse({}, "model", "it has no bodies");
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) {
    const JointSpec& joint = model.joints[j];
    if (j >= model.n_tree())
      refuse_joint(joint, "it closes a loop");
    else if (j == 0 && kind_of(joint) != Free<double>::kName)
      refuse_joint(joint,
                   fmt::format("the body must be free, but a joint of kind {} holds it", kind_of(joint)));
    else if (j == 0 && is_prescribed(joint))
      refuse_joint(joint, "the body must be free, but a part of its motion is prescribed or locked");
    else if (j > 0 && joint.parent.value != 1)
      refuse_joint(joint, fmt::format("wings hang on the one free body '{}', this one on '{}'",
                                      model.bodies[1].name, model.bodies[joint.parent.value].name));
    else if (j > 0 && kind_of(joint) != Spherical<double>::kName)
      refuse_joint(joint,
                   fmt::format("wings hang on spherical joints, this one is of kind {}", kind_of(joint)));
  }
  for (const Entry& constraint : model.constraints)
    refuse(constraint.mark, fmt::format("constraint '{}'", constraint.name), "it has no constraints");
  for (const Entry& surface : model.surfaces)
    if (is_lattice(surface))
      refuse(surface.mark, fmt::format("surface '{}'", surface.name),
             "the air of lattices acts between bodies, which it does not know");
  for (const EventSpec& event : model.events) {
    const std::string thing = fmt::format("event '{}'", event.name);
    if (!event.break_off.empty())
      refuse(event.mark, thing,
             fmt::format("joint '{}' cannot break off", model.joints[event.break_off.front()].name()));
    if (std::find(event.lock.begin(), event.lock.end(), 0) != event.lock.end())
      refuse(event.mark, thing,
             fmt::format("joint '{}' of the free body cannot lock", model.joints[0].name()));
  }
  return problems;
}

}  // namespace haltere
