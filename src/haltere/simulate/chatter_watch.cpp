#include "haltere/simulate/chatter_watch.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "haltere/model/kind_info.h"

namespace haltere {
namespace {

constexpr int kWindow = 64;  // steps; a choice
// steps of a window in which a formula jumps, at least: an eighth, a choice. A jump that is crossed once does
// not come back.
constexpr int kOften = 8;
// In units of the tolerance: how far the motion may leave a straight line within a window (measured where a
// formula chatters: 100; where steps follow a bend: 1e6), and the least change of a rate times the step
// (measured: 0.005 where Newton's method fails over the jump, 1 to 100 where the error is too large).
constexpr double kStraight = 500, kFelt = 1e-4;
// halvings of a step after which a change that is still there is a jump: 2^-50, nearly all bits of a time
constexpr int kHalvings = 50;
// lengths of the last step within which a jump may have stopped the next one; a choice
constexpr double kAhead = 4;

}  // namespace

ChatterWatch::ChatterWatch(Equations& equations, double tolerance, bool adaptive)
    : equations_(&equations), adaptive_(adaptive), norm_(equations, tolerance) {
  add_formulas(equations.model());
  set_equations(equations);
}

void ChatterWatch::add_formulas(const Model& model) {
  n_probes_ = static_cast<int>(model.probes.size());
  const auto add = [&](const std::string& name, const Expression& formula) {
    if (formula.uses_locals()) formulas_.push_back({name, &formula});
  };
  for (const SignalSpec& signal : model.signals) add(fmt::format("signal '{}'", signal.name), signal.value);
  for (const StateSpec& state : model.states)
    add(fmt::format("state '{}'", state.name), *state.at(StateKey::kOf));
  for (const JointSpec& joint : model.joints)
    for (const std::optional<Expression>& formula : joint.driven)
      if (formula) add(fmt::format("joint '{}', driven", joint.name()), *formula);
  for (const Entry& force : model.forces)
    for (std::size_t i = 0; i < force.values.size(); ++i) {
      const auto name = [&] {
        return fmt::format("force '{}', {}", force.name, force_kinds()[force.kind].fields[i].name);
      };
      if (const auto* formula = std::get_if<Expression>(&force.values[i])) add(name(), *formula);
      if (const auto* list = std::get_if<std::vector<Expression>>(&force.values[i]))
        for (const Expression& formula : *list) add(name(), formula);
    }
}

void ChatterWatch::set_equations(Equations& equations) {
  norm_ = ErrorNorm(equations, norm_.tolerance());
  equations_ = &equations;
  for (Eigen::VectorXd* x : {&y_first_, &y_middle_, &y_last_, &y_ahead_, &ydot0_, &ydot1_})
    x->setZero(equations.sizes().ny());
}

void ChatterWatch::start(double t, ConstRef y, double horizon) {
  if (formulas_.empty()) return;
  if (equations_->calc_ydot(t, y, ydot0_) != Status::kOk) ydot0_.setZero();
  norm_.start(y, ydot0_, horizon);
  looks_ = false;
  begin_window(t, y);
}

void ChatterWatch::begin_window(double t, ConstRef y) {
  steps_ = 0;
  t_first_ = t;
  y_first_ = y_last_ = y;
  for (Formula& formula : formulas_) formula.jumps = 0;
}

std::optional<Chatter> ChatterWatch::add(const StepReport& step, ConstRef y) {
  h_ = step.t1 - step.t0;
  if (formulas_.empty() || !adaptive_) return std::nullopt;
  if (looks_) look_for_jumps(step.t0, step.t1);
  y_last_ = y;
  ++steps_;
  if (steps_ == kWindow / 2) {
    t_middle_ = step.t1;
    y_middle_ = y;
  }
  return steps_ == kWindow ? end_window(step.t1, y) : std::nullopt;
}

std::optional<Chatter> ChatterWatch::end_window(double t, ConstRef y) {
  norm_.accept(y);
  const double part = (t_middle_ - t_first_) / (t - t_first_);
  ydot0_ = y_middle_ - (1 - part) * y_first_ - part * y;
  const bool straight = norm_.calc(ydot0_, y_first_, y) <= kStraight;
  std::optional<Chatter> found;
  if (straight && looks_) {
    std::string text;
    for (const Formula& formula : formulas_)
      if (formula.jumps >= kOften)
        text += fmt::format("{}{}: {} jumps in {} of {} steps", text.empty() ? "" : "; ", formula.name,
                            formula.expression->text(), formula.jumps, kWindow);
    if (!text.empty()) found = Chatter{t_first_, (t - t_first_) / kWindow, text};
  }
  looks_ = straight;
  begin_window(t, y);
  return found;
}

/// A step along the rates at its start shows what the method has to deal with, whether it crossed the jump or
/// stopped just before it.
void ChatterWatch::look_for_jumps(double t0, double t1) {
  if (!update_ahead(t0, y_last_, t1 - t0)) return;
  bool jumps = false;
  for (Formula& formula : formulas_) {
    formula.jumped = has_jump(formula);
    jumps |= formula.jumped;
  }
  if (!jumps || !is_felt(t1, t1 - t0)) return;
  for (Formula& formula : formulas_) formula.jumps += formula.jumped ? 1 : 0;
}

/// Locals at (t, y) and where its rates lead within dt.
bool ChatterWatch::update_ahead(double t, const Eigen::VectorXd& y, double dt) {
  if (equations_->calc_ydot(t, y, ydot0_) != Status::kOk) return false;
  y_ahead_ = y + dt * ydot0_;
  equations_->calc_locals(t, y, &locals0_);
  equations_->calc_locals(t + dt, y_ahead_, &locals1_);
  return true;
}

/// Whether a change from one end to the other is still there in the smallest part of the way.
bool ChatterWatch::has_jump(const Formula& formula) {
  double a = 0, b = 1, f_a = calc_between(formula, a), f_b = calc_between(formula, b);
  const double change = std::abs(f_b - f_a);
  if (!(change > 0)) return false;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (a + b) / 2, f = calc_between(formula, middle);
    const bool first = std::abs(f - f_a) > std::abs(f_b - f);
    (first ? b : a) = middle;
    (first ? f_b : f_a) = f;
    if (!(std::abs(f_b - f_a) > change / 2)) return false;
  }
  return true;
}

/// The formula at a part of the way between two states; at one time, since a jump that only time brings about
/// is crossed once.
double ChatterWatch::calc_between(const Formula& formula, double part) {
  const double* parameters = equations_->parameters().data();
  locals_ = locals1_;
  for (int i = 1; i <= n_probes_; ++i) locals_[i] = (1 - part) * locals0_[i] + part * locals1_[i];
  const std::vector<SignalSpec>& signals = equations_->model().signals;
  for (std::size_t i = 0; i < signals.size(); ++i)
    locals_[1 + n_probes_ + i] = signals[i].value.calc<double, double>(parameters, locals_.data());
  return formula.expression->calc<double, double>(parameters, locals_.data());
}

/// Whether rates change so much over the jump that the length h of a step must heed it.
bool ChatterWatch::is_felt(double t, double h) {
  if (equations_->calc_ydot(t, y_ahead_, ydot1_) != Status::kOk) return false;
  ydot0_ = h * (ydot1_ - ydot0_);
  return norm_.calc(ydot0_, y_last_, y_ahead_) >= kFelt;
}

std::string ChatterWatch::explain_failure(double t, ConstRef y) {
  if (formulas_.empty() || h_ == 0 || !update_ahead(t, y, kAhead * h_)) return "";
  std::string text;
  for (const Formula& formula : formulas_)
    if (has_jump(formula))
      text += fmt::format("\n  {}: {} jumps here", formula.name, formula.expression->text());
  return text.empty() ? text : fmt::format("{}\n  try: {}", text, Chatter::kAdvice);
}

void ChatterWatch::visit_state(Archive& archive) {
  norm_.visit_state(archive);
  archive(looks_, steps_, h_, t_first_, t_middle_, y_first_, y_middle_, y_last_);
  for (Formula& formula : formulas_) archive(formula.jumps);
}

}  // namespace haltere
