#include "haltere/aero/lattice/far_field.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "haltere/math/threads.h"

namespace haltere {
namespace {

constexpr int kTreeFrom = 3000;   // segments: about where a tree is as fast at 1e-4, bench/lattice
constexpr int kNodes = 32;        // that the scale is the median of
constexpr int kMostInGroup = 64;  // targets: parts that threads take
constexpr double kWorth = 1e6;    // interactions, about 3 ms: a thread takes 0.05 ms to begin
// of the tolerance, where lines have cores: distance is dearer than order
constexpr double kCoreShare = 0.8;

int choose_order(double tolerance) {
  return std::clamp(static_cast<int>(std::lround(2 - 2.2 * std::log10(tolerance))), 3, Multipole::kMaxOrder);
}

/// Of an expansion at a point, in interactions of a segment: measured, bench/lattice.
double calc_cost(int order) {
  return 3 + 0.2 * (order + 2) * (order + 3);
}

}  // namespace

void FarField::update(const VortexLines& lines, double core, double tolerance) {
  lines_ = &lines;
  core_ = core;
  tolerance_ = tolerance;
  scale_ = 0;
  uses_tree_ = false;
  if (!(tolerance > 0) || lines.n_segments() < kTreeFrom) return;
  scale_ = calc_scale();
  uses_tree_ = scale_ > 0 && std::isfinite(scale_) && tree_.update(lines, core, choose_order(tolerance));
  if (uses_tree_) update_budgets();
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
  Budget truncation = truncation_, cores = cores_;
  make_list(tree_.calc_cube(first.place, points[first.index]), &truncation, &cores, &scratch->list);
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

/// So that more or less all of the limit is used the next time.
void FarField::Budget::adjust() {
  constexpr double kAim = 0.8, kMost = 16;
  share *= used > 0 ? std::min(kAim * limit / used, kMost) : kMost;
}

/// Errors of cells of the same share are about as large, so that a list says how to choose the share of the next one.
void FarField::make_list(const SegmentTree::Cube& cube, Budget* truncation, Budget* cores, List* list) const {
  constexpr int kMostAttempts = 8;
  for (int attempt = 0;; ++attempt) {
    fill_list(cube, truncation, cores, list);
    const bool is_much = truncation->used > truncation->limit || cores->used > cores->limit;
    const bool is_little = truncation->used < truncation->limit / 4 && cores->used <= cores->limit / 4;
    if (!is_much && (attempt > 0 || !is_little)) return;
    for (Budget* budget : {truncation, cores})
      if (attempt == 0 || budget->used > budget->limit) budget->adjust();
    if (attempt == kMostAttempts) truncation->share = cores->share = 0;  // one by one
  }
}

/// What lists of a few nodes came to is where all others begin.
void FarField::update_budgets() {
  constexpr int kLists = 9;
  const SegmentTree::Cell& all = tree_.cells()[0];
  const double limit = tolerance_ * scale_, core_part = all.core_effect > 0 ? kCoreShare : 0;
  // of a flat wake the strengths over squares of distances have about this sum
  const double sum = 8 * all.strength / (all.sphere.radius * all.sphere.radius);
  truncation_ = {(1 - core_part) * limit, (1 - core_part) * limit / sum};
  cores_ = {core_part * limit, core_part * limit / sum};
  std::array<double, kLists> truncation_shares{}, core_shares{};
  const std::vector<VortexLines::Node>& nodes = lines_->nodes();
  for (int i = 0; i < kLists; ++i) {
    const Vector3<double> node = nodes[nodes.size() * (2 * i + 1) / (2 * kLists)].place();
    Budget truncation = truncation_, cores = cores_;
    make_list(tree_.calc_cube(tree_.find_place(node), node), &truncation, &cores, &first_list_);
    truncation_shares[i] = truncation.share;
    core_shares[i] = cores.share;
  }
  std::sort(truncation_shares.begin(), truncation_shares.end());
  std::sort(core_shares.begin(), core_shares.end());
  if (truncation_shares[kLists / 2] > 0) truncation_.share = truncation_shares[kLists / 2];
  if (core_shares[kLists / 2] > 0) cores_.share = core_shares[kLists / 2];
}

void FarField::fill_list(const SegmentTree::Cube& cube, Budget* truncation, Budget* cores, List* list) const {
  list->far.clear();
  list->near.clear();
  list->stack.assign(1, 0);
  truncation->used = cores->used = 0;
  while (!list->stack.empty()) {
    const int i = list->stack.back();
    list->stack.pop_back();
    const SegmentTree::Cell& cell = tree_.cells()[i];
    if (cell.strength == 0) continue;
    const double distance = cube.calc_distance(cell.sphere.centre);
    if (distance > cell.sphere.radius && take_far(i, distance, truncation, cores, list)) continue;
    if (!cell.is_leaf) {
      for (auto child = cell.children.rbegin(); child != cell.children.rend(); ++child)
        if (*child >= 0) list->stack.push_back(*child);
    } else if (!list->near.empty() && list->near.back().last == cell.chains.first) {
      list->near.back().last = cell.chains.last;
    } else {
      list->near.push_back(cell.chains);
    }
  }
}

/// The lowest order whose error is within the share, theory.md (E38); false where there is none, or where the sum is
/// as fast.
bool FarField::take_far(int i, double distance, Budget* truncation, Budget* cores, List* list) const {
  const SegmentTree::Cell& cell = tree_.cells()[i];
  const double weight = cell.strength / (distance * distance);
  const double core_effect = cell.core_effect / (cell.strength * distance * distance);
  if (!(core_effect <= cores->share)) return false;
  const double ratio = cell.sphere.radius / distance, slow = 1 / ((1 - ratio) * (1 - ratio));
  const double* spreads = tree_.spreads(i);
  double power = ratio;
  for (int order = 0; order <= tree_.multipole().order(); ++order, power *= ratio) {
    const int n = order + 1;
    const double error = spreads[n] * power * (n + 1 - n * ratio) * slow;
    if (!(error <= truncation->share)) continue;
    if (cell.n_segments() <= calc_cost(order)) return false;
    list->far.push_back({i, order});
    truncation->used += weight * error;
    cores->used += weight * core_effect;
    return true;
  }
  return false;
}

}  // namespace haltere
