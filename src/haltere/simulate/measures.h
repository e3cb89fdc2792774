#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "haltere/math/archive.h"
#include "haltere/simulate/channel_formula.h"

/// Numbers that describe a period of a motion: mean, peak, amplitude and phase.
namespace haltere {

/// Samples of a period, both ends counted once. The trapezoidal rule on a smooth periodic signal is exact
/// for all harmonics below the number of samples less the one that is asked for: what is left is the error
/// of the integration.
inline constexpr int kPeriodSamples = 256;

std::string_view name_of(MeasureSpec::Kind kind);

/// `x`: at uniform times over one period, both ends included. A peak is refined between samples by a
/// polynomial through nine of them; where these show a corner or a jump, the sample stands.
double calc_measure(MeasureSpec::Kind kind, std::span<const double> x);

/// What a run found out about one measure.
struct MeasureResult {
  std::string name, kind, of, unit;
  double period = 0;           // [s]
  std::vector<double> values;  // one per whole period, the first from t = 0 on

  bool is_known() const { return !values.empty(); }
  double value() const { return values.back(); }  // of the last whole period
  double end_of(std::size_t i) const { return period * static_cast<double>(i + 1); }  // of period i [s]
  std::string text() const;  // "power (mean): 0.42 W over the last of 3 periods of 0.04 s"
};

/// Takes samples during a run, at times of its own: multiples of the period over kPeriodSamples, whatever
/// rows are written.
class MeasureWatch {
 public:
  /// InputError for a period that is none, or far too short for a run until then [s].
  MeasureWatch(const Model& model, const std::vector<double>& parameters, double until);

  /// Time of the next sample; infinite where there are no measures.
  double next_time() const;
  /// How far beyond the end of a run a sample may lie that belongs to its last moment.
  double slack() const;
  /// At next_time(). Returns which measure is not finite, or "".
  std::string add(const Instant& instant, const std::vector<double>& parameters);
  const std::vector<MeasureResult>& results() const { return results_; }
  void visit_state(Archive& archive);

 private:
  /// Measures with one period.
  struct Group {
    double period = 0;
    long next = 0;  // the next sample, counted from t = 0
    std::vector<int> members;
    double time() const { return period * (static_cast<double>(next) / kPeriodSamples); }
  };
  void finish(const Group& group);

  std::vector<MeasureResult> results_;
  std::vector<MeasureSpec::Kind> kinds_;
  std::vector<Group> groups_;
  ChannelReader reader_;
  std::vector<double> values_;
  std::vector<std::vector<double>> samples_;  // of the present period, per measure
};

}  // namespace haltere
