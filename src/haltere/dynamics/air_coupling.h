#pragma once

#include <array>
#include <vector>

#include <Eigen/Core>

#include "haltere/math/archive.h"
#include "haltere/math/secant_iteration.h"

namespace haltere {

/// The loads of an air on a machine that is free, between two ends of steps of the air.
///
/// At the end of a step the air says what its loads F are, of which a part depends on rates of the circulation and so
/// on accelerations. That part, -K A with the rates of the twists of all bodies in their own axes, is the machine's to
/// solve for; what is left,
///   G = F + K dV/dt,     dV/dt by the differences that the rates of circulations are found by,
/// is smooth, however light the machine is. Within a step the loads are  F(t) = G(t) - K A(t),  G straight from its
/// begin to its end, or of the middle of the step as it is. G at the end is guessed, and mended until the motion that
/// it leads to has the same G there.                                          theory.md (E44), (E45)
class AirCoupling {
 public:
  /// The part of the load that a wing puts on one body.
  struct Share {
    int slot = -1;              // of the body among those that move; -1: it cannot
    double length = 1;          // moments over this are compared with forces                        [m]
    bool is_of_middle = false;  // its formula tells the load at the middle of the step
    int formula = 0;            // which of the rates it takes, see Rates
  };
  /// How rates are found: weights of the values now, one and two steps ago, by two points and by three.     [1/s]
  using Rates = std::array<std::array<double, 3>, 2>;

  AirCoupling(std::vector<Share> shares, int n_slots);

  int n_slots() const { return n_slots_; }
  const std::vector<Share>& shares() const { return shares_; }
  bool is_guessed() const { return guessed_; }  // in the present step

  // -- twists V of the slots and loads F of the shares are given in the axes of their bodies, six numbers each
  /// The motion begins: it has always been as it is.
  void start(double t, const Eigen::VectorXd& V, const Eigen::VectorXd& F);
  enum class Guess { kParabola, kHold };
  /// From here, the begin of the step or later, to its end: the parabola of the last three ends, or what is at the begin.
  void guess(double t1, const Eigen::MatrixXd& K, Guess how);
  /// What came of the guess at the end. True: it agrees to `tolerance`, in parts of the largest load so far. False: it has
  /// been mended.
  bool agree(const Rates& rates, const Eigen::VectorXd& V, const Eigen::VectorXd& F, double tolerance);
  /// The end that is kept.
  void advance(double t, const Rates& rates, const Eigen::VectorXd& V, const Eigen::VectorXd& F);

  /// G at a time within the step; until it is asked for again.
  const Eigen::VectorXd& calc_rest(double t) const;
  const Eigen::MatrixXd& K() const { return K_; }

  int iterations() const { return iterations_; }  // of the present step
  double residual() const { return residual_; }   // of the last of them
  void visit_state(Archive& archive);

 private:
  /// At the end of a step.
  struct Instant {
    Eigen::VectorXd V, F;
    std::array<Eigen::VectorXd, 2> V_rates;  // by either formula
  };
  Eigen::VectorXd calc_rest(const Instant& instant) const;
  Instant make_instant(const Rates& rates, const Eigen::VectorXd& V, const Eigen::VectorXd& F) const;
  double calc_size(const Eigen::VectorXd& loads) const;

  std::vector<Share> shares_;
  int n_slots_;
  Eigen::VectorXd weights_;  // that make moments forces
  Eigen::MatrixXd K_;
  std::array<Instant, 3> past_;   // the end of the last step, of those before
  int known_ = 0;                 // of them
  double t0_ = 0, t1_ = 0;        // the present step                                                   [s]
  bool guessed_ = false;          // in it
  Eigen::VectorXd begin_, end_;   // G there
  mutable Eigen::VectorXd rest_;  // workspace
  double largest_ = 0;            // load so far
  SecantIteration secants_;
  int iterations_ = 0;
  double residual_ = 0;
};

}  // namespace haltere
