#pragma once

#include <complex>
#include <string>
#include <vector>

#include "haltere/analysis/linearization.h"

namespace haltere {

/// One part of a small motion, exp(eigenvalue t) shape.
struct Eigenmode {
  std::complex<double> eigenvalue;  // [1/s]; one of a conjugate pair has a positive imaginary part
  double accuracy = 0;              // how far off rounding may have moved it [1/s]
  bool is_neutral = false;          // zero: it neither comes back nor runs away
  Eigen::VectorXcd dq, dv;          // in scales, the largest of dq (or dv, where dq is none) is 1
  Eigen::VectorXcd dx;  // states of the model, where nothing moves: then the largest of these is 1

  bool is_oscillation() const { return eigenvalue.imag() != 0; }
  bool grows() const { return !is_neutral && eigenvalue.real() > accuracy; }
  bool decays() const { return !is_neutral && eigenvalue.real() < -accuracy; }
  double frequency() const;  // damped [Hz]
  double damping() const;    // ratio: 1 is critical, negative grows
  double time() const;       // to half or to double [s]; infinite where neither
};

/// All modes of a linearisation: pairs once, slow ones first, neutral ones at the end. Places, headings and
/// such that the motion does not notice are taken out beforehand; `n_symmetric` says how many they were.
struct ModeSet {
  std::vector<Eigenmode> modes;
  int n_symmetric = 0;
  std::vector<std::string> notes{};  // what a user should know of how they were found

  int count_growing() const;
  bool is_unstable() const { return count_growing() > 0; }
  bool is_stable() const;  // all modes decay that are not neutral
};

ModeSet calc_modes(const Linearization& linearization);
/// dq and dv of a mode that moves along z.
void set_shape(const Linearization& linearization, const Eigen::VectorXcd& z, Eigenmode* mode);
/// Slow ones first, neutral ones at the end.
void sort_modes(std::vector<Eigenmode>* modes);

/// `hinge12 31 % 180 deg, ...`: what moves most, and when, against the first.
struct ShapePart {
  std::string name;
  double share = 0;  // of the squares of all parts
  double phase = 0;  // [rad], against the largest
};
// least share of a coordinate in a shape that is worth a name; a choice
inline constexpr double kNamedShare = 0.02;
std::vector<ShapePart> describe_shape(const Linearization& linearization, const Eigenmode& mode,
                                      double least_share);

}  // namespace haltere
