#include <algorithm>
#include <cmath>
#include <limits>

#include <cvodes/cvodes.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "haltere/integrate/sundials.h"

namespace haltere {

namespace {

constexpr auto kFreeCvode = [](void* cvode) { CVodeFree(&cvode); };

/// CVODE: variable order, variable step multistep methods. [hindmarsh2005] BDF with Newton's method and a
/// dense Jacobian by differences, or Adams-Moulton with fixed-point iteration. (CVODES is the same solver
/// with quadratures.) CVODE sees x_i = y_i / scale_i, so that pivots do not depend on the unit of length.
class Cvode final : public SundialsMethod {
 public:
  Cvode(Integrand& integrand, const IntegratorOptions& options, int method);

 private:
  static int calc_xdot(double t, N_Vector x, N_Vector xdot, void* self);
  static int calc_zdot(double t, N_Vector x, N_Vector zdot, void* self);
  static int calc_weights(N_Vector x, N_Vector weights, void* self);
  static int calc_jacobian(double t, N_Vector x, N_Vector xdot, SUNMatrix J, void* self, N_Vector x1,
                           N_Vector xdot1, N_Vector);

  void begin_history(double smallest_step) override;
  Outcome advance(double t_limit, double* t1) override;
  void read_state(double t1, Ref y) const override;
  bool read_history(double t, Ref y) const override;
  long count_rejected() const override;

  void make_solver(int method);
  int update_ydot(double t, N_Vector x);
  void calc_state(Ref y) const;  // of x_ and z_

  Eigen::VectorXd scale_;  // y_i = scale_i x_i

  // -- SUNDIALS; freed from the last to the first
  Owned<N_Vector, N_VDestroy> x_, z_;
  Owned<SUNMatrix, SUNMatDestroy> jacobian_;
  Owned<SUNLinearSolver, SUNLinSolFree> linear_solver_;
  Owned<SUNNonlinearSolver, SUNNonlinSolFree> fixed_point_;
  Owned<void*, kFreeCvode> cvode_;
};

Cvode::Cvode(Integrand& integrand, const IntegratorOptions& options, int method)
    : SundialsMethod(integrand, options), scale_(integrand.calc_scales()) {
  for (double& scale : scale_)
    if (!(scale > 0)) scale = 1;
  // one idle entry where nothing moves by itself
  x_.reset(N_VNew_Serial(std::max<Eigen::Index>(nx_, 1), context_.get()));
  z_.reset(N_VNew_Serial(std::max<Eigen::Index>(nz_, 1), context_.get()));
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

void Cvode::begin_history(double smallest_step) {
  map(x_.get()).head(nx_) = y_.head(nx_).cwiseQuotient(scale_.head(nx_));
  map(z_.get()).head(nz_) = y_.tail(nz_);
  void* cvode = cvode_.get();
  demand(CVodeReInit(cvode, t_, x_.get()) == 0, "CVodeReInit");
  if (nz_ > 0) demand(CVodeQuadReInit(cvode, z_.get()) == 0, "CVodeQuadReInit");
  demand(CVodeSetInitStep(cvode, options_.step) == 0, "CVodeSetInitStep");
  demand(CVodeSetMinStep(cvode, smallest_step) == 0, "CVodeSetMinStep");
}

SundialsMethod::Outcome Cvode::advance(double t_limit, double* t1) {
  int flag = CVodeSetStopTime(cvode_.get(), t_limit);
  if (flag == CV_SUCCESS) flag = CVode(cvode_.get(), t_limit, x_.get(), t1, CV_ONE_STEP);
  switch (flag) {
    case CV_SUCCESS:
      return Outcome::kOk;
    case CV_TSTOP_RETURN:
      return Outcome::kHitLimit;
    case CV_ERR_FAILURE:
      return Outcome::kErrorTooLarge;
    case CV_CONV_FAILURE:
      return Outcome::kNoConvergence;
    case CV_TOO_MUCH_ACC:
      return Outcome::kBelowArithmetic;
    default:
      return Outcome::kOther;
  }
}

void Cvode::read_state(double t1, Ref y) const {
  double t_quadrature = t1;
  if (nz_ > 0) CVodeGetQuad(cvode_.get(), &t_quadrature, z_.get());
  calc_state(y);
}

bool Cvode::read_history(double t, Ref y) const {
  if (CVodeGetDky(cvode_.get(), t, 0, x_.get()) != CV_SUCCESS ||
      (nz_ > 0 && CVodeGetQuadDky(cvode_.get(), t, 0, z_.get()) != CV_SUCCESS))
    return false;
  calc_state(y);
  return true;
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): a Ref is a view
void Cvode::calc_state(Ref y) const {
  y.head(nx_) = map(x_.get()).head(nx_).cwiseProduct(scale_.head(nx_));
  y.tail(nz_) = map(z_.get()).head(nz_);
}

/// Steps whose error was too large, or whose corrector failed.
long Cvode::count_rejected() const {
  long errors = 0, failures = 0;
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

}  // namespace

std::unique_ptr<Integrator> make_cvode_bdf(Integrand& integrand, const IntegratorOptions& options) {
  return std::make_unique<Cvode>(integrand, options, CV_BDF);
}

std::unique_ptr<Integrator> make_cvode_adams(Integrand& integrand, const IntegratorOptions& options) {
  return std::make_unique<Cvode>(integrand, options, CV_ADAMS);
}

}  // namespace haltere
