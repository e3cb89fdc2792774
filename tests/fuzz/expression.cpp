// Any bytes as a formula: a formula whose value is the same in every scalar, or a problem within the text.
#include "haltere/formula/expression.h"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace {

using namespace haltere;

void require(bool good) {
  if (!good) std::abort();
}

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

/// k [N/m] and n (a plain number) are parameters, t [s] and x [m] locals.
std::optional<Variable> find(std::string_view name) {
  const auto exact = [](std::string_view unit) {
    return Measure{Measure::Kind::kExact, unit_of(unit).dimension};
  };
  if (name == "k") return Variable{Variable::Source::kParameter, 0, exact("N/m"), 0};
  if (name == "n") return Variable{Variable::Source::kParameter, 1, {Measure::Kind::kAny, {}}, 0};
  if (name == "i") return Variable{Variable::Source::kConstant, 0, {}, 3};
  if (name == "t") return Variable{Variable::Source::kLocal, 0, exact("s"), 0};
  if (name == "joint.slide.position") return Variable{Variable::Source::kLocal, 1, exact("m"), 0};
  return std::nullopt;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Scope scope{find, [] {
                      return std::vector<std::string>{"k", "n", "i", "t", "joint.slide.position"};
                    }};
  std::vector<TextProblem> problems;
  const Expression formula = Expression::parse(text, scope, unit_of("N").dimension, &problems);
  for (const TextProblem& problem : problems) {
    require(problem.offset >= 0 && problem.offset <= static_cast<int>(size));
    require(!problem.message.empty());
  }
  const std::vector<double> parameters{40, 3}, locals{0.7, -0.2};
  const double value = formula.calc<double, double>(parameters.data(), locals.data());
  const std::vector<Dual> dual_parameters{Dual(40), Dual(3)}, dual_locals{Dual(0.7), Dual(-0.2)};
  require(same(value, value_of(formula.calc<Dual, Dual>(dual_parameters.data(), dual_locals.data()))));
  const std::vector<Jet<double>> jets{Jet<double>::constant(0.7), Jet<double>::constant(-0.2)};
  require(same(value, formula.calc<Jet<double>, double>(parameters.data(), jets.data()).value));
  return 0;
}
