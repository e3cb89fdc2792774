#include "haltere/formula/table_words.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "haltere/formula/built_in.h"
#include "haltere/formula/scanner.h"
#include "haltere/formula/text.h"

namespace haltere {

CurveSpec TableWords::spec() const {
  // a series has a value everywhere
  const bool is_series = fit_.kind == CurveFit::Kind::kHarmonics;
  return {outside_.value_or(is_series ? Outside::kPeriodic : Outside::kError), fit_};
}

void TableWords::read(std::string_view word, std::size_t place, const Measure& argument) {
  const auto refuse = [&](std::string message, std::string hint) {
    is_fine_ = false;
    report_(place, std::move(message), std::move(hint));
  };
  const auto claim = [&](std::size_t* of, std::string_view what) {
    if (*of > 0) refuse(fmt::format("a second word for {}", what), "one is enough");
    *of = place;
  };
  const std::size_t colon = std::min(word.find(':'), word.size());
  const std::string_view key = trim(word.substr(0, colon));
  const std::string_view value = trim(word.substr(std::min(colon + 1, word.size())));
  const auto outside = std::find(kOutsideWords.begin(), kOutsideWords.end(), word);
  if (outside != kOutsideWords.end()) {
    claim(&outside_place_, "what lies beyond the points");
    outside_ = static_cast<Outside>(outside - kOutsideWords.begin());
  } else if (key == kHarmonicsWord) {
    claim(&fit_place_, "a fit");
    fit_.kind = CurveFit::Kind::kHarmonics;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), fit_.harmonics);
    if (error != std::errc() || end != value.data() + value.size() || fit_.harmonics < 1 ||
        fit_.harmonics > kMostHarmonics)
      refuse(fmt::format("{} is no number of harmonics", quote(value)),
             fmt::format(R"(a whole number from 1 to {}, as in "harmonics:8")", kMostHarmonics));
  } else if (key == kSmoothWord) {
    claim(&fit_place_, "a fit");
    fit_.kind = CurveFit::Kind::kSmooth;
    is_fine_ &= read_measured(value, argument, true, place, &fit_.cut_off);
  } else if (key == kPeriodWord) {
    claim(&period_place_, "a period");
    is_fine_ &= read_measured(value, argument, false, place, &fit_.period);
  } else {
    refuse(fmt::format("a table can be no {} beyond its points", quote(word)),
           fmt::format(R"(one of {}; or a fit, as "harmonics:8" or "smooth:1000 Hz")",
                       fmt::join(kOutsideWords, ", ")));
  }
}

/// A positive quantity: a period of the argument of a table, or so many of them in a unit of it.
bool TableWords::read_measured(std::string_view text, const Measure& argument, bool is_rate,
                               std::size_t place, double* number) const {
  std::vector<TextProblem> found;
  const Expression quantity = Expression::parse(text, {}, std::nullopt, &found);
  for (TextProblem& problem : found) report_(place, std::move(problem.message), problem.hint);
  if (!found.empty()) return false;
  *number = quantity.calc<double, double>(nullptr, nullptr);
  const std::string_view what = is_rate ? "cut-off" : "period";
  if (!std::isfinite(*number) || !(*number > 0)) {
    report_(place, fmt::format("the {} is {:.10g}; must be positive", what, *number), "");
    return false;
  }
  const Measure& own = quantity.measure();
  if (own.kind != Measure::Kind::kExact || argument.kind != Measure::Kind::kExact) return true;
  const Dimension product = is_rate ? own.dimension * argument.dimension : own.dimension / argument.dimension;
  // radians in a formula are numbers, but rad/s are never Hz
  const bool is_angle_free = !argument.is_strict && own.dimension.angle == 0;
  if ((is_angle_free ? product.without_angle() : product) == Dimension{}) return true;
  const Dimension wanted = is_rate ? Dimension{} / argument.dimension : argument.dimension;
  const std::string_view hint = is_rate && wanted.time == -1 ? "cycles a second: 1 Hz is 1/s" : "";
  report_(place,
          fmt::format("the {} is measured in {}, and must be in {}, as the argument of the table asks", what,
                      to_string(own.dimension), to_string(wanted)),
          std::string(hint));
  return false;
}

bool TableWords::check() const {
  if (!is_fine_) return false;
  const bool is_series = fit_.kind == CurveFit::Kind::kHarmonics;
  if (period_place_ > 0 && !is_series) {
    report_(period_place_, R"(only a table with "harmonics:N" has a period of its own)",
            R"(the points of a "periodic" table are one period)");
    return false;
  }
  if (is_series && (outside_ == Outside::kHold || outside_ == Outside::kExtrapolate)) {
    report_(outside_place_, "harmonics are periodic, also beyond the points",
            R"("error" makes it an error to leave them)");
    return false;
  }
  return true;
}

}  // namespace haltere
