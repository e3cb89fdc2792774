#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "haltere/dynamics/environment.h"
#include "haltere/dynamics/integrand.h"
#include "haltere/dynamics/past.h"
#include "haltere/dynamics/snapshot.h"
#include "haltere/dynamics/stabilization.h"
#include "haltere/math/dense.h"
#include "haltere/math/dual.h"
#include "haltere/math/types.h"
#include "haltere/model/model.h"

namespace haltere {

class Formulation;
template <class T>
struct BodyLoads;
template <class T>
struct Machine;

/// How to hold a machine to its coordinates and constraints.
struct EquationsOptions {
  std::string chart = "lie";  // of `absolute`
  bool own_charts = true;     // for bodies that name one
  Stabilization stabilization{};
  /// For methods whose history cannot be projected after a step (CVODE): a state stands for the nearest one
  /// that obeys the constraints, in every evaluation and observation.
  bool project_always = false;
  /// What remembers around the machine; if not given, that of the model, see make_environments().
  std::optional<Environments> environments{};
  /// What delays remember; if not given, a past of their own.
  std::shared_ptr<Past> past{};
};

/// The equations of motion of a Model in one formulation:
///   M(q) vdot = f(t,q,v,x) - A^T lambda,   g(t,q,x) = 0,   A(t,q) v + b(t,q,x) = 0,   xdot, zdot = h(t,q,v,x),
///   q on a Lie group. The state is y = (q, v, x, z, turns) with qdot = N(q) v.
/// What a formulation is not about stands here once: the machine with its parameters, loads, work,
/// stabilisation, observation, texts. An object owns its workspace: one per thread.
class Equations : public Integrand {
 public:
  /// `formulation`: by name, see formulations().
  Equations(std::string_view formulation, const Model& model, const EquationsOptions& options = {});
  Equations(std::unique_ptr<Formulation> formulation, const Model& model,
            const EquationsOptions& options = {});
  ~Equations() override;

  const Model& model() const { return model_; }
  Sizes sizes() const override { return sizes_; }
  Eigen::VectorXd calc_initial_state() const;  // y at the start
  /// y of a machine whose bodies and joints are where the scene says; no work done yet.
  Eigen::VectorXd calc_state(const Scene<double>& scene) const;
  /// The reverse: poses and twists of all bodies, and all joint coordinates.
  void calc_scene(double t, ConstRef y, Scene<double>* scene);
  std::vector<std::string> coordinate_names() const;  // of y
  const std::vector<double>& parameters() const;
  void set_parameters(const std::vector<double>& parameters);
  const Formulation& formulation() const { return *formulation_; }

  // -- what remembers around the machine: its memory changes in these alone, see Environment
  const Environments& environments() const { return environments_; }
  double next_environment_time() const;  // when the first of their steps ends; infinite without any      [s]
  void start_environments(double t, ConstRef y);
  /// One alone: it forgets all, and begins anew with this motion.
  void restart_environment(std::string_view name, double t, ConstRef y);
  /// Some are coupled: the motion goes on from where they agree with it.
  bool is_coupled() const;
  /// It goes on from (t, y): loads up to next_environment_time() are guessed.
  void guess_environments(double t, ConstRef y);
  /// What came of it at next_environment_time().
  bool environments_agree(double t, ConstRef y);
  /// Those whose step ends at t. RunError, here and above, where the next one does not end later.
  void advance_environments(double t, ConstRef y);

  // -- what delays remember
  const std::shared_ptr<Past>& past() const { return past_; }
  void start_past(double t, ConstRef y);
  /// A step is kept, with these states.
  using Interpolate = std::function<void(double t, Eigen::VectorXd& y)>;
  void record_past(double t0, double t1, const Interpolate& interpolate);

  // -- for integrators
  void begin_step(double t0, double /*h*/, ConstRef /*y0*/) override { past_->begin_step(t0); }
  void calc_memory(double t, ConstRef y, Eigen::VectorXd* memory) const override;
  void calc_state_rates(double t, ConstRef y, Eigen::VectorXd* xdot);
  Status calc_state_tangent(double t, ConstRef y, Eigen::MatrixXd* tangent) override;
  Eigen::VectorXd calc_scales() const override;
  Status calc_ydot(double t, ConstRef y, Ref ydot) override;
  void calc_qdot(double t, ConstRef y, Ref ydot) override;
  void normalize(Ref y, Ref ydot) const override;
  Status stabilize(double t, Ref y, Ref ydot) override;
  std::unique_ptr<ImplicitForm> make_implicit_form() const override;
  bool has_loops() const override;
  bool is_near_singular(double t, ConstRef y, double ahead) override;
  std::string coordinate_name(int i) const override { return coordinate_names()[i]; }
  std::string explain_failure(double t, ConstRef y) override;

  // -- constraints (all do nothing where there are none)
  /// Residuals of the position rows (ng) and of the velocity rows (na).
  Status calc_drift(double t, ConstRef y, Ref g, Ref gdot);
  /// After calc_drift(): the least change of velocity, in the sense of kinetic energy, with A dv = r.
  void calc_change(ConstRef r, Ref dv);
  /// The same of positions, where only position rows ask for something: r has ng entries.
  void calc_position_change(ConstRef r, Ref dq);
  int n_change() const { return static_cast<int>(change_scales().size()); }  // entries of dv
  const Eigen::VectorXd& change_scales() const;    // typical size of each entry of dq
  void read_velocities(ConstRef y, Ref dq) const;  // as changes of positions a second
  /// Moves positions by q o exp(dq) and velocities by dv.
  void shift(ConstRef dq, ConstRef dv, Ref y) const;
  bool has_moving_constraints() const;  // by formulas of time
  std::string row_name(int row) const;
  const Eigen::VectorXd& row_scales() const;      // 1 for angles, the length scale for lengths
  const std::vector<int>& position_rows() const;  // the row (of na) of each position row
  /// After calc_drift(): rows of loops that (almost) depend on others here, and those that do to rounding.
  int count_weak_rows() const;
  std::vector<int> find_dependent_rows();
  /// calc_ydot() at a state that obeys the constraints.
  Status calc_met_ydot(double t, ConstRef y, Ref ydot);

  // -- what is recorded
  Status observe(double t, ConstRef y, Snapshot* out);
  /// The same at a state that obeys the constraints, away from singular positions.
  Status observe_met(double t, ConstRef y, Snapshot* out);
  void calc_locals(double t, ConstRef y, std::vector<double>* locals);  // t, probes, signals: motion alone

  // -- one evaluation in full (`haltere evaluate`), in the coordinates of n_change()
  Status calc_free_motion(double t, ConstRef y, Eigen::MatrixXd* M, Eigen::VectorXd* f);  // M vdot = f
  /// The velocity rows A v + b = 0, in the velocities of the mass matrix. Prescribed motions are in b.
  Status calc_constraint_matrix(double t, ConstRef y, Eigen::MatrixXd* A, Eigen::VectorXd* b);

 private:
  void read(double t, ConstRef y, bool all_bodies);
  void update_motion(double t, ConstRef y);
  void update_loads();
  Status update(double t, ConstRef y);  // both, and the factors of the solve
  Status update_accelerations(double t, ConstRef y);
  void solve_coupled();
  void calc_work_rates(double* zdot) const;

  const Model& model_;
  const Environments environments_;
  const std::shared_ptr<Past> past_;
  std::unique_ptr<Machine<double>> machine_;
  std::unique_ptr<Formulation> formulation_;
  Scene<double> scene_;
  Scene<double> kept_motion_;  // workspace: that environments advance with
  std::unique_ptr<BodyLoads<double>> loads_;
  std::unique_ptr<Machine<Dual>> dual_machine_;  // for tangents of states, made when they are asked for
  Stabilization stabilization_;
  Stabilizer stabilizer_;
  Stabilizer observer_;  // what is recorded leaves no trace in the motion
  bool project_always_;
  double length_ = 1;  // of the machine                                                               [m]
  /// Of solve_coupled().
  struct CoupledWorkspace {
    std::vector<BodyIndex> bodies;
    Eigen::MatrixXd K, response, matrix;
    Eigen::VectorXd A, units, wrenches;
    DenseLu factors;
  };
  CoupledWorkspace coupled_;
  Eigen::VectorXd wanted_;  // second derivatives of the rows
  Eigen::VectorXd y_met_;   // a state that obeys them
  Sizes sizes_;
};

std::unique_ptr<Equations> make_equations(std::string_view formulation, const Model& model,
                                          const EquationsOptions& options = {});

/// The formulations by name; `recursive` is the default.
struct FormulationInfo {
  std::string_view name;
  std::string_view summary;
};
const std::vector<FormulationInfo>& formulations();

/// Poses and twists of the joint coordinates that the model gives.
Scene<double> calc_initial_scene(const Model& model, const std::vector<double>& parameters);

}  // namespace haltere
