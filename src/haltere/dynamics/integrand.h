#pragma once

#include <memory>
#include <string>

#include "haltere/dynamics/status.h"
#include "haltere/math/types.h"

namespace haltere {

struct Sizes {
  int nq = 0;  // positions (a quaternion counts four)
  int nv = 0;  // velocities
  int nx = 0;  // first-order states of the model: what it remembers
  int nz = 0;  // work done so far by each source of energy
  int nt = 0;  // angles that know their turns, of joints whose coordinates are no states, and of wheels
  int ng = 0;  // holonomic rows
  int na = 0;  // velocity rows: differentiated holonomic and nonholonomic ones
  int ny() const { return nq + nv + nx + nz + nt; }

  // -- the parts of a state y = (q, v, x, work, turns), or of anything laid out like it
  template <class Y>
  auto q(Y& y) const {
    return y.head(nq);
  }
  template <class Y>
  auto v(Y& y) const {
    return y.segment(nq, nv);
  }
  template <class Y>
  auto qv(Y& y) const {
    return y.head(nq + nv);
  }
  template <class Y>
  auto x(Y& y) const {
    return y.segment(nq + nv, nx);
  }
  template <class Y>
  auto work(Y& y) const {
    return y.segment(nq + nv + nx, nz);
  }
  template <class Y>
  auto turns(Y& y) const {
    return y.tail(nt);
  }
};

class ImplicitForm;

/// What integrators advance, and all that they know of it: ydot = f(t, y) with y = (q, v, x, z, turns) and
/// qdot = N(q) v, perhaps on constraints. Every method calls begin_step() before it tries a step and end_step()
/// once for each step that it keeps. An event may still cut such a step short: what remembers the motion of the
/// machine is an Environment, with steps of its own.
class Integrand {
 public:
  virtual ~Integrand() = default;

  virtual Sizes sizes() const = 0;
  /// Typical size of each entry of y, for error norms: 1 for angles and quaternions, the length scale for
  /// lengths; for a velocity the scale of its position (1 rad, or the length scale: the norm divides by a
  /// time); of a state of the model the least that its errors are measured by; 0 for work.
  virtual Eigen::VectorXd calc_scales() const = 0;
  /// The right-hand side (N v, vdot, zdot); may be not finite.
  virtual Status calc_ydot(double t, ConstRef y, Ref ydot) = 0;
  // NOLINTBEGIN(performance-unnecessary-value-param): a Ref is a view
  /// Only the rates of the positions, N(q) v, into the head of ydot; the rest is anything.
  virtual void calc_qdot(double t, ConstRef y, Ref ydot) { calc_ydot(t, y, ydot); }
  virtual void normalize(Ref /*y*/, Ref /*ydot*/) const {}  // quaternions to length 1, their rates alike
  /// Brings the end of an explicit step back to the constraints; ydot to match.
  virtual Status stabilize(double /*t*/, Ref y, Ref ydot) {
    normalize(y, ydot);
    return Status::kOk;
  }
  // NOLINTEND(performance-unnecessary-value-param)
  virtual std::unique_ptr<ImplicitForm> make_implicit_form() const = 0;
  /// Of models with memory: their first-order states in y and what delays give at t, for ImplicitForm::set_memory().
  virtual void calc_memory(double /*t*/, ConstRef /*y*/, Eigen::VectorXd* memory) const { memory->resize(0); }
  /// d(xdot)/dx at the motion in y; at what an evaluation there has left behind.
  virtual Status calc_state_tangent(double /*t*/, ConstRef /*y*/, Eigen::MatrixXd* tangent) {
    tangent->resize(0, 0);
    return Status::kOk;
  }

  // -- the protocol of a step
  /// A step from (t0, y0) of about h is tried; perhaps again, with another h.
  virtual void begin_step(double /*t0*/, double /*h*/, ConstRef /*y0*/) {}
  /// It is kept, and ends at (t, y).
  virtual void end_step(double /*t*/, ConstRef /*y*/) {}

  // -- loops near singular positions (SingularPassage), and words for failures
  virtual bool has_loops() const { return false; }  // rows that may depend on each other
  /// Whether rows lose their independence where the motion is in `ahead` seconds, but not elsewhere.
  virtual bool is_near_singular(double /*t*/, ConstRef /*y*/, double /*ahead*/) { return false; }
  virtual std::string coordinate_name(int /*i*/) const { return ""; }  // of y[i]
  /// After a failed calc_ydot: which joint, body or force element, and what to try.
  virtual std::string explain_failure(double /*t*/, ConstRef /*y*/) { return ""; }
};

}  // namespace haltere
