#include "haltere/aero/lattice/lattice.h"

namespace haltere {

Lattice::Lattice(int rows, int columns, LatticeLayout layout, bool is_closed)
    : rows_(rows), columns_(columns), layout_(layout), is_closed_(is_closed) {
  ring_nodes_.resize(n_nodes());
  ring_velocities_.resize(n_nodes());
  points_.resize(n_panels());
  point_velocities_.resize(n_panels());
  normals_.resize(n_panels());
  middles_.resize(n_panels());
  areas_.resize(n_panels());
}

void Lattice::update(const std::vector<Vector3<double>>& corners,
                     const std::vector<Vector3<double>>& velocities) {
  corners_ = corners;
  const bool quarter = layout_ == LatticeLayout::kQuarter;
  // rings behind the trailing edge go on as the last panel does
  const auto put_back = [&](const std::vector<Vector3<double>>& of, int i, int j) -> Vector3<double> {
    if (!quarter) return of[node(i, j)];
    const int first = i < rows_ ? i : i - 1;
    return of[node(i, j)] + 0.25 * (of[node(first + 1, j)] - of[node(first, j)]);
  };
  for (int i = 0; i <= rows_; ++i)
    for (int j = 0; j <= columns_; ++j) {
      ring_nodes_[node(i, j)] = put_back(corners, i, j);
      ring_velocities_[node(i, j)] = put_back(velocities, i, j);
    }
  const double behind = quarter ? 0.75 : 0.5;  // of the chord, where the flow is met
  const auto meet = [&](const std::vector<Vector3<double>>& of, int i, int j) -> Vector3<double> {
    if (is_closed_ && (i == 0 || i + 1 == rows_)) {  // a triangle: the pole counts once
      const int rim = i == 0 ? 1 : i;
      return (of[node(i == 0 ? 0 : rows_, 0)] + of[node(rim, j)] + of[node(rim, j + 1)]) / 3;
    }
    return ((1 - behind) * (of[node(i, j)] + of[node(i, j + 1)]) +
            behind * (of[node(i + 1, j)] + of[node(i + 1, j + 1)])) /
           2;
  };
  for (int i = 0; i < rows_; ++i)
    for (int j = 0; j < columns_; ++j) {
      const int p = panel(i, j);
      points_[p] = meet(corners, i, j);
      point_velocities_[p] = meet(velocities, i, j);
      const Vector3<double>&a = corner(i, j), &b = corner(i, j + 1), &c = corner(i + 1, j + 1),
            &d = corner(i + 1, j);
      const Vector3<double> twice = (c - a).cross(b - d);
      normals_[p] = twice.normalized();
      areas_[p] = twice.norm() / 2;
      middles_[p] = is_closed_ ? points_[p] : Vector3<double>((a + b + c + d) / 4);
    }
}

Lattice Lattice::make_at(const std::vector<Vector3<double>>& corners) const {
  Lattice made = *this;
  made.update(corners, std::vector<Vector3<double>>(corners.size(), Vector3<double>::Zero()));
  return made;
}

}  // namespace haltere
