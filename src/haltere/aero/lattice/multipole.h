#pragma once

#include <cstddef>
#include <vector>

#include "haltere/aero/gauss.h"
#include "haltere/aero/lattice/vortex_lines.h"
#include "haltere/math/pack.h"

namespace haltere {

/// What the lines inside a sphere induce outside of it, without their cores: solid harmonics about its centre, to
/// an order p of the vector potential, theory.md (E37). All lengths are in radii of the sphere.
class Multipole {
 public:
  static constexpr int kMaxOrder = 24;

  /// sum over the lines of Gamma/(4 pi) times the integral of R_n^m dl; x, y and z in three lanes.
  struct Moment {
    Pack re, im;
  };
  struct Sphere {
    Vector3<double> centre;
    double radius;
  };

  explicit Multipole(int order = 0);
  int order() const { return order_; }
  std::size_t n_moments() const { return static_cast<std::size_t>(order_ + 1) * (order_ + 2) / 2; }
  std::size_t n_coefficients() const { return static_cast<std::size_t>(order_ + 2) * (order_ + 3) * 3; }

  /// Of chains, exactly: Gauss' rule along each segment.
  void calc_moments(const VortexLines& lines, VortexLines::Range chains, const Sphere& sphere,
                    Moment* moments) const;
  /// Adds the moments of a sphere inside another one.
  void add_moments(const Moment* inner, const Sphere& inside, const Sphere& sphere, Moment* moments) const;
  /// Of the three velocities, from the moments.
  void calc_coefficients(const Moment* moments, const Sphere& sphere, double* coefficients) const;
  /// What degrees n = 0..order() of the potential induce at a distance d is at most bounds[n]/d^(n+2), d in radii.
  void calc_bounds(const double* coefficients, double* bounds) const;
  /// Adds the velocities of a sphere at some packs of points outside of it, to an order up to its own.
  void add_velocities(const double* coefficients, int order, const Sphere& sphere, const PointList& points,
                      VortexLines::Range packs, PointList* velocities) const;

 private:
  void add_points_inline(const Pack& x, const Pack& y, const Pack& z, const Pack* weights, Pack* sums) const;
  void calc_moments_inline(const VortexLines& lines, VortexLines::Range chains, const Sphere& sphere,
                           Moment* moments) const;
  void calc_moments_avx2(const VortexLines& lines, VortexLines::Range chains, const Sphere& sphere,
                         Moment* moments) const;
  void calc_moments_baseline(const VortexLines& lines, VortexLines::Range chains, const Sphere& sphere,
                             Moment* moments) const;
  void add_moments_inline(const Moment* inner, const Sphere& inside, const Sphere& sphere,
                          Moment* moments) const;
  void add_moments_avx2(const Moment* inner, const Sphere& inside, const Sphere& sphere,
                        Moment* moments) const;
  void add_moments_baseline(const Moment* inner, const Sphere& inside, const Sphere& sphere,
                            Moment* moments) const;
  void add_velocities_inline(const double* coefficients, int order, const Sphere& sphere,
                             const PointList& points, VortexLines::Range packs, PointList* velocities) const;
  void add_velocities_avx2(const double* coefficients, int order, const Sphere& sphere,
                           const PointList& points, VortexLines::Range packs, PointList* velocities) const;
  void add_velocities_baseline(const double* coefficients, int order, const Sphere& sphere,
                               const PointList& points, VortexLines::Range packs,
                               PointList* velocities) const;

  int order_;
  GaussRule rule_;               // exact for the order
  std::vector<double> inverse_;  // 1/(n^2 - m^2)
};

}  // namespace haltere
