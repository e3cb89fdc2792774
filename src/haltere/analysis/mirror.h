#pragma once

#include <string>
#include <vector>

#include "haltere/math/types.h"
#include "haltere/model/model.h"

namespace haltere {

/// The mirror image of a machine in a plane normal to an axis of the world: every body is its own image, but
/// moves as the image would. States are those of `recursive`. Positions of bodies that are free in space are
/// polar vectors, turns and angular velocities axial ones; an angle keeps its sign where its axis is normal
/// to the mirror and changes it where it lies in the mirror, a length the other way round. Axes count as they
/// stand where all coordinates are zero.
class Mirror {
 public:
  /// InputError for an axis that is neither. `normal`: 0 to 2.
  Mirror(const Model& model, const std::vector<double>& parameters, int normal);

  /// Positions and velocities; the rest of the state stays.
  Eigen::VectorXd reflect(const Eigen::VectorXd& y) const;
  /// Velocities or accelerations alone (nv).
  Eigen::VectorXd reflect_rates(const Eigen::VectorXd& v) const;

 private:
  /// A coordinate that keeps or changes its sign; or three that are components of a vector.
  struct Part {
    int q = 0, v = 0;      // where it starts
    double sign = 1;       //
    bool is_turn = false;  // its position is a quaternion
    bool is_vector = false;
    Matrix3<double> image = Matrix3<double>::Identity();  // of a vector
  };
  void add_joint(const JointSpec& joint, const Matrix3<double>& R_WF, const Vector6<double>* S_W,
                 const Vector3<double>& normal, std::vector<Problem>* problems);

  int nq_ = 0, nv_ = 0;
  std::vector<Part> parts_;
};

}  // namespace haltere
