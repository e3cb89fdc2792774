#pragma once

#include <complex>
#include <vector>

#include "haltere/aero/lattice/vortex_air.h"
#include "haltere/math/dense.h"

namespace haltere {

/// What the air does to wings that move a little beside a steady motion, straight through the wind: small motions that are
/// multiplied by z from step to step of the air, as prescribed wakes carry them.
///   theory.md "Small motions in the air", (E47) to (E49)
/// About that motion the wakes are straight rows of rings, one a step, each with the circulation of its panel at the edge.
class AirResponse {
 public:
  using Motion = VortexAir::Motion;
  /// One small motion of all surfaces: corners and velocities there and as far on the other side.
  struct Way {
    std::vector<Motion> plus, minus;
  };
  AirResponse(const VortexAir& air, double t, double step, int rows, const std::vector<Motion>& base,
              std::vector<Way> ways);

  VortexAir& air() { return air_; }  // as show() left it
  int n_ways() const { return static_cast<int>(ways_.size()); }
  /// Circulations and flows of all ways that are multiplied by z in each step; not 0.
  void update(std::complex<double> z);
  enum class Part { kReal, kImaginary };
  /// The air beside the steady motion: of one way the real or imaginary part of what update() found, on either side (1, -1).
  void show(int way, Part part, double side);
  void show_base();

  /// Numbers that a response of this air keeps.
  static double count_numbers(const VortexAir& air, int rows, int n_ways);

 private:
  struct Segment {
    int i0, j0, i1, j1;
  };
  static std::vector<Segment> list_segments(const VortexAir::Surface& surface);
  void lay_wakes(int rows);
  void hang_on_edges();
  Eigen::VectorXd induce_at_base();
  Eigen::VectorXd calc_flows();
  void set_flows(const Eigen::VectorXd& flows);
  void update_rings();
  void update_wake_rings();
  void update_base();
  void update_ways();
  void update_displaced_rows(int way, const std::vector<std::vector<Vector3<double>>>& edges);

  VortexAir air_;
  std::vector<Motion> base_;
  std::vector<Way> ways_;
  int n_panels_ = 0, n_places_ = 0, n_columns_ = 0, rows_ = 0;
  std::vector<int> owners_;  // panel among all of each column of the wakes
  // flows are numbers: through each panel along its normal, then three for each segment that carries a force
  Eigen::VectorXd base_flows_, base_gamma_;
  Eigen::MatrixXd rings_;       // of each panel's ring
  Eigen::MatrixXd wake_rings_;  // of each ring of the wakes, column by column, from the edge on
  Eigen::MatrixXd direct_;      // of each way with the circulations and the wake as they are
  std::vector<Eigen::MatrixXd>
      displaced_;    // of each way, by rows of nodes that it has left behind; empty: none
  DenseLu factors_;  // of the rings on the panels
  std::complex<double> z_;
  Eigen::MatrixXcd gamma_, flows_;  // of each way
};

}  // namespace haltere
