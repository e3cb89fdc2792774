#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "haltere/dynamics/equations.h"
#include "haltere/math/dual.h"
#include "haltere/math/sparse_lu.h"

namespace haltere {

/// The equations as implicit methods solve them. After a step from q0 by dq
///   r = M(q) vdot - f(t, q, v) + A^T lambda,    g(t, q),      q = q0 o exp(dq),         theory.md (E27)
/// in the coordinates of the state y; in nonholonomic rows g is A v + b (index 2). The tangent is the
/// residual itself in dual numbers: exact, whatever joints, charts and force laws there are. Columns that
/// share no row are taken at once.
class ImplicitForm {
 public:
  template <class T>
  struct Point {
    double t = 0;
    VectorX<T> dq, v, vdot, lambda;
  };
  template <class T>
  struct Residual {
    VectorX<T> r, g;
    VectorX<T> gdot{};  // rates of the rows, where there is room for them
  };
  /// A position and its velocity: a number each, or a quaternion and an angular velocity in the axes of the
  /// parent.
  struct Link {
    int q, v;
    bool turns;
  };

  virtual ~ImplicitForm() = default;
  int n() const { return n_; }  // velocities
  int m() const { return m_; }  // rows
  virtual bool is_holonomic(int /*row*/) const { return true; }
  virtual std::string row_name(int row) const = 0;
  /// Of the rows, and of positions in the order of velocities: 1 for angles, the length scale for lengths.
  const Eigen::VectorXd& row_scales() const { return row_scales_; }
  /// What a residual of each row is compared with: rates of nonholonomic ones change with x by v_by_x.
  const Eigen::VectorXd& residual_scales() const { return residual_scales_; }
  const Eigen::VectorXd& scales() const { return scales_; }

  /// All that follows starts from the positions and turns of this state.
  void set_start(ConstRef y0);
  /// What the model remembers, as Integrand::calc_memory() has it; if not given, its states are those of the start, and
  /// delays give nothing.
  void set_memory(const Eigen::VectorXd& memory) { memory_ = memory; }
  /// Positions of the state after the step.
  void move(const Eigen::VectorXd& dq, Ref y) const;
  const std::vector<Link>& links() const { return links_; }
  /// Multipliers of the equations' last evaluation.
  virtual void read_multipliers(Eigen::VectorXd* lambda) const = 0;
  Status calc(const Point<double>& point, Residual<double>* out);
  /// A^T at the point of the last calc(), entry by entry: take(velocity, row, entry).
  using Take = std::function<void(int, int, double)>;
  virtual void take_row_forces(const Take& take) = 0;
  /// A^T mu there.
  virtual void calc_row_forces(const Eigen::VectorXd& mu, Eigen::VectorXd* forces) = 0;

  /// How the point changes with its unknowns: dq + by.dq x, v + by.v x, vdot + by.vdot x.
  struct Direction {
    double dq = 1, v = 0, vdot = 0;
  };
  /// The tangent against x, entry by entry: `take(row, column, entry)` with the rows of (r, g) and, after
  /// them, those of gdot where `with_rates`. False where it cannot be evaluated.
  bool differentiate(const Point<double>& point, const Direction& by, bool with_rates, const Take& take);
  /// Rows of (r, g) that each of (x, lambda) may change.
  const std::vector<std::vector<int>>& columns() const { return columns_; }

  /// Factors of d(r, g)/d(x, lambda) for dq + x, v + v_by_x x, vdot + vdot_by_x x.
  bool factor(const Point<double>& point, double v_by_x, double vdot_by_x);
  /// About the correction that a residual stands for, in scales of positions; after factor().
  double calc_size(const Residual<double>& residual) const;
  /// In: r and g; out: x and the change of lambda.
  void solve(Ref r, Ref g);
  SparseLu& matrix() { return *lu_; }

  /// Exact changes along directions of (dq, v, vdot, lambda), one a column (3 n + m rows), or of those and the states of
  /// the model; for analyses.
  struct Changes {
    Eigen::MatrixXd r, g;
    Eigen::MatrixXd xdot;    // of the states
    Eigen::MatrixXd q, v;    // of all joints, those that close loops too (Scene)
    Eigen::MatrixXd locals;  // t, probes, signals
  };
  Status calc_changes(const Point<double>& point, const Eigen::MatrixXd& directions, Changes* out);

 protected:
  explicit ImplicitForm(const Sizes& sizes) : sizes_(sizes) {}
  /// `columns`: rows of (r, g) that each of (x, lambda) may change.
  void set_pattern(const Eigen::VectorXd& scales, const Eigen::VectorXd& row_scales,
                   std::vector<std::vector<int>> columns, std::vector<Link> links);
  /// q = q0 o exp(dq)
  template <class T>
  void move(const VectorX<T>& dq, VectorX<T>* q) const;
  /// The same function in both scalars. A status other than kOk where it cannot be evaluated.
  virtual Status evaluate(const Point<double>& point, Residual<double>* out) = 0;
  virtual Status evaluate(const Point<Dual>& point, Residual<Dual>* out) = 0;
  virtual const Scene<Dual>& dual_scene() const = 0;                     // of the last evaluation
  virtual const Machine<Dual>* dual_machine() const { return nullptr; }  // null: of a model without states
  /// Before the motion of a point is read, and again with what it says of filters that motions are prescribed by.
  template <class T>
  void put_memory(const Machine<T>& machine, double t, Scene<T>* scene) const;
  const Eigen::VectorXd& q0() const { return q0_; }
  const Eigen::VectorXd& turns() const { return turns_; }

 private:
  void set_dual(const Point<double>& point, bool with_rates);
  void seed(const std::vector<int>& group, int direction, const Direction& by, double size);
  void update_units();

  const Sizes sizes_;
  int n_ = 0, m_ = 0;
  Eigen::VectorXd q0_, turns_;  // of the start
  Eigen::VectorXd memory_;
  VectorX<Dual> states_along_;  // with their directions, where there are any
  mutable Eigen::VectorXd q1_;
  std::unique_ptr<SparseLu> lu_;
  std::vector<Link> links_;
  std::vector<std::vector<int>> columns_, groups_;
  Point<Dual> dual_;
  Residual<Dual> dual_out_;
  Residual<double> plain_out_;
  double work_ = 0;  // the largest entry of the tangent, as work over the scales of its coordinates
  Eigen::VectorXd scales_, row_scales_, residual_scales_, row_units_, column_units_, b_;
};

}  // namespace haltere
