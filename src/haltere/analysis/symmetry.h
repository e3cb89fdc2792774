#pragma once

#include <string>
#include <vector>

#include "haltere/analysis/layout.h"
#include "haltere/dynamics/implicit_form.h"

namespace haltere {

/// Motions of the machine that its equations do not notice: coordinates that appear nowhere (the place of a
/// vehicle, the angle of a wheel), and turns of the whole machine about an axis, with all its velocities.
/// Steady motion goes along them. In joint coordinates.
struct Symmetry {
  /// Directions of positions, one a column, of length 1 in the model's scales; turns in the axes of the
  /// child (Layout::calc_child_axes), in which they are constant.
  Eigen::MatrixXd drift;
  /// Which of them also have speeds that appear nowhere: along these the machine may fall or accelerate.
  std::vector<int> galilean;
  std::vector<Vector3<double>> axes;  // of turns, world axes
  bool depends_on_time = false;       // the equations do

  int n_drift() const { return static_cast<int>(drift.cols()); }
};

/// True: the air is settled, and how its loads change is told by differences.
bool has_differences(const Equations& equations);

/// Looks at the equations in some states around y, with arbitrary velocities, accelerations and loads: what
/// has no effect in any of them has none. `told`: coordinates (as columns of the identity) that are to drift
/// whether the equations notice or not.
Symmetry find_symmetry(const Layout& layout, ConstRef y, const std::vector<int>& told, Equations* equations,
                       ImplicitForm* form);

}  // namespace haltere
