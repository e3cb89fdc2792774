#include "haltere/simulate/event_watch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "haltere/integrate/evaluator.h"

namespace haltere {
namespace {

constexpr double kNoTime = std::numeric_limits<double>::infinity();

// Where formulas are looked at within a step. Eight parts: a step of a high-order method may hold half an
// oscillation. The points beside the ends give the slope there, so that a dip at the seam of two steps is
// seen.
constexpr std::array<double, 10> kLooks{1e-3, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1 - 1e-3, 1};

// a formula located to the last bit of t is zero to some last bits of its size nearby; 64 of them, a choice
constexpr double kFormulaRounding = 64 * std::numeric_limits<double>::epsilon();

int sign_of(double g) {
  return (g > 0) - (g < 0);
}

/// The first time in (a, b] at which the sign is no longer that at a, to the last bit. Bisection: a formula
/// may jump.
double find_sign_change(double a, double b, int sign_a, const FormulaOfTime& g) {
  for (double middle = a + (b - a) / 2; middle > a && middle < b; middle = a + (b - a) / 2)
    (sign_of(g(middle)) == sign_a ? a : b) = middle;
  return b;
}

/// True if a function of one sign that is convex towards zero may reach it between three samples: the line
/// through two neighbours, drawn on to the third, bounds it.
bool may_reach_zero(const FormulaSample& a, const FormulaSample& b, const FormulaSample& c) {
  const double slope_ab = (std::abs(b.g) - std::abs(a.g)) / (b.t - a.t);
  const double slope_bc = (std::abs(c.g) - std::abs(b.g)) / (c.t - b.t);
  if (slope_ab >= 0 || slope_bc < 0) return false;  // no dip
  return std::abs(b.g) <= std::max(-slope_ab * (c.t - b.t), slope_bc * (b.t - a.t));
}

/// Golden section towards the least |g| between a and c, until g is no longer of b's sign. Returns false if
/// it stays.
bool find_other_side(FormulaSample a, FormulaSample b, FormulaSample c, const FormulaOfTime& g,
                     FormulaSample* found) {
  constexpr double kGolden = 0.3819660112501051;  // (3 - sqrt 5)/2
  constexpr int kLookups = 40;  // the bracket shrinks to 1e-8 of the step: a touch, not a passage
  for (int i = 0; i < kLookups; ++i) {
    const bool left = b.t - a.t > c.t - b.t;  // look into the longer part
    FormulaSample x{left ? b.t - kGolden * (b.t - a.t) : b.t + kGolden * (c.t - b.t), 0};
    x.g = g(x.t);
    if (sign_of(x.g) != sign_of(b.g)) {
      *found = x;
      return true;
    }
    const bool lower = std::abs(x.g) < std::abs(b.g);
    if (lower) {
      (left ? c : a) = b;
      b = x;
    } else {
      (left ? a : c) = x;
    }
  }
  return false;
}

}  // namespace

void insert_dips(std::vector<FormulaSample>* samples, const FormulaOfTime& g) {
  std::vector<FormulaSample> seen = *samples;
  samples->clear();
  for (std::size_t i = 0; i < seen.size(); ++i) {
    samples->push_back(seen[i]);
    if (i == 0 || i + 1 == seen.size()) continue;
    const int sign = sign_of(seen[i].g);
    if (sign == 0 || sign_of(seen[i - 1].g) != sign || sign_of(seen[i + 1].g) != sign) continue;
    FormulaSample other;
    if (!may_reach_zero(seen[i - 1], seen[i], seen[i + 1]) ||
        !find_other_side(seen[i - 1], seen[i], seen[i + 1], g, &other))
      continue;
    samples->insert(other.t < seen[i].t ? samples->end() - 1 : samples->end(), other);
  }
}

EventWatch::EventWatch(Equations& equations)
    : equations_(&equations), times_(equations.model().events.size(), kNoTime), y_(equations.sizes().ny()) {
  std::vector<Problem> problems;
  const Model& model = equations.model();
  for (int e = 0; e < static_cast<int>(model.events.size()); ++e) {
    const EventSpec& event = model.events[e];
    if (event.when) formulas_.push_back(e);
    if (!event.at) continue;
    times_[e] = event.at->calc<double, double>(equations.parameters().data(), nullptr);
    if (!std::isfinite(times_[e]) || times_[e] < 0)
      problems.push_back({event.mark, fmt::format("event '{}'", event.name),
                          fmt::format("its time is {} s", times_[e]), "it must be 0 or later"});
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  signs_.assign(formulas_.size(), 0);
  noise_.assign(formulas_.size(), 0);
}

void EventWatch::set_equations(Equations& equations) {
  equations_ = &equations;
  y_.resize(equations.sizes().ny());
}

double EventWatch::calc_formula(int event, double t) const {
  const EventSpec& spec = equations_->model().events[event];
  double g = 0;
  const std::string outside = find_curve_fault(
      [&] { g = spec.when->calc<double, double>(equations_->parameters().data(), locals_.data()); });
  if (!std::isfinite(g))
    throw RunError(make_step_message(
        t, fmt::format("event '{}': its formula is not a finite number", spec.name),
        outside.empty() ? spec.when->text() : outside, "", "a formula that exists for every motion"));
  return g;
}

void EventWatch::start(double t, ConstRef y) {
  if (formulas_.empty()) return;
  equations_->calc_locals(t, y, &locals_);
  for (std::size_t i = 0; i < formulas_.size(); ++i) signs_[i] = calc_sign(i, calc_formula(formulas_[i], t));
}

int EventWatch::calc_sign(std::size_t slot, double g) const {
  return std::abs(g) <= noise_[slot] ? 0 : sign_of(g);
}

std::vector<int> EventWatch::take_due(double t) {
  std::vector<int> due;
  for (std::size_t e = 0; e < times_.size(); ++e)
    if (times_[e] == t) {
      due.push_back(static_cast<int>(e));
      times_[e] = kNoTime;
    }
  return due;
}

double EventWatch::next_time() const {
  if (times_.empty()) return kNoTime;
  return *std::min_element(times_.begin(), times_.end());
}

void EventWatch::update_locals(const Integrator& integrator, double t) {
  integrator.interpolate(t, y_);
  equations_->calc_locals(t, y_, &locals_);
}

Happening EventWatch::find(const Integrator& integrator, double t0, double t1) {
  Happening happening{t1, {}};
  std::vector<std::vector<FormulaSample>> samples(formulas_.size());
  const auto look = [&](double t) {
    update_locals(integrator, t);
    for (std::size_t i = 0; i < formulas_.size(); ++i)
      samples[i].push_back({t, calc_formula(formulas_[i], t)});
  };
  if (!formulas_.empty()) {
    look(t0);
    for (const double x : kLooks) look(x == 1 ? t1 : t0 + x * (t1 - t0));
  }
  for (std::size_t i = 0; i < formulas_.size(); ++i) {
    const FormulaOfTime g = [&](double t) {
      update_locals(integrator, t);
      return calc_formula(formulas_[i], t);
    };
    insert_dips(&samples[i], g);
    const double t = find_passage(static_cast<int>(i), samples[i], g);
    if (t > happening.t) continue;  // none, or after another event
    if (t < happening.t) happening = {t, {}};
    happening.events.push_back(formulas_[i]);
  }
  for (std::size_t i = 0; i < formulas_.size(); ++i) {
    if (std::find(happening.events.begin(), happening.events.end(), formulas_[i]) == happening.events.end())
      continue;
    // rounding of the formula, and of the time at which it was found
    for (std::size_t k = 0; k < samples[i].size(); ++k) {
      const FormulaSample& sample = samples[i][k];
      noise_[i] = std::max(noise_[i], kFormulaRounding * std::abs(sample.g));
      if (k == 0 || !(sample.t > samples[i][k - 1].t)) continue;
      const double rate = (sample.g - samples[i][k - 1].g) / (sample.t - samples[i][k - 1].t);
      noise_[i] = std::max(noise_[i], kFormulaRounding * std::abs(sample.t * rate));
    }
  }
  for (const int e : take_due(happening.t)) happening.events.push_back(e);
  std::sort(happening.events.begin(), happening.events.end());
  return happening;
}

/// Time of the first passage through zero in the event's direction, infinity if there is none in the step.
double EventWatch::find_passage(int slot, const std::vector<FormulaSample>& samples, const FormulaOfTime& g) {
  const EventSpec& event = equations_->model().events[formulas_[slot]];
  int& sign = signs_[slot];
  for (std::size_t i = 1; i < samples.size(); ++i) {
    const int now = sign == 0 ? calc_sign(slot, samples[i].g) : sign_of(samples[i].g);
    if (now == sign) continue;
    const bool wanted = event.direction == EventSpec::Direction::kBoth ||
                        (event.direction == EventSpec::Direction::kRising) == (sign < 0);
    if (sign != 0 && wanted) return find_sign_change(samples[i - 1].t, samples[i].t, sign, g);
    if (sign == 0) noise_[slot] = 0;  // it has left
    sign = now;
  }
  return kNoTime;
}

}  // namespace haltere
