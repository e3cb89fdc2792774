#pragma once

#include <cmath>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "haltere/math/vec3.h"

/// Four numbers that go through the same computation; each is rounded by itself, so the bits are those of
/// four numbers one after the other.
namespace haltere {

struct alignas(32) Pack {
  using Lanes = Vec3<double>::Lanes;
  static constexpr int kSize = 4;
  Lanes x;

  Pack() = default;
  HALTERE_INLINE Pack(double a) : x{a, a, a, a} {}  // NOLINT(google-explicit-constructor): a number is a pack
  HALTERE_INLINE static Pack of(const Lanes& lanes) {
    Pack p;
    p.x = lanes;
    return p;
  }
  HALTERE_INLINE static Pack load(const double* a) { return of(Lanes{a[0], a[1], a[2], a[3]}); }

  HALTERE_INLINE friend Pack operator+(const Pack& a, const Pack& b) { return of(a.x + b.x); }
  HALTERE_INLINE friend Pack operator-(const Pack& a, const Pack& b) { return of(a.x - b.x); }
  HALTERE_INLINE friend Pack operator*(const Pack& a, const Pack& b) { return of(a.x * b.x); }
  HALTERE_INLINE friend Pack operator/(const Pack& a, const Pack& b) { return of(a.x / b.x); }
  HALTERE_INLINE friend Pack operator-(const Pack& a) { return of(-a.x); }

  HALTERE_INLINE friend Pack abs(const Pack& a) { return of(a.x < 0 ? -a.x : a.x); }
  HALTERE_INLINE friend Pack sqrt(const Pack& a) {
#if defined(__SSE2__)
    const __m128d low = _mm_sqrt_pd(__m128d{a.x[0], a.x[1]}), high = _mm_sqrt_pd(__m128d{a.x[2], a.x[3]});
    return of(Lanes{low[0], low[1], high[0], high[1]});
#else
    return of(Lanes{std::sqrt(a.x[0]), std::sqrt(a.x[1]), std::sqrt(a.x[2]), std::sqrt(a.x[3])});
#endif
  }
  /// a where b is positive, else 0.
  HALTERE_INLINE friend Pack where_positive(const Pack& b, const Pack& a) {
    return of(b.x > 0 ? a.x : Lanes{0, 0, 0, 0});
  }
  HALTERE_INLINE double sum() const {
    return ((x[0] + x[1]) + x[2]) + x[3];
  }
};

}  // namespace haltere
