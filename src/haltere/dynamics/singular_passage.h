#pragma once

#include <span>
#include <vector>

#include "haltere/math/types.h"

namespace haltere {

class Equations;
class Stabilizer;
enum class Status;
struct Snapshot;

/// The way of a machine through positions where rows of its loops lose their independence, as those of a
/// parallelogram that lies flat. There the nearest state that obeys the constraints, and the accelerations,
/// are quotients of two numbers that vanish: a state that is off by x has velocities wrong by x/s and
/// accelerations wrong by x/s^2, where s, the distance, goes through zero, and beyond s = 0 there is another
/// branch. But the branch that the machine is on is smooth. So nothing is computed at the position itself:
/// the state is moved along its own motion, forwards and backwards, until the rows are independent; from
/// states there, each of which obeys the constraints, polynomials tell what holds in between.
class SingularPassage {
 public:
  /// After calc_drift() at (t, y): whether so many rows are weak there that the state is near such a
  /// position. kUnclear, kNear: call calc_drift() again, other states were looked at.
  enum class Place { kElsewhere, kUnclear, kNear };
  Place find_place(double t, ConstRef y, Stabilizer* stabilizer, Equations* equations);
  /// Whether the motion is near one in `ahead` seconds.
  bool is_near(double t, ConstRef y, double ahead, Stabilizer* stabilizer, Equations* equations);
  /// Moves y to where it obeys the constraints, on the branch of its motion, and computes its rates. False,
  /// with y as it was, where too few states with independent rows are in reach.
  bool pass(double t, Ref y, Ref ydot, Stabilizer* stabilizer, Equations* equations);
  /// After Equations::observe_met() at a state that obeys: accelerations, put right where the state is near
  /// such a position, and loads, unless those of the branch grow beyond all bounds there: then the ones that
  /// were solved for are better. True: other states were looked at.
  bool observe(double t, ConstRef y, Stabilizer* stabilizer, Equations* equations, Snapshot* out);

 private:
  struct Node {
    double tau = 0;           // along the motion [s]
    double weight = 0;        // of Lagrange's polynomial through all states, where the motion is now ...
    double inner_weight = 0;  // ... and through all but the outermost of each side, which have none
    Eigen::VectorXd correction, ydot;
  };
  void resize(const Equations& equations);
  double calc_pace(const Equations& equations, ConstRef y);
  int count_usual(double t, ConstRef y, Stabilizer* stabilizer, Equations* equations);
  void move(double tau, ConstRef y, const Equations& equations);
  std::span<Node* const> collect(double t, ConstRef y, Stabilizer* stabilizer, Equations* equations);
  int collect_side(double t, ConstRef y, double step, Node* nodes, Stabilizer* stabilizer,
                   Equations* equations);

  int usual_ = -1;  // weak rows elsewhere: those that depend on others at all times; -1: not known
  bool moves_with_time_ = false;  // the constraints
  Eigen::VectorXd motion_, dq_, zero_, moved_, met_, g_, gdot_;
  std::vector<Node> ahead_, behind_;
  std::vector<Node*> nodes_;
};

}  // namespace haltere
