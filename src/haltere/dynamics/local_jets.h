#pragma once

#include <vector>

#include "haltere/dynamics/machine/machine.h"
#include "haltere/math/archive.h"
#include "haltere/math/jet.h"

namespace haltere {

/// What formulas read (t, probes, signals) with its rate along a motion, for who goes in steps and asks within them:
///   positions: from velocities; velocities of prescribed coordinates: from their formulas;
///   other velocities: their mean rate since the step began, for accelerations are known after loads alone; 0 in the first
///   instant, and where nobody goes in steps (a settled air);
///   signals: by the chain rule. One that jumps has the rate of the branch that it is on: what is sampled stands still.
/// There are no second derivatives: they are 0.
class LocalJets {
 public:
  /// Of a machine as it was described.
  explicit LocalJets(const Model& base) : base_(base) {}
  /// Again where parameters or the mode have changed; the model stays until then. `readers`: all formulas that are to read.
  void set_machine(const Machine<double>& machine, const std::vector<const Expression*>& readers);
  /// The first step begins.
  void start(const Scene<double>& scene);
  /// A step has ended, the next one begins.
  void advance(const Scene<double>& scene);
  /// Those that are read; the others are 0. Until the next call.
  const Jet<double>* calc(const Scene<double>& scene) const;
  void visit_state(Archive& archive);

 private:
  double calc_rate(int probe, const Scene<double>& scene) const;
  const Model& model_of(const Scene<double>& scene) const;

  const Model& base_;
  const Model* model_ = nullptr;  // as the present mode leaves it
  std::vector<double> parameters_;
  std::vector<int> probes_, signals_;  // that are read, by their place in the model
  // of those among the probes whose rates are differences
  std::vector<int> differences_;
  std::vector<double> values_, rates_;  // as the present step began
  double t_ = 0;                        // when that was                         [s]
  double last_step_ = 0;                // as long as the one before             [s]
  mutable std::vector<Jet<double>> jets_;
};

}  // namespace haltere
