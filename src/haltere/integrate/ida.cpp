#include <algorithm>
#include <cmath>

#include <Eigen/LU>
#include <idas/idas.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

#include "haltere/dynamics/stabilized_form.h"
#include "haltere/integrate/sundials.h"

namespace haltere {

namespace {

constexpr auto kFreeIda = [](void* ida) { IDAFree(&ida); };
// weight of multipliers: they take no part in any norm, their errors follow those of the motion. Positive,
// but its square is 0 in doubles.
constexpr double kNoWeight = 1e-200;

/// IDA: backward differences of variable order and step on the equations at index 2, with constraints on
/// positions and velocities. [hindmarsh2005], [gear1985] Exact tangents, factored by KLU; IDA decides when
/// they are old. Multipliers stay outside of the error test. (IDAS is the same solver with quadratures.)
class Ida final : public SundialsMethod {
 public:
  Ida(Integrand& integrand, const IntegratorOptions& options)
      : SundialsMethod(integrand, options),
        n_motion_(integrand.sizes().nq + integrand.sizes().nv),
        n_states_(integrand.sizes().nx) {}

  IntegratorCounters counters() const override;

 private:
  static int calc_residual(double t, N_Vector Y, N_Vector Ydot, N_Vector F, void* self);
  static int calc_tangent(double t, double c, N_Vector Y, N_Vector Ydot, N_Vector F, SUNMatrix J, void* self,
                          N_Vector, N_Vector, N_Vector);
  static int solve(SUNLinearSolver solver, SUNMatrix, N_Vector x, N_Vector b, double);
  static int calc_zdot(double t, N_Vector Y, N_Vector Ydot, N_Vector zdot, void* self);
  static int calc_weights(N_Vector Y, N_Vector weights, void* self);

  void begin_history(double smallest_step) override;
  Outcome advance(double t_limit, double* t1) override;
  void read_state(double t1, Ref y) const override;
  bool read_history(double t, Ref y) const override;
  long count_rejected() const override;
  std::string explain_corrector() const override;

  void make_solver();
  void make_vectors();
  void calc_state(Ref y) const;  // of Y_ and z_
  void read_motion(N_Vector Y, Ref y) const;
  void update_memory(double t, N_Vector Y);
  /// All motion is prescribed: what is left is work, Ydot = h(t).
  bool is_idle() const { return n_motion_ == 0; }

  int n_motion_ = 0,
      n_states_ = 0;  // positions and velocities; states of the model, which stand at the end of Y
  Eigen::VectorXd memory_;
  Eigen::MatrixXd x_tangent_;
  Eigen::PartialPivLU<Eigen::MatrixXd>
      x_factors_;  // of c - d(xdot)/dx: what couples it to the motion is left to iterations
  std::unique_ptr<StabilizedForm> form_;
  double c_ = 0;  // of the last tangent: dF/dY + c dF/dYdot
  bool is_singular_ = false;
  long iterations_ = 0, factors_ = 0;

  // -- SUNDIALS; freed from the last to the first
  Owned<N_Vector, N_VDestroy> Y_, Ydot_, z_, differential_;
  Owned<SUNMatrix, SUNMatDestroy> matrix_;  // an empty shell: the form has the factors
  Owned<SUNLinearSolver, SUNLinSolFree> linear_solver_;
  Owned<void*, kFreeIda> ida_;
};

/// Rows may come and go with the equations: all is made anew at each start.
void Ida::make_vectors() {
  Integrand& integrand = evaluator_.integrand();
  const Sizes sizes = integrand.sizes();
  form_ = std::make_unique<StabilizedForm>(integrand.make_implicit_form(), sizes);
  const auto make = [&](Eigen::Index size) {
    // one idle entry where nothing moves by itself
    N_Vector vector = N_VNew_Serial(std::max<Eigen::Index>(size, 1), context_.get());
    demand(vector != nullptr, "N_VNew_Serial");
    map(vector).setZero();
    return vector;
  };
  ida_.reset();
  const Eigen::Index size = is_idle() ? nx_ : form_->size() + n_states_;
  Y_.reset(make(size));
  Ydot_.reset(make(size));
  z_.reset(make(nz_));
  differential_.reset(make(size));
  map(differential_.get()).head(is_idle() ? nx_ : n_motion_).setOnes();
  map(differential_.get()).tail(n_states_).setOnes();
}

void Ida::make_solver() {
  const SUNContext context = context_.get();
  ida_.reset(IDACreate(context));
  void* ida = ida_.get();
  demand(ida != nullptr, "IDACreate");
  demand(IDASetErrHandlerFn(ida, note_message, this) == 0, "IDASetErrHandlerFn");
  demand(IDAInit(ida, calc_residual, t_, Y_.get(), Ydot_.get()) == 0, "IDAInit");
  demand(IDASetUserData(ida, this) == 0, "IDASetUserData");
  demand(IDAWFtolerances(ida, calc_weights) == 0, "IDAWFtolerances");
  demand(IDASetId(ida, differential_.get()) == 0, "IDASetId");
  demand(IDASetSuppressAlg(ida, SUNTRUE) == 0, "IDASetSuppressAlg");
  if (nz_ > 0) demand(IDAQuadInit(ida, calc_zdot, z_.get()) == 0, "IDAQuadInit");
  matrix_.reset(SUNMatNewEmpty(context));
  linear_solver_.reset(SUNLinSolNewEmpty(context));
  demand(matrix_ && linear_solver_, "SUNLinSolNewEmpty");
  matrix_->ops->getid = [](SUNMatrix) { return SUNMATRIX_CUSTOM; };
  matrix_->ops->zero = [](SUNMatrix) { return 0; };
  linear_solver_->content = this;
  linear_solver_->ops->gettype = [](SUNLinearSolver) { return SUNLINEARSOLVER_DIRECT; };
  linear_solver_->ops->setup = [](SUNLinearSolver, SUNMatrix) { return 0; };
  linear_solver_->ops->solve = solve;
  linear_solver_->ops->free = [](SUNLinearSolver solver) {
    SUNLinSolFreeEmpty(solver);
    return 0;
  };
  demand(IDASetLinearSolver(ida, linear_solver_.get(), matrix_.get()) == 0, "IDASetLinearSolver");
  demand(IDASetJacFn(ida, calc_tangent) == 0, "IDASetJacFn");
}

void Ida::begin_history(double smallest_step) {
  make_vectors();
  if (is_idle()) {
    map(Y_.get()).head(nx_) = y_.head(nx_);
    map(Ydot_.get()).head(nx_) = ydot_.head(nx_);
  } else {
    map(Y_.get()).head(n_motion_) = y_.head(n_motion_);
    map(Ydot_.get()).head(n_motion_) = ydot_.head(n_motion_);
    map(Y_.get()).tail(n_states_) = y_.segment(n_motion_, n_states_);
    map(Ydot_.get()).tail(n_states_) = ydot_.segment(n_motion_, n_states_);
    form_->read_multipliers(map(Y_.get()).segment(n_motion_, form_->m()));
  }
  map(z_.get()).head(nz_) = y_.tail(nz_);
  make_solver();
  void* ida = ida_.get();
  demand(IDASetInitStep(ida, options_.step) == 0, "IDASetInitStep");
  demand(IDASetMinStep(ida, smallest_step) == 0, "IDASetMinStep");
}

SundialsMethod::Outcome Ida::advance(double t_limit, double* t1) {
  form_->set_turns(y_.tail(evaluator_.integrand().sizes().nt));
  int flag = IDASetStopTime(ida_.get(), t_limit);
  if (flag == IDA_SUCCESS) flag = IDASolve(ida_.get(), t_limit, t1, Y_.get(), Ydot_.get(), IDA_ONE_STEP);
  switch (flag) {
    case IDA_SUCCESS:
      return Outcome::kOk;
    case IDA_TSTOP_RETURN:
      return Outcome::kHitLimit;
    case IDA_ERR_FAIL:
      return Outcome::kErrorTooLarge;
    case IDA_CONV_FAIL:
    case IDA_LSETUP_FAIL:
    case IDA_REP_RES_ERR:
      return Outcome::kNoConvergence;
    case IDA_TOO_MUCH_ACC:
      return Outcome::kBelowArithmetic;
    default:
      return Outcome::kOther;
  }
}

void Ida::read_state(double t1, Ref y) const {
  double t_quadrature = t1;
  if (nz_ > 0) IDAGetQuad(ida_.get(), &t_quadrature, z_.get());
  calc_state(y);
}

bool Ida::read_history(double t, Ref y) const {
  if (IDAGetDky(ida_.get(), t, 0, Y_.get()) != IDA_SUCCESS ||
      (nz_ > 0 && IDAGetQuadDky(ida_.get(), t, 0, z_.get()) != IDA_SUCCESS))
    return false;
  calc_state(y);
  return true;
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): a Ref is a view
void Ida::calc_state(Ref y) const {
  read_motion(Y_.get(), y);
  y.tail(nz_) = map(z_.get()).head(nz_);
}

/// Positions, velocities and states of the model.
// NOLINTNEXTLINE(performance-unnecessary-value-param): a Ref is a view
void Ida::read_motion(N_Vector Y, Ref y) const {
  if (is_idle()) {
    y.head(nx_) = map(Y).head(nx_);
    return;
  }
  y.head(n_motion_) = map(Y).head(n_motion_);
  y.segment(n_motion_, n_states_) = map(Y).tail(n_states_);
}

/// Into y_eval_ and the form; nothing of a machine without memory changes.
void Ida::update_memory(double t, N_Vector Y) {
  read_motion(Y, y_eval_);
  y_eval_.tail(nz_) = y_.tail(nz_);
  evaluator_.integrand().calc_memory(t, y_eval_, &memory_);
  form_->set_memory(memory_);
}

/// Steps whose error was too large, or whose corrector failed.
long Ida::count_rejected() const {
  long errors = 0, failures = 0;
  IDAGetNumErrTestFails(ida_.get(), &errors);
  IDAGetNumStepSolveFails(ida_.get(), &failures);
  return errors + failures;
}

IntegratorCounters Ida::counters() const {
  IntegratorCounters counters = SundialsMethod::counters();
  counters.iterations = iterations_;
  counters.factors = factors_;
  return counters;
}

/// What IDA wants to hear: 0, or 1 for "try a shorter step".
int Ida::calc_residual(double t, N_Vector Y, N_Vector Ydot, N_Vector F, void* self) {
  Ida& ida = *static_cast<Ida*>(self);
  if (ida.is_idle()) {
    const Status status = ida.evaluator_.calc_ydot(t, map(Y).head(ida.nx_), ida.ydot_);
    map(F) = map(Ydot);
    map(F).head(ida.nx_) -= ida.ydot_;
    return status == Status::kOk ? 0 : 1;
  }
  ida.update_memory(t, Y);
  const int size = ida.form_->size();
  const Status status = ida.form_->calc(t, map(Y).head(size), map(Ydot).head(size), map(F).head(size));
  if (status == Status::kOk && ida.n_states_ > 0) {
    if (ida.evaluator_.calc_ydot(t, ida.y_eval_, ida.ydot_) != Status::kOk) return 1;
    map(F).tail(ida.n_states_) =
        map(Ydot).tail(ida.n_states_) - ida.ydot_.segment(ida.n_motion_, ida.n_states_);
  }
  if (status == Status::kOk) return 0;
  ida.evaluator_.note_failure(status, t, ida.y_eval_);
  return 1;
}

// NOLINTNEXTLINE(readability-function-size): the parameters are those of IDA
int Ida::calc_tangent(double t, double c, N_Vector Y, N_Vector Ydot, N_Vector, SUNMatrix, void* self,
                      N_Vector, N_Vector, N_Vector) {
  Ida& ida = *static_cast<Ida*>(self);
  ++ida.factors_;
  ida.c_ = c;
  ida.update_memory(t, Y);
  if (ida.n_states_ > 0) {
    if (ida.evaluator_.integrand().calc_state_tangent(t, ida.y_eval_, &ida.x_tangent_) != Status::kOk)
      return 1;
    ida.x_factors_.compute(c * Eigen::MatrixXd::Identity(ida.n_states_, ida.n_states_) - ida.x_tangent_);
  }
  const int size = ida.form_->size();
  ida.is_singular_ = !ida.is_idle() && !ida.form_->factor(t, map(Y).head(size), map(Ydot).head(size), c);
  return ida.is_singular_ ? 1 : 0;
}

std::string Ida::explain_corrector() const {
  if (is_singular_)
    return "the tangent of Newton's iteration is singular: a body without inertia is free to move";
  return form_ ? form_->name_worst_row() : "";
}

int Ida::solve(SUNLinearSolver solver, SUNMatrix, N_Vector x, N_Vector b, double) {
  Ida& ida = *static_cast<Ida*>(solver->content);
  ++ida.iterations_;
  map(x) = map(b);
  if (ida.is_idle() && ida.n_states_ == 0) {
    map(x) /= ida.c_;
    return 0;
  }
  if (ida.n_states_ > 0) map(x).tail(ida.n_states_) = ida.x_factors_.solve(map(b).tail(ida.n_states_)).eval();
  if (!ida.is_idle()) ida.form_->solve(map(x).head(ida.form_->size()));
  return map(x).allFinite() ? 0 : 1;
}

int Ida::calc_zdot(double t, N_Vector Y, N_Vector, N_Vector zdot, void* self) {
  Ida& ida = *static_cast<Ida*>(self);
  ida.read_motion(Y, ida.y_eval_);
  ida.y_eval_.tail(ida.nz_) = ida.y_.tail(ida.nz_);  // nothing depends on work, and turns change little
  if (ida.evaluator_.calc_ydot(t, ida.y_eval_, ida.ydot_) != Status::kOk) return 1;
  map(zdot).head(ida.nz_) = ida.ydot_.tail(ida.nz_);
  return 0;
}

int Ida::calc_weights(N_Vector Y, N_Vector weights, void* self) {
  const Ida& ida = *static_cast<Ida*>(self);
  map(weights).setConstant(kNoWeight);
  const auto to_states = ida.is_idle() ? 0 : map(Y).size() - ida.nx_;  // multipliers stand before them
  for (int i = 0; i < ida.nx_; ++i) {
    const auto place = i + (i >= ida.n_motion_ ? to_states : 0);
    const double allowed = ida.norm_.calc_allowed(i, std::abs(map(Y)[place]));
    if (allowed > 0) map(weights)[place] = 1 / allowed;
  }
  return 0;
}

}  // namespace

std::unique_ptr<Integrator> make_ida_bdf(Integrand& integrand, const IntegratorOptions& options) {
  return std::make_unique<Ida>(integrand, options);
}

}  // namespace haltere
