#pragma once

#include <string>
#include <utility>
#include <vector>

namespace haltere {

/// An axis of a plot: its range, round ticks, and how numbers on it are written.
///   written number = (value - offset) / 10^exponent
struct Axis {
  double low = 0, high = 1;
  double offset = 0;  // taken off where the values hardly differ: energy that is nearly constant
  int exponent = 0;   // power of ten in the label
  std::vector<double> ticks;
  std::vector<std::string> labels;  // of the ticks
  bool is_log = false;              // then all of it is positive
  std::vector<double> minor;        // between the ticks of a logarithmic axis

  double place(double value) const;  // 0 at low ... 1 at high; NaN for what has no place on it
};

/// An axis for values between low and high. `margin`: part of the range to leave free at both ends, before
/// the range is extended to ticks; 0 keeps the range as it is.
Axis make_axis(double low, double high, int most_ticks, double margin);

/// A logarithmic one for positive values: ticks at decades, at 1, 2, 5 where there are few, at round numbers where
/// the range is less than half a decade.
Axis make_log_axis(double low, double high, int most_ticks, double margin);

/// `[m/s²]`, `[10⁻³ rad]`, `− 12.5 [J]`; "" where there is nothing to say.
std::string label_of(const Axis& axis, const std::string& unit);

/// `m/s2` as `m/s²`, `N m` as `N·m`.
std::string pretty_unit(const std::string& unit);

}  // namespace haltere
