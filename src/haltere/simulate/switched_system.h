#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "haltere/dynamics/mode_change.h"
#include "haltere/math/archive.h"
#include "haltere/simulate/run.h"

namespace haltere {

/// The equations that the options of a run ask for.
EquationsOptions make_equations_options(const RunOptions& options);

/// A machine and what has been made of it on the way: parameters that were set, joints that lock, come free
/// or break off, constraints that are removed. Holds one state with all that can be observed of it, and the
/// energy account over all changes. Failures are RunErrors.
class SwitchedSystem {
 public:
  /// `entered`: called with the equations of a new mode, while those before still exist.
  using Entered = std::function<void(Equations&)>;
  /// A parameter and its new value, SI.
  using Assignment = std::pair<int, double>;

  SwitchedSystem(Equations& equations, const RunOptions& options, Entered entered);

  const Model& model() const { return model_; }         // as it was described ...
  Equations& equations() const { return *equations_; }  // ... and as the present mode leaves it
  const std::vector<double>& parameters() const { return equations_->parameters(); }

  // -- the state
  double t() const { return t_; }
  const Eigen::VectorXd& y() const { return y_; }
  void set_state(double t, const Eigen::VectorXd& y);
  /// In place: what is written there becomes the state at t.
  Eigen::VectorXd& write_state(double t);
  bool is_observed() const { return observed_; }
  void observe();  // fills instant()
  const Instant& instant() const { return now_; }
  /// The moment before a change that has failed.
  void go_back_to(const Instant& before) {
    now_ = before;
    observed_ = true;
  }
  void set_total_at_start() { now_.total_at_start = now_.total(); }
  int count_happening(int event) { return ++now_.happened[event]; }
  double calc_work_size() const { return mode_work_size_ + work().lpNorm<1>(); }  // sum of |work|   [J]

  // -- changes at one instant, which must have been observed. They leave a state that obeys the machine as it
  // is then, not observed yet; what is moved for that is noted.
  /// Joints and constraints, then parameters. Returns "joint 'a' locks, k = 2 N/m".
  std::string apply(const EventSpec& event, std::vector<std::string>* notes);
  std::string assign(const std::vector<Assignment>& values, std::vector<std::string>* notes);
  /// Another state; the work done so far stays. Quaternions are made unit.
  void move_to(const Eigen::VectorXd& y, std::vector<std::string>* notes);
  /// After a change, observed: what it brought [J] is part of the account from now on.
  double account_for(const Instant& before);

  /// The table that the values lead to: parameters given by formulas follow.
  std::vector<double> calc_parameters(const std::vector<Assignment>& values) const;
  /// Before the motion begins: nothing has to follow.
  void prepare(const std::vector<Assignment>& values);

  void visit_state(Archive& archive);
  /// The other part of it, where checkpoints have it.
  void visit_instant(Archive& archive) { archive(now_.total_at_start, now_.happened); }

 private:
  std::string change(const Mode& mode, const std::vector<Assignment>& values,
                     std::vector<std::string>* notes);
  bool settle_scene(const Fit& fit, const std::string& what, bool enters, Scene<double>* scene,
                    std::vector<std::string>* notes) const;
  void put(const Scene<double>& scene);
  std::string set_parameters(const std::vector<Assignment>& values);
  void enter(const Mode& mode);
  Scene<double> calc_scene() const;
  void require_inertia(const std::string& what) const;
  void update_masses();
  std::string find_worst_constraint() const;
  Eigen::VectorBlock<const Eigen::VectorXd> work() const;

  const Model& model_;
  Equations& base_;  // of the model as it was described
  const RunOptions& options_;
  Entered entered_;
  Equations* equations_;                       // of the present mode
  std::unique_ptr<ModeModel> mode_model_;      // none before the first change
  std::unique_ptr<Equations> mode_equations_;  // of it
  Mode mode_;
  std::vector<bool> was_set_;  // parameters that no longer follow their formula
  double t_ = 0;               // [s]
  Eigen::VectorXd y_;
  Instant now_;
  bool observed_ = false;      // now_ is that of (t_, y_)
  double mode_work_ = 0;       // done before the present mode                                        [J]
  double mode_work_size_ = 0;  // the same without signs
  double event_work_ = 0;      // [J]
};

}  // namespace haltere
