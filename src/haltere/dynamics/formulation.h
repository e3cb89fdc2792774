#pragma once

#include <memory>
#include <string>
#include <vector>

#include "haltere/dynamics/integrand.h"
#include "haltere/dynamics/machine/constraint_set.h"
#include "haltere/dynamics/machine/machine.h"
#include "haltere/dynamics/row_system.h"
#include "haltere/dynamics/snapshot.h"

namespace haltere {

/// What a formulation says of its coordinates and rows.
struct CoordinateLayout {
  Sizes sizes;                              // nz apart: work is the same in all of them
  std::vector<std::string> names;           // of q, then v
  Eigen::VectorXd scales;                   // of (q, v): see Integrand::calc_scales()
  Eigen::VectorXd change_scales;            // of changes of position, which may be fewer or more than v
  Eigen::VectorXd row_scales;               // of velocity rows: 1 for angles, the length scale for lengths
  std::vector<int> position_rows;           // the velocity row of each position row
  std::vector<std::string> row_names;       // where they are not those of constraints()
  std::vector<int> loaded_bodies;           // that its loads may be on
  bool has_loops = false;                   // rows that may depend on each other
  bool has_moving_constraints = false;      // by formulas of time
  bool rates_follow_normalization = false;  // normalize() changes ydot in more than a scale
  int n_change() const { return static_cast<int>(change_scales.size()); }
};

/// Coordinates for a machine, and the solve for their accelerations: nothing else. Forces, accounts,
/// stabilisation and texts are those of Equations, once for all formulations. One evaluation is
///   read() -> motion,  loads of the machine,  factor() -> rows,  solve() -> accelerations.
/// An object owns the workspace of its solve: one per thread.
class Formulation {
 public:
  virtual ~Formulation() = default;
  const CoordinateLayout& layout() const { return layout_; }

  /// The machine that all that follows is about; again where parameters have changed.
  virtual void set_machine(const Machine<double>& machine) = 0;
  /// The joints and constraints that it holds the machine by.
  const ConstraintSet<double>& constraints() const { return *constraints_; }
  std::string row_name(int row) const {
    return layout_.row_names.empty() ? constraints_->row_name(row) : layout_.row_names[row];
  }

  // -- coordinates; y is a whole state, of which q, v and turns are read or written
  enum class Bodies { kOfLaws, kAll };  // those whose motion a law or formula reads, or all
  virtual void read(double t, ConstRef y, Bodies bodies, Scene<double>* scene) = 0;
  virtual void write(const Scene<double>& scene, Ref y) const = 0;
  virtual void calc_qdot(ConstRef y, Ref ydot) = 0;
  virtual void normalize(Ref y, Ref ydot) const = 0;
  /// Moves positions by q o exp(dq) and velocities by dv, n_change() entries each.
  virtual void shift(ConstRef dq, ConstRef dv, Ref y) const = 0;
  virtual void read_velocities(ConstRef y, Ref dq) const = 0;  // as changes of positions a second

  // -- the solve
  /// Masses, loads and rows of the motion that was read: what the rows are off, and all that the three below
  /// need.
  virtual Status factor(Scene<double>* scene, BodyLoads<double>* loads) = 0;
  const Eigen::VectorXd& g() const { return g_; }        // of all rows, 0 of nonholonomic ones
  const Eigen::VectorXd& gdot() const { return gdot_; }  //
  /// Accelerations and multipliers. `wanted`: second derivatives of the rows; empty: none.
  virtual void solve(const Eigen::VectorXd& wanted) = 0;
  /// The least change, in the sense of kinetic energy, with A dv = r; or of positions, with the position rows
  /// of A dq = r, where the others ask for nothing.
  enum class Level { kPosition, kVelocity };
  virtual void calc_change(Level level, ConstRef r, Ref change) = 0;
  /// Accelerations (alpha; a of Bo) of bodies for unit wrenches on them, six rows and columns a body.
  virtual void calc_response(const std::vector<BodyIndex>& bodies, Eigen::MatrixXd* response) = 0;
  /// After solve(): what wrenches on bodies, six numbers each, add to accelerations and multipliers.
  virtual void add_response(const std::vector<BodyIndex>& bodies, const Eigen::VectorXd& wrenches) = 0;
  RowSystem* loop_rows() const { return loop_rows_; }  // after factor(); the last rows of all

  // -- after solve()
  virtual Status write_rates(const Scene<double>& scene, ConstRef y, Ref ydot) = 0;  // qdot and vdot
  virtual Vector6<double> calc_A_WB(BodyIndex body) const = 0;                       // (alpha; a of Bo)
  /// Of what moves a joint, or behind the joints a constraint, by formulas of time.                    [W]
  virtual double calc_prescribed_power(const Scene<double>& scene, int holder) const = 0;
  virtual void observe(const Scene<double>& scene, const BodyLoads<double>& loads, Snapshot* out) = 0;

  // -- for analyses, after factor(), whatever its status
  /// M vdot = f without constraints, and the velocity rows A v + b = 0; in the coordinates of n_change().
  virtual void calc_free_motion(const Scene<double>& scene, const BodyLoads<double>& loads,
                                Eigen::MatrixXd* M, Eigen::VectorXd* f) = 0;
  virtual void calc_constraint_matrix(ConstRef y, const Scene<double>& scene, Eigen::MatrixXd* A,
                                      Eigen::VectorXd* b) = 0;
  virtual std::unique_ptr<ImplicitForm> make_implicit_form() const = 0;

  /// After factor(): why a state cannot be evaluated, by its coordinates, its rows, or masses that are not
  /// there; or "".
  virtual std::string find_fault(ConstRef y, const Scene<double>& scene) = 0;

 protected:
  CoordinateLayout layout_;
  const ConstraintSet<double>* constraints_ = nullptr;  // of the machine that is set
  RowSystem* loop_rows_ = nullptr;                      // where rows may depend on each other
  Eigen::VectorXd g_, gdot_;
};

struct EquationsOptions;
/// By name; InputError for one that does not exist, or does not fit the model.
std::unique_ptr<Formulation> make_formulation(std::string_view name, const Model& model,
                                              const EquationsOptions& options);

}  // namespace haltere
