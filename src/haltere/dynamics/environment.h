#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "haltere/dynamics/vortex_sheet.h"
#include "haltere/math/archive.h"
#include "haltere/model/scene.h"

namespace haltere {

template <class T>
struct Machine;
struct Snapshot;
struct Model;

/// Something around the bodies that remembers: the air with its wakes, water, soil, a controller that samples.
/// It goes in steps of its own. Within one its memory stands still and its loads are a function of the motion
/// alone, so that a method may evaluate them as often as it likes, reject a step, look back into one for rows
/// and events: nothing of that leaves a trace. (Methods that choose their steps want it smooth.) Its memory changes in advance() alone, once for each of its
/// steps, at a motion that was kept. A Simulation ends a step of its method there and begins the next one
/// anew, as at an event; changes of mode keep it, and checkpoints have it among the state.
///
/// Where its loads at the end of a step follow from the motion there, and that from them, it is coupled: it guesses
/// them, is shown what comes of it, and mends them until both agree. Only then the motion goes on.
class Environment {
 public:
  virtual ~Environment() = default;
  virtual std::string name() const = 0;
  /// The bodies whose motion it reads or that it loads.
  virtual std::vector<BodyIndex> bodies() const = 0;
  /// What it needs to know of parameters and masses; again where they have changed. The reference does not
  /// stay.
  virtual void set_machine(const Machine<double>& /*machine*/) {}

  /// The motion begins: forget all, and say when the first step ends.
  virtual void start(const Scene<double>& motion) = 0;
  /// The end of its present step.                                                                      [s]
  virtual double next_time() const = 0;
  /// Its step has ended with this motion, at next_time(), which is later after this.
  virtual void advance(const Scene<double>& motion) = 0;
  /// What it does to the machine under a motion within its present step, and where the energy of that goes.
  /// Matrices against accelerations are allowed. Not evaluated in dual numbers: tangents of implicit methods
  /// know its matrices, but not how its loads change with the motion.
  virtual Account<double> add_load(const Scene<double>& scene, Loads<double>* loads) const = 0;

  // -- coupled ones
  /// Those whose accelerations its loads at the end of a step follow from; where there are none it is not coupled.
  virtual std::vector<BodyIndex> coupled_bodies() const { return {}; }
  /// The motion goes on from here, at the begin of the present step or, after an event, within it.
  virtual void guess(const Scene<double>& /*now*/) {}
  /// Accelerations of coupled_bodies() for unit wrenches on them, six rows and columns each, with its loads as they were guessed:
  /// how heavy it is against the machine.
  virtual void weigh(const Scene<double>& /*now*/, const Eigen::MatrixXd& /*response*/) {}
  /// The motion at the end of the present step that its guess led to. False: that asks for other loads, and the guess has
  /// been mended.
  virtual bool agree(const Scene<double>& /*end*/) { return true; }

  /// What can be recorded of it under a motion of which all else has been observed.
  virtual void observe(const Scene<double>& /*scene*/, Snapshot* /*out*/) const {}
  /// Its present step, if there is something to draw at the ends of its steps; else 0.                 [s]
  virtual double drawing_step() const { return 0; }
  /// What can be drawn of it, at start() or at the end of its present step: a motion that has come to it.
  virtual void add_sheets(const Scene<double>& /*motion*/, std::vector<VortexSheet>* /*sheets*/) const {}
  virtual void visit_state(Archive& archive) = 0;  // all that it remembers
  /// From now on its loads are those of a motion that has always been as it is. False: there is no such thing.
  virtual bool settle() { return false; }
  /// What a user should know of a run, a sentence each.
  virtual std::vector<std::string> list_notes() const { return {}; }
};

/// Shared by the equations of all modes of one simulation, and by nobody else: an environment has one memory.
using Environments = std::vector<std::shared_ptr<Environment>>;

/// What remembers around a machine, as its model says: the air, where surfaces shed wakes.
Environments make_environments(const Model& model);
/// InputError where there is any: `what` (an equilibrium, ...) has no meaning, or no method yet, with a memory.
void require_no_memory(const Model& model, std::string_view what);

}  // namespace haltere
