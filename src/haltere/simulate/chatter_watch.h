#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "haltere/dynamics/equations.h"
#include "haltere/integrate/integrator.h"
#include "haltere/integrate/step_control.h"

namespace haltere {

/// Formulas that jump back and forth, from t on.
struct Chatter {
  double t = 0;          // [s]
  double step = 0;       // mean length of the steps [s]
  std::string formulas;  // which, and how often
  /// What to do about it, in all such messages.
  static constexpr std::string_view kAdvice =
      "a law without a jump, such as tanh(x/eps) in place of a sign (cvode-bdf where it is steep); an event "
      "that locks the joint when it comes to rest; or equal steps (--integrator rk4 --step), with an error "
      "of "
      "the jump times the step";
};

/// Notices a formula whose jump the motion cannot leave: friction written as a sign, a relay. On both sides
/// of the jump the motion is driven back to it, so that no ordinary solution goes on from there
/// [filippov1988], and an adaptive method crosses it in steps that are as short as its tolerance.
///
/// Over some dozens of steps the motion then goes straight on, but for some tolerances, while a formula jumps
/// again and again and the rates feel it. No other motion does that: steps that follow a bend are long enough
/// to leave the straight line by far, a jump that is crossed does not come back, and one that only time
/// brings about is none of the motion's. What is seen depends on neither units nor clocks.
class ChatterWatch {
 public:
  /// Without `adaptive` steps nothing chatters; failures are explained all the same.
  ChatterWatch(Equations& equations, double tolerance, bool adaptive);
  /// Goes on with the equations of another mode, whose formulas are the same.
  void set_equations(Equations& equations);
  /// Begins at (t, y), and again after each event; horizon: how long the run may take from here [s].
  void start(double t, ConstRef y, double horizon);

  /// After each step; y: the state at its end.
  std::optional<Chatter> add(const StepReport& step, ConstRef y);
  /// After a step from (t, y) that failed: the formulas that jump just ahead, and what to do about it.
  std::string explain_failure(double t, ConstRef y);

  void visit_state(Archive& archive);

 private:
  struct Formula {
    std::string name;  // "joint 'j', driven"
    const Expression* expression;
    int jumps = 0;        // steps of the present window over which it jumps
    bool jumped = false;  // in the present step
  };
  void add_formulas(const Model& model);
  void begin_window(double t, ConstRef y);
  std::optional<Chatter> end_window(double t, ConstRef y);
  void look_for_jumps(double t0, double t1);
  bool update_ahead(double t, const Eigen::VectorXd& y, double dt);
  bool has_jump(const Formula& formula);
  double calc_between(const Formula& formula, double part);
  bool is_felt(double t, double h);

  Equations* equations_;
  bool adaptive_;
  std::vector<Formula> formulas_;
  int n_probes_ = 0;
  ErrorNorm norm_;
  bool looks_ = false;  // for jumps: the window before was straight
  int steps_ = 0;       // of the present window
  double t_first_ = 0, t_middle_ = 0;
  double h_ = 0;  // the last step [s]
  Eigen::VectorXd y_first_, y_middle_, y_last_;
  // -- scratch; y_ahead_: where the rates at the start of a step lead
  Eigen::VectorXd y_ahead_;
  std::vector<double> locals0_, locals1_, locals_;
  Eigen::VectorXd ydot0_, ydot1_;
};

}  // namespace haltere
