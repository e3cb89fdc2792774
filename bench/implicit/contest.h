#pragma once

#include <functional>
#include <string>
#include <vector>

#include "haltere/model/model.h"

/// Runs of the same motion with implicit methods, by haltere and by others.
namespace haltere::bench {

using Rows = std::vector<std::vector<double>>;  // of hinge angles, at equal times, the first one at 0 [rad]

struct Trial {
  bool finished = false;
  double seconds = 0;  // of the processor
  long iterations = 0, factors = 0;
  Rows rows;
};

/// What is asked of a run.
struct Task {
  double until = 0;  // [s]
  long steps = 0;    // of equal length
  int rows = 0;      // besides the one at the start; 0: a measurement
};

struct Runner {
  std::string program, name;
  std::function<Trial(const Task& task)> run;
};

/// `integrator` with its parameter, as in `--integrator`; hinges in the order of `hinges`.
Runner make_haltere(const Model& model, const std::string& formulation, const std::string& integrator,
                    const std::vector<std::string>& hinges);
/// A run of exudyn_peer.py, which explains the names.
Runner make_exudyn(const std::string& machine, const std::string& form, const std::string& method);
bool has_exudyn();

/// The largest difference of any hinge at any time; infinite where one has fewer rows.
double calc_difference(const Rows& a, const Rows& b);

}  // namespace haltere::bench
