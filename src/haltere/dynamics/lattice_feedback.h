#pragma once

#include <complex>
#include <functional>
#include <memory>
#include <vector>

#include "haltere/aero/lattice/air_response.h"
#include "haltere/dynamics/lattice_air.h"

namespace haltere {

/// What the air of free wings does to small motions of their machine, which are multiplied by z from one of its steps to
/// the next. Wrenches are on bodies(), six numbers each, at the origin of the body.
///   theory.md "Small motions in the air", (E47) to (E50)
class LatticeAir::Feedback {
 public:
  /// The machine moved by a part of one of its small motions, and by the same part of its velocities.
  using MoveBy = std::function<Scene<double>(int way, double part)>;
  /// InputError or RunError where there is none. `way`s are numbers below n_ways.
  Feedback(const LatticeAir& air, const Scene<double>& base, int n_ways, const MoveBy& move_by);

  double step() const { return step_; }  //                                                        [s]
  int rows() const { return rows_; }     // of a wake
  const std::vector<int>& bodies() const { return air_.slots_; }
  /// Of each way: moved by so much of it corners go some small part of a panel, or become as much faster in a step. Powers
  /// of two.
  const Eigen::VectorXd& parts() const { return parts_; }
  /// K of (E45), in the axes of the bodies.
  const Eigen::MatrixXd& added() const { return added_; }
  /// Twists of the bodies in their axes, one column a way.
  const Eigen::MatrixXd& twists() const { return twists_; }
  /// World wrenches that come of the steady loads where the bodies turn, one column a way.
  const Eigen::MatrixXd& turned() const { return turned_; }
  /// G = F + K dV/dt of (E44) at the end of a step, in the axes of the bodies, for ways that are multiplied by z.
  Eigen::MatrixXcd calc_loads(std::complex<double> z);

 private:
  void require_linear(const Scene<double>& base) const;
  double choose_part(const Scene<double>& base, int way, const MoveBy& move_by) const;
  Eigen::VectorXd calc_wrenches(const Scene<double>& scene);

  const LatticeAir& air_;
  Scene<double> base_;
  double step_ = 0;
  int rows_ = 0;
  Eigen::VectorXd parts_;
  std::vector<Scene<double>> plus_, minus_;
  std::unique_ptr<AirResponse> response_;
  Eigen::MatrixXd K_, added_, twists_, turned_;  // K_: of each share
};

}  // namespace haltere
