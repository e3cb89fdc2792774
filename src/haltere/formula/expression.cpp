#include "haltere/formula/expression.h"

#include <algorithm>
#include <array>
#include <type_traits>

#include <fmt/format.h>

#include "haltere/formula/operations.h"

namespace haltere {
namespace {

// A place on the stack that costs nothing before it is used.
template <class S>
union Slot {
  static_assert(std::is_trivially_copyable_v<S> && std::is_trivially_destructible_v<S>);
  S value;
  Slot() {}  // NOLINT(modernize-use-equals-default): a defaulted one would be deleted
};

// A parameter in the scalar of the evaluation: a constant in time.
template <class S, class P>
S promote(const P& parameter) {
  if constexpr (std::is_same_v<S, P>) {
    return parameter;
  } else {
    return S::constant(parameter);
  }
}

}  // namespace

Expression::Expression(double number) : text_(fmt::format("{}", number)) {
  program_.push_back({Operation::kNumber, 0, number});
}

template <class S, class P>
S Expression::calc(const P* parameters, const S* locals) const {
  const auto load = [&](const Instruction& x) -> S {
    if (x.operation == Operation::kNumber) return S(x.number);
    return x.operation == Operation::kLocal ? locals[x.slot] : promote<S, P>(parameters[x.slot]);
  };
  if (program_.empty()) return S(0.0);
  if (program_.size() == 1) return load(program_[0]);

  std::array<Slot<S>, kStackLimit> stack;
  int top = -1;  // the last value
  const Instruction* const end = program_.data() + program_.size();
  for (const Instruction* x = program_.data(); x != end; ++x) {
    const Operation operation = x->operation;
    if (operation >= Operation::kAdd) {
      --top;
      stack[top].value = apply<S>(operation, stack[top].value, stack[top + 1].value);
    } else if (operation >= Operation::kNegate) {
      stack[top].value = operation == Operation::kTable ? curves_[x->slot]->calc<S>(stack[top].value)
                                                        : apply<S>(operation, x->slot, stack[top].value);
    } else if (operation <= Operation::kLocal) {
      stack[++top].value = load(*x);
    } else if (operation == Operation::kJump || value_of(stack[top--].value) == 0) {
      x += x->slot;
    }
  }
  return stack[top].value;
}

template double Expression::calc<double, double>(const double*, const double*) const;
template Dual Expression::calc<Dual, Dual>(const Dual*, const Dual*) const;
template Jet<double> Expression::calc<Jet<double>, double>(const double*, const Jet<double>*) const;
template Jet<Dual> Expression::calc<Jet<Dual>, Dual>(const Dual*, const Jet<Dual>*) const;

Expression Expression::in_units(double factor, const std::vector<double>& local_factors) const {
  Expression result = *this;
  if (program_.empty()) return result;
  std::vector<Instruction>& program = result.program_;
  program.clear();
  const auto multiply = [&](double number) {
    program.push_back({Operation::kNumber, 0, number});
    program.push_back({Operation::kMultiply, 0, 0});
  };
  std::vector<std::size_t> places;  // of each instruction in the new program
  for (const Instruction& x : program_) {
    places.push_back(program.size());
    program.push_back(x);
    if (x.operation == Operation::kLocal) multiply(1 / local_factors[x.slot]);
  }
  places.push_back(program.size());
  for (std::size_t i = 0; i < program_.size(); ++i) {
    const Instruction& x = program_[i];
    if (x.operation == Operation::kJump || x.operation == Operation::kJumpUnless)
      program[places[i]].slot = static_cast<std::int32_t>(places[i + 1 + x.slot] - places[i] - 1);
  }
  multiply(factor);
  return result;
}

bool Expression::is_constant() const {
  return !uses_locals() && parameters().empty();
}

bool Expression::uses_local(int slot) const {
  return std::any_of(program_.begin(), program_.end(), [&](const Instruction& x) {
    return x.operation == Operation::kLocal && x.slot == slot;
  });
}

bool Expression::uses_locals() const {
  return std::any_of(program_.begin(), program_.end(),
                     [](const Instruction& x) { return x.operation == Operation::kLocal; });
}

std::vector<int> Expression::parameters() const {
  std::vector<int> slots;
  for (const Instruction& x : program_)
    if (x.operation == Operation::kParameter) slots.push_back(x.slot);
  std::sort(slots.begin(), slots.end());
  slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
  return slots;
}

}  // namespace haltere
