#pragma once

#include "haltere/dynamics/machine/machine.h"

/// What a model remembers (`states:`), in one scalar.
namespace haltere {

/// First-order states of the scene at rest in their initial values.
template <class T>
void set_initial_states(const Machine<T>& machine, Scene<T>* scene);

/// For prescribed motions that read filters: t, and values and rates of the states in the scene. Accelerations of
/// filters are known after their inputs: 0 here, and by update_filter_accelerations() once locals are up to date.
template <class T>
void update_jets(const Machine<T>& machine, const T& t, Scene<T>* scene);
template <class T>
void update_filter_accelerations(const Machine<T>& machine, Scene<T>* scene);

/// Rates of the first-order states, from the locals of the scene.
template <class T>
void calc_state_rates(const Machine<T>& machine, const Scene<T>& scene, T* rates);

/// What each delay repeats, now.
void calc_delay_inputs(const Machine<double>& machine, const Scene<double>& scene, double* inputs);

/// A state whose formula is not finite, in words, or "".
std::string find_state_fault(const Machine<double>& machine, const Scene<double>& scene);

}  // namespace haltere
