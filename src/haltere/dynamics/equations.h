#pragma once

#include <memory>
#include <string>
#include <vector>

#include "haltere/math/types.h"
#include "haltere/model/model.h"
#include "haltere/model/scene.h"

namespace haltere {

struct Sizes {
  int nq = 0;  // positions (a quaternion counts four)
  int nv = 0;  // velocities
  int nz = 0;  // first-order states: work done so far by each source of energy
  int ng = 0;  // holonomic rows
  int na = 0;  // velocity rows: differentiated holonomic and nonholonomic ones
  int ny() const { return nq + nv + nz; }
};

enum class Status { kOk, kSingular, kNotFinite };

/// Everything that can be recorded at one instant; world axes unless stated.
struct Snapshot {
  Scene<double> scene;
  std::vector<Vector6<double>> A_WB;        // (alpha; acceleration of Bo) of each body     [rad/s2, m/s2]
  Eigen::VectorXd vdot;                     // of all joint velocities (Model::nv)
  Eigen::VectorXd tau;                      // drive or prescribing force of each           [N m or N]
  std::vector<Vector6<double>> F_reaction;  // parent on child at the joint (Mo), per joint [N m, N]
  std::vector<Account<double>> forces;      // per force element of the model
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
///   q on a Lie group. The state of the explicit methods is y = (q, v, z) with qdot = N(q) v.
/// An Equations object owns its workspace: one per thread.
class Equations {
 public:
  virtual ~Equations() = default;

  virtual const Model& model() const = 0;
  virtual Sizes sizes() const = 0;
  virtual Eigen::VectorXd calc_initial_state() = 0;  // y at the start

  // -- the right-hand side
  virtual Status calc_ydot(double t, ConstRef y, Ref ydot) = 0;  // (N v, vdot, zdot); may be not finite
  virtual void normalize(Ref y, Ref ydot) const = 0;             // quaternions to length 1, their rates alike
  virtual void move(ConstRef q, ConstRef dq, Ref out) const = 0;  // q o exp(dq)
  /// Typical size of each entry of y, for error norms: 1 for angles and quaternions, the length scale for
  /// lengths; for a velocity the scale of its position (1 rad, or the length scale: the norm divides by a
  /// time); 0 for work.
  virtual Eigen::VectorXd calc_scales() const = 0;

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
  virtual std::vector<std::string> coordinate_names() const = 0;                        // of y: q, v, z
};

/// The formulations by name; `recursive` is the default.
std::unique_ptr<Equations> make_equations(std::string_view formulation, const Model& model);
struct FormulationInfo {
  std::string_view name;
  std::string_view summary;
};
const std::vector<FormulationInfo>& formulations();

}  // namespace haltere
