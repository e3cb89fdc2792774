#include "haltere/aero/lattice/segment_tree.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "haltere/math/threads.h"

namespace haltere {
namespace {

constexpr int kMostLevels = 21;  // three digits of a level fit into 64 bits so often
constexpr double kFinest = 1 << kMostLevels;
constexpr int kLeaf = 128;  // segments: of 32, 64, 100, 128 and 200 the fastest, or within 2 %

/// Two zeros between the bits of a number below 2^21.
std::uint64_t spread_bits(std::uint64_t x) {
  std::uint64_t out = 0;
  for (int bit = 0; bit < kMostLevels; ++bit) out |= (x >> bit & 1) << (3 * bit);
  return out;
}

int digit(std::uint64_t key, int level) {
  return static_cast<int>(key >> (3 * (kMostLevels - 1 - level)) & 7);
}

Vector3<double> calc_middle(const VortexLines::Node& node) {
  return {node.x - node.dx / 2, node.y - node.dy / 2, node.z - node.dz / 2};
}

Vector3<double> calc_start(const VortexLines::Node& node) {
  return {node.x - node.dx, node.y - node.dy, node.z - node.dz};
}

}  // namespace

double SegmentTree::Cube::calc_distance(const Vector3<double>& point) const {
  return ((point - centre).cwiseAbs().array() - half).max(0).matrix().norm();
}

bool SegmentTree::update(const VortexLines& lines, double core, int order) {
  if (order != multipole_.order()) multipole_ = Multipole(order);
  if (!update_frame(lines)) return false;
  sort_items(lines);
  cut();
  collect_lines(lines);
  const int n = static_cast<int>(cells_.size());
  bounds_.resize(n_bounds() * n);
  coefficients_.resize(multipole_.n_coefficients() * n);
  for_each_part(n, n_threads(), [&](int cell, int) { update_sphere(&cells_[cell]); });
  for (int level = static_cast<int>(levels_.size()) - 2; level >= 0; --level) {
    const int first = levels_[level], size = levels_[level + 1] - first;
    moments_[level % 2].resize(multipole_.n_moments() * size);
    for_each_part(size, n_threads(), [&](int i, int) {
      update_core_effect(core, first + i);
      update_moments(level, first + i);
      update_bounds(first + i);
    });
  }
  return true;
}

// -- cubes

/// The first cube has all middles in it. What is thin lies at a third of it, where no cut ever comes near.
bool SegmentTree::update_frame(const VortexLines& lines) {
  Vector3<double> low, high;
  low.setConstant(INFINITY);
  high = -low;
  bool is_finite = true;
  for (int i = 0; i < lines.n_chains(); ++i) {
    const VortexLines::Range chain = lines.chain(i);
    for (int k = chain.first + 1; k < chain.last; ++k) {
      const Vector3<double> middle = calc_middle(lines.nodes()[k]);
      is_finite = is_finite && std::isfinite(middle.sum()) && std::isfinite(lines.nodes()[k].length2);
      low = low.cwiseMin(middle);
      high = high.cwiseMax(middle);
    }
  }
  side_ = (high - low).maxCoeff();
  if (!is_finite || !(side_ > 0) || !std::isfinite(side_)) return false;
  for (int k = 0; k < 3; ++k)
    corner_[k] = (low[k] + high[k]) / 2 - std::max(side_ / 3, (high[k] - low[k]) / 2);
  return true;
}

Vector3<double> SegmentTree::calc_coordinates(const Vector3<double>& point) const {
  return (point - corner_) / side_ * kFinest;
}

void SegmentTree::sort_items(const VortexLines& lines) {
  items_.clear();
  for (int i = 0; i < lines.n_chains(); ++i) {
    const VortexLines::Range chain = lines.chain(i);
    for (int k = chain.first + 1; k < chain.last; ++k) {
      const Vector3<double> at = calc_coordinates(calc_middle(lines.nodes()[k]));
      std::uint64_t key = 0;
      for (int axis = 0; axis < 3; ++axis)
        key |= spread_bits(static_cast<std::uint64_t>(std::clamp(at[axis], 0., kFinest - 1))) << axis;
      items_.push_back({key, k});
    }
  }
  std::sort(items_.begin(), items_.end(),
            [](const Item& a, const Item& b) { return a.key != b.key ? a.key < b.key : a.node < b.node; });
}

void SegmentTree::cut() {
  cells_.clear();
  levels_.assign(1, 0);
  leaves_.clear();
  cells_.push_back({{0, {0, 0, 0}}, 0, static_cast<int>(items_.size())});
  double sum = 0;
  for (int next = 0; next < static_cast<int>(cells_.size());) {
    const int end = static_cast<int>(cells_.size());
    for (; next < end; ++next) {
      const int level = cells_[next].place.level;
      if (cells_[next].n_segments() > kLeaf && level < kMostLevels) {
        cut_cell(next);
      } else {
        leaves_.push_back(next);
        sum += static_cast<double>(level) * cells_[next].n_segments();
      }
    }
    levels_.push_back(end);
  }
  usual_level_ = static_cast<int>(std::lround(sum / static_cast<double>(items_.size())));
  std::sort(leaves_.begin(), leaves_.end(), [&](int a, int b) { return cells_[a].first < cells_[b].first; });
}

void SegmentTree::cut_cell(int parent) {
  const Cell cell = cells_[parent];
  cells_[parent].is_leaf = false;
  const int level = cell.place.level;
  for (int first = cell.first; first < cell.last;) {
    const int octant = digit(items_[first].key, level);
    const auto end = std::partition_point(items_.begin() + first, items_.begin() + cell.last,
                                          [&](const Item& item) { return digit(item.key, level) == octant; });
    Place place{level + 1, cell.place.at};
    for (int axis = 0; axis < 3; ++axis) place.at[axis] = 2 * place.at[axis] + (octant >> axis & 1);
    const int last = static_cast<int>(end - items_.begin());
    cells_[parent].children[octant] = static_cast<int>(cells_.size());
    cells_.push_back({place, first, last});
    first = last;
  }
}

SegmentTree::Place SegmentTree::find_place(const Vector3<double>& point) const {
  const Vector3<double> at = calc_coordinates(point);
  constexpr double kFar = 1e12;  // beyond that whole numbers would end
  if (!(at.cwiseAbs().maxCoeff() < kFar)) return {-1, {0, 0, 0}};
  std::array<std::int64_t, 3> digits{};
  bool is_inside = true;
  for (int axis = 0; axis < 3; ++axis) {
    digits[axis] = static_cast<std::int64_t>(std::floor(at[axis]));
    is_inside = is_inside && digits[axis] >= 0 && digits[axis] < static_cast<std::int64_t>(kFinest);
  }
  int level = usual_level_;
  if (is_inside) {
    int cell = 0;
    for (level = 0; cell >= 0 && !cells_[cell].is_leaf; ++level) {
      int octant = 0;
      for (int axis = 0; axis < 3; ++axis)
        octant |= static_cast<int>(digits[axis] >> (kMostLevels - 1 - level) & 1) << axis;
      cell = cells_[cell].children[octant];
    }
    if (cell < 0) level = std::max(level, usual_level_);
  }
  for (std::int64_t& d : digits) d >>= kMostLevels - level;
  return {level, digits};
}

SegmentTree::Cube SegmentTree::calc_cube(const Place& place, const Vector3<double>& point) const {
  if (place.level < 0) return {point, 0};
  const double half = std::ldexp(side_, -place.level - 1);
  Vector3<double> centre = corner_;
  for (int axis = 0; axis < 3; ++axis) centre[axis] += static_cast<double>(2 * place.at[axis] + 1) * half;
  return {centre, half};
}

// -- what is in a cell

/// Segments of a leaf in their order, so that neighbours still share a node.
void SegmentTree::collect_lines(const VortexLines& lines) {
  lines_.clear();
  for (const int leaf : leaves_) {
    Cell& cell = cells_[leaf];
    cell.chains.first = lines_.n_chains();
    std::sort(items_.begin() + cell.first, items_.begin() + cell.last,
              [](const Item& a, const Item& b) { return a.node < b.node; });
    int last = -1;
    for (int i = cell.first; i < cell.last; ++i) {
      const int k = items_[i].node;
      if (k != last + 1) lines_.begin(lines.nodes()[k - 1].place());
      lines_.add(lines.nodes()[k]);
      last = k;
    }
    cell.chains.last = lines_.n_chains();
  }
  for (std::size_t i = cells_.size(); i-- > 0;) {
    Cell& cell = cells_[i];
    if (cell.is_leaf) continue;
    cell.chains.first = lines_.n_chains();
    for (const int child : cell.children) {
      if (child < 0) continue;
      cell.chains.first = std::min(cell.chains.first, cells_[child].chains.first);
      cell.chains.last = std::max(cell.chains.last, cells_[child].chains.last);
    }
  }
}

void SegmentTree::update_sphere(Cell* cell) const {
  Vector3<double> low, high;
  low.setConstant(INFINITY);
  high = -low;
  cell->strength = 0;
  const auto for_each_segment = [&](const auto& look) {
    for (int i = cell->chains.first; i < cell->chains.last; ++i) {
      const VortexLines::Range chain = lines_.chain(i);
      for (int k = chain.first + 1; k < chain.last; ++k) look(lines_.nodes()[k]);
    }
  };
  for_each_segment([&](const VortexLines::Node& node) {
    const Vector3<double> start = calc_start(node), end = node.place();
    low = low.cwiseMin(start).cwiseMin(end);
    high = high.cwiseMax(start).cwiseMax(end);
    cell->strength += std::abs(node.circulation) * std::sqrt(node.length2);
  });
  const Vector3<double> centre = (low + high) / 2;
  double square = 0;
  for_each_segment([&](const VortexLines::Node& node) {
    square =
        std::max({square, (calc_start(node) - centre).squaredNorm(), (node.place() - centre).squaredNorm()});
  });
  cell->sphere = {centre, std::sqrt(square)};
}

void SegmentTree::update_core_effect(double core, int cell) {
  Cell& c = cells_[cell];
  if (!c.is_leaf) {
    for (const int child : c.children)
      if (child >= 0) c.core_effect.add(cells_[child].core_effect);
    return;
  }
  for (int i = c.chains.first; i < c.chains.last; ++i) {
    const VortexLines::Range chain = lines_.chain(i);
    for (int k = chain.first + 1; k < chain.last; ++k)
      c.core_effect.add_segment(lines_.nodes()[k], core * core);
  }
}

void SegmentTree::update_moments(int level, int cell) {
  const auto of = [&](int l, int i) {
    return moments_[l % 2].data() + multipole_.n_moments() * (i - levels_[l]);
  };
  const Cell& c = cells_[cell];
  if (!(c.strength > 0)) return;
  Multipole::Moment* moments = of(level, cell);
  if (c.is_leaf) {
    multipole_.calc_moments(lines_, c.chains, c.sphere, moments);
  } else {
    std::fill_n(moments, multipole_.n_moments(), Multipole::Moment{Pack(0), Pack(0)});
    for (const int child : c.children)
      if (child >= 0 && cells_[child].strength > 0)
        multipole_.add_moments(of(level + 1, child), cells_[child].sphere, c.sphere, moments);
  }
  multipole_.calc_coefficients(moments, c.sphere, coefficients_.data() + multipole_.n_coefficients() * cell);
}

/// The smaller one of two bounds: what the segments could give if all of them acted the same way, (E38), and what the
/// harmonics that they have together can. |y|^n is convex: along a segment its mean is at most that of the ends.
void SegmentTree::update_bounds(int cell) {
  const Cell& c = cells_[cell];
  double* bounds = bounds_.data() + n_bounds() * cell;
  const int n = static_cast<int>(n_bounds());
  std::fill_n(bounds, n, 0.);
  if (!(c.strength > 0)) return;
  const double over = 1 / c.sphere.radius;
  for (int i = c.chains.first; i < c.chains.last; ++i) {
    const VortexLines::Range chain = lines_.chain(i);
    for (int k = chain.first + 1; k < chain.last; ++k) {
      const VortexLines::Node& node = lines_.nodes()[k];
      const double r1 = over * (calc_start(node) - c.sphere.centre).norm(),
                   r2 = over * (node.place() - c.sphere.centre).norm();
      double power1 = std::abs(node.circulation) * std::sqrt(node.length2) / (2 * c.strength),
             power2 = power1;
      for (int j = 0; j < n; ++j, power1 *= r1, power2 *= r2) bounds[j] += power1 + power2;
    }
  }
  std::array<double, Multipole::kMaxOrder + 1> harmonics;
  multipole_.calc_bounds(coefficients(cell), harmonics.data());
  for (int j = 0; j + 1 < n; ++j)
    bounds[j] = std::min((j + 1) * bounds[j], harmonics[j] * c.sphere.radius * c.sphere.radius / c.strength);
}

}  // namespace haltere
