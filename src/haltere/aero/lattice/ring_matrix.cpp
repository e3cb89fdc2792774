#include "haltere/aero/lattice/ring_matrix.h"

#include <algorithm>
#include <cstddef>

#include "haltere/aero/lattice/lattice_frame.h"

namespace haltere {
namespace {

// of what the preconditioner makes of the right-hand side: rounding
constexpr double kSolved = 1e-15;
// of GMRES: more are dearer than factors of a matrix of some hundred panels. Two wings that touch take 15, a wing a tenth of
// its chord above the ground 20
constexpr int kMostSteps = 60;

void list_points(const Lattice& lattice, PointList* points) {
  if (points->size() != lattice.n_panels()) points->resize(lattice.n_panels());
  for (int p = 0; p < lattice.n_panels(); ++p) points->set(p, lattice.points()[p]);
}

/// Through the panels of a lattice, by a ring and the other that shares the leg.
void add_flow(const Lattice& lattice, int first, const RingLeg& leg, const PointList& velocities,
              Eigen::MatrixXd* matrix) {
  for (int p = 0; p < lattice.n_panels(); ++p) {
    const double flow = velocities[p].dot(lattice.normals()[p]);
    if (leg.ring >= 0) (*matrix)(first + p, leg.ring) += flow;
    if (leg.other >= 0) (*matrix)(first + p, leg.other) -= flow;
  }
}

/// The same circulation of all rings of a closed lattice induces nothing, so that its matrix has no inverse. With a
/// multiple of the mean circulation (by area) in each of its equations it has: the mean is then next to nothing, and what
/// flow there is through the whole is spread evenly.                                         theory.md (E35)
void fix_mean(const Lattice& lattice, int first, Eigen::MatrixXd* matrix) {
  if (!lattice.is_closed()) return;
  const int n = lattice.n_panels();
  double area = 0;
  for (const double a : lattice.areas()) area += a;
  const double own = matrix->diagonal().segment(first, n).sum() / n;
  for (int p = 0; p < n; ++p)
    matrix->block(first, first + p, n, 1).array() += own * lattice.areas()[p] / area;
}

void draw(const RingLeg& leg, VortexLines* line) {
  line->clear();
  line->begin(leg.from);
  line->extend(leg.to, 1);
}

}  // namespace

std::shared_ptr<const RingMatrix::Block> RingMatrix::make_block(const Lattice& lattice, double core) {
  auto block = std::make_shared<Block>(Block{lattice, core, {}, {}});
  block->matrix.setZero(lattice.n_panels(), lattice.n_panels());
  PointList points, velocities;
  list_points(lattice, &points);
  VortexLines line;
  for_each_leg(lattice, 0, [&](const RingLeg& leg) {
    draw(leg, &line);
    velocities.resize(points.size());
    line.add_velocities(points, core, &velocities);
    add_flow(lattice, 0, leg, velocities, &block->matrix);
  });
  fix_mean(lattice, 0, &block->matrix);
  block->factors.factor(block->matrix);
  return block;
}

void RingMatrix::update(const std::vector<const Lattice*>& lattices, double core, const ImagePlanes& planes) {
  is_whole_ = false;
  blocks_.resize(lattices.size());
  bool is_as_before = assembled_.size() == lattices.size();
  for (std::size_t s = 0; s < lattices.size(); ++s) {
    if (blocks_[s] && blocks_[s]->core == core && is_rigid(*lattices[s], blocks_[s]->lattice)) continue;
    blocks_[s] = make_block(*lattices[s], core);
    is_as_before = false;
  }
  if (lattices.size() == 1 && planes.is_empty()) {
    matrix_.resize(0, 0);
    return;
  }
  if (is_as_before && !has_images_ && planes.is_empty() &&
      stand_alike(
          lattices.size(), [&](std::size_t s) -> const Lattice& { return *lattices[s]; },
          [&](std::size_t s) -> const Lattice& { return assembled_[s]; }))
    return;
  assemble(lattices, core, planes);
}

/// Blocks, and what lattices do to others and images to all.
void RingMatrix::assemble(const std::vector<const Lattice*>& lattices, double core,
                          const ImagePlanes& planes) {
  prepare(lattices);
  has_images_ = !planes.is_empty();
  for (std::size_t s = 0; s < lattices.size(); ++s)
    matrix_.block(first_[s], first_[s], lattices[s]->n_panels(), lattices[s]->n_panels()) =
        blocks_[s]->matrix;
  for (std::size_t s = 0; s < lattices.size(); ++s)
    for_each_leg(*lattices[s], first_[s],
                 [&](const RingLeg& leg) { add_leg(leg, static_cast<int>(s), core, planes, lattices); });
  assembled_.resize(lattices.size(), *lattices.front());
  for (std::size_t s = 0; s < lattices.size(); ++s) assembled_[s] = *lattices[s];
}

void RingMatrix::update_whole(const std::vector<const Lattice*>& lattices, const std::vector<RingLeg>& others,
                              double core, const ImagePlanes& planes) {
  is_whole_ = true;
  blocks_.clear();
  assembled_.clear();
  prepare(lattices);
  for (std::size_t s = 0; s < lattices.size(); ++s)
    for_each_leg(*lattices[s], first_[s],
                 [&](const RingLeg& leg) { add_leg(leg, -1, core, planes, lattices); });
  for (const RingLeg& leg : others) add_leg(leg, -1, core, planes, lattices);
  for (std::size_t s = 0; s < lattices.size(); ++s) fix_mean(*lattices[s], first_[s], &matrix_);
  factors_.factor(matrix_);
}

void RingMatrix::prepare(const std::vector<const Lattice*>& lattices) {
  points_.resize(lattices.size());
  velocities_.resize(lattices.size());
  first_.clear();
  int n = 0;
  for (std::size_t s = 0; s < lattices.size(); ++s) {
    list_points(*lattices[s], &points_[s]);
    first_.push_back(n);
    n += lattices[s]->n_panels();
  }
  matrix_.setZero(n, n);
}

/// To all panels; to those of its own lattice by its images alone, the block has the rest.
void RingMatrix::add_leg(const RingLeg& leg, int own, double core, const ImagePlanes& planes,
                         const std::vector<const Lattice*>& lattices) {
  draw(leg, &line_);
  const auto add = [&](const PointList& at, PointList* out) { line_.add_velocities(at, core, out); };
  for (std::size_t s = 0; s < lattices.size(); ++s) {
    const bool is_own = static_cast<int>(s) == own;
    if (is_own && planes.is_empty()) continue;
    velocities_[s].resize(points_[s].size());
    if (!is_own) add(points_[s], &velocities_[s]);
    planes.add_images(points_[s], &velocities_[s], &images_, add);
    add_flow(*lattices[s], first_[s], leg, velocities_[s], &matrix_);
  }
}

// -- solutions

void RingMatrix::solve(const Eigen::VectorXd& b, Eigen::VectorXd* x) {
  if (is_whole_) {
    factors_.solve(b, *x);
    return;
  }
  if (matrix_.size() == 0) {
    blocks_.front()->factors.solve(b, *x);
    return;
  }
  const Gmres::Operator multiply = [this](const Gmres::ConstVector& from, Gmres::Vector to) {
    to.noalias() = matrix_ * from;
  };
  const Gmres::Operator divide = [this](const Gmres::ConstVector& from, Gmres::Vector to) {
    for (const std::shared_ptr<const Block>& block : blocks_) {
      const Eigen::Index n = block->matrix.rows(), first = first_[&block - blocks_.data()];
      block->factors.solve(from.segment(first, n), to.segment(first, n));
    }
  };
  if (gmres_.solve(multiply, divide, b, kSolved, kMostSteps, x)) return;
  factors_.factor(matrix_);  // lattices that all but lie in each other
  factors_.solve(b, *x);
}

// -- checkpoints

namespace {

Lattice make_like(const Lattice& lattice, const std::vector<double>& numbers, std::size_t* place) {
  std::vector<Vector3<double>> corners(lattice.n_nodes());
  for (Vector3<double>& corner : corners)
    for (double& x : corner) x = numbers[(*place)++];
  return lattice.make_at(corners);
}

}  // namespace

/// Matrices are made anew, of the places that they were made of.
void RingMatrix::visit_state(Archive& archive, const std::vector<const Lattice*>& lattices, double core,
                             const ImagePlanes& planes) {
  std::vector<double> numbers;
  const auto add = [&](const Lattice& l) {
    for (const Vector3<double>& corner : l.corners())
      numbers.insert(numbers.end(), corner.begin(), corner.end());
  };
  for (const std::shared_ptr<const Block>& block : blocks_) {
    add(block->lattice);
    numbers.push_back(block->core);
  }
  if (!blocks_.empty())
    for (const Lattice& lattice : assembled_) add(lattice);
  archive.grow(numbers);
  if (!archive.is_loading()) return;
  forget();
  if (numbers.empty()) return;
  std::size_t n = 0, place = 0;
  for (const Lattice* lattice : lattices) n += 3 * static_cast<std::size_t>(lattice->n_nodes());
  const bool is_single = lattices.size() == 1 && planes.is_empty();
  if (numbers.size() != (is_single ? n : 2 * n) + lattices.size())
    throw ArchiveMismatch("the matrix of the air was made of another number of corners");
  std::vector<Lattice> as_assembled;
  for (const Lattice* lattice : lattices) {
    const Lattice made = make_like(*lattice, numbers, &place);
    blocks_.push_back(make_block(made, numbers[place++]));
  }
  if (is_single) return;
  for (const Lattice* lattice : lattices) as_assembled.push_back(make_like(*lattice, numbers, &place));
  std::vector<const Lattice*> stand;
  for (const Lattice& lattice : as_assembled) stand.push_back(&lattice);
  assemble(stand, core, planes);
}

}  // namespace haltere
