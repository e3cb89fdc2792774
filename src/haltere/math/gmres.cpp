#include "haltere/math/gmres.h"

#include <new>

#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_spgmr.h>

namespace haltere {

/// What the solver of SUNDIALS keeps, for one size.
struct Gmres::Workspace {
  Workspace(Eigen::Index size, int most_steps) : n(size), most(most_steps), residual(size), image(size) {
    if (SUNContext_Create(nullptr, &context) != 0) throw std::bad_alloc();
    x = N_VMake_Serial(n, residual.data(), context);
    b = N_VMake_Serial(n, residual.data(), context);
    solver = x == nullptr ? nullptr : SUNLinSol_SPGMR(x, SUN_PREC_LEFT, most, context);
    if (b == nullptr || solver == nullptr) throw std::bad_alloc();
    SUNLinSolSetATimes(solver, this, [](void* self, N_Vector from, N_Vector to) {
      return static_cast<Workspace*>(self)->apply(*static_cast<Workspace*>(self)->A, from, to);
    });
    SUNLinSolSetPreconditioner(
        solver, this, nullptr, [](void* self, N_Vector from, N_Vector to, double, int) {
          return static_cast<Workspace*>(self)->apply(*static_cast<Workspace*>(self)->P, from, to);
        });
    SUNLinSolInitialize(solver);
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  ~Workspace() {
    if (solver != nullptr) SUNLinSolFree(solver);
    if (x != nullptr) N_VDestroy(x);
    if (b != nullptr) N_VDestroy(b);
    SUNContext_Free(&context);
  }
  int apply(const Operator& what, N_Vector from, N_Vector to) const {
    what(ConstVector(N_VGetArrayPointer(from), n), Vector(N_VGetArrayPointer(to), n));
    return 0;
  }

  Eigen::Index n;
  int most;
  Eigen::VectorXd residual, image;
  const Operator *A = nullptr, *P = nullptr;
  SUNContext context = nullptr;
  N_Vector x = nullptr, b = nullptr;
  SUNLinearSolver solver = nullptr;
};

Gmres::Gmres() = default;
Gmres::~Gmres() = default;
Gmres::Gmres(const Gmres&) : Gmres() {}
// NOLINTNEXTLINE(bugprone-unhandled-self-assignment): nothing is assigned
Gmres& Gmres::operator=(const Gmres&) {
  return *this;
}

bool Gmres::solve(const Operator& A, const Operator& P, const Eigen::VectorXd& b, double part, int most,
                  Eigen::VectorXd* x) {
  if (!workspace_ || workspace_->n != b.size() || workspace_->most != most)
    workspace_ = std::make_unique<Workspace>(b.size(), most);
  Workspace& w = *workspace_;
  w.A = &A;
  w.P = &P;
  // the solver is left its own start, 0, and is given what x leaves of b: its limit is then one of what P makes of b
  A(ConstVector(x->data(), w.n), Vector(w.image.data(), w.n));
  P(ConstVector(b.data(), w.n), Vector(w.residual.data(), w.n));
  const double limit = part * w.residual.norm();
  w.residual = b - w.image;
  w.image.setZero();
  N_VSetArrayPointer(w.residual.data(), w.b);
  N_VSetArrayPointer(w.image.data(), w.x);
  SUNLinSolSetZeroGuess(w.solver, SUNTRUE);
  const int flag = SUNLinSolSolve(w.solver, nullptr, w.x, w.b, limit);
  steps_ = SUNLinSolNumIters(w.solver);
  *x += w.image;
  return flag == SUNLS_SUCCESS;
}

}  // namespace haltere
