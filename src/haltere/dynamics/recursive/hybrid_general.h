#pragma once

#include "haltere/dynamics/recursive/workspace.h"

namespace haltere {

/// The hybrid recursion with full 6x6 matrices that need not be symmetric (added matrices of force elements).
/// Called by calc_hybrid_dynamics() after the bodies are set up; leaves the same results.
template <class T>
Status calc_hybrid_dynamics_general(const RecursiveSystem<T>& system, RecursiveWorkspace<T>* work);

}  // namespace haltere
