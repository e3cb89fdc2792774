#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "haltere/aero/lattice/core_effect.h"
#include "haltere/aero/lattice/multipole.h"

namespace haltere {

/// Cubes within cubes about the segments of vortex lines, each with what its segments induce far away. It depends
/// on the lines alone, and goes with the unit of length.
class SegmentTree {
 public:
  /// The cube `at` of those that the first one is cut into `level` times; level -1: the point itself.
  struct Place {
    int level;
    std::array<std::int64_t, 3> at;
    auto operator<=>(const Place&) const = default;  // NOLINT(modernize-use-nullptr): there is no 0 here
  };
  struct Cube {
    Vector3<double> centre;
    double half;                                               // of its side
    double calc_distance(const Vector3<double>& point) const;  // from its nearest place
  };
  struct Cell {
    Place place;
    int first, last;                                              // of its segments
    std::array<int, 8> children{-1, -1, -1, -1, -1, -1, -1, -1};  // -1: there is none
    bool is_leaf = true;
    VortexLines::Range chains{};                           // of lines()
    Multipole::Sphere sphere{Vector3<double>::Zero(), 0};  // about all of its lines
    double strength = 0;                                   // sum |Gamma| l/(4 pi)
    CoreEffect core_effect{};
    int n_segments() const { return last - first; }
  };

  /// False where there is nothing to cut: lines of one place, or that are not finite.
  bool update(const VortexLines& lines, double core, int order);

  const Multipole& multipole() const { return multipole_; }
  const VortexLines& lines() const { return lines_; }        // the same ones in the order of the cells
  const std::vector<Cell>& cells() const { return cells_; }  // the first one has all others inside
  const double* coefficients(int cell) const {
    return coefficients_.data() + multipole_.n_coefficients() * cell;
  }
  /// What degrees n = 0..order of a cell induce at a distance d of its centre is at most
  /// bounds[n] strength/d^2 (radius/d)^n; the last one, n = order + 1, is that of all higher degrees, without the
  /// factor that theory.md (E38) has for them.
  const double* bounds(int cell) const { return bounds_.data() + n_bounds() * cell; }

  /// The smallest cube that a point is in; where no lines are, one as small as those of the lines are on average.
  Place find_place(const Vector3<double>& point) const;
  Cube calc_cube(const Place& place, const Vector3<double>& point) const;

 private:
  struct Item {
    std::uint64_t key;  // its middle, by the digits of its cubes
    int node;           // where it ends
  };
  std::size_t n_bounds() const { return static_cast<std::size_t>(multipole_.order()) + 2; }
  Vector3<double> calc_coordinates(const Vector3<double>& point) const;
  bool update_frame(const VortexLines& lines);
  void sort_items(const VortexLines& lines);
  void cut();
  void cut_cell(int parent);
  void collect_lines(const VortexLines& lines);
  void update_sphere(Cell* cell) const;
  void update_core_effect(double core, int cell);
  void update_moments(int level, int cell);
  void update_bounds(int cell);

  Multipole multipole_;
  Vector3<double> corner_;  // of the first cube
  double side_ = 0;
  int usual_level_ = 0;
  std::vector<Item> items_;
  std::vector<Cell> cells_;  // one level after the other
  std::vector<int> levels_;  // where each begins, and the end
  std::vector<int> leaves_;
  VortexLines lines_;
  std::vector<double> bounds_, coefficients_;
  std::array<std::vector<Multipole::Moment>, 2> moments_;  // of even and odd levels
};

}  // namespace haltere
