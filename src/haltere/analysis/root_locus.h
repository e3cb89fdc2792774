#pragma once

#include <complex>
#include <functional>
#include <string>
#include <vector>

#include "haltere/analysis/modes.h"

namespace haltere {

/// Where modes begin or cease to grow.
struct StabilityLimit {
  double value = 0;                 // of the parameter
  std::complex<double> eigenvalue;  // that crosses the imaginary axis there
  bool is_oscillation = false;
  bool is_sharp = false;   // to rounding; else to seven digits, where a bisection ended, or ...
  double uncertainty = 0;  // ... to this, where there is nothing between: the point in the middle failed
  int growing_below = 0, growing_above = 0;
  std::string shape;  // what moves most
};

/// Eigenvalues over a parameter, each followed by continuity.
struct RootLocus {
  std::vector<double> values;
  std::vector<ModeSet> sets;          // without modes where the point failed
  std::vector<std::string> failures;  // why; empty: it did not
  /// tracks[i][k]: eigenvalue i at values[k]; NaN where it is none. Both of a conjugate pair.
  std::vector<std::vector<std::complex<double>>> tracks;
  std::vector<StabilityLimit> limits;

  bool has(std::size_t k) const { return failures[k].empty(); }
  std::size_t count_failures() const;
};

/// The modes at a value of the parameter, and what moves most in one of them.
struct LocusPoint {
  ModeSet set;
  std::function<std::string(const Eigenmode&)> describe;
  std::string failure = {};  // why there are none
};
using LocusFunction = std::function<LocusPoint(double)>;

/// At these values, which grow; limits between them by bisection, the last digits by interpolation. Points
/// that fail are left out: eigenvalues are followed, and limits sought, from the point before to the one
/// behind.
RootLocus calc_root_locus(const std::vector<double>& values, const LocusFunction& calc);

}  // namespace haltere
