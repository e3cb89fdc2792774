#include "haltere/aero/lattice/crossings.h"

#include <algorithm>
#include <array>

namespace haltere {
namespace {

struct Ball {
  Vector3<double> middle;
  double radius;
};

/// Around a lattice at both times.
Ball enclose(const Lattice& before, const Lattice& after) {
  Ball ball{Vector3<double>::Zero(), 0};
  const double n = before.n_panels() + after.n_panels();
  for (const Lattice* lattice : {&before, &after})
    for (const Vector3<double>& middle : lattice->middles()) ball.middle += middle / n;
  for (const Lattice* lattice : {&before, &after})
    for (int i = 0; i <= lattice->rows(); ++i)
      for (int j = 0; j <= lattice->columns(); ++j)
        ball.radius = std::max(ball.radius, (lattice->corner(i, j) - ball.middle).norm());
  return ball;
}

/// A point in the plane of a panel lies within it: on the same side of all edges.
bool is_inside(const std::array<Vector3<double>, 4>& corners, const Vector3<double>& normal,
               const Vector3<double>& p) {
  int left = 0, right = 0;
  for (int k = 0; k < 4; ++k) {
    const Vector3<double> edge = corners[(k + 1) % 4] - corners[k];
    if (edge.isZero(0)) continue;  // of a triangle
    ++(edge.cross(p - corners[k]).dot(normal) > 0 ? left : right);
  }
  return left == 0 || right == 0;
}

bool crosses(const Lattice& before, const Lattice& after, int i, int j, const Vector3<double>& from,
             const Vector3<double>& to) {
  const int p = before.panel(i, j);
  const double d0 = (from - before.middles()[p]).dot(before.normals()[p]),
               d1 = (to - after.middles()[p]).dot(after.normals()[p]);
  if (!(d0 * d1 < 0)) return false;
  const double part = d0 / (d0 - d1);
  std::array<Vector3<double>, 4> corners;
  const std::array<std::array<int, 2>, 4> around{{{i, j}, {i, j + 1}, {i + 1, j + 1}, {i + 1, j}}};
  for (int k = 0; k < 4; ++k)
    corners[k] = (1 - part) * before.corner(around[k][0], around[k][1]) +
                 part * after.corner(around[k][0], around[k][1]);
  const Vector3<double> normal = (1 - part) * before.normals()[p] + part * after.normals()[p];
  return is_inside(corners, normal, (1 - part) * from + part * to);
}

}  // namespace

int count_crossings(const Lattice& before, const Lattice& after, const std::vector<Vector3<double>>& from,
                    const std::vector<Vector3<double>>& to) {
  const Ball ball = enclose(before, after);
  int count = 0;
  for (std::size_t k = 0; k < from.size(); ++k) {
    const double travel = (to[k] - from[k]).norm();
    if ((from[k] - ball.middle).norm() > ball.radius + travel) continue;
    for (int i = 0; i < before.rows(); ++i)
      for (int j = 0; j < before.columns(); ++j)
        count += crosses(before, after, i, j, from[k], to[k]) ? 1 : 0;
  }
  return count;
}

}  // namespace haltere
