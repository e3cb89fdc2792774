#include "haltere/dynamics/local_jets.h"

#include <algorithm>

#include "haltere/dynamics/machine/probes.h"
#include "haltere/model/quantity.h"

namespace haltere {
namespace {

// part of a step: what is nearer to its beginning is there, as times are rounded
constexpr double kRounding = 1e-9;

/// Of a coordinate whose motion is prescribed by a formula of its own.
const Expression* find_motion(const Model& model, const Probe& probe) {
  if (probe.quantity != Quantity::kJointVelocity) return nullptr;
  const JointSpec& joint = model.joints[probe.index];
  if (joint.prescribed_sequence && probe.component < 3) return nullptr;
  const std::optional<Expression>& formula = joint.prescribed[probe.component];
  return formula ? &*formula : nullptr;
}

}  // namespace

void LocalJets::set_machine(const Machine<double>& machine, const std::vector<const Expression*>& readers) {
  model_ = &machine.model;
  parameters_ = machine.parameters;
  const int n_probes = static_cast<int>(model_->probes.size()),
            n_signals = static_cast<int>(model_->signals.size());
  jets_.assign(1 + n_probes + n_signals, {});
  const auto is_read = [&](int local) {
    for (const Expression* reader : readers)
      if (reader->uses_local(local)) return true;
    for (const int s : signals_)
      if (model_->signals[s].value.uses_local(local)) return true;
    return false;
  };
  probes_.clear();
  signals_.clear();
  differences_.clear();
  // a signal reads those before it
  for (int s = n_signals - 1; s >= 0; --s)
    if (is_read(1 + n_probes + s)) signals_.push_back(s);
  std::reverse(signals_.begin(), signals_.end());
  for (int p = 0; p < n_probes; ++p) {
    if (!is_read(1 + p)) continue;
    probes_.push_back(p);
    if (!is_of_position(model_->probes[p].quantity)) differences_.push_back(p);
  }
  values_.resize(differences_.size());
  rates_.resize(differences_.size());
}

void LocalJets::start(const Scene<double>& scene) {
  t_ = scene.t;
  last_step_ = 0;
  for (std::size_t i = 0; i < differences_.size(); ++i) {
    values_[i] = scene.locals[1 + differences_[i]];
    rates_[i] = 0;
  }
}

void LocalJets::advance(const Scene<double>& scene) {
  for (std::size_t i = 0; i < differences_.size(); ++i) rates_[i] = calc_rate(differences_[i], scene);
  for (std::size_t i = 0; i < differences_.size(); ++i) values_[i] = scene.locals[1 + differences_[i]];
  last_step_ = scene.t - t_;
  t_ = scene.t;
}

/// The one whose numbers it has: what has been observed has those of the base, also where a mode has joints more.
const Model& LocalJets::model_of(const Scene<double>& scene) const {
  return scene.v_start.size() == model_->joints.size() ? *model_ : base_;
}

double LocalJets::calc_rate(int p, const Scene<double>& scene) const {
  const Model& model = model_of(scene);
  const Probe& probe = model.probes[p];
  const auto difference = std::find(differences_.begin(), differences_.end(), p);
  if (difference == differences_.end())
    return calc_probe_rate(model, probe, scene, Resolver<double>{parameters_.data()});
  if (const Expression* motion = find_motion(model, probe))
    return scene.calc_jet(Function<double>{motion, parameters_.data()}).d2;
  const auto i = difference - differences_.begin();
  const double span = scene.t - t_;
  return span > kRounding * last_step_ ? (scene.locals[1 + p] - values_[i]) / span : rates_[i];
}

const Jet<double>* LocalJets::calc(const Scene<double>& scene) const {
  jets_[0] = Jet<double>::time(scene.t);
  for (const int p : probes_) jets_[1 + p] = {scene.locals[1 + p], calc_rate(p, scene), 0};
  const std::size_t first = 1 + model_->probes.size();
  for (const int s : signals_)
    jets_[first + s] = Function<double>{&model_->signals[s].value, parameters_.data()}.calc_jet(jets_.data());
  return jets_.data();
}

void LocalJets::visit_state(Archive& archive) {
  if (differences_.empty()) return;
  archive(values_, rates_, t_, last_step_);
}

}  // namespace haltere
