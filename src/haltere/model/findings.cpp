#include "haltere/model/findings.h"

#include <cmath>

#include <fmt/format.h>

namespace haltere {
namespace {

std::string with_unit(double x, std::string_view unit) {
  return unit.empty() ? fmt::format("{}", x) : fmt::format("{} {}", x, unit);
}

}  // namespace

void Findings::report(std::string message, std::string hint) const {
  problems_->push_back({mark_, thing_, std::move(message), std::move(hint)});
}

void Findings::warn(const std::string& message, std::string hint) const {
  for (const Problem& p : *problems_)
    if (p.message == message && p.mark.line == mark_.line && p.mark.file == mark_.file) return;
  problems_->push_back({mark_, thing_, message, std::move(hint), Problem::Severity::kWarning});
}

std::string find_number_fault(double x, std::string_view unit, Rule rule) {
  if (!std::isfinite(x)) return "is not a finite number";
  if (rule == Rule::kNotNegative && x < 0)
    return fmt::format("is {}; must not be negative", with_unit(x, unit));
  if (rule == Rule::kPositive && !(x > 0)) return fmt::format("is {}; must be positive", with_unit(x, unit));
  return "";
}

}  // namespace haltere
