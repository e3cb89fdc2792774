#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "haltere/simulate/run.h"

namespace haltere {

/// RunOptions::interrupt is set: the question is given up.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

/// Where a state goes in a given time, for analyses that ask this again and again for neighbouring states.
/// States are those of `recursive`, whatever formulation computes the motion. Steps are chosen once and kept:
/// with the same steps the end depends smoothly on the start, and differences of ends are derivatives.
/// Events do not happen. Throws Interrupted.
class Flow {
 public:
  /// InputError for a method that cannot take the same steps again. The model must outlive it.
  Flow(const Model& model, const RunOptions& options);
  Flow(const Flow&) = delete;
  Flow& operator=(const Flow&) = delete;

  Equations& tree() { return *tree_; }  // `recursive`
  const std::vector<double>& parameters() const { return tree_->parameters(); }
  void set_parameters(const std::vector<double>& parameters);

  /// What a motion over `duration` [s] from y at t0 needs: by the method's tolerance, or equal steps not
  /// longer than the one that was asked for (without one: a thousandth). Returns why it failed, or "".
  std::string choose_steps(double t0, const Eigen::VectorXd& y, double duration);
  /// More are refused: each is kept, 8 bytes.
  static constexpr double kMostSteps = 1e8;
  void halve_steps();
  int n_steps() const { return static_cast<int>(ends_.size()); }
  bool has_equal_steps() const { return !adaptive_; }

  /// Sees states on the way: samples + 1 of them at equal distances, from the start to the end.
  struct Look {
    int samples = 0;
    std::function<void(double t, const Eigen::VectorXd& y)> take;
  };
  /// From y at t0 over `duration`, with the chosen steps. Returns why it failed, or "".
  std::string integrate(double t0, const Eigen::VectorXd& y, double duration, const Look& look,
                        Eigen::VectorXd* end);

  /// All that can be recorded of a state; nothing where it cannot be evaluated.
  const Instant* observe(double t, const Eigen::VectorXd& y);

  long evaluations() const { return evaluations_; }

 private:
  std::string take_step(double t_end, Integrator* integrator) const;
  Eigen::VectorXd to_method(double t, const Eigen::VectorXd& y);
  Eigen::VectorXd to_tree(double t, const Eigen::VectorXd& y);
  std::unique_ptr<Integrator> start(double t0, const Eigen::VectorXd& y, double duration, double step,
                                    double tolerance);

  const Model& model_;
  const RunOptions options_;
  const IntegratorInfo& method_;
  const bool adaptive_;
  std::unique_ptr<Equations> tree_;
  std::unique_ptr<Equations> own_;  // of another formulation
  Equations* equations_ = nullptr;
  std::vector<double> ends_;  // of the steps, as parts of the duration
  Instant instant_;
  Snapshot scratch_;
  long evaluations_ = 0;
};

}  // namespace haltere
