#include <algorithm>
#include <cmath>
#include <limits>

#include "haltere/integrate/integrator.h"

namespace haltere {

std::unique_ptr<Integrator> make_dop853(Integrand& integrand, const IntegratorOptions& options);

namespace {

// the tolerance of a passage, at most: far below the errors of the methods that it stands in for, and what
// the polynomial of the passage is good to (decision 0010)
constexpr double kTolerance = 1e-9;

/// An implicit method that leaves the neighbourhoods of singular positions to another one. Where rows lose
/// their independence the tangent of Newton's iteration does not tell the branch of the motion from the
/// others; the equations themselves do (SingularPassage), so an explicit method goes through, and the
/// implicit one begins anew behind it. Methods of equal steps keep their grid.
class Passing final : public Integrator {
 public:
  Passing(Integrand& integrand, const IntegratorOptions& options, bool chooses_steps,
          std::unique_ptr<Integrator> method)
      : integrand_(integrand),
        step_(chooses_steps ? 0 : options.step),
        method_(std::move(method)),
        passage_(make_dop853(
            integrand,
            {.step = 0, .tolerance = std::min(options.tolerance, kTolerance), .until = options.until})) {}

  void start(double t, ConstRef y) override {
    method_->start(t, y);
    is_passing_ = was_passing_ = false;
    last_step_ = 0;
  }
  StepReport step(double t_limit) override;
  // NOLINTNEXTLINE(performance-unnecessary-value-param): a Ref is a view
  void interpolate(double t, Ref y) const override { (was_passing_ ? passage_ : method_)->interpolate(t, y); }
  double t() const override { return active().t(); }
  const Eigen::VectorXd& y() const override { return active().y(); }
  IntegratorCounters counters() const override;
  void visit_state(Archive& archive) override;
  bool can_save() const override { return method_->can_save(); }

 private:
  const Integrator& active() const { return *(was_passing_ ? passage_ : method_); }
  bool is_ahead() const;
  void begin_passage();
  StepReport pass(double t_limit);

  Integrand& integrand_;
  const double step_;  // of equal steps; 0: the method chooses [s]
  std::unique_ptr<Integrator> method_, passage_;
  bool is_passing_ = false;   // the next step
  bool was_passing_ = false;  // the last one
  double last_step_ = 0;      // of the method; 0: none yet [s]
  double t_grid_ = 0;         // where the equal steps stopped [s]
  long passages_ = 0;         // that came to their end
};

/// Whether the end of the next step is near a singular position, if that step is as long as the last one; at
/// a start, whether the motion is there already.
bool Passing::is_ahead() const {
  return integrand_.is_near_singular(t(), y(), last_step_);
}

void Passing::begin_passage() {
  t_grid_ = method_->t();
  passage_->start(method_->t(), method_->y());
  method_->start(passage_->t(), passage_->y());  // it forgets
  is_passing_ = true;
}

StepReport Passing::step(double t_limit) {
  if (!is_passing_ && is_ahead()) begin_passage();
  if (is_passing_) return pass(t_limit);
  StepReport report = method_->step(t_limit);
  was_passing_ = false;
  last_step_ = report.t1 - report.t0;
  return report;
}

StepReport Passing::pass(double t_limit) {
  // the end of the equal step that this one lies in
  double t_next = std::numeric_limits<double>::infinity();
  if (step_ > 0) {
    const double k = std::floor((passage_->t() - t_grid_) / step_ + 0.01) + 1;
    t_next = t_grid_ + k * step_;
  }
  StepReport report = passage_->step(std::min(t_limit, t_next));
  was_passing_ = true;
  if (report.outcome != StepReport::Outcome::kOk) {
    report.message += "\n  near a singular position, where the method of the run gives way to dop853";
    return report;
  }
  const bool on_grid = step_ == 0 || passage_->t() >= t_next;
  if (on_grid && !is_ahead()) {
    is_passing_ = false;
    ++passages_;
    method_->start(passage_->t(), passage_->y());
  }
  return report;
}

IntegratorCounters Passing::counters() const {
  IntegratorCounters sum = method_->counters();
  const IntegratorCounters passage = passage_->counters();
  sum.steps += passage.steps;
  sum.rejected += passage.rejected;
  sum.evaluations += passage.evaluations;
  sum.passages = passages_;
  return sum;
}

void Passing::visit_state(Archive& archive) {
  archive(is_passing_, was_passing_, last_step_, t_grid_, passages_);
  method_->visit_state(archive);
  passage_->visit_state(archive);
}

}  // namespace

std::unique_ptr<Integrator> make_integrator(std::string_view name, Integrand& integrand,
                                            IntegratorOptions options) {
  const IntegratorInfo& info = *find_integrator(name);
  options.parameter = parse_parameter(name, info);
  std::unique_ptr<Integrator> method = info.make(integrand, options);
  if (!info.solves_constraints || !integrand.has_loops()) return method;
  return std::make_unique<Passing>(integrand, options, info.chooses_steps(options.step), std::move(method));
}

}  // namespace haltere
