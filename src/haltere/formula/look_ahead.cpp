#include <algorithm>
#include <array>
#include <cmath>

#include "haltere/formula/expression.h"
#include "haltere/formula/operations.h"

/// The tables of a formula, seen from an instant: when does one bend next, and when does one end?
namespace haltere {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
// of a time: what lies no further ahead is the present; rounding of some operations, as in curve.cpp
constexpr double kSameTime = 16 * std::numeric_limits<double>::epsilon();

/// Lines as values of the operations of a formula, just after t.
class LineCalculator {
 public:
  explicit LineCalculator(double t) : t_(t) {}

  /// A time at which a branch of the formula changes.
  void note_branch(double t) {
    if (is_ahead(t)) branch_ = std::min(branch_, t);
  }
  TableOutlook outlook() const {
    // what a branch that changes before, or just then, will do is not known
    TableOutlook outlook{.kink = std::min(kink_, branch_)};
    if (end_ < branch_) outlook.end = end_, outlook.ended = ended_;
    return outlook;
  }

  LineInTime apply_one(Operation operation, int slot, const LineInTime& a) {
    if (!a.is_line) return {};
    if (operation == Operation::kNegate) return {true, -a.offset, -a.slope};
    if (a.slope == 0) return LineInTime::constant(apply<double>(operation, slot, a.offset));
    if (operation == Operation::kAbs) return calc_sign(a) < 0 ? LineInTime{true, -a.offset, -a.slope} : a;
    if (operation == Operation::kStep) return LineInTime::constant(calc_sign(a) < 0 ? 0 : 1);
    if (operation == Operation::kFloor) return LineInTime::constant(calc_floor(a));
    return {};
  }

  LineInTime apply_two(Operation operation, const LineInTime& a, const LineInTime& b) {
    if (!a.is_line || !b.is_line) return {};
    if (operation == Operation::kAdd) return {true, a.offset + b.offset, a.slope + b.slope};
    if (operation == Operation::kSubtract) return {true, a.offset - b.offset, a.slope - b.slope};
    if (a.slope == 0 && b.slope == 0)
      return LineInTime::constant(apply<double>(operation, a.offset, b.offset));
    if (operation == Operation::kMultiply && b.slope == 0)
      return {true, a.offset * b.offset, a.slope * b.offset};
    if (operation == Operation::kMultiply && a.slope == 0)
      return {true, a.offset * b.offset, a.offset * b.slope};
    if (operation == Operation::kDivide && b.slope == 0)
      return {true, a.offset / b.offset, a.slope / b.offset};
    if (operation == Operation::kMod && b.slope == 0) {
      const double turns = calc_floor({true, a.offset / b.offset, a.slope / b.offset});
      return {true, a.offset - turns * b.offset, a.slope};
    }
    if (operation < Operation::kMin || operation == Operation::kMod) return {};
    const LineInTime difference{true, a.offset - b.offset, a.slope - b.slope};
    const int sign =
        difference.slope == 0 ? (difference.offset > 0) - (difference.offset < 0) : calc_sign(difference);
    if (operation == Operation::kMin) return sign <= 0 ? a : b;
    if (operation == Operation::kMax) return sign >= 0 ? a : b;
    return LineInTime::constant(apply<double>(operation, static_cast<double>(sign), 0.0));
  }

  LineInTime look_up(const Curve& curve, const LineInTime& x) {
    if (!x.is_line) return {};
    const double now = x.offset + x.slope * t_;
    const double value = curve.calc<double>(now);
    if (curve.outside() == Outside::kError && !std::isfinite(value)) note_end(curve, t_);
    if (x.slope == 0) return LineInTime::constant(value);
    const bool upwards = x.slope > 0;
    // what the argument stands at, but for rounding, is not ahead
    for (double before = now, at = curve.find_kink(now, upwards); std::isfinite(at) && at != before;
         before = at, at = curve.find_kink(at, upwards)) {
      const double when = (at - x.offset) / x.slope;
      if (!is_ahead(when)) continue;
      kink_ = std::min(kink_, when);
      break;
    }
    if (curve.outside() == Outside::kError)
      note_end(curve, ((upwards ? curve.last() : curve.first()) - x.offset) / x.slope);
    return {};
  }

 private:
  bool is_ahead(double t) const { return t - t_ > kSameTime * std::max(std::abs(t), std::abs(t_)); }

  /// The sign of a line just after t.
  int calc_sign(const LineInTime& a) {
    const double zero = -a.offset / a.slope;
    note_branch(zero);
    return (a.slope > 0) == is_ahead(zero) ? -1 : 1;
  }

  /// The whole number at or below a line just after t.
  double calc_floor(const LineInTime& a) {
    const double now = a.offset + a.slope * t_, nearest = std::round(now);
    const auto time_of = [&](double whole) { return (whole - a.offset) / a.slope; };
    const bool stands_there = !is_ahead(time_of(nearest)) && !is_past(time_of(nearest));
    const double below = !stands_there ? std::floor(now) : a.slope > 0 ? nearest : nearest - 1;
    note_branch(time_of(a.slope > 0 ? below + 1 : below));
    return below;
  }
  bool is_past(double t) const { return t_ - t > kSameTime * std::max(std::abs(t), std::abs(t_)); }

  void note_end(const Curve& curve, double t) {
    if (t >= end_) return;
    end_ = t;
    ended_ = &curve;
  }

  double t_;
  double branch_ = kNever, kink_ = kNever, end_ = kNever;
  const Curve* ended_ = nullptr;
};

}  // namespace

TableOutlook Expression::look_ahead(double t, const double* parameters, const LineInTime* locals,
                                    LineInTime* value) const {
  LineCalculator calculator(t);
  std::array<LineInTime, kStackLimit> stack;
  int top = -1;
  bool is_known = true;
  for (std::size_t i = 0; i < program_.size() && is_known; ++i) {
    const Instruction& x = program_[i];
    if (x.operation == Operation::kNumber) {
      stack[++top] = LineInTime::constant(x.number);
    } else if (x.operation == Operation::kParameter) {
      stack[++top] = LineInTime::constant(parameters[x.slot]);
    } else if (x.operation == Operation::kLocal) {
      stack[++top] = locals[x.slot];
      calculator.note_branch(locals[x.slot].until);
    } else if (x.operation == Operation::kJump) {
      i += x.slot;
    } else if (x.operation == Operation::kJumpUnless) {
      const LineInTime condition = stack[top--];
      is_known = condition.is_line && condition.slope == 0;  // else both ways are possible
      if (is_known && condition.offset == 0) i += x.slot;
    } else if (x.operation == Operation::kTable) {
      stack[top] = calculator.look_up(*curves_[x.slot], stack[top]);
    } else if (arity_of(x.operation) == 1) {
      stack[top] = calculator.apply_one(x.operation, x.slot, stack[top]);
    } else {
      --top;
      stack[top] = calculator.apply_two(x.operation, stack[top], stack[top + 1]);
    }
  }
  const TableOutlook outlook = calculator.outlook();
  *value = is_known && top == 0 ? stack[0] : LineInTime{};
  if (program_.empty()) *value = LineInTime::constant(0);
  value->until = outlook.kink;
  return outlook;
}

}  // namespace haltere
