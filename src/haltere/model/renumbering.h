#pragma once

#include <vector>

#include "haltere/model/model.h"

namespace haltere {

/// Old number -> new number of bodies and joints, applied to whatever refers to them.
struct Renumbering {
  std::vector<int> body;
  std::vector<int> joint;

  void apply(BodyIndex* b) const {
    if (b->value >= 0) b->value = body[b->value];
  }
  void apply(CoordinateIndex* c) const {
    if (c->joint >= 0) c->joint = joint[c->joint];
  }
  void apply(std::vector<Value>* values) const;
  void apply(Entry* entry) const;
  void apply(Probe* probe) const;
  void apply(EventSpec* event) const;
  /// All that the model's joints, constraints, forces, probes and events refer to.
  void apply(Model* model) const;
};

}  // namespace haltere
