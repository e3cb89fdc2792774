#include "haltere/aero/lattice/multipole.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>

#include "haltere/math/instruction_set.h"

namespace haltere {
namespace {

using Complex = std::complex<double>;

constexpr int kMostMoments = (Multipole::kMaxOrder + 1) * (Multipole::kMaxOrder + 2) / 2;
constexpr int kMostTerms = (Multipole::kMaxOrder + 1) * (Multipole::kMaxOrder + 1);

/// Of degree n and order m >= 0 in a list up to degree `top`, one m after the other.
int harmonic(int n, int m, int top) {
  return m * (top + 1) - m * (m - 1) / 2 + n - m;
}

/// In a list with all m, one n after the other.
int term(int n, int m) {
  return n * (n + 1) + m;
}

/// All R_n^m at a point, by term().
void calc_regular(const Vector3<double>& x, int order, Complex* R) {
  const double square = x.squaredNorm();
  Complex diagonal = 1;
  for (int m = 0; m <= order; ++m) {
    Complex a = diagonal, before = 0;
    for (int n = m; n <= order; ++n) {
      R[term(n, m)] = a;
      R[term(n, -m)] = m % 2 == 0 ? std::conj(a) : -std::conj(a);
      const Complex next = ((2 * n + 1) * x[2] * a - square * before) / double((n + 1) * (n + 1) - m * m);
      before = a;
      a = next;
    }
    diagonal *= Complex(x[0], x[1]) / (2. * (m + 1));
  }
}

}  // namespace

Multipole::Multipole(int order) : order_(order), rule_(make_gauss_rule(order / 2 + 1)) {
  inverse_.resize(n_moments());
  for (int m = 0; m <= order; ++m)
    for (int n = m + 1; n <= order; ++n) inverse_[harmonic(n, m, order)] = 1. / (n * n - m * m);
}

// -- moments

/// R_n^m at four points, times three weights each:
///   R_m^m = (x + iy) R_{m-1}^{m-1}/(2m),  R_{n+1}^m = [(2n+1) z R_n^m - r^2 R_{n-1}^m]/((n+1)^2 - m^2)
HALTERE_INLINE void Multipole::add_points_inline(const Pack& x, const Pack& y, const Pack& z,
                                                 const Pack* weights, Pack* sums) const {
  const Pack square = x * x + y * y + z * z, z2 = z + z;
  const Pack wx = weights[0], wy = weights[1], wz = weights[2];
  Pack dr(1), di(0);
  const double* inverse = inverse_.data();
  for (int m = 0; m <= order_; ++m) {
    Pack ar = dr, ai = di, br(0), bi(0), f = Pack(m + 0.5) * z2;
    for (int n = m;; ++n) {
      sums[0] = sums[0] + wx * ar;
      sums[1] = sums[1] + wx * ai;
      sums[2] = sums[2] + wy * ar;
      sums[3] = sums[3] + wy * ai;
      sums[4] = sums[4] + wz * ar;
      sums[5] = sums[5] + wz * ai;
      sums += 6;
      ++inverse;
      if (n == order_) break;
      const Pack over(*inverse), nr = (f * ar - square * br) * over, ni = (f * ai - square * bi) * over;
      br = ar;
      bi = ai;
      ar = nr;
      ai = ni;
      f = f + z2;
    }
    const Pack over(0.5 / (m + 1)), nr = (x * dr - y * di) * over;
    di = (x * di + y * dr) * over;
    dr = nr;
  }
}

HALTERE_INLINE void Multipole::calc_moments_inline(const VortexLines& lines, VortexLines::Range chains,
                                                   const Sphere& sphere, Moment* moments) const {
  std::array<Pack, std::size_t{6} * kMostMoments> sums;
  const std::size_t n = n_moments();
  std::fill_n(sums.begin(), 6 * n, Pack(0));
  const double over = 1 / sphere.radius;
  std::array<Pack, 3> at{Pack(0), Pack(0), Pack(0)}, weights = at;
  int lane = 0;
  for (int i = chains.first; i < chains.last; ++i) {
    const VortexLines::Range chain = lines.chain(i);
    for (int k = chain.first + 1; k < chain.last; ++k) {
      const VortexLines::Node& node = lines.nodes()[k];
      for (std::size_t j = 0; j < rule_.points.size(); ++j) {
        const double back = rule_.points[j], w = rule_.weights[j] * node.circulation * over;
        at[0].x[lane] = (node.x - back * node.dx - sphere.centre[0]) * over;
        at[1].x[lane] = (node.y - back * node.dy - sphere.centre[1]) * over;
        at[2].x[lane] = (node.z - back * node.dz - sphere.centre[2]) * over;
        weights[0].x[lane] = w * node.dx;
        weights[1].x[lane] = w * node.dy;
        weights[2].x[lane] = w * node.dz;
        if (++lane < Pack::kSize) continue;
        add_points_inline(at[0], at[1], at[2], weights.data(), sums.data());
        lane = 0;
      }
    }
  }
  for (; lane < Pack::kSize; ++lane)  // the last ones count for nothing
    for (Pack& weight : weights) weight.x[lane] = 0;
  add_points_inline(at[0], at[1], at[2], weights.data(), sums.data());
  for (std::size_t i = 0; i < n; ++i) {
    const Pack* sum = sums.data() + 6 * i;
    moments[i] = {Pack::of(Pack::Lanes{sum[0].sum(), sum[2].sum(), sum[4].sum(), 0}),
                  Pack::of(Pack::Lanes{sum[1].sum(), sum[3].sum(), sum[5].sum(), 0})};
  }
}

/// R_n^m(a + b) = sum R_k^l(a) R_{n-k}^{m-l}(b)
HALTERE_INLINE void Multipole::add_moments_inline(const Moment* inner, const Sphere& inside,
                                                  const Sphere& sphere, Moment* moments) const {
  std::array<Moment, kMostTerms> all;
  std::array<Complex, kMostTerms> shift;
  calc_regular((inside.centre - sphere.centre) / sphere.radius, order_, shift.data());
  const double ratio = inside.radius / sphere.radius;
  double power = ratio;  // moments have a length, that of dl, in themselves
  for (int n = 0; n <= order_; ++n, power *= ratio)
    for (int m = 0; m <= n; ++m) {
      const Moment& a = inner[harmonic(n, m, order_)];
      const Pack even(power), odd(m % 2 == 0 ? power : -power);
      all[term(n, m)] = {even * a.re, even * a.im};
      all[term(n, -m)] = {odd * a.re, -(odd * a.im)};
    }
  for (int m = 0; m <= order_; ++m)
    for (int n = m; n <= order_; ++n) {
      Moment sum = *moments;
      for (int k = 0; k <= n; ++k)
        for (int l = std::max(-k, m - (n - k)); l <= std::min(k, m + (n - k)); ++l) {
          const Moment& a = all[term(k, l)];
          const Complex& b = shift[term(n - k, m - l)];
          const Pack re(b.real()), im(b.imag());
          sum.re = sum.re + (a.re * re - a.im * im);
          sum.im = sum.im + (a.re * im + a.im * re);
        }
      *moments++ = sum;
    }
}

// -- velocities

/// The curl of the potential, whose terms conj(M_n^m) S_n^m have derivatives
///   d/dz S_n^m = -S_{n+1}^m,  (d/dx + i d/dy) S_n^m = -S_{n+1}^{m+1},  (d/dx - i d/dy) S_n^m = S_{n+1}^{m-1}
void Multipole::calc_coefficients(const Moment* moments, const Sphere& sphere, double* coefficients) const {
  const int top = order_ + 1;
  const double scale = 1 / sphere.radius;
  std::fill_n(coefficients, n_coefficients(), 0.);
  // of conj(M_n^m), any m, of one component
  const auto moment = [&](int n, int m, int component) {
    if (m > n || -m > n) return Complex(0);
    const Moment& a = moments[harmonic(n, std::abs(m), order_)];
    const Complex value(a.re.x[component], -a.im.x[component]);
    return m >= 0 ? value : (m % 2 == 0 ? std::conj(value) : -std::conj(value));
  };
  for (int n = 1; n <= top; ++n)
    for (int m = 0; m <= n; ++m) {
      // derivative of component j in direction i
      std::array<std::array<Complex, 3>, 3> d;
      for (int j = 0; j < 3; ++j) {
        const Complex below = moment(n - 1, m - 1, j), above = moment(n - 1, m + 1, j);
        d[0][j] = 0.5 * (above - below);
        d[1][j] = Complex(0, 0.5) * (above + below);
        d[2][j] = -moment(n - 1, m, j);
      }
      const std::array<Complex, 3> curl{d[1][2] - d[2][1], d[2][0] - d[0][2], d[0][1] - d[1][0]};
      double* c = coefficients + 6 * static_cast<std::size_t>(harmonic(n, m, top));
      const double twice = scale * (m == 0 ? 1 : 2);  // for -m as well
      for (const Complex& part : curl) {
        *c++ = twice * part.real();
        *c++ = -twice * part.imag();
      }
    }
}

/// By Cauchy and Schwarz, since the squares of S_n^m over (n-m)! (n+m)! add up to 1/r^(2n+2) in all directions.
void Multipole::calc_bounds(const double* coefficients, double* bounds) const {
  const int top = order_ + 1;
  std::fill_n(bounds, order_ + 1, 0.);
  double first = 1;  // (2m)!
  for (int m = 0; m <= top; first *= (2 * m + 1) * (2 * m + 2), ++m) {
    double factor =
        m == 0 ? 1 : 0.5 * first;  // (n-m)! (n+m)!; of m > 0 a coefficient is twice that of m and -m
    for (int n = m; n <= top; ++n, coefficients += 6, factor *= (n - m) * (n + m))
      if (n > 0)
        for (int i = 0; i < 6; ++i) bounds[n - 1] += factor * coefficients[i] * coefficients[i];
  }
  for (int n = 0; n <= order_; ++n) bounds[n] = std::sqrt(bounds[n]);
}

namespace {

/// S_m^m = (2m-1) (x + iy) S_{m-1}^{m-1}/r^2,  S_{n+1}^m = [(2n+1) z S_n^m - (n^2 - m^2) S_{n-1}^m]/r^2
/// Two packs at once share what is read of the coefficients, and wait less for each other.
template <int kPacks>
HALTERE_INLINE void add_harmonics(const double* coefficients, int order, int stored,
                                  const Multipole::Sphere& sphere, const PointList& points, int pack,
                                  PointList* velocities) {
  const int top = order + 1;
  const Pack over(1 / sphere.radius);
  std::array<Pack, kPacks> i2, fx, fy, fz, dr, di, vx, vy, vz;
  for (int k = 0; k < kPacks; ++k) {
    const std::ptrdiff_t at = std::ptrdiff_t{Pack::kSize} * (pack + k);
    const Pack x = (Pack::load(points.x() + at) - Pack(sphere.centre[0])) * over,
               y = (Pack::load(points.y() + at) - Pack(sphere.centre[1])) * over,
               z = (Pack::load(points.z() + at) - Pack(sphere.centre[2])) * over;
    i2[k] = Pack(1) / (x * x + y * y + z * z);
    fx[k] = x * i2[k];
    fy[k] = y * i2[k];
    fz[k] = Pack(2) * z * i2[k];
    dr[k] = sqrt(i2[k]);
    di[k] = vx[k] = vy[k] = vz[k] = Pack(0);
  }
  const double* row = coefficients;
  for (int m = 0; m <= top; ++m) {
    const double* c = row;
    std::array<Pack, kPacks> ar, ai, br, bi, f;
    for (int k = 0; k < kPacks; ++k) {
      ar[k] = dr[k];
      ai[k] = di[k];
      br[k] = bi[k] = Pack(0);
      f[k] = Pack(m + 0.5) * fz[k];
    }
    double difference = 0;  // n^2 - m^2
    for (int n = m;; ++n, c += 6) {
      for (int k = 0; k < kPacks; ++k) {
        vx[k] = vx[k] + (Pack(c[0]) * ar[k] + Pack(c[1]) * ai[k]);
        vy[k] = vy[k] + (Pack(c[2]) * ar[k] + Pack(c[3]) * ai[k]);
        vz[k] = vz[k] + (Pack(c[4]) * ar[k] + Pack(c[5]) * ai[k]);
      }
      if (n == top) break;
      for (int k = 0; k < kPacks; ++k) {
        const Pack g = Pack(difference) * i2[k], nr = f[k] * ar[k] - g * br[k], ni = f[k] * ai[k] - g * bi[k];
        br[k] = ar[k];
        bi[k] = ai[k];
        ar[k] = nr;
        ai[k] = ni;
        f[k] = f[k] + fz[k];
      }
      difference += 2 * n + 1;
    }
    for (int k = 0; k < kPacks; ++k) {
      const Pack odd(2 * m + 1), nr = (fx[k] * dr[k] - fy[k] * di[k]) * odd;
      di[k] = (fx[k] * di[k] + fy[k] * dr[k]) * odd;
      dr[k] = nr;
    }
    row += std::ptrdiff_t{6} * (stored - m + 1);
  }
  for (int k = 0; k < kPacks; ++k)
    for (int i = 0; i < Pack::kSize; ++i) {
      const std::ptrdiff_t at = std::ptrdiff_t{Pack::kSize} * (pack + k) + i;
      velocities->x()[at] += vx[k].x[i];
      velocities->y()[at] += vy[k].x[i];
      velocities->z()[at] += vz[k].x[i];
    }
}

}  // namespace

HALTERE_INLINE void Multipole::add_velocities_inline(const double* coefficients, int order,
                                                     const Sphere& sphere, const PointList& points,
                                                     VortexLines::Range packs, PointList* velocities) const {
  int p = packs.first;
  for (; p + 2 <= packs.last; p += 2)
    add_harmonics<2>(coefficients, order, order_ + 1, sphere, points, p, velocities);
  if (p < packs.last) add_harmonics<1>(coefficients, order, order_ + 1, sphere, points, p, velocities);
}

// -- two copies of each, for two instruction sets

HALTERE_TARGET_AVX2 void Multipole::calc_moments_avx2(const VortexLines& lines, VortexLines::Range chains,
                                                      const Sphere& sphere, Moment* moments) const {
  calc_moments_inline(lines, chains, sphere, moments);
}
void Multipole::calc_moments_baseline(const VortexLines& lines, VortexLines::Range chains,
                                      const Sphere& sphere, Moment* moments) const {
  calc_moments_inline(lines, chains, sphere, moments);
}
void Multipole::calc_moments(const VortexLines& lines, VortexLines::Range chains, const Sphere& sphere,
                             Moment* moments) const {
  uses_avx2() ? calc_moments_avx2(lines, chains, sphere, moments)
              : calc_moments_baseline(lines, chains, sphere, moments);
}

HALTERE_TARGET_AVX2 void Multipole::add_moments_avx2(const Moment* inner, const Sphere& inside,
                                                     const Sphere& sphere, Moment* moments) const {
  add_moments_inline(inner, inside, sphere, moments);
}
void Multipole::add_moments_baseline(const Moment* inner, const Sphere& inside, const Sphere& sphere,
                                     Moment* moments) const {
  add_moments_inline(inner, inside, sphere, moments);
}
void Multipole::add_moments(const Moment* inner, const Sphere& inside, const Sphere& sphere,
                            Moment* moments) const {
  uses_avx2() ? add_moments_avx2(inner, inside, sphere, moments)
              : add_moments_baseline(inner, inside, sphere, moments);
}

HALTERE_TARGET_AVX2 void Multipole::add_velocities_avx2(const double* coefficients, int order,
                                                        const Sphere& sphere, const PointList& points,
                                                        VortexLines::Range packs,
                                                        PointList* velocities) const {
  add_velocities_inline(coefficients, order, sphere, points, packs, velocities);
}
void Multipole::add_velocities_baseline(const double* coefficients, int order, const Sphere& sphere,
                                        const PointList& points, VortexLines::Range packs,
                                        PointList* velocities) const {
  add_velocities_inline(coefficients, order, sphere, points, packs, velocities);
}
void Multipole::add_velocities(const double* coefficients, int order, const Sphere& sphere,
                               const PointList& points, VortexLines::Range packs,
                               PointList* velocities) const {
  uses_avx2() ? add_velocities_avx2(coefficients, order, sphere, points, packs, velocities)
              : add_velocities_baseline(coefficients, order, sphere, points, packs, velocities);
}

}  // namespace haltere
