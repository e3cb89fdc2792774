#pragma once

#include "haltere/dynamics/recursive/workspace.h"

namespace haltere {

/// A node before its children give it what they carry.
template <class T>
void start_general(const Articulated<T>& own, const Matrix6<T>& added, GeneralArticulated<T>* result);

/// The hybrid recursion with full 6x6 matrices that need not be symmetric (added matrices of force elements).
/// Called by calc_hybrid_dynamics() after the bodies are set up; leaves the same results.
template <class T>
Status calc_hybrid_dynamics_general(const RecursiveSystem<T>& system, RecursiveWorkspace<T>* work);

}  // namespace haltere
