#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "haltere/dynamics/equations.h"
#include "haltere/simulate/channels.h"

namespace haltere {

using Names = std::vector<std::string>;

/// Names and units of the positions and velocities of a state, and of what the model remembers.
struct StateNames {
  explicit StateNames(const Equations& equations) {
    const Names names = equations.coordinate_names();
    const Sizes sizes = equations.sizes();
    q.assign(names.begin(), names.begin() + sizes.nq);
    v.assign(names.begin() + sizes.nq, names.begin() + sizes.nq + sizes.nv);
    x.assign(names.begin() + sizes.nq + sizes.nv, names.begin() + sizes.nq + sizes.nv + sizes.nx);
    for (Channel& channel : make_channels(equations.model())) units[channel.name] = std::move(channel.unit);
  }
  /// "" where it is a pure number.
  std::string unit(const std::string& name) const {
    const auto found = units.find(name);
    return found == units.end() ? "" : found->second;
  }

  Names q, v, x;                                       // x: first-order states of the model
  std::unordered_map<std::string, std::string> units;  // of every channel
};

}  // namespace haltere
