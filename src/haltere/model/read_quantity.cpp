#include "haltere/model/read_quantity.h"

#include <cmath>
#include <vector>

#include "haltere/formula/expression.h"
#include "haltere/model/problem.h"

namespace haltere {

double read_quantity(const std::string& option, const std::string& text, const std::string& unit) {
  const Scope nothing{.find = [](std::string_view) { return std::nullopt; },
                      .names = [] { return std::vector<std::string>{}; }};
  std::vector<TextProblem> found;
  const Expression value = Expression::parse(text, nothing, unit_of(unit).dimension, &found);
  std::vector<Problem> problems;
  problems.reserve(found.size());
  for (const TextProblem& p : found)
    problems.push_back(
        {.mark = {.file = option}, .thing = "'" + text + "'", .message = p.message, .hint = p.hint});
  if (!problems.empty()) throw InputError(problems);
  const double number = value.calc<double, double>(nullptr, nullptr);
  if (!std::isfinite(number))
    throw InputError({{.mark = {.file = option},
                       .thing = "'" + text + "'",
                       .message = "is no finite number",
                       .hint = ""}});
  return number;
}

}  // namespace haltere
