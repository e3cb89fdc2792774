#pragma once

#include <functional>
#include <vector>

#include "haltere/dynamics/equations.h"
#include "haltere/integrate/integrator.h"

namespace haltere {

/// What happens at one time: one or several events of the model, in file order. None: nothing happens.
struct Happening {
  double t = 0;
  std::vector<int> events;
};

/// A formula looked at within a step.
struct FormulaSample {
  double t = 0, g = 0;
};
using FormulaOfTime = std::function<double(double)>;

/// Adds a sample on the other side of zero wherever three neighbours of one sign show a dip that reaches it:
/// two passages between neighbours are seen too.
void insert_dips(std::vector<FormulaSample>* samples, const FormulaOfTime& g);

/// Finds the times of a model's events.
///
/// An `at` event has its time from the parameters as the run starts; the integrator is kept from stepping
/// over it. A `when` event happens where its formula reaches or passes zero in its direction. A formula that
/// is zero when the watch begins, or has just happened, must leave zero first, by more than rounding; one
/// that jumps because an event changed a parameter does not happen.
class EventWatch {
 public:
  /// InputError for a time that is negative or no number.
  explicit EventWatch(Equations& equations);
  /// Goes on with the equations of another mode, with the same events.
  void set_equations(Equations& equations);

  /// Begins at (t, y), and again after each event.
  void start(double t, ConstRef y);
  /// `at` events of this very time that have not happened yet.
  std::vector<int> take_due(double t);
  /// Time of the next `at` event; infinity if there is none.
  double next_time() const;
  /// The first happening in the integrator's last step (t0, t1]; t1 is not beyond next_time().
  Happening find(const Integrator& integrator, double t0, double t1);
  void visit_state(Archive& archive) { archive(signs_, noise_, times_); }

 private:
  void update_locals(const Integrator& integrator, double t);
  double calc_formula(int event, double t) const;  // from locals_
  int calc_sign(std::size_t slot, double g) const;
  double find_passage(int slot, const std::vector<FormulaSample>& samples, const FormulaOfTime& g);

  Equations* equations_;
  std::vector<int> formulas_;  // events with `when`
  std::vector<int> signs_;     // of each formula, where it was last seen; 0: has not left zero yet
  std::vector<double> noise_;  // of each formula: what counts as zero until it has left it
  std::vector<double> times_;  // of each event; infinity for `when` events and those that have happened
  std::vector<double> locals_;
  Eigen::VectorXd y_;
};

}  // namespace haltere
