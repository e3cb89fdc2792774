#include "haltere/analysis/flow.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "haltere/simulate/table_watch.h"

namespace haltere {
namespace {

// steps of a period where none are asked for; a choice
constexpr int kSteps = 1000;
// of the number of steps: one that fits so nearly into the time is not divided once more; rounding, with room
constexpr double kSameStep = 1e-9;
// lets every step pass: the steps are given
constexpr double kAnyError = 1e300;

const IntegratorInfo& require_method(const RunOptions& options) {
  const IntegratorInfo* method = find_integrator(options.integrator);
  if (method == nullptr)
    throw InputError({Problem{{}, "integrator", fmt::format("there is no '{}'", options.integrator), ""}});
  if (method->has_history)
    throw InputError(
        {Problem{{},
                 "integrator",
                 fmt::format("{} chooses its steps anew in every run: neighbouring motions cannot "
                             "be compared",
                             method->name),
                 "dop853 and dopri5 keep their steps, and all methods with a fixed one do"}});
  return *method;
}

}  // namespace

Flow::Flow(const Model& model, const RunOptions& options)
    : model_(model),
      options_(options),
      method_(require_method(options)),
      adaptive_(method_.steps == StepChoice::kAdaptive) {
  const Stabilization stabilization =
      method_.solves_constraints ? Stabilization{} : *Stabilization::parse(options.stabilization);
  const EquationsOptions how{.chart = options.chart, .stabilization = stabilization};
  tree_ = make_equations("recursive", model, how);
  equations_ = tree_.get();
  if (options.formulation != "recursive") {
    own_ = make_equations(options.formulation, model, how);
    equations_ = own_.get();
  }
  instant_.masses.resize(model.bodies.size());
  instant_.happened.assign(model.events.size(), 0);
  set_parameters(tree_->parameters());
}

void Flow::set_parameters(const std::vector<double>& parameters) {
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): may be those of the equations themselves
  const std::vector<double> table = parameters;
  tree_->set_parameters(table);
  if (own_) own_->set_parameters(table);
  const Resolver<double> resolver{tree_->parameters().data()};
  for (std::size_t b = 0; b < model_.bodies.size(); ++b)
    instant_.masses[b] = calc_mass_properties<double>(model_.bodies[b], resolver);
}

Eigen::VectorXd Flow::to_method(double t, const Eigen::VectorXd& y) {
  if (!own_) return y;
  tree_->observe(t, y, &scratch_);
  return own_->calc_state(scratch_.scene);
}

Eigen::VectorXd Flow::to_tree(double t, const Eigen::VectorXd& y) {
  if (!own_) return y;
  own_->observe(t, y, &scratch_);
  return tree_->calc_state(scratch_.scene);
}

std::unique_ptr<Integrator> Flow::start(double t0, const Eigen::VectorXd& y, double duration, double step,
                                        double tolerance) {
  auto integrator = make_integrator(options_.integrator, *equations_,
                                    {.step = step, .tolerance = tolerance, .until = t0 + duration});
  integrator->start(t0, to_method(t0, y));
  return integrator;
}

/// Returns why it failed, or "".
std::string Flow::take_step(double t_end, Integrator* integrator) const {
  if (options_.interrupt != nullptr && options_.interrupt->load()) throw Interrupted();
  const StepReport report = integrator->step(t_end);
  if (report.outcome == StepReport::Outcome::kFailed) return report.message;
  return report.t1 > report.t0 ? "" : "the steps have become too short to change the time";
}

std::string Flow::choose_steps(double t0, const Eigen::VectorXd& y, double duration) {
  ends_.clear();
  if (!(duration > 0) || !std::isfinite(duration))
    return fmt::format("there is no motion over {:g} s", duration);
  const auto too_many = [&](double steps) {
    return fmt::format("{:g} s take {:.2g} steps; more than {:g} cannot be kept", duration, steps,
                       kMostSteps);
  };
  if (!adaptive_) {
    const double wanted = options_.step > 0 ? duration / options_.step : kSteps;
    if (wanted > kMostSteps) return too_many(wanted);
    const int n = std::max(1, static_cast<int>(std::ceil(wanted - kSameStep * wanted)));
    for (int i = 1; i <= n; ++i) ends_.push_back(static_cast<double>(i) / n);
    return "";
  }
  const auto integrator = start(t0, y, duration, options_.step, options_.tolerance);
  TableWatch tables(model_);
  while (integrator->t() < t0 + duration) {
    const double limit = std::min(t0 + duration, tables.find_kink(integrator->t(), tree_->parameters()));
    if (std::string failure = take_step(limit, integrator.get()); !failure.empty()) return failure;
    ends_.push_back((integrator->t() - t0) / duration);
    // the pace of the first steps shows how many there will be
    if (const double all = kSteps / ends_.back(); ends_.size() == kSteps && all > kMostSteps)
      return too_many(all);
  }
  evaluations_ += integrator->counters().evaluations;
  return ends_.empty() ? fmt::format("{:g} s are too short to change the time of {:g} s", duration, t0) : "";
}

void Flow::halve_steps() {
  std::vector<double> halved;
  double before = 0;
  for (const double end : ends_) {
    halved.push_back((before + end) / 2);
    halved.push_back(end);
    before = end;
  }
  ends_ = std::move(halved);
}

std::string Flow::integrate(double t0, const Eigen::VectorXd& y, double duration, const Look& look,
                            Eigen::VectorXd* end) {
  if (ends_.empty()) return "no steps are chosen";
  const auto integrator =
      start(t0, y, duration, ends_.front() * duration, adaptive_ ? kAnyError : options_.tolerance);
  Eigen::VectorXd seen(equations_->sizes().ny());
  int next = 0;
  const auto look_until = [&](double t, bool last) {
    for (; next <= look.samples && look.take; ++next) {
      const double at = t0 + duration * next / look.samples;
      if (at > t && !(last && next == look.samples)) return;
      integrator->interpolate(std::min(at, t), seen);
      look.take(at, to_tree(at, seen));
    }
  };
  // methods of equal steps have a grid of their own
  for (std::size_t i = adaptive_ ? 0 : ends_.size() - 1; i < ends_.size(); ++i) {
    const bool last = i + 1 == ends_.size();
    const double limit = t0 + (last ? duration : ends_[i] * duration);
    while (integrator->t() < limit) {
      if (std::string failure = take_step(limit, integrator.get()); !failure.empty()) return failure;
      look_until(integrator->t(), last && integrator->t() >= limit);
    }
  }
  evaluations_ += integrator->counters().evaluations;
  *end = to_tree(t0 + duration, integrator->y());
  return end->allFinite() ? "" : "the motion does not stay finite";
}

const Instant* Flow::observe(double t, const Eigen::VectorXd& y) {
  return tree_->observe(t, y, &instant_.snapshot) == Status::kOk ? &instant_ : nullptr;
}

}  // namespace haltere
