#include "haltere/aero/lattice/core_effect.h"

#include <cmath>
#include <cstddef>

namespace haltere {
namespace {

// of the square of the core, and of core times length, where lines are as far from each other as they are long:
// chosen on flat, skew, rolled-up and tubular wakes, smooth and rough, with cores from 0.001 to 1 of a panel,
// theory.md
constexpr double kAny = 2, kAlong = 18, kPast = 1;

/// The axes of a cube through its faces, edges and corners, one of each pair; the last three are not there.
struct Directions {
  std::array<Pack, 4> x, y, z;
};

Directions make_directions() {
  Directions d;
  for (std::array<Pack, 4>* list : {&d.x, &d.y, &d.z}) list->fill(Pack(0));
  std::size_t next = 0;
  for (int i = 14; i < 27; ++i) {
    const int slice = i / 9, row = i / 3 % 3, column = i % 3;
    const Vector3<double> axis = Vector3<double>(slice - 1, row - 1, column - 1).normalized();
    d.x[next / 4].x[next % 4] = axis[0];
    d.y[next / 4].x[next % 4] = axis[1];
    d.z[next / 4].x[next % 4] = axis[2];
    ++next;
  }
  return d;
}

const Directions kDirections = make_directions();

}  // namespace

void CoreEffect::add_segment(const VortexLines::Node& segment, double core2) {
  const double weight = std::abs(segment.circulation) * std::sqrt(segment.length2);
  core2 += segment.growth;
  any_ += kAny * weight * core2;
  std::size_t nearest = 0, lane = 0;
  double most = -1;
  for (std::size_t i = 0; i < along_.size(); ++i) {
    const Pack cosine = abs(Pack(segment.dx) * kDirections.x[i] + Pack(segment.dy) * kDirections.y[i] +
                            Pack(segment.dz) * kDirections.z[i]);
    for (std::size_t j = 0; j < Pack::kSize; ++j)
      if (cosine.x[j] > most) {
        most = cosine.x[j];
        nearest = i;
        lane = j;
      }
  }
  along_[nearest].x[lane] += weight * (kAlong * core2 + kPast * std::sqrt(core2 * segment.length2));
}

void CoreEffect::add(const CoreEffect& other) {
  any_ += other.any_;
  for (std::size_t i = 0; i < along_.size(); ++i) along_[i] = along_[i] + other.along_[i];
}

double CoreEffect::calc(const Vector3<double>& direction) const {
  const Pack x(direction[0]), y(direction[1]), z(direction[2]);
  Pack sum(0);
  for (std::size_t i = 0; i < along_.size(); ++i) {
    const Pack cosine = x * kDirections.x[i] + y * kDirections.y[i] + z * kDirections.z[i],
               square = cosine * cosine, fourth = square * square;
    sum = sum + along_[i] * (fourth * fourth);
  }
  return any_ + sum.sum();
}

}  // namespace haltere
