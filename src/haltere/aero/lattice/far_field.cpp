#include "haltere/aero/lattice/far_field.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "haltere/math/threads.h"

namespace haltere {
namespace {

constexpr int kNodes = 32;        // that the scale is the median of
constexpr int kMostInGroup = 64;  // targets: parts that threads take
constexpr double kWorth = 1e6;    // interactions, about 3 ms: a thread takes 0.05 ms to begin

int choose_order(double tolerance) {
  return std::clamp(static_cast<int>(std::lround(2 - 2.2 * std::log10(tolerance))), 3, Multipole::kMaxOrder);
}

/// Of an expansion at a point, in interactions of a segment: measured, bench/lattice.
double calc_cost(int order) {
  return 3 + 0.2 * (order + 2) * (order + 3);
}

}  // namespace

void FarField::update(const VortexLines& lines, double core, double tolerance, int tree_from) {
  lines_ = &lines;
  core_ = core;
  tolerance_ = tolerance;
  scale_ = 0;
  uses_tree_ = false;
  if (!(tolerance > 0) || lines.n_segments() < tree_from) return;
  scale_ = calc_scale();
  uses_tree_ = scale_ > 0 && std::isfinite(scale_) && tree_.update(lines, core, choose_order(tolerance));
  if (uses_tree_) update_budget();
}

double FarField::calc_scale() const {
  const std::vector<VortexLines::Node>& nodes = lines_->nodes();
  PointList points(kNodes), velocities(kNodes);
  for (int i = 0; i < kNodes; ++i) points.set(i, nodes[nodes.size() * i / kNodes].place());
  add_one_by_one(points, &velocities);
  std::vector<double> speeds;
  for (int i = 0; i < kNodes; ++i)
    if (const double speed = velocities[i].norm(); speed != 0) speeds.push_back(speed);
  if (speeds.empty()) return 0;
  std::sort(speeds.begin(), speeds.end());
  return speeds[speeds.size() * 9 / 10];
}

void FarField::add_velocities(const PointList& points, PointList* velocities) {
  uses_tree_ ? add_by_tree(points, velocities) : add_one_by_one(points, velocities);
}

double FarField::calc_error(const PointList& points, int sample) {
  if (!uses_tree_) return 0;
  sample = std::min(sample, points.size());
  PointList some(sample), direct(sample), by_tree(sample);
  for (int i = 0; i < sample; ++i)
    some.set(i, points[static_cast<int>(static_cast<long>(points.size()) * i / sample)]);
  add_one_by_one(some, &direct);
  add_by_tree(some, &by_tree);
  double most = 0;
  for (int i = 0; i < sample; ++i) most = std::max(most, (by_tree[i] - direct[i]).norm());
  return most / scale_;
}

// -- one by one

void FarField::add_one_by_one(const PointList& points, PointList* velocities) const {
  constexpr int kMostPacks = 16;  // that a thread takes at once
  const double work = static_cast<double>(points.size()) * static_cast<double>(lines_->n_segments());
  const int threads = work < kWorth ? 1 : n_threads();
  const int n = points.n_packs(), packs = threads == 1 ? n : std::clamp(n / 8, 1, kMostPacks);
  if (n == 0) return;
  for_each_part((n + packs - 1) / packs, threads, [&](int part, int) {
    lines_->add_velocities(points, {part * packs, std::min(n, (part + 1) * packs)}, {0, lines_->n_chains()},
                           core_, velocities);
  });
}

// -- by the tree

/// Points of a cube share their list, which depends on the cube alone.
void FarField::sort_targets(const PointList& points) {
  targets_.clear();
  for (int i = 0; i < points.size(); ++i) targets_.push_back({tree_.find_place(points[i]), i});
  std::sort(targets_.begin(), targets_.end(), [](const Target& a, const Target& b) {
    return a.place != b.place ? a.place < b.place : a.index < b.index;
  });
  groups_.clear();
  for (int i = 0; i < points.size(); ++i) {
    const bool is_alone = i == 0 || targets_[i].place.level < 0;
    if (is_alone || targets_[i].place != targets_[i - 1].place || i - groups_.back() == kMostInGroup)
      groups_.push_back(i);
  }
  groups_.push_back(points.size());
}

void FarField::add_by_tree(const PointList& points, PointList* velocities) {
  sort_targets(points);
  const int n = static_cast<int>(groups_.size()) - 1, threads = n_threads();
  if (static_cast<int>(scratches_.size()) < threads) scratches_.resize(threads);
  for_each_part(n, threads, [&](int part, int thread) {
    add_group(points, {groups_[part], groups_[part + 1]}, &scratches_[thread], velocities);
  });
}

void FarField::add_group(const PointList& points, VortexLines::Range group, Scratch* scratch,
                         PointList* velocities) const {
  const Target& first = targets_[group.first];
  Budget budget = budget_;
  make_list(tree_.calc_cube(first.place, points[first.index]), &budget, &scratch->list);
  const int padded = (group.size() + 3) / 4 * 4;  // the last one several times
  scratch->points.resize(padded);
  scratch->velocities.resize(padded);
  for (int i = 0; i < padded; ++i)
    scratch->points.set(i, points[targets_[std::min(group.first + i, group.last - 1)].index]);
  const VortexLines::Range packs{0, scratch->points.n_packs()};
  for (const Far& far : scratch->list.far)
    tree_.multipole().add_velocities(tree_.coefficients(far.cell), far.order, tree_.cells()[far.cell].sphere,
                                     scratch->points, packs, &scratch->velocities);
  for (const VortexLines::Range& chains : scratch->list.near)
    tree_.lines().add_velocities(scratch->points, packs, chains, core_, &scratch->velocities);
  for (int i = 0; i < group.size(); ++i) {
    const int index = targets_[group.first + i].index;
    velocities->set(index, (*velocities)[index] + scratch->velocities[i]);
  }
}

/// Errors of cells of the same share are about as large, so that a list says how to choose the share of the next one:
/// more or less all of the limit is to be used.
void FarField::make_list(const SegmentTree::Cube& cube, Budget* budget, List* list) const {
  constexpr int kMostAttempts = 8;
  constexpr double kEnough = 0.4, kAim = 0.8, kMost = 64;
  for (int attempt = 0;; ++attempt) {
    fill_list(cube, budget, list);
    const double used = budget->used / budget->limit;
    if (used <= 1 && (attempt > 0 || used >= kEnough)) return;
    budget->share *= used > 0 ? std::min(kAim / used, kMost) : kMost;
    if (attempt == kMostAttempts) budget->share = 0;  // one by one
  }
}

/// What lists of a few nodes came to is where all others begin.
void FarField::update_budget() {
  constexpr int kLists = 9;
  const SegmentTree::Cell& all = tree_.cells()[0];
  const double limit = tolerance_ * scale_;
  // of a flat wake the strengths over squares of distances have about this sum
  const double sum = 8 * all.strength / (all.sphere.radius * all.sphere.radius);
  budget_ = {limit, limit / sum};
  std::array<double, kLists> shares{};
  const std::vector<VortexLines::Node>& nodes = lines_->nodes();
  for (int i = 0; i < kLists; ++i) {
    const Vector3<double> node =
        nodes[nodes.size() * static_cast<std::size_t>(2 * i + 1) / (2 * std::size_t{kLists})].place();
    Budget budget = budget_;
    make_list(tree_.calc_cube(tree_.find_place(node), node), &budget, &first_list_);
    shares[i] = budget.share;
  }
  std::sort(shares.begin(), shares.end());
  if (shares[kLists / 2] > 0) budget_.share = shares[kLists / 2];
}

void FarField::fill_list(const SegmentTree::Cube& cube, Budget* budget, List* list) const {
  list->far.clear();
  list->near.clear();
  list->stack.assign(1, 0);
  budget->used = 0;
  while (!list->stack.empty()) {
    const int i = list->stack.back();
    list->stack.pop_back();
    const SegmentTree::Cell& cell = tree_.cells()[i];
    if (cell.strength == 0 || take_far(i, cube, budget, list)) continue;
    if (!cell.is_leaf) {
      for (std::size_t k = cell.children.size(); k-- > 0;)
        if (cell.children[k] >= 0) list->stack.push_back(cell.children[k]);
    } else if (!list->near.empty() && list->near.back().last == cell.chains.first) {
      list->near.back().last = cell.chains.last;
    } else {
      list->near.push_back(cell.chains);
    }
  }
}

/// The lowest order whose error is within the share, together with that of the cores; false where there is none, or
/// where the sum is as fast.
bool FarField::take_far(int i, const SegmentTree::Cube& cube, Budget* budget, List* list) const {
  const SegmentTree::Cell& cell = tree_.cells()[i];
  const double distance = cube.calc_distance(cell.sphere.centre);
  if (!(distance > cell.sphere.radius)) return false;
  const Vector3<double> way = cube.centre - cell.sphere.centre;
  const double square = distance * distance, weight = cell.strength / square;
  double error = cell.core_effect.calc(way / way.norm()) / (cell.strength * square);
  if (!(error <= budget->share)) return false;
  // theory.md (E38): all degrees above the last one, then one after the other
  const int most = tree_.multipole().order(), n = most + 1;
  const double* bounds = tree_.bounds(i);
  std::array<double, Multipole::kMaxOrder + 2> powers;
  const double ratio = cell.sphere.radius / distance;
  powers[0] = 1;
  for (int k = 1; k <= n; ++k) powers[k] = powers[k - 1] * ratio;
  error += bounds[n] * powers[n] * (n + 1 - n * ratio) / ((1 - ratio) * (1 - ratio));
  if (!(error <= budget->share)) return false;
  int order = most;
  for (double next = error; order > 0; --order, error = next) {
    next += bounds[order] * powers[order];
    if (!(next <= budget->share)) break;
  }
  if (cell.n_segments() <= calc_cost(order)) return false;
  list->far.push_back({i, order});
  budget->used += weight * error;
  return true;
}

}  // namespace haltere
