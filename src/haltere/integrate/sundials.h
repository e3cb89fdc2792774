#pragma once

#include <memory>
#include <string>
#include <type_traits>

#include <nvector/nvector_serial.h>

#include "haltere/integrate/integrator.h"
#include "haltere/integrate/step_control.h"

namespace haltere {

/// Owns what SUNDIALS makes.
template <class Handle, auto free_handle>
struct Freeing {
  using pointer = Handle;
  void operator()(Handle handle) const { free_handle(handle); }
};
template <class Handle, auto free_handle>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Freeing<Handle, free_handle>>;

inline void free_context(SUNContext context) {
  SUNContext_Free(&context);
}

inline Eigen::Map<Eigen::VectorXd> map(N_Vector vector) {
  return {N_VGetArrayPointer(vector), static_cast<Eigen::Index>(N_VGetLength(vector))};
}

/// A call of SUNDIALS that fails only for want of memory, or because we are wrong.
void demand(bool success, const char* what);

/// What the solvers of SUNDIALS share. They keep a history of their own, which cannot be saved, nor
/// normalised: the length of a quaternion drifts within the tolerance and means nothing to the equations;
/// what is handed out is unit. Work and turns are quadratures: they follow the motion and do not touch it.
class SundialsMethod : public Integrator {
 public:
  void start(double t, ConstRef y) final;
  StepReport step(double t_limit) final;
  void interpolate(double t, Ref y) const final;

  double t() const final { return t_; }
  const Eigen::VectorXd& y() const final { return y_; }
  IntegratorCounters counters() const override;
  void visit_state(Archive& archive) final;
  bool can_save() const final { return !begun_; }

 protected:
  SundialsMethod(Integrand& integrand, const IntegratorOptions& options);

  enum class Outcome { kOk, kHitLimit, kErrorTooLarge, kNoConvergence, kBelowArithmetic, kOther };
  /// The history anew from (t_, y_), where ydot_ is known.
  virtual void begin_history(double smallest_step) = 0;
  virtual Outcome advance(double t_limit, double* t1) = 0;
  /// The state where advance() ended, and at a time within its step; not unit yet.
  virtual void read_state(double t1, Ref y) const = 0;
  virtual bool read_history(double t, Ref y) const = 0;
  /// Since begin_history().
  virtual long count_rejected() const = 0;
  /// What is known of a corrector that did not converge.
  virtual std::string explain_corrector() const { return ""; }

  static void note_message(int code, const char* module, const char* function, char* text, void* self);

  Evaluator evaluator_;
  ErrorNorm norm_;
  const IntegratorOptions options_;
  Eigen::Index nx_, nz_;  // entries of y that are solved for, and quadratures
  Owned<SUNContext, free_context> context_;

  // -- the last step
  double t0_ = 0, t_ = 0;  // from, to [s]
  Eigen::VectorXd y0_, y_;
  // -- work space
  Eigen::VectorXd y_eval_, ydot_;

 private:
  bool begin(double t_limit);
  StepReport step_crumb(double t_limit);
  StepReport accept(double t1);
  StepReport fail(const std::string& what, const std::string& advice) const;

  bool begun_ = false;
  mutable Eigen::VectorXd scratch_;
  long steps_ = 0, rejected_before_ = 0;
  std::string message_;  // the solver's own words on its last trouble
};

}  // namespace haltere
