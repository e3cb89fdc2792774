#include "haltere/aero/lattice/span_places.h"

#include <algorithm>
#include <tuple>

namespace haltere {
namespace {

bool comes_before(const Vector3<double>& a, const Vector3<double>& b) {
  return std::tie(a[0], a[1], a[2]) < std::tie(b[0], b[1], b[2]);
}

}  // namespace

SpanPlaces::SpanPlaces(const Lattice& l) {
  const auto add = [&](int i0, int j0, int i1, int j1) {
    middles_.push_back({(l.ring_node(i0, j0) + l.ring_node(i1, j1)) / 2, j0 + j1});
  };
  for (int i = 0; i <= l.rows(); ++i)
    for (int j = 0; j < l.columns(); ++j) add(i, j, i, j + 1);
  for (int i = 0; i < l.rows(); ++i)
    for (int j = 0; j <= l.columns(); ++j) add(i, j, i + 1, j);
  for (int i = 0; i < l.rows(); ++i)
    for (int j = 0; j < l.columns(); ++j) middles_.push_back({l.middles()[l.panel(i, j)], 2 * j + 1});
  std::sort(middles_.begin(), middles_.end(),
            [](const Middle& a, const Middle& b) { return comes_before(a.point, b.point); });
}

int SpanPlaces::find(const Vector3<double>& point) const {
  const auto found =
      std::lower_bound(middles_.begin(), middles_.end(), point,
                       [](const Middle& m, const auto& p) { return comes_before(m.point, p); });
  if (found != middles_.end() && found->point == point) return found->place;
  // a middle that was computed in another order
  return std::min_element(middles_.begin(), middles_.end(),
                          [&](const Middle& a, const Middle& b) {
                            return (a.point - point).squaredNorm() < (b.point - point).squaredNorm();
                          })
      ->place;
}

}  // namespace haltere
