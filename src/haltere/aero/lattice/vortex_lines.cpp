#include "haltere/aero/lattice/vortex_lines.h"

#include <cstddef>
#include <numbers>

#include "haltere/math/instruction_set.h"
#include "haltere/math/pack.h"

namespace haltere {
namespace {

// square of the sine of the angle at which a point is on a segment: between rounding of the middle of a segment
// a thousand lengths from the origin (1e-24) and a section of 1e6 chords span (1e-15)
constexpr double kOnLine = 1e-20;

constexpr double kUnit = 1 / (4 * std::numbers::pi);

/// What one segment d, which ends in r2 (from there to the point) and began in r1, induces: a factor for
/// r1 x r2 = d x r2.
HALTERE_INLINE Pack calc_factor(const Pack& c2, const Pack& along, double length2, double core2,
                                const Pack& distance1, const Pack& distance2, const Pack& square2) {
  // r0.r1 = r0.r2 + |r0|^2
  const Pack numerator = (along + Pack(length2)) * distance2 - along * distance1;
  const Pack denominator = distance1 * distance2 * (c2 + Pack(core2));
  return where_positive(c2 - Pack(kOnLine * length2) * square2, numerator / denominator);
}

}  // namespace

void PointList::resize(int size) {
  size_ = size;
  const std::size_t padded = (static_cast<std::size_t>(size) + 3) / 4 * 4;
  for (std::vector<double>* list : {&x_, &y_, &z_}) list->assign(padded, 0);
}

void VortexLines::clear() {
  nodes_.clear();
  starts_.clear();
}

void VortexLines::begin(const Vector3<double>& node) {
  starts_.push_back(nodes_.size());
  nodes_.push_back({node[0], node[1], node[2], 0, 0, 0, 0, 0, 0});
}

void VortexLines::extend(const Vector3<double>& node, double circulation, double growth) {
  const Node& last = nodes_.back();
  const double dx = node[0] - last.x, dy = node[1] - last.y, dz = node[2] - last.z;
  nodes_.push_back(
      {node[0], node[1], node[2], dx, dy, dz, dx * dx + dy * dy + dz * dz, kUnit * circulation, growth});
}

HALTERE_INLINE void VortexLines::add_velocities_inline(const PointList& points, Range packs, Range chains,
                                                       double core, PointList* velocities) const {
  const double core2 = core * core;
  for (int p = packs.first; p < packs.last; ++p) {
    const std::ptrdiff_t first = std::ptrdiff_t{Pack::kSize} * p;
    const Pack px = Pack::load(points.x() + first), py = Pack::load(points.y() + first),
               pz = Pack::load(points.z() + first);
    Pack vx(0), vy(0), vz(0);
    for (int i = chains.first; i < chains.last; ++i) {
      const Range nodes = chain(i);
      const Node* node = nodes_.data() + nodes.first;
      const Node* const end = nodes_.data() + nodes.last;
      Pack x = px - Pack(node->x), y = py - Pack(node->y), z = pz - Pack(node->z);
      Pack distance1 = sqrt(x * x + y * y + z * z);
      for (++node; node != end; ++node) {
        x = px - Pack(node->x);
        y = py - Pack(node->y);
        z = pz - Pack(node->z);
        const Pack square2 = x * x + y * y + z * z, distance2 = sqrt(square2);
        const Pack dx(node->dx), dy(node->dy), dz(node->dz);
        const Pack cx = dy * z - dz * y, cy = dz * x - dx * z, cz = dx * y - dy * x;
        const Pack c2 = cx * cx + cy * cy + cz * cz;
        const Pack along = dx * x + dy * y + dz * z;
        const Pack f = Pack(node->circulation) * calc_factor(c2, along, node->length2,
                                                             (core2 + node->growth) * node->length2,
                                                             distance1, distance2, square2);
        vx = vx + f * cx;
        vy = vy + f * cy;
        vz = vz + f * cz;
        distance1 = distance2;
      }
    }
    for (int i = 0; i < Pack::kSize; ++i) {
      velocities->x()[first + i] += vx.x[i];
      velocities->y()[first + i] += vy.x[i];
      velocities->z()[first + i] += vz.x[i];
    }
  }
}

HALTERE_TARGET_AVX2 void VortexLines::add_velocities_avx2(const PointList& points, Range packs, Range chains,
                                                          double core, PointList* velocities) const {
  add_velocities_inline(points, packs, chains, core, velocities);
}

void VortexLines::add_velocities_baseline(const PointList& points, Range packs, Range chains, double core,
                                          PointList* velocities) const {
  add_velocities_inline(points, packs, chains, core, velocities);
}

void VortexLines::add_velocities(const PointList& points, Range packs, Range chains, double core,
                                 PointList* velocities) const {
  uses_avx2() ? add_velocities_avx2(points, packs, chains, core, velocities)
              : add_velocities_baseline(points, packs, chains, core, velocities);
}

void VortexLines::add_velocities(const PointList& points, double core, PointList* velocities) const {
  add_velocities(points, {0, points.n_packs()}, {0, n_chains()}, core, velocities);
}

}  // namespace haltere
