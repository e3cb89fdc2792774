#include "haltere/io/plot/axis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

namespace haltere {
namespace {

constexpr std::string_view kMinus = "−";

std::string superscript(const std::string& digits) {
  constexpr std::array<std::string_view, 10> kDigits{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  for (const char c : digits) text += c == '-' ? "⁻" : std::string(kDigits[c - '0']);
  return text;
}

/// The smallest of 1, 2, 5 times a power of ten that gives no more than `most` intervals.
double calc_spacing(double range, int most) {
  const double power = std::pow(10, std::floor(std::log10(range / most)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (range / (factor * power) <= most) return factor * power;
  return 10 * power;
}

/// A range that can be drawn: finite, not empty, and wide enough for doubles to tell its ticks apart.
std::pair<double, double> make_drawable(double low, double high) {
  constexpr double kLargest = std::numeric_limits<double>::max() / 16;
  low = std::clamp(low, -kLargest, kLargest);
  high = std::clamp(high, -kLargest, kLargest);
  const double size = std::max(std::abs(low), std::abs(high));
  if (size < std::numeric_limits<double>::min() * 1e16) return {-1, 1};  // zero, or as good as
  if (high - low > 1e-12 * size) return {low, high};
  return {low - size / 2, high + size / 2};
}

std::string write_number(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", std::abs(value), decimals);
  const bool zero = text.find_first_not_of("0.") == std::string::npos;
  return value < 0 && !zero ? std::string(kMinus) + text : text;
}

void label_ticks(double spacing, Axis* axis) {
  // exponent: of the largest number written, where plain digits would be many
  double largest = 0;
  for (const double tick : axis->ticks) largest = std::max(largest, std::abs(tick - axis->offset));
  const int magnitude = static_cast<int>(std::floor(std::log10(std::max(largest, spacing))));
  if (magnitude >= 5 || magnitude <= -4) axis->exponent = static_cast<int>(std::floor(magnitude / 3.0)) * 3;
  const double unit = std::pow(10, axis->exponent);
  const int decimals = std::clamp(-static_cast<int>(std::floor(std::log10(spacing / unit * 1.0001))), 0, 12);
  for (const double tick : axis->ticks)
    axis->labels.push_back(write_number((tick - axis->offset) / unit, decimals));
}

}  // namespace

Axis make_axis(double low, double high, int intervals, double margin) {
  std::tie(low, high) = make_drawable(low, high);
  const double size = std::max(std::abs(low), std::abs(high));
  const double spacing = calc_spacing((high - low) * (1 + 2 * margin), intervals);

  Axis axis;
  const double first = std::floor((low - margin * (high - low)) / spacing);
  const double last = std::ceil((high + margin * (high - low)) / spacing);
  axis.low = margin > 0 ? first * spacing : low;
  axis.high = margin > 0 ? last * spacing : high;
  const double slack = 1e-9 * spacing;
  for (double k = first; k <= last; ++k)
    if (k * spacing >= axis.low - slack && k * spacing <= axis.high + slack)
      axis.ticks.push_back(k * spacing);
  // more than five digits are the same in all labels: write the difference to the lowest tick
  if (!axis.ticks.empty() && high - low < 1e-4 * size) axis.offset = axis.ticks.front();
  label_ticks(spacing, &axis);
  return axis;
}

std::string label_of(const Axis& axis, const std::string& unit) {
  std::string inside;
  if (axis.exponent != 0) inside = "10" + superscript(fmt::format("{}", axis.exponent));
  if (!unit.empty()) inside += (inside.empty() ? "" : " ") + pretty_unit(unit);
  std::string text;
  if (axis.offset != 0)
    text = fmt::format("{} {:.15g} ", axis.offset > 0 ? kMinus : "+", std::abs(axis.offset));
  if (!inside.empty()) text += '[' + inside + ']';
  return text;
}

std::string pretty_unit(const std::string& unit) {
  std::string text;
  bool letter_before = false;
  for (std::size_t i = 0; i < unit.size(); ++i) {
    const char c = unit[i];
    const bool digit = c >= '0' && c <= '9';
    const bool negative = c == '-' && i + 1 < unit.size() && unit[i + 1] >= '0' && unit[i + 1] <= '9';
    if (c == ' ')
      text += "·";
    else if (letter_before && (digit || negative))
      text += superscript(std::string(1, c));
    else
      text += c;
    letter_before =
        (letter_before && (digit || negative)) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }
  return text;
}

}  // namespace haltere
