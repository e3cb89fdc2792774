#include <algorithm>
#include <cmath>
#include <limits>

#include <cvodes/cvodes.h>
#include <fmt/core.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "haltere/integrate/integrator.h"
#include "haltere/integrate/step_control.h"

namespace haltere {

namespace {

/// Owns what SUNDIALS makes.
template <class Handle, auto free_handle>
struct Freeing {
  using pointer = Handle;
  void operator()(Handle handle) const { free_handle(handle); }
};
template <class Handle, auto free_handle>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Freeing<Handle, free_handle>>;

constexpr auto kFreeContext = [](SUNContext context) { SUNContext_Free(&context); };
constexpr auto kFreeCvode = [](void* cvode) { CVodeFree(&cvode); };

Eigen::Map<Eigen::VectorXd> map(N_Vector vector) {
  return {N_VGetArrayPointer(vector), static_cast<Eigen::Index>(N_VGetLength(vector))};
}

/// A call of SUNDIALS that fails only for want of memory, or because we are wrong.
void demand(bool success, const char* what) {
  if (!success) throw RunError(fmt::format("SUNDIALS: {} failed", what));
}

/// CVODE: variable order, variable step multistep methods. [hindmarsh2005] BDF with Newton's method and a
/// dense Jacobian by differences, or Adams-Moulton with fixed-point iteration. Work states are quadratures:
/// they follow the motion and do not touch it (hence CVODES, the same solver with quadratures). CVODE sees
/// x_i = y_i / scale_i, so that pivots do not depend on the unit of length. Its history cannot be normalised;
/// the length of a quaternion drifts within the tolerance and means nothing to the equations; what is handed
/// out is unit.
class Cvode final : public Integrator {
 public:
  Cvode(Equations& equations, const IntegratorOptions& options, int method);

  void start(double t, ConstRef y) override;
  StepReport step(double t_limit) override;
  void interpolate(double t, Ref y) const override;

  double t() const override { return t_; }
  const Eigen::VectorXd& y() const override { return y_; }
  IntegratorCounters counters() const override;
  void visit_state(Archive& archive) override;
  bool can_save() const override { return !begun_; }

 private:
  static int calc_xdot(double t, N_Vector x, N_Vector xdot, void* self);
  static int calc_zdot(double t, N_Vector x, N_Vector zdot, void* self);
  static int calc_weights(N_Vector x, N_Vector weights, void* self);
  static int calc_jacobian(double t, N_Vector x, N_Vector xdot, SUNMatrix J, void* self, N_Vector x1,
                           N_Vector xdot1, N_Vector);
  static void note_message(int code, const char* module, const char* function, char* text, void* self);

  void make_solver(int method);
  bool begin(double t_limit);
  int update_ydot(double t, N_Vector x);
  void calc_state(N_Vector x, N_Vector z, Ref y) const;
  StepReport step_crumb(double t_limit);
  StepReport accept(double t1);
  StepReport fail(const std::string& what, const std::string& advice) const;
  long calc_rejected() const;

  Evaluator evaluator_;
  ErrorNorm norm_;
  IntegratorOptions options_;
  Eigen::Index nx_, nz_;   // entries of y that CVODE solves for, and quadratures
  Eigen::VectorXd scale_;  // y_i = scale_i x_i
  bool begun_ = false;

  // -- the last step
  double t0_ = 0, t_ = 0;  // from, to [s]
  Eigen::VectorXd y0_, y_;

  // -- work space
  Eigen::VectorXd y_eval_, ydot_;
  mutable Eigen::VectorXd scratch_;
  long steps_ = 0, rejected_before_ = 0;
  std::string message_;  // CVODE's own words on its last trouble

  // -- SUNDIALS; freed from the last to the first
  Owned<SUNContext, kFreeContext> context_;
  Owned<N_Vector, N_VDestroy> x_, z_;
  Owned<SUNMatrix, SUNMatDestroy> jacobian_;
  Owned<SUNLinearSolver, SUNLinSolFree> linear_solver_;
  Owned<SUNNonlinearSolver, SUNNonlinSolFree> fixed_point_;
  Owned<void*, kFreeCvode> cvode_;
};

Cvode::Cvode(Equations& equations, const IntegratorOptions& options, int method)
    : evaluator_(equations),
      norm_(equations, options.tolerance),
      options_(options),
      nx_(norm_.controlled()),
      nz_(equations.sizes().ny() - nx_),
      scale_(equations.calc_scales()) {
  const int ny = equations.sizes().ny();
  for (Eigen::VectorXd* vector : {&y0_, &y_, &y_eval_, &ydot_, &scratch_}) vector->setZero(ny);
  for (double& scale : scale_)
    if (!(scale > 0)) scale = 1;
  SUNContext context = nullptr;
  demand(SUNContext_Create(nullptr, &context) == 0, "SUNContext_Create");
  context_.reset(context);
  // one idle entry where nothing moves by itself
  x_.reset(N_VNew_Serial(std::max<Eigen::Index>(nx_, 1), context));
  z_.reset(N_VNew_Serial(std::max<Eigen::Index>(nz_, 1), context));
  demand(x_ && z_, "N_VNew_Serial");
  map(x_.get()).setZero();
  map(z_.get()).setZero();
  make_solver(method);
}

void Cvode::make_solver(int method) {
  const SUNContext context = context_.get();
  cvode_.reset(CVodeCreate(method, context));
  void* cvode = cvode_.get();
  demand(cvode != nullptr, "CVodeCreate");
  demand(CVodeSetErrHandlerFn(cvode, note_message, this) == 0, "CVodeSetErrHandlerFn");
  demand(CVodeInit(cvode, calc_xdot, 0, x_.get()) == 0, "CVodeInit");
  demand(CVodeSetUserData(cvode, this) == 0, "CVodeSetUserData");
  demand(CVodeWFtolerances(cvode, calc_weights) == 0, "CVodeWFtolerances");
  demand(CVodeSetMaxHnilWarns(cvode, -1) == 0, "CVodeSetMaxHnilWarns");
  if (nz_ > 0) demand(CVodeQuadInit(cvode, calc_zdot, z_.get()) == 0, "CVodeQuadInit");
  if (method == CV_BDF) {
    const sunindextype n = N_VGetLength(x_.get());
    jacobian_.reset(SUNDenseMatrix(n, n, context));
    linear_solver_.reset(SUNLinSol_Dense(x_.get(), jacobian_.get(), context));
    demand(CVodeSetLinearSolver(cvode, linear_solver_.get(), jacobian_.get()) == 0, "CVodeSetLinearSolver");
    demand(CVodeSetJacFn(cvode, calc_jacobian) == 0, "CVodeSetJacFn");
  } else {
    fixed_point_.reset(SUNNonlinSol_FixedPoint(x_.get(), 0, context));
    demand(CVodeSetNonlinearSolver(cvode, fixed_point_.get()) == 0, "CVodeSetNonlinearSolver");
  }
}

void Cvode::start(double t, ConstRef y) {
  t0_ = t_ = t;
  y_ = y;
  rejected_before_ = counters().rejected;
  begun_ = false;
}

/// The first evaluation, at the first step: start() has no way to report that it failed.
bool Cvode::begin(double t_limit) {
  if (!evaluator_.begin(t_, y_, ydot_)) return false;
  y0_ = y_;
  norm_.start(y_, ydot_, std::max(options_.until, t_limit) - t_);
  map(x_.get()).head(nx_) = y_.head(nx_).cwiseQuotient(scale_.head(nx_));
  map(z_.get()).head(nz_) = y_.tail(nz_);
  void* cvode = cvode_.get();
  demand(CVodeReInit(cvode, t_, x_.get()) == 0, "CVodeReInit");
  if (nz_ > 0) demand(CVodeQuadReInit(cvode, z_.get()) == 0, "CVodeQuadReInit");
  demand(CVodeSetInitStep(cvode, options_.step) == 0, "CVodeSetInitStep");
  demand(CVodeSetMinStep(cvode, calc_smallest_step(t_, norm_.horizon())) == 0, "CVodeSetMinStep");
  begun_ = true;
  return true;
}

StepReport Cvode::step(double t_limit) {
  if (!(t_limit > t_)) return {StepReport::Outcome::kOk, t_, t_, {}};
  evaluator_.forget_failure();
  message_.clear();
  if (!begun_ && !begin(t_limit)) return fail("the motion cannot start", "");
  if (t_limit - t_ < calc_smallest_step(t_, norm_.horizon())) return step_crumb(t_limit);
  double t1 = t_;
  int flag = CVodeSetStopTime(cvode_.get(), t_limit);
  if (flag == CV_SUCCESS) flag = CVode(cvode_.get(), t_limit, x_.get(), &t1, CV_ONE_STEP);
  if (flag == CV_SUCCESS || flag == CV_TSTOP_RETURN) return accept(flag == CV_TSTOP_RETURN ? t_limit : t1);
  if (flag == CV_ERR_FAILURE)
    return fail("the error is too large at every step that was tried", "a larger --tolerance");
  if (flag == CV_CONV_FAILURE)
    return fail("the corrector did not converge at any step that was tried",
                "--integrator cvode-bdf if something is very stiff, or a look at the motion just before");
  if (flag == CV_TOO_MUCH_ACC)
    return fail("the tolerance is too small for this arithmetic", "a larger --tolerance");
  return fail("CVODE cannot go on", "another --integrator, or a look at the motion just before");
}

/// A rest so short that t hardly changes: CVODE refuses it, and one Euler step is exact to rounding.
StepReport Cvode::step_crumb(double t_limit) {
  if (evaluator_.calc_ydot(t_, y_, ydot_) != Status::kOk) return fail("the last step failed", "");
  y0_ = y_;
  y_ += (t_limit - t_) * ydot_;
  evaluator_.equations().normalize(y_, scratch_);
  t0_ = t_;
  rejected_before_ = counters().rejected;
  begun_ = false;
  t_ = t_limit;
  ++steps_;
  return {StepReport::Outcome::kOk, t0_, t_, {}};
}

StepReport Cvode::accept(double t1) {
  double t_quadrature = t1;
  if (nz_ > 0) CVodeGetQuad(cvode_.get(), &t_quadrature, z_.get());
  calc_state(x_.get(), z_.get(), y_eval_);
  if (!y_eval_.allFinite()) {
    evaluator_.note_failure(Status::kNotFinite, t1, y_eval_);
    return fail("the step gave a value that is not finite", "a smaller --tolerance");
  }
  norm_.accept(y_eval_);
  y0_.swap(y_);
  y_.swap(y_eval_);
  t0_ = t_;
  t_ = t1;
  ++steps_;
  return {StepReport::Outcome::kOk, t0_, t_, {}};
}

StepReport Cvode::fail(const std::string& what, const std::string& advice) const {
  std::string why = evaluator_.explain_failure();
  if (why.empty()) why = message_;
  return {StepReport::Outcome::kFailed, t_, t_, make_step_message(t_, what, why, "", advice)};
}

void Cvode::interpolate(double t, Ref y) const {
  if (t >= t_) {
    y = y_;
  } else if (t <= t0_) {
    y = y0_;
  } else if (CVodeGetDky(cvode_.get(), t, 0, x_.get()) != CV_SUCCESS ||
             (nz_ > 0 && CVodeGetQuadDky(cvode_.get(), t, 0, z_.get()) != CV_SUCCESS)) {
    y.setConstant(std::numeric_limits<double>::quiet_NaN());
  } else {
    calc_state(x_.get(), z_.get(), y);
  }
}

/// y, with unit quaternions.
void Cvode::calc_state(N_Vector x, N_Vector z, Ref y) const {
  y.head(nx_) = map(x).head(nx_).cwiseProduct(scale_.head(nx_));
  y.tail(nz_) = map(z).head(nz_);
  evaluator_.equations().normalize(y, scratch_);
}

IntegratorCounters Cvode::counters() const {
  return {.steps = steps_,
          .rejected = rejected_before_ + calc_rejected(),
          .evaluations = evaluator_.evaluations()};
}

void Cvode::visit_state(Archive& archive) {
  archive(t_, y_, steps_, rejected_before_);
  evaluator_.visit_state(archive);
  if (!archive.is_loading()) return;
  t0_ = t_;
  begun_ = false;
}

/// Since the last start: steps whose error was too large, or whose corrector failed.
long Cvode::calc_rejected() const {
  long errors = 0, failures = 0;
  if (!begun_) return 0;
  CVodeGetNumErrTestFails(cvode_.get(), &errors);
  CVodeGetNumStepSolveFails(cvode_.get(), &failures);
  return errors + failures;
}

/// ydot_ at (t, x); what CVODE wants to hear: 0, or 1 for "try a shorter step".
int Cvode::update_ydot(double t, N_Vector x) {
  y_eval_.head(nx_) = map(x).head(nx_).cwiseProduct(scale_.head(nx_));
  y_eval_.tail(nz_) = y_.tail(nz_);  // nothing depends on work, and turns change little in a step
  return evaluator_.calc_ydot(t, y_eval_, ydot_) == Status::kOk ? 0 : 1;
}

int Cvode::calc_xdot(double t, N_Vector x, N_Vector xdot, void* self) {
  Cvode& cvode = *static_cast<Cvode*>(self);
  const int flag = cvode.update_ydot(t, x);
  map(xdot).setZero();
  map(xdot).head(cvode.nx_) = cvode.ydot_.head(cvode.nx_).cwiseQuotient(cvode.scale_.head(cvode.nx_));
  return flag;
}

int Cvode::calc_zdot(double t, N_Vector x, N_Vector zdot, void* self) {
  Cvode& cvode = *static_cast<Cvode*>(self);
  const int flag = cvode.update_ydot(t, x);
  map(zdot).head(cvode.nz_) = cvode.ydot_.tail(cvode.nz_);
  return flag;
}

int Cvode::calc_weights(N_Vector x, N_Vector weights, void* self) {
  const Cvode& cvode = *static_cast<Cvode*>(self);
  map(weights).setOnes();
  for (int i = 0; i < cvode.nx_; ++i) {
    const double allowed = cvode.norm_.calc_allowed(i, std::abs(map(x)[i]) * cvode.scale_[i]);
    map(weights)[i] = allowed == 0 ? 0 : cvode.scale_[i] / allowed;
  }
  return 0;
}

/// Forward differences, backward ones where the way forward is barred. (CVODE has its own, which allocate.)
int Cvode::calc_jacobian(double t, N_Vector x, N_Vector xdot, SUNMatrix J, void* self, N_Vector x1,
                         N_Vector xdot1, N_Vector) {
  const Cvode& cvode = *static_cast<Cvode*>(self);
  const double part = std::sqrt(std::numeric_limits<double>::epsilon()) / cvode.norm_.tolerance();
  map(x1) = map(x);
  for (int j = 0; j < cvode.nx_; ++j) {
    const double size = cvode.norm_.calc_allowed(j, std::abs(map(x)[j]) * cvode.scale_[j]);
    double increment = (size > 0 ? size / cvode.scale_[j] : cvode.norm_.tolerance()) * part;
    map(x1)[j] = map(x)[j] + increment;
    if (calc_xdot(t, x1, xdot1, self) != 0) {
      increment = -increment;
      map(x1)[j] = map(x)[j] + increment;
      if (calc_xdot(t, x1, xdot1, self) != 0) return 1;
    }
    map(x1)[j] = map(x)[j];
    Eigen::Map<Eigen::VectorXd>(SUNDenseMatrix_Column(J, j), map(x).size()) =
        (map(xdot1) - map(xdot)) / increment;
  }
  return 0;
}

void Cvode::note_message(int, const char*, const char*, char* text, void* self) {
  static_cast<Cvode*>(self)->message_ = text;
}

}  // namespace

std::unique_ptr<Integrator> make_cvode_bdf(Equations& equations, const IntegratorOptions& options) {
  return std::make_unique<Cvode>(equations, options, CV_BDF);
}

std::unique_ptr<Integrator> make_cvode_adams(Equations& equations, const IntegratorOptions& options) {
  return std::make_unique<Cvode>(equations, options, CV_ADAMS);
}

}  // namespace haltere
