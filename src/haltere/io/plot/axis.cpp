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

constexpr int kLargestPower = 307, kMostMinor = 60;

/// The decades of a range that is widened to round numbers, and which of them have ticks.
struct Decades {
  Decades(double low, double high, int intervals, double margin);
  int first = 0, last = 0;  // whole powers within
  int step = 1;
  double low = 0, high = 0;  // powers of ten
};

/// 10^power or, where the range is small, the next of 1, 2, 5 times a power: not above.
double calc_round_power_below(double power, bool whole) {
  const double decade = std::floor(power);
  for (const double factor : {5.0, 2.0})
    if (!whole && decade + std::log10(factor) <= power) return decade + std::log10(factor);
  return decade;
}
double calc_round_power_above(double power, bool whole) {
  const double decade = std::floor(power);
  for (const double factor : {1.0, 2.0, 5.0})
    if (decade + std::log10(factor) >= power && (!whole || factor == 1)) return decade + std::log10(factor);
  return decade + 1;
}

Decades::Decades(double from, double to, int intervals, double margin) {
  low = std::log10(from), high = std::log10(to);
  if (high - low < 1e-9) low -= 0.5, high += 0.5;
  if (margin > 0) {
    constexpr double kManyDecades = 4;  // then a part of one is no loss
    const bool whole = high - low > kManyDecades;
    low = calc_round_power_below(low - (whole ? 0 : margin * (high - low)), whole);
    high = calc_round_power_above(high + (whole ? 0 : margin * (high - low)), whole);
  }
  low = std::clamp<double>(low, -kLargestPower, kLargestPower - 1);
  high = std::clamp<double>(high, low + 1e-9, kLargestPower);
  constexpr double kRounding = 1e-9;
  first = static_cast<int>(std::ceil(low - kRounding));
  last = static_cast<int>(std::floor(high + kRounding));
  while (last - first > intervals * step) ++step;
}

/// Ticks at powers of ten, written as such where plain numbers would have many zeros.
void add_decades(const Decades& d, Axis* axis) {
  const bool plain = d.first >= -3 && d.last <= 3;
  for (int k = d.first; k <= d.last; ++k) {
    if (k % d.step != 0) continue;
    axis->ticks.push_back(std::pow(10., k));
    axis->labels.push_back(plain ? fmt::format("{:g}", axis->ticks.back())
                                 : "10" + superscript(fmt::format("{}", k)));
  }
  for (int k = d.first - 1; k <= d.last; ++k) {
    if (d.step > 1 && k >= d.first && k % d.step != 0) axis->minor.push_back(std::pow(10., k));
    for (int factor = 2; d.step == 1 && factor < 10; ++factor)
      axis->minor.push_back(factor * std::pow(10., k));
  }
}

/// Ticks at 1, 2, 5 times powers of ten; a power that all share goes into the axis' label.
void add_parts_of_decades(const Decades& d, Axis* axis) {
  axis->exponent = d.first >= -2 && d.last <= 4 ? 0 : d.first;
  for (int k = d.first - 1; k <= d.last; ++k)
    for (int factor = 1; factor < 10; ++factor) {
      const double value = factor * std::pow(10., k);
      const bool labelled = factor == 1 || factor == 2 || factor == 5;
      if (!labelled) axis->minor.push_back(value);
      if (!labelled || value < axis->low * (1 - 1e-9) || value > axis->high * (1 + 1e-9)) continue;
      axis->ticks.push_back(value);
      axis->labels.push_back(fmt::format("{:g}", factor * std::pow(10., k - axis->exponent)));
    }
}

}  // namespace

double Axis::place(double value) const {
  if (!is_log) return (std::clamp(value, low, high) - low) / (high - low);
  if (!(value > 0)) return std::numeric_limits<double>::quiet_NaN();
  return std::clamp((std::log10(value) - std::log10(low)) / (std::log10(high) - std::log10(low)), 0.0, 1.0);
}

Axis make_log_axis(double low, double high, int intervals, double margin) {
  constexpr double kFewDecades = 0.5;
  Axis axis;
  if (high > low * (1 + 1e-9) && std::log10(high / low) < kFewDecades) {
    axis = make_axis(low, high, intervals, margin);
    if (axis.low <= 0) axis.low = low / 2;
    while (!axis.ticks.empty() && axis.ticks.front() < axis.low * (1 - 1e-9)) {
      axis.ticks.erase(axis.ticks.begin());
      axis.labels.erase(axis.labels.begin());
    }
  } else {
    const Decades decades(low, high, intervals, margin);
    axis.low = std::pow(10, decades.low);
    axis.high = std::pow(10, decades.high);
    if (decades.last > decades.first)
      add_decades(decades, &axis);
    else
      add_parts_of_decades(decades, &axis);
    const auto outside = [&](double x) { return x < axis.low * (1 - 1e-9) || x > axis.high * (1 + 1e-9); };
    std::erase_if(axis.minor, outside);
    if (axis.minor.size() > kMostMinor) axis.minor.clear();
  }
  axis.is_log = true;
  return axis;
}

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
  if (!unit.empty() && unit != "1") inside += (inside.empty() ? "" : " ") + pretty_unit(unit);
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
