#pragma once

#include <optional>
#include <string_view>

#include "haltere/dynamics/singular_passage.h"
#include "haltere/math/types.h"

namespace haltere {

class Equations;
enum class Status;
struct Snapshot;

/// What keeps a motion on its constraints, of which the equations know only the second derivative.
struct Stabilization {
  enum class Kind {
    kNone,        // they drift apart, slowly
    kBaumgarte,   // d2g/dt2 = -2 alpha dg/dt - beta^2 g             theory.md (E23), [baumgarte1972]
    kProjection,  // positions, then velocities to the nearest ones that obey, after every step  (E24)
    kSBoth2       // two corrections of both at once, after every step          (E25), [ascher1995]
  };
  Kind kind = Kind::kProjection;
  double alpha = 0, beta = 0;  // [1/s]

  /// `none`, `baumgarte:ALPHA,BETA`, `projection` or `s-both2`.
  static std::optional<Stabilization> parse(std::string_view text);
};

/// Corrects positions and velocities of a state by the methods that work after a step; kSingular where the
/// constraints cannot be met from here. `moved` tells whether anything was done.
class Stabilizer {
 public:
  explicit Stabilizer(const Stabilization& method) : method_(method) {}
  Status apply(double t, Ref y, Equations* equations, bool* moved);
  /// To the nearest positions, then velocities, that obey. Loops need this at every evaluation: near a
  /// singular position the accelerations of a state that is off by x are wrong by x over the square of the
  /// distance from it.
  Status project(double t, Ref y, Equations* equations);
  /// The same with the rates of the state that obeys.
  Status calc_ydot(double t, Ref y, Ref ydot, Equations* equations);
  /// The same as project() by Newton's method from y, wherever it is. `polish`: until nothing but rounding is
  /// left.
  Status meet(double t, Ref y, Equations* equations, bool polish);
  bool is_projection() const { return method_.kind == Stabilization::Kind::kProjection; }
  bool is_near_singular(double t, ConstRef y, double ahead, Equations* equations);
  /// See SingularPassage::observe().
  bool observe_passage(double t, ConstRef y, Equations* equations, Snapshot* out);
  /// Positions to the nearest ones that obey the constraints, then velocities; from any guess, with steps
  /// that are shortened where they do not help. For the start of a run.
  Status assemble(double t, Ref y, Equations* equations);
  double position_drift() const { return position_drift_; }  // what is left, after assemble()
  int worst_row() const { return worst_row_; }

 private:
  Status apply_s_both2(double t, Ref y, Equations* equations);
  void resize(const Equations& equations);
  double calc_norm(const Equations& equations);  // of g_
  Status project_or_pass(double t, Ref y, Ref ydot, Equations* equations, bool* passed);
  Status iterate(double t, Ref y, Equations* equations, bool polish);  // after calc_drift() at y

  Stabilization method_;
  Eigen::VectorXd g_, gdot_, dq_, dv_, zero_, y_, ydot_, scales_;
  SingularPassage passage_;
  double position_drift_ = 0;
  int worst_row_ = -1;
};

}  // namespace haltere
