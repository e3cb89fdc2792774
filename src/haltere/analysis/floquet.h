#pragma once

#include <complex>
#include <string>
#include <vector>

#include "haltere/analysis/modes.h"
#include "haltere/analysis/periodic_orbit.h"

namespace haltere {

/// One part of a small motion about an orbit: after each period it is `multiplier` times what it was.
struct FloquetMode {
  std::complex<double> multiplier;  // of pairs the one with a positive imaginary part; of a steady motion 0
  bool is_pair = false;             // the conjugate is another one
  std::complex<double> exponent;    // log(multiplier)/period, imaginary part in [0, pi/period]     [1/s]
  double accuracy = 0;              // how far off differences and rounding may have moved the modulus
  double rate_accuracy = 0;         // the same of the exponent                                    [1/s]
  double change = -1;               // of the multiplier with half the steps; < 0: not known
  Eigen::VectorXcd dq, dv;          // at the start of the period, in scales

  int count() const { return is_pair ? 2 : 1; }
  bool grows() const { return exponent.real() > rate_accuracy; }
  bool decays() const { return exponent.real() < -rate_accuracy; }
  double frequency() const;  // [Hz], below half of that of the orbit
  double time() const;       // to double or to half [s]; infinite where neither
};

/// Small motions about an orbit; changes of place and heading that it does not notice are taken out.
struct FloquetSet {
  double period = 0;                 // [s]; 0: a steady motion, whose modes have exponents only
  std::vector<FloquetMode> modes;    // the fastest to grow first
  std::vector<std::string> neutral;  // what was taken out: multiplier 1

  int count() const;          // multipliers, of pairs both
  int count_growing() const;  // of them
  bool is_unstable() const { return count_growing() > 0; }
  bool is_stable() const;         // all that was not taken out decays
  double time_to_double() const;  // the shortest [s]; infinite where nothing grows
  std::string verdict() const;
};

FloquetSet calc_floquet(const PeriodicOrbit& orbit);

/// What moves most in a mode, and when, against the first.
std::vector<ShapePart> describe_shape(const OrbitMap& map, const FloquetMode& mode, double least_share);

}  // namespace haltere
