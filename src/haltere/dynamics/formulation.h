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
  std::vector<int> loaded_bodies;           // that its loads may be on
  bool has_loops = false;                   // rows that may depend on each other
  bool has_moving_constraints = false;      // by formulas of time
  bool rates_follow_normalization = false;  // normalize() changes ydot in more than a scale
  int n_change() const { return static_cast<int>(change_scales.size()); }
};

/// Coordinates for a machine, and the solve for their accelerations: nothing else. Forces, accounts,
/// stabilisation and texts are those of Equations, once for all formulations. One evaluation is
///   read() -> motion,  loads of the machine,  take() -> rows,  factor(),  solve() -> accelerations.
/// An object owns the workspace of its solve: one per thread.
class Formulation {
 public:
  virtual ~Formulation() = default;
  const CoordinateLayout& layout() const { return layout_; }

  /// The machine that all that follows is about; again where parameters have changed.
  virtual void set_machine(const Machine<double>& machine) = 0;
  /// The rows that it holds the machine by.
  virtual const ConstraintSet<double>& constraints() const = 0;
  virtual std::string row_name(int row) const { return constraints().row_name(row); }

  // -- coordinates; y is a whole state, of which q, v and turns are read or written
  virtual void read(double t, ConstRef y, Scene<double>* scene) = 0;
  /// Poses and twists of bodies that no law reads, too, after read().
  virtual void complete(Scene<double>* /*scene*/) const {}
  virtual void write(const Scene<double>& scene, Ref y) const = 0;
  virtual void calc_qdot(ConstRef y, Ref ydot) = 0;
  virtual void normalize(Ref y, Ref ydot) const = 0;
  /// Moves positions by q o exp(dq) and velocities by dv, n_change() entries each.
  virtual void shift(ConstRef dq, ConstRef dv, Ref y) const = 0;
  virtual void read_velocities(ConstRef y, Ref dq) const = 0;  // as changes of positions a second

  // -- the solve
  /// Masses, loads and rows of the motion that was read.
  virtual void take(Scene<double>* scene, BodyLoads<double>* loads) = 0;
  /// What the rows are off, and all that the three below need.
  virtual Status factor(const Scene<double>& scene) = 0;
  const Eigen::VectorXd& g() const { return g_; }        // of all rows, 0 of nonholonomic ones
  const Eigen::VectorXd& gdot() const { return gdot_; }  //
  /// Accelerations and multipliers. `wanted`: second derivatives of the rows; empty: none.
  virtual void solve(const Eigen::VectorXd& wanted) = 0;
  /// The least change of velocity, in the sense of kinetic energy, with A dv = r.
  virtual void calc_change(ConstRef r, Ref dv) = 0;
  /// The same of positions, where only position rows ask for something.
  virtual void calc_position_change(ConstRef r, Ref dq) = 0;
  virtual RowSystem* loop_rows() { return nullptr; }  // after factor(); the last rows of all

  // -- after solve()
  virtual Status write_rates(const Scene<double>& scene, ConstRef y, Ref ydot) = 0;  // qdot and vdot
  virtual Vector6<double> calc_A_WB(BodyIndex body) const = 0;                       // (alpha; a of Bo)
  /// Of what moves a joint, or a set of rows, by formulas of time.                                     [W]
  virtual double calc_prescribed_power(const Scene<double>& scene, int joint) const = 0;
  virtual double calc_row_power(int set) const = 0;
  virtual Eigen::VectorXd multipliers() const = 0;
  virtual void observe(const Scene<double>& scene, const BodyLoads<double>& loads, Snapshot* out) = 0;

  // -- for analyses, after take()
  /// M vdot = f without constraints, and the velocity rows A v + b = 0; in the coordinates of n_change().
  virtual void calc_mass_matrix(const Scene<double>& scene, const BodyLoads<double>& loads,
                                Eigen::MatrixXd* M) = 0;
  virtual void calc_generalized_force(const Scene<double>& scene, const BodyLoads<double>& loads,
                                      Eigen::VectorXd* f) = 0;
  virtual void calc_constraint_matrix(ConstRef y, const Scene<double>& scene, Eigen::MatrixXd* A,
                                      Eigen::VectorXd* b) = 0;
  virtual std::unique_ptr<ImplicitForm> make_implicit_form() const = 0;

  // -- why a state cannot be evaluated; or ""
  virtual std::string find_coordinate_fault(ConstRef /*y*/) const { return ""; }
  virtual std::string find_singularity(const Scene<double>& scene) = 0;

 protected:
  CoordinateLayout layout_;
  Eigen::VectorXd g_, gdot_;
};

struct EquationsOptions;
/// By name; InputError for one that does not exist, or does not fit the model.
std::unique_ptr<Formulation> make_formulation(std::string_view name, const Model& model,
                                              const EquationsOptions& options);

}  // namespace haltere
