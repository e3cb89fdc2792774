#pragma once

#include <cmath>

#include "haltere/simulate/recorder.h"

namespace haltere {

/// Channels t, then names with units, for sinks that do not care what a run is.
inline std::vector<Channel> make_sample_channels(
    const std::vector<std::pair<std::string, std::string>>& names) {
  std::vector<Channel> channels(1);
  channels[0].name = "t";
  channels[0].unit = "s";
  channels[0].meaning = "time";
  for (const auto& [name, unit] : names) {
    channels.emplace_back();
    channels.back().name = name;
    channels.back().unit = unit;
    channels.back().meaning = "meaning of " + name;
  }
  return channels;
}

inline RunInfo make_sample_info() {
  RunInfo info;
  info.version = "1.2.3";
  info.command = "haltere run pendulum --set 'l=0.5 m'";
  info.instruction_set = "x86-64";
  info.model_name = "pendulum";
  info.case_name = "swing";
  info.model_text = "name: pendulum\n# Schwingung, größer als klein\n";
  info.reference = "Huygens 1673";
  info.formulation = "recursive";
  info.integrator = "dop853";
  info.until = 10;
  info.every = 0.1;
  info.tolerance = 1e-9;
  info.parameters = {{"l", 0.5}, {"m", 2.0}};
  return info;
}

inline RunSummary make_sample_summary() {
  RunSummary summary;
  summary.outcome = RunSummary::Outcome::kStopped;
  summary.t = 7.5;
  summary.steps = 100;
  summary.rejected = 3;
  summary.evaluations = 1200;
  summary.wall_seconds = 0.7;
  summary.audit.energy_scale = 9;
  summary.audit.energy_balance = 1e-10;
  summary.audit.momentum_applies = true;
  summary.audit.momentum_drift = 2e-15;
  summary.audit.angular_momentum_drift = 3e-15;
  return summary;
}

/// Value of channel c in row r: different everywhere, with all bits in use.
inline double sample_value(long r, std::size_t c) {
  return c == 0 ? 0.1 * static_cast<double>(r)
                : std::sin(0.7 * static_cast<double>(r) + static_cast<double>(c));
}

inline void write_sample_rows(Sink* sink, std::size_t channels, long rows) {
  std::vector<double> row(channels);
  for (long r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < channels; ++c) row[c] = sample_value(r, c);
    sink->row(row);
  }
}

}  // namespace haltere
