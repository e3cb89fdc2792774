#pragma once

#include <deque>
#include <vector>

#include "haltere/dynamics/machine/machine.h"
#include "haltere/math/archive.h"

namespace haltere {

/// What the delays of a model know of the past: their inputs as piecewise polynomials, a piece for each step that was
/// kept. No step is longer than the shortest delay, so that within one what a delay gives is a function of time alone.
/// Shared by the equations of all modes of one simulation. See docs/decisions/0027.
class Past {
 public:
  explicit Past(const Model& model);

  bool is_empty() const { return laws_.empty(); }  // a model without delays
  /// Times and values before the start; again where parameters have changed. RunError for a delay that has become longer
  /// than what is remembered.
  void set_machine(const Machine<double>& machine);
  /// Of the polynomials; at least 3.
  void set_degree(int degree);
  double shortest() const;  // [s]; infinite without delays

  /// The motion begins at t: forget all. `inputs`: one each, which last from before.
  void start(double t, const std::vector<double>& inputs);
  /// A step begins at t: what is looked up at this time lies in it, what is looked up later up to its end.
  void begin_step(double t) { step_start_ = t; }
  /// What a delay gives at t, up to the end of the present step.
  double calc(int delay, double t) const;

  /// Where inputs are wanted of a step from t0 to t1, in order.
  std::vector<double> list_times(double t0, double t1) const;
  /// The step is kept: inputs at those times, all delays at the first one, then at the next.
  void add(double t0, double t1, std::vector<double> inputs);

  /// Something at t is not smooth: delays bring it back, one, two and three of them later.
  void break_at(double t) { break_at(t, 0, -1); }
  double next_break() const;  // [s]; infinite where there is none
  /// Whether there is one at t or before; it is then behind.
  bool pass_break(double t);

  void visit_state(Archive& archive);

 private:
  struct Law {
    double time = 0;    // [s]
    double before = 0;  // where it is given
    bool is_given = false;
  };
  struct Piece {
    double t0 = 0, t1 = 0;
    std::vector<double> inputs;
  };
  struct Break {
    double t = 0;
    int level = 0;  // how often it has come back
    int delay = 0;  // by this one last
  };
  double interpolate(const Piece& piece, int delay, double t) const;
  void break_at(double t, int level, int delay);

  std::vector<int> places_;  // of the delays among the states of the model
  std::vector<Law> laws_;
  double longest_ = 0;  // that is remembered                             [s]
  int degree_ = 3;
  std::vector<double> nodes_;  // of Chebyshev, from 0 to 1
  bool begun_ = false;
  double step_start_ = 0;      // [s]
  std::vector<double> first_;  // inputs at the start
  std::deque<Piece> pieces_;   // in order, without gaps
  std::vector<Break> breaks_;  // that are to come, in order
};

}  // namespace haltere
