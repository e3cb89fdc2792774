#include "haltere/model/renumbering.h"

#include "haltere/model/quantity.h"

namespace haltere {

void Renumbering::apply(std::vector<Value>* values) const {
  for (Value& value : *values) {
    if (auto* b = std::get_if<BodyIndex>(&value)) apply(b);
    if (auto* c = std::get_if<CoordinateIndex>(&value)) apply(c);
    if (auto* blocks = std::get_if<std::vector<Block>>(&value))
      for (Block& block : *blocks) apply(&block.values);
  }
}

void Renumbering::apply(Entry* entry) const {
  apply(&entry->values);
}

void Renumbering::apply(Probe* probe) const {
  const Owner owner = owner_of(probe->quantity);
  if (owner == Owner::kBody) probe->index = body[probe->index];
  if (owner == Owner::kJoint) probe->index = joint[probe->index];
}

void Renumbering::apply(EventSpec* event) const {
  for (std::vector<int>* list : {&event->lock, &event->free, &event->break_off})
    for (int& j : *list) j = joint[j];
}

void Renumbering::apply(Model* model) const {
  for (JointSpec& j : model->joints) {
    apply(&j.parent);
    apply(&j.child);
    apply(&j.entry);
  }
  for (Entry& constraint : model->constraints) apply(&constraint);
  for (Entry& force : model->forces) apply(&force);
  for (Entry& surface : model->surfaces) apply(&surface);
  for (Probe& probe : model->probes) apply(&probe);
  for (EventSpec& event : model->events) apply(&event);
}

}  // namespace haltere
