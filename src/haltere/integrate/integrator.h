#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "haltere/dynamics/integrand.h"
#include "haltere/math/archive.h"

namespace haltere {

struct IntegratorOptions {
  double step = 0;          // fixed step, or the first step to try; 0: the method chooses                 [s]
  double tolerance = 1e-9;  // relative local error, of the value and of its scale; see ErrorNorm
  double until = 0;         // end of the run, for scales                                                  [s]
  double parameter = 0;     // of methods that have one
};

struct StepReport {
  enum class Outcome { kOk, kFailed };
  Outcome outcome = Outcome::kOk;
  double t0 = 0, t1 = 0;  // the step goes from t0 to t1
  std::string message{};  // on failure: what happened, what was tried, what to try
  bool is_stiff = false;  // stability, not accuracy, kept an explicit method from a longer one
};

struct IntegratorCounters {
  long steps = 0;
  long rejected = 0;
  long evaluations = 0;
  long iterations = 0, factors = 0;  // of Newton's method, where the method has one of its own
  long passages = 0;                 // through singular positions, with another method
};

/// Advances Equations, one step a call. Fixed-step and adaptive methods alike; a method contains no step-size
/// control of its own (see step_control.h) and no knowledge of bodies. No allocation in a step. Quaternions
/// are unit in all states that are handed out.
class Integrator {
 public:
  virtual ~Integrator() = default;

  /// Begins (or begins again, after an event) at (t, y). y: positions, velocities, first-order states.
  virtual void start(double t, ConstRef y) = 0;
  /// One step, not beyond t_limit; where the next step would leave a crumb, t_limit is hit exactly. After a
  /// failure t() and y() are those of the last good step.
  virtual StepReport step(double t_limit) = 0;
  /// The solution at t within the last good step; at its ends exactly the states there. May evaluate the
  /// equations: ask before their parameters change. NaN where such an evaluation fails.
  virtual void interpolate(double t, Ref y) const = 0;

  virtual double t() const = 0;
  virtual const Eigen::VectorXd& y() const = 0;  // at t()
  virtual IntegratorCounters counters() const = 0;

  /// Saves or loads what the method needs to go on from t() with the same bits. Not where !can_save(): a
  /// history that lies in a library cannot be saved, only begun anew by start().
  virtual void visit_state(Archive& archive) = 0;
  virtual bool can_save() const = 0;
};

enum class StepChoice {
  kFixed,     // always the step that is asked for
  kAdaptive,  // by the tolerance; a step that is asked for is only the first one to try
  kEither     // fixed if a step is asked for, else by the tolerance
};

struct IntegratorInfo {
  std::string_view name;
  std::string_view summary;
  std::string_view source;  // bibliography key
  int order;
  StepChoice steps;
  bool has_history;  // cannot be saved while it runs: a run starts it anew at fixed times
  std::unique_ptr<Integrator> (*make)(Integrand& integrand, const IntegratorOptions& options);
  /// A number that may follow the name, as in `newmark:0.015`.
  struct Parameter {
    std::string_view name{};  // empty: there is none
    double otherwise = 0;
    double least = 0, most = 0;
  } parameter{};
  bool solves_constraints = false;  // at the level of positions, without stabilisation

  bool chooses_steps(double step) const {
    return steps == StepChoice::kAdaptive || (steps == StepChoice::kEither && step <= 0);
  }
};

/// All methods, in the order of `haltere list integrators`.
const std::vector<IntegratorInfo>& integrators();
/// By name, with or without a parameter; nothing for an unknown name or a parameter that is out of range.
const IntegratorInfo* find_integrator(std::string_view name);
double parse_parameter(std::string_view name, const IntegratorInfo& info);

/// The method of that name, which must exist, with its parameter. One that solves for constraints gives way to
/// dop853 near singular positions of machines with loops.
std::unique_ptr<Integrator> make_integrator(std::string_view name, Integrand& integrand,
                                            IntegratorOptions options);

}  // namespace haltere
