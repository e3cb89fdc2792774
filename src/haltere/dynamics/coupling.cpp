#include "haltere/dynamics/coupling.h"

namespace haltere {
namespace {

class Couplings {
 public:
  explicit Couplings(const Model& model) : model_(model), coupled_(model.bodies.size()) {
    for (int b = 1; b < static_cast<int>(coupled_.size()); ++b) coupled_[b].insert(b);
    for (const Probe& probe : model.probes) add_read(probe);
  }

  std::set<int> bodies_of(const JointSpec& joint) const { return {joint.parent.value, joint.child.value}; }
  std::set<int> bodies_of(const Entry& entry) const {
    std::set<int> bodies;
    for (const Value& value : entry.values) {
      if (const auto* body = std::get_if<BodyIndex>(&value)) bodies.insert(body->value);
      if (const auto* c = std::get_if<CoordinateIndex>(&value))
        bodies.merge(bodies_of(model_.joints[c->joint]));
    }
    return bodies;
  }
  static bool reads_signals(const Entry& entry) {
    for (const Value& value : entry.values) {
      if (const auto* e = std::get_if<Expression>(&value); e && e->uses_locals()) return true;
      if (const auto* list = std::get_if<std::vector<Expression>>(&value))
        for (const Expression& e : *list)
          if (e.uses_locals()) return true;
      if (const auto* gains = std::get_if<std::vector<SignalGain>>(&value); gains && !gains->empty())
        return true;
    }
    return false;
  }

  /// All of them depend on each other, and on what signals read.
  void add(const std::set<int>& bodies, bool signals) {
    for (const int a : bodies) {
      if (a == 0) continue;
      for (const int b : bodies)
        if (b != 0) coupled_[b].insert(a);
      if (signals)
        for (const int b : read_) coupled_[b].insert(a);
    }
  }

  std::vector<std::set<int>> take() { return std::move(coupled_); }

 private:
  /// Bodies that formulas read; which formula reads which is not asked.
  void add_read(const Probe& probe) {
    using Quantity = Probe::Quantity;
    switch (probe.quantity) {
      case Quantity::kJointPosition:
      case Quantity::kJointVelocity:
        read_.merge(bodies_of(model_.joints[probe.index]));
        break;
      case Quantity::kSystemCom:
      case Quantity::kSystemMomentum:
        for (int b = 1; b < static_cast<int>(coupled_.size()); ++b) read_.insert(b);
        break;
      default:
        read_.insert(probe.index);
    }
    read_.erase(0);
  }

  const Model& model_;
  std::vector<std::set<int>> coupled_;
  std::set<int> read_;
};

}  // namespace

std::vector<std::set<int>> find_coupled_bodies(const Model& model) {
  Couplings couplings(model);
  for (const JointSpec& joint : model.joints) {
    bool signals = false;
    for (const auto& formula : joint.driven) signals |= formula && formula->uses_locals();
    couplings.add(couplings.bodies_of(joint), signals);
  }
  for (const Entry& constraint : model.constraints) couplings.add(couplings.bodies_of(constraint), false);
  for (const Entry& force : model.forces)
    couplings.add(couplings.bodies_of(force), Couplings::reads_signals(force));
  return couplings.take();
}

}  // namespace haltere
