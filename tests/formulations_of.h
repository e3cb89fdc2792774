#pragma once

#include <vector>

#include "haltere/dynamics/equations.h"
#include "haltere/dynamics/misfits.h"

namespace haltere {

/// The formulations that the topology of a model allows.
inline std::vector<FormulationInfo> formulations_of(const Model& model) {
  std::vector<FormulationInfo> list;
  for (const FormulationInfo& formulation : formulations())
    if (find_misfits(formulation.name, model).empty()) list.push_back(formulation);
  return list;
}

/// Those that take any model.
inline std::vector<FormulationInfo> general_formulations() {
  std::vector<FormulationInfo> list;
  for (const FormulationInfo& formulation : formulations())
    if (formulation.name != "hinge-matrix") list.push_back(formulation);
  return list;
}

}  // namespace haltere
