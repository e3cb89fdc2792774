#include "haltere/model/touched_bodies.h"

#include <algorithm>

namespace haltere {
namespace {

bool uses_locals(const Value& value) {
  if (const auto* e = std::get_if<Expression>(&value)) return e->uses_locals();
  if (const auto* list = std::get_if<std::vector<Expression>>(&value))
    return std::any_of(list->begin(), list->end(), [](const Expression& e) { return e.uses_locals(); });
  const auto* gains = std::get_if<std::vector<SignalGain>>(&value);
  return gains && !gains->empty();
}

/// Those of a map of structs.
void add_bodies(const Value& value, std::set<int>* bodies) {
  const auto* blocks = std::get_if<std::vector<Block>>(&value);
  if (blocks == nullptr) return;
  for (const Block& block : *blocks)
    for (const Value& own : block.values)
      if (const auto* body = std::get_if<BodyIndex>(&own)) bodies->insert(body->value);
}

}  // namespace

std::set<int> find_touched_bodies(const JointSpec& joint) {
  return {joint.parent.value, joint.child.value};
}

std::set<int> find_touched_bodies(const Model& model, const KindInfo& kind, const Entry& entry) {
  std::set<int> bodies;
  for (std::size_t i = 0; i < kind.fields.size(); ++i) {
    if (kind.fields[i].type == FieldType::kBody) {
      const auto* body = std::get_if<BodyIndex>(&entry.values[i]);
      bodies.insert(body ? body->value : 0);
    }
    if (const auto* c = std::get_if<CoordinateIndex>(&entry.values[i]))
      bodies.merge(find_touched_bodies(model.joints[c->joint]));
    add_bodies(entry.values[i], &bodies);
  }
  return bodies;
}

bool reads_signals(const KindInfo& kind, const Entry& entry) {
  for (std::size_t i = 0; i < kind.fields.size(); ++i)
    if (kind.fields[i].reads == Reads::kSignals && uses_locals(entry.values[i])) return true;
  return false;
}

}  // namespace haltere
