#include "haltere/dynamics/machine/memory.h"

#include <cmath>

#include <fmt/format.h>

#include "haltere/math/dual.h"

namespace haltere {

template <class T>
void set_initial_states(const Machine<T>& machine, Scene<T>* scene) {
  std::vector<double> parameters;
  for (const T& p : machine.parameters) parameters.push_back(value_of(p));
  const std::vector<double> x = calc_initial_states(machine.model, parameters);
  for (std::size_t i = 0; i < x.size(); ++i) scene->states[static_cast<Eigen::Index>(i)] = T(x[i]);
}

template <class T>
void update_jets(const Machine<T>& machine, const T& t, Scene<T>* scene) {
  scene->jets[0] = Jet<T>::time(t);
  for (std::size_t i = 0; i < machine.states.size(); ++i)
    if (const StateLaw<T>& law = machine.states[i]; law.kind == StateKind::kFilter2)
      scene->jets[1 + i] = {scene->states[law.slot], scene->states[law.slot + 1], T(0)};
}

namespace {

/// x'' = w^2 (u - x) - 2 z w x'
template <class T>
T calc_filter_acceleration(const StateLaw<T>& law, const Scene<T>& scene) {
  const T x = scene.states[law.slot], rate = scene.states[law.slot + 1];
  return law.frequency * (law.frequency * (law.of.calc(scene.locals.data()) - x) - T(2) * law.damping * rate);
}

}  // namespace

template <class T>
void update_filter_accelerations(const Machine<T>& machine, Scene<T>* scene) {
  for (std::size_t i = 0; i < machine.states.size(); ++i)
    if (const StateLaw<T>& law = machine.states[i]; law.kind == StateKind::kFilter2)
      scene->jets[1 + i].d2 = calc_filter_acceleration(law, *scene);
}

template <class T>
void calc_state_rates(const Machine<T>& machine, const Scene<T>& scene, T* rates) {
  for (const StateLaw<T>& law : machine.states) {
    T* rate = rates + law.slot;
    switch (law.kind) {
      case StateKind::kDerivative:
      case StateKind::kIntegral:
        *rate = law.of.calc(scene.locals.data());
        break;
      case StateKind::kLag:
        *rate = (law.of.calc(scene.locals.data()) - scene.states[law.slot]) / law.time;
        break;
      case StateKind::kFilter2:
        rate[0] = scene.states[law.slot + 1];
        rate[1] = calc_filter_acceleration(law, scene);
        break;
      case StateKind::kDelay:
        break;
    }
  }
}

void calc_delay_inputs(const Machine<double>& machine, const Scene<double>& scene, double* inputs) {
  for (const StateLaw<double>& law : machine.states)
    if (law.kind == StateKind::kDelay) inputs[law.slot] = law.of.calc(scene.locals.data());
}

std::string find_state_fault(const Machine<double>& machine, const Scene<double>& scene) {
  for (std::size_t i = 0; i < machine.states.size(); ++i) {
    const StateSpec& spec = machine.model.states[i];
    const bool fine = std::isfinite(machine.states[i].of.calc(scene.locals.data()));
    if (!fine || !std::isfinite(scene.locals[1 + i]))
      return fmt::format("state '{}' ({}:{}) is not finite; look for a division by zero in {}", spec.name,
                         spec.mark.file, spec.mark.line, spec.at(StateKey::kOf)->text());
  }
  return "";
}

template void set_initial_states<double>(const Machine<double>&, Scene<double>*);
template void set_initial_states<Dual>(const Machine<Dual>&, Scene<Dual>*);
template void update_jets<double>(const Machine<double>&, const double&, Scene<double>*);
template void update_jets<Dual>(const Machine<Dual>&, const Dual&, Scene<Dual>*);
template void update_filter_accelerations<double>(const Machine<double>&, Scene<double>*);
template void update_filter_accelerations<Dual>(const Machine<Dual>&, Scene<Dual>*);
template void calc_state_rates<double>(const Machine<double>&, const Scene<double>&, double*);
template void calc_state_rates<Dual>(const Machine<Dual>&, const Scene<Dual>&, Dual*);

}  // namespace haltere
