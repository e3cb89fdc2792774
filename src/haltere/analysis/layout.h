#pragma once

#include <vector>

#include "haltere/dynamics/equations.h"

namespace haltere {

/// Which velocities of a state are components of vectors, and how all of them change when the whole machine
/// turns about an axis. In the coordinates of `recursive`, or of `absolute` with the chart `lie`; positions
/// are increments in the axes of the velocities (ImplicitForm).
class Layout {
 public:
  /// Joint coordinates.
  Layout(const Model& model, const std::vector<double>& parameters);
  /// Turn and translation of every body, world axes.
  explicit Layout(const Model& model);

  int n() const { return n_; }

  /// Rate of the positions when everything turns about an axis of the world at rate 1.
  Eigen::VectorXd calc_turn(const Vector3<double>& axis, ConstRef q) const;
  /// Its derivative by the positions.
  Eigen::MatrixXd calc_turn_slope(const Vector3<double>& axis) const;
  /// Rate of velocities, as a matrix against them, when they turn in this way.
  Eigen::MatrixXd calc_rate(const Vector3<double>& axis) const;

  /// Increments of turns move with the turn they are made on: d(dq)/dt = dv + W dq.
  Eigen::MatrixXd calc_carry(ConstRef v) const;

  /// Turns in the axes of the child instead of the parent, all else as it is (of the positions q).
  Eigen::MatrixXd calc_child_axes(ConstRef q) const;

 private:
  /// Velocities that are components of one vector.
  struct Block {
    int start = 0;                                  // in the velocities
    Eigen::Matrix<double, 3, Eigen::Dynamic> axes;  // in world, where the block turns with the machine
    bool is_turn = false;                           // an angular velocity whose position is a quaternion
    bool in_world = false;                          // turns with the machine
    int q = 0;                                      // start of its positions in the state
    Vector3<double> origin =
        Vector3<double>::Zero();  // of its positions, from the point that the axis goes through
    int size() const { return static_cast<int>(axes.cols()); }
  };
  struct Hinge {  // an angle about an axis of the world
    int v = 0;
    Vector3<double> axis = Vector3<double>::Zero();
  };
  void add_joint(const JointSpec& joint, const Transform<double>& X_WF, int q);

  int n_ = 0;
  std::vector<Block> blocks_;
  std::vector<Hinge> hinges_;
};

}  // namespace haltere
