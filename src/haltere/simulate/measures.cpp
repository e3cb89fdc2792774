#include "haltere/simulate/measures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>

#include <fmt/format.h>

namespace haltere {
namespace {

// Points of the polynomial that refines a peak, with one in the middle; what the others may get wrong of that
// one, of what the polynomial adds: more is a corner or a jump. Choices.
constexpr int kNearby = 9;
constexpr double kRough = 0.1;
// of the largest sample: samples below this part hide no peak between them; a choice
constexpr double kNearPeak = 0.9;
// of a run: more are a mistake, and would take for ever (2.6e8 samples)
constexpr double kMostPeriods = 1e6;
// part of the distance between samples by which the end of a run may come too early: rounding of times, with
// room
constexpr double kSameTime = 1e-9;

double calc_mean(std::span<const double> x) {
  double sum = 0.5 * (x.front() + x.back());
  for (std::size_t i = 1; i + 1 < x.size(); ++i) sum += x[i];
  return sum / static_cast<double>(x.size() - 1);
}

/// a exp(i phase) of the part a cos(2 pi t/T - phase).
std::complex<double> calc_fundamental(std::span<const double> x) {
  const double mean = calc_mean(x);
  const auto n = static_cast<double>(x.size() - 1);
  std::complex<double> sum = 0.5 * (x.front() - mean + x.back() - mean);
  for (std::size_t i = 1; i + 1 < x.size(); ++i)
    sum += (x[i] - mean) * std::polar(1., 2 * std::numbers::pi * static_cast<double>(i) / n);
  return 2. / n * sum;
}

/// The polynomial through neighbouring samples, at `at` in units of their distance: Lagrange's, in its
/// barycentric form.
double interpolate(std::span<const double> x, double at) {
  double above = 0, below = 0, weight = 1;
  const int n = static_cast<int>(x.size()) - 1;
  for (int i = 0; i <= n; ++i) {
    const double distance = at - i;
    if (distance == 0) return x[i];
    above += weight / distance * x[i];
    below += weight / distance;
    weight *= -static_cast<double>(n - i) / (i + 1);
  }
  return above / below;
}

/// What eight samples say of the one in their middle, less what it is.
double calc_roughness(std::span<const double> near) {
  constexpr std::array<double, kNearby> kDifference{1, -8, 28, -56, 70, -56, 28, -8, 1};
  double sum = 0;
  for (int i = 0; i < kNearby; ++i) sum += kDifference[i] * near[i];
  return std::abs(sum) / kDifference[kNearby / 2];
}

/// The largest size within one sample of `peak`, of the polynomial through the samples about it, where they
/// are smooth.
double refine(std::span<const double> x, int peak) {
  const int last = static_cast<int>(x.size()) - 1;
  const int first = std::clamp(peak - kNearby / 2, 0, last + 1 - kNearby);
  const std::span<const double> near = x.subspan(first, kNearby);
  const double sign = x[peak] < 0 ? -1 : 1;
  double low = std::max(peak - 1, 0) - first, high = std::min(peak + 1, last) - first;
  constexpr double kGolden = 0.6180339887498949;
  for (int i = 0; i < 50; ++i) {
    const double a = high - kGolden * (high - low), b = low + kGolden * (high - low);
    if (sign * interpolate(near, a) < sign * interpolate(near, b))
      low = a;
    else
      high = b;
  }
  const double refined = sign * interpolate(near, (low + high) / 2), sample = std::abs(x[peak]);
  return calc_roughness(near) < kRough * (refined - sample) ? refined : sample;
}

double calc_peak(std::span<const double> x) {
  double largest = 0;
  for (const double value : x) largest = std::max(largest, std::abs(value));
  const int last = static_cast<int>(x.size()) - 1;
  double peak = largest;
  for (int i = 0; i <= last && last + 1 >= kNearby; ++i) {
    const double size = std::abs(x[i]), sign = x[i] < 0 ? -1 : 1;
    const bool is_top = size >= sign * x[std::max(i - 1, 0)] && size >= sign * x[std::min(i + 1, last)];
    if (is_top && size >= kNearPeak * largest) peak = std::max(peak, refine(x, i));
  }
  return peak;
}

}  // namespace

std::string_view name_of(MeasureSpec::Kind kind) {
  constexpr std::array<std::string_view, 4> kNames{"mean", "peak", "amplitude", "phase"};
  return kNames[static_cast<std::size_t>(kind)];
}

double calc_measure(MeasureSpec::Kind kind, std::span<const double> x) {
  switch (kind) {
    case MeasureSpec::Kind::kMean:
      return calc_mean(x);
    case MeasureSpec::Kind::kPeak:
      return calc_peak(x);
    case MeasureSpec::Kind::kAmplitude:
      return std::abs(calc_fundamental(x));
    case MeasureSpec::Kind::kPhase: {
      const double phase = std::arg(calc_fundamental(x));
      return phase == -std::numbers::pi ? std::numbers::pi : phase;
    }
  }
  return 0;
}

std::string MeasureResult::text() const {
  if (!is_known())
    return fmt::format("{} ({}): not known: the run has no whole period of {:.6g} s", name, kind, period);
  return fmt::format("{} ({}): {:.10g}{}{} over the last of {} period{} of {:.6g} s", name, kind, value(),
                     unit.empty() ? "" : " ", unit, values.size(), values.size() == 1 ? "" : "s", period);
}

namespace {

std::vector<const MeasureSpec*> list_measures(const Model& model) {
  std::vector<const MeasureSpec*> list;
  for (const MeasureSpec& measure : model.measures) list.push_back(&measure);
  return list;
}

}  // namespace

MeasureWatch::MeasureWatch(const Model& model, const std::vector<double>& parameters, double until)
    : reader_(model, list_measures(model)), values_(model.measures.size()), samples_(model.measures.size()) {
  for (std::size_t i = 0; i < model.measures.size(); ++i) {
    const MeasureSpec& measure = model.measures[i];
    const double period = measure.period.calc<double, double>(parameters.data(), nullptr);
    if (!(period > 0) || !std::isfinite(period))
      throw InputError({Problem{measure.mark, fmt::format("measure '{}'", measure.name),
                                fmt::format("period is {:g} s; must be greater than 0", period), ""}});
    if (until / period > kMostPeriods)
      throw InputError(
          {Problem{measure.mark, fmt::format("measure '{}'", measure.name),
                   fmt::format("the run of {:g} s has {:.2g} periods of {:g} s; at most {:g} are measured",
                               until, until / period, period, kMostPeriods),
                   "is its unit right?"}});
    results_.push_back({measure.name,
                        std::string(name_of(measure.kind)),
                        measure.of.text(),
                        unit_of_measure(measure),
                        period,
                        {}});
    kinds_.push_back(measure.kind);
    auto group =
        std::find_if(groups_.begin(), groups_.end(), [&](const Group& g) { return g.period == period; });
    if (group == groups_.end()) group = groups_.insert(groups_.end(), Group{period, 0, {}});
    group->members.push_back(static_cast<int>(i));
    samples_[i].reserve(kPeriodSamples + 1);
  }
}

double MeasureWatch::next_time() const {
  double time = std::numeric_limits<double>::infinity();
  for (const Group& group : groups_) time = std::min(time, group.time());
  return time;
}

double MeasureWatch::slack() const {
  double period = 0;
  for (const Group& group : groups_)
    if (group.time() == next_time()) period = group.period;
  return kSameTime * period / kPeriodSamples;
}

std::string MeasureWatch::add(const Instant& instant, const std::vector<double>& parameters) {
  const double time = next_time();
  reader_.calc(instant, parameters, values_);
  for (Group& group : groups_) {
    if (group.time() != time) continue;
    for (const int i : group.members) {
      if (!std::isfinite(values_[i]))
        return fmt::format("measure '{}' is not finite: look for a division by zero in {}", results_[i].name,
                           results_[i].of);
      samples_[i].push_back(values_[i]);
    }
    if (group.next > 0 && group.next % kPeriodSamples == 0) finish(group);
    ++group.next;
  }
  return "";
}

/// The last sample of a period is the first of the next.
void MeasureWatch::finish(const Group& group) {
  for (const int i : group.members) {
    std::vector<double>& x = samples_[i];
    results_[i].values.push_back(calc_measure(kinds_[i], x));
    const double last = x.back();
    x.assign(1, last);
  }
}

void MeasureWatch::visit_state(Archive& archive) {
  for (Group& group : groups_) archive(group.next);
  for (MeasureResult& result : results_) archive.grow(result.values);
  for (std::vector<double>& samples : samples_) archive.grow(samples);
}

}  // namespace haltere
