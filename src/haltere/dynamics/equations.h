#pragma once

#include <memory>
#include <string>
#include <vector>

#include "haltere/aero/surface_load.h"
#include "haltere/dynamics/stabilization.h"
#include "haltere/math/types.h"
#include "haltere/model/constraints/constraint.h"
#include "haltere/model/model.h"
#include "haltere/model/scene.h"

namespace haltere {

struct Sizes {
  int nq = 0;  // positions (a quaternion counts four)
  int nv = 0;  // velocities
  int nz = 0;  // first-order states: work done so far by each source of energy
  int nt = 0;  // angles that know their turns, of joints whose coordinates are no states, and of wheels
  int ng = 0;  // holonomic rows
  int na = 0;  // velocity rows: differentiated holonomic and nonholonomic ones
  int ny() const { return nq + nv + nz + nt; }
};

class ImplicitForm;

enum class Status { kOk, kSingular, kNotFinite };

/// What a constraint does at one instant.
struct ConstraintLoad {
  Vector6<double> F = Vector6<double>::Zero();       // on the second body at its point, world axes  [N m, N]
  Vector6<double> lambda = Vector6<double>::Zero();  // multipliers of its rows
  double drift = 0;                                  // largest of its rows; lengths in length scales
  ContactPlace<double> place;                        // of a wheel
};

/// Everything that can be recorded at one instant; world axes unless stated.
struct Snapshot {
  Scene<double> scene;
  std::vector<Vector6<double>> A_WB;        // (alpha; acceleration of Bo) of each body     [rad/s2, m/s2]
  Eigen::VectorXd vdot;                     // of all joint velocities (Model::nv)
  Eigen::VectorXd tau;                      // drive or prescribing force of each           [N m or N]
  std::vector<Vector6<double>> F_reaction;  // parent on child at the joint (Mo), per joint [N m, N]
  std::vector<ConstraintLoad> constraints;  // joints that close loops, then the model's constraints
  Eigen::VectorXd lambda;                   // multipliers of all rows (na): M vdot = f - A^T lambda
  double position_drift = 0;                // largest of all rows; lengths in length scales
  double velocity_drift = 0;                // the same, per second
  std::vector<Account<double>> forces;      // per force element of the model, then per surface
  std::vector<SurfaceLoad> surfaces;        // per surface of the model
  double gravity_potential = 0;             // [J]
  double gravity_power = 0;                 // [W]
  double kinetic = 0;                       // [J]
  double potential = 0;                     // [J], gravity and force elements
  double work = 0;                          // [J], done on the machine since the start, by all sources
  double event_work = 0;                    // [J], put in by events (a stiffness that jumps)
  Vector3<double> com = Vector3<double>::Zero();
  Vector3<double> momentum = Vector3<double>::Zero();
  Vector3<double> angular_momentum = Vector3<double>::Zero();  // about the centre of mass
};

/// The equations of motion of a Model in one formulation, as integrators see them:
///   M(q) vdot = f(t,q,v) - A^T lambda,   g(t,q) = 0,   A(t,q) v + b(t,q) = 0,   zdot = h(t,q,v),
///   q on a Lie group. The state of the explicit methods is y = (q, v, z, turns) with qdot = N(q) v.
/// An Equations object owns its workspace: one per thread.
class Equations {
 public:
  virtual ~Equations() = default;

  virtual const Model& model() const = 0;
  virtual Sizes sizes() const = 0;
  virtual Eigen::VectorXd calc_initial_state() = 0;  // y at the start
  /// y of a machine whose bodies and joints are where the scene says; no work done yet.
  virtual Eigen::VectorXd calc_state(const Scene<double>& scene) const = 0;

  // -- the right-hand side
  virtual Status calc_ydot(double t, ConstRef y, Ref ydot) = 0;  // (N v, vdot, zdot); may be not finite
  // NOLINTBEGIN(performance-unnecessary-value-param): a Ref is a view
  /// Only the rates of the positions, N(q) v, into the head of ydot; the rest is anything.
  virtual void calc_qdot(double t, ConstRef y, Ref ydot) { calc_ydot(t, y, ydot); }
  virtual void normalize(Ref y, Ref ydot) const = 0;  // quaternions to length 1, their rates alike
  /// After a step: unit quaternions, constraints stabilised, ydot to match.
  virtual Status accept(double /*t*/, Ref y, Ref ydot) {
    normalize(y, ydot);
    return Status::kOk;
  }
  // NOLINTEND(performance-unnecessary-value-param)
  /// Typical size of each entry of y, for error norms: 1 for angles and quaternions, the length scale for
  /// lengths; for a velocity the scale of its position (1 rad, or the length scale: the norm divides by a
  /// time); 0 for work.
  virtual Eigen::VectorXd calc_scales() const = 0;

  // -- constraints (all do nothing where there are none)
  // NOLINTBEGIN(performance-unnecessary-value-param): a Ref is a view
  /// Residuals of the position rows (ng) and of the velocity rows (na).
  virtual Status calc_drift(double /*t*/, ConstRef /*y*/, Ref /*g*/, Ref /*gdot*/) { return Status::kOk; }
  /// After calc_drift(): the least change of velocity, in the sense of kinetic energy, with A dv = r.
  virtual void calc_change(ConstRef /*r*/, Ref /*dv*/) {}
  /// The same of positions, where only position rows ask for something: r has ng entries.
  virtual void calc_position_change(ConstRef /*r*/, Ref /*dq*/) {}
  virtual int n_change() const { return sizes().nv; }  // entries of dv
  /// Typical size of each entry of dq: 1 for angles, the length scale for lengths.
  virtual const Eigen::VectorXd& change_scales() const { return row_scales(); }
  virtual void read_velocities(ConstRef /*y*/, Ref /*dq*/) const {}  // as changes of positions a second
  /// After calc_drift(): rows of loops that (almost) depend on others here.
  virtual int count_weak_rows() const { return 0; }
  virtual bool has_moving_constraints() const { return false; }  // by formulas of time
  virtual bool has_loops() const { return false; }               // rows that may depend on each other
  /// Whether rows lose their independence where the motion is in `ahead` seconds, but not elsewhere.
  virtual bool is_near_singular(double /*t*/, ConstRef /*y*/, double /*ahead*/) { return false; }
  /// calc_ydot() at a state that obeys the constraints.
  virtual Status calc_met_ydot(double t, ConstRef y, Ref ydot) { return calc_ydot(t, y, ydot); }
  /// Moves positions by q o exp(dq) and velocities by dv.
  virtual void shift(ConstRef /*dq*/, ConstRef /*dv*/, Ref /*y*/) const {}
  // NOLINTEND(performance-unnecessary-value-param)
  virtual std::string row_name(int /*row*/) const { return ""; }
  virtual const Eigen::VectorXd& row_scales() const;      // 1 for angles, the length scale for lengths
  virtual const std::vector<int>& position_rows() const;  // the row (of na) of each position row
  /// Rows that depend on others, after calc_drift().
  virtual std::vector<int> find_dependent_rows() { return {}; }

  // -- what is recorded
  virtual Status observe(double t, ConstRef y, Snapshot* out) = 0;
  virtual void calc_locals(double t, ConstRef y, std::vector<double>* locals) = 0;  // t, probes, signals
  /// After a failed calc_ydot: which joint, body or force element, and what to try.
  virtual std::string explain_failure(double t, ConstRef y) = 0;

  // -- events
  virtual const std::vector<double>& parameters() const = 0;
  virtual void set_parameters(const std::vector<double>& parameters) = 0;

  // -- one evaluation in full (`haltere evaluate`)
  virtual Status calc_mass_matrix(double t, ConstRef y,
                                  Eigen::MatrixXd* M) = 0;  // free coordinates (nv x nv)
  virtual Status calc_generalized_force(double t, ConstRef y, Eigen::VectorXd* f) = 0;  // M vdot = f
  /// The velocity rows A v + b = 0, in the velocities of the mass matrix. Prescribed motions are in b.
  virtual Status calc_constraint_matrix(double /*t*/, ConstRef /*y*/, Eigen::MatrixXd* A,
                                        Eigen::VectorXd* b) {
    A->resize(0, n_change());
    b->resize(0);
    return Status::kOk;
  }
  virtual std::vector<std::string> coordinate_names() const = 0;  // of y: q, v, z

  // -- for implicit methods
  virtual std::unique_ptr<ImplicitForm> make_implicit_form() const = 0;
};

/// The formulations by name; `recursive` is the default.
struct EquationsOptions {
  std::string chart = "lie";  // of `absolute`
  bool own_charts = true;     // for bodies that name one
  Stabilization stabilization{};
  /// For methods whose history cannot be projected after a step (CVODE): a state stands for the nearest one
  /// that obeys the constraints, in every evaluation and observation.
  bool project_always = false;
};
/// A scene of the model's size, with everything at its origin.
template <class T>
Scene<T> make_scene(const Model& model);

std::unique_ptr<Equations> make_equations(std::string_view formulation, const Model& model,
                                          const EquationsOptions& options = {});
struct FormulationInfo {
  std::string_view name;
  std::string_view summary;
};
const std::vector<FormulationInfo>& formulations();

}  // namespace haltere
