#pragma once

#include <cmath>
#include <compare>
#include <optional>
#include <string>
#include <vector>

/// Curves near points that are measured: what is noise in them must not become an acceleration.
namespace haltere {

/// How points become a curve.
struct CurveFit {
  enum class Kind {
    kNone,       // through all points
    kHarmonics,  // the Fourier series that is nearest to them
    kSmooth,     // the smoothing spline
  };
  Kind kind = Kind::kNone;
  int harmonics = 0;
  double period = 0;   // of the series, in units of x; 0: from the first point to the last
  double cut_off = 0;  // of the smoothing: it halves a wave of so many periods in a unit of x

  friend auto operator<=>(const CurveFit&, const CurveFit&) = default;  // NOLINT(modernize-use-nullptr)
};

/// As a formula says it, numbers in SI: "harmonics:8", "smooth:1000".
std::string describe(const CurveFit& fit);

/// Why points cannot be fitted so.
struct CurveFitFault {
  std::string message, hint;
};
/// Looks at what can be known of x, which increases, alone.
std::optional<CurveFitFault> find_fit_fault(const CurveFit& fit, const std::vector<double>& x);

/// a_0 + sum of a_k cos(k phase) + b_k sin(k phase); the phase is 0 at `first`, 2 pi a period later.
struct FourierSeries {
  double first = 0, period = 1;
  std::vector<double> a, b;  // from 0 on; b_0 is 0

  /// S: any scalar of Expression.
  template <class S>
  S calc(const S& x) const {
    using std::cos, std::sin;
    const S phase = (x - S(first)) * S(kTwoPi / period);
    const S c = cos(phase), s = sin(phase);
    // the real part of the sum of (a_k - i b_k) z^k, z = c + i s, by Horner's rule: |z| = 1 magnifies nothing
    S re(a.back()), im(-b.back());
    for (std::size_t k = a.size() - 1; k-- > 0;) {
      const S next = re * c - im * s + S(a[k]);
      im = re * s + im * c - S(b[k]);
      re = next;
    }
    return re;
  }

 private:
  static constexpr double kTwoPi = 6.283185307179586;
};

/// The series of `fit.harmonics` harmonics with the least sum of squares of what it leaves of the points.
FourierSeries fit_harmonics(const CurveFit& fit, const std::vector<double>& x, const std::vector<double>& y);

/// Value and derivatives of a curve at one of its points.
struct CurveNode {
  double value = 0, slope = 0, bend = 0;
};

/// The function with the least sum of squares of what it leaves of the points (weighted with how much of x
/// they stand for) and of its third derivative: a spline of fifth degree, four times differentiable, and
/// parabolas beyond the points. On evenly spaced points it is a linear filter without delay, which keeps
/// parabolas and lets 1/(1 + (f/f_c)^6) of a wave of frequency f through, as a Butterworth filter of third
/// order that runs forward and back: half of it at f_c = `cut_off`.                  [silverman1984]
/// `periodic`: the points are one period, of which the last is the first of the next (the mean of both is
/// taken).
std::vector<CurveNode> calc_smooth_nodes(double cut_off, const std::vector<double>& x,
                                         const std::vector<double>& y, bool periodic);

}  // namespace haltere
