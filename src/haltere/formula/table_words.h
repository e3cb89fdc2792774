#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "haltere/formula/curve.h"
#include "haltere/formula/expression.h"

namespace haltere {

/// What stands behind the argument of a table: what lies beyond its points, a fit, a period.
class TableWords {
 public:
  /// Takes what is wrong, and what to do, at a place in the formula.
  using Report = std::function<void(std::size_t place, std::string message, std::string hint)>;
  explicit TableWords(Report report) : report_(std::move(report)) {}

  void read(std::string_view word, std::size_t place, const Measure& argument);
  /// Whether all words are fine, and go together.
  bool check() const;
  CurveSpec spec() const;
  std::size_t fit_place() const { return fit_place_; }

 private:
  bool read_measured(std::string_view text, const Measure& argument, bool is_rate, std::size_t place,
                     double* number) const;

  Report report_;
  std::optional<Outside> outside_;
  CurveFit fit_;
  std::size_t outside_place_ = 0, fit_place_ = 0, period_place_ = 0;
  bool is_fine_ = true;
};

}  // namespace haltere
