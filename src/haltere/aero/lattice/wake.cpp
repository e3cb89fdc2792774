#include "haltere/aero/lattice/wake.h"

#include <algorithm>

namespace haltere {

void Wake::clear() {
  nodes_.clear();
  births_.clear();
  circulations_.clear();
  steps_.clear();
}

void Wake::attach(double t, const std::vector<Vector3<double>>& edge) {
  nodes_.insert(nodes_.end(), edge.begin(), edge.end());
  births_.push_back(t);
}

void Wake::push(const std::vector<double>& circulations) {
  circulations_.insert(circulations_.end(), circulations.begin(), circulations.end());
  steps_.push_back(1);
}

void Wake::settle(double t, const std::vector<Vector3<double>>& edge, const Vector3<double>& behind,
                  const std::vector<double>& circulations) {
  clear();
  std::vector<Vector3<double>> far = edge;
  for (Vector3<double>& node : far) node += behind;
  attach(t, far);
  push(circulations);
  attach(t, edge);
}

void Wake::limit(double t, const WakeLimits& limits) {
  // a row of rings goes when its younger end is too old
  std::size_t old = 0;
  while (old + 1 < steps_.size() && t - births_[old + 1] > limits.age) ++old;
  drop_oldest(old);
  // from the oldest on, so that which rings are joined depends on nothing but their ages
  for (std::size_t i = 0; i + 2 < steps_.size(); ++i)  // never the youngest
    if (steps_[i] == steps_[i + 1] && t - births_[i + 2] >= limits.coarsen * steps_[i]) join(i);
}

void Wake::drop_oldest(std::size_t rows) {
  if (rows == 0) return;
  const auto first = [rows](auto* list, std::size_t width) {
    list->erase(list->begin(), list->begin() + static_cast<std::ptrdiff_t>(rows * width));
  };
  first(&nodes_, columns_ + 1);
  first(&births_, 1);
  first(&circulations_, columns_);
  first(&steps_, 1);
}

/// One ring in place of two, with the mean of their circulations, weighted by their areas: in a plane the impulse stays.
void Wake::join(std::size_t older) {
  for (int j = 0; j < columns_; ++j) {
    const double a = calc_area(older, j), b = calc_area(older + 1, j);
    double& gamma = circulations_[older * columns_ + j];
    const double other = circulations_[(older + 1) * columns_ + j];
    gamma = a + b > 0 ? (a * gamma + b * other) / (a + b) : (gamma + other) / 2;
  }
  const auto remove = [](auto* list, std::size_t row, std::size_t width) {
    const auto from = list->begin() + static_cast<std::ptrdiff_t>(row * width);
    list->erase(from, from + static_cast<std::ptrdiff_t>(width));
  };
  steps_[older] *= 2;
  remove(&steps_, older + 1, 1);
  remove(&circulations_, older + 1, columns_);
  remove(&nodes_, older + 1, columns_ + 1);
  remove(&births_, older + 1, 1);
}

double Wake::calc_area(std::size_t ring, int column) const {
  const Vector3<double>* a = &nodes_[ring * (columns_ + 1) + column];
  const Vector3<double>* b = a + columns_ + 1;
  return (b[1] - a[0]).cross(a[1] - b[0]).norm() / 2;
}

void Wake::visit_state(Archive& archive) {
  std::vector<double> numbers, steps(steps_.begin(), steps_.end());
  for (const Vector3<double>& node : nodes_) numbers.insert(numbers.end(), node.begin(), node.end());
  archive.grow(numbers);
  archive.grow(births_);
  archive.grow(circulations_);
  archive.grow(steps);
  if (!archive.is_loading()) return;
  const std::size_t rows = steps.size();
  if (births_.size() != rows + 1 || circulations_.size() != rows * columns_ ||
      numbers.size() != 3 * (rows + 1) * (columns_ + 1))
    throw ArchiveMismatch("a wake has another number of nodes than its circulations say");
  steps_.assign(rows, 1);
  for (std::size_t i = 0; i < rows; ++i) {
    if (!(steps[i] >= 1 && steps[i] <= std::numeric_limits<int>::max()))
      throw ArchiveMismatch("a ring of a wake is no whole number of steps long");
    steps_[i] = static_cast<int>(steps[i]);
  }
  nodes_.resize(numbers.size() / 3);
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    nodes_[i] = {numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]};
}

}  // namespace haltere
