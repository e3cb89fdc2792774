#include "haltere/simulate/recorder.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace haltere {

std::string Audit::energy_text() const {
  if (!(energy_scale > 0)) return "energy balance: no energy in play";
  if (is_trustworthy() && relative_balance() > kTrustworthy)
    return fmt::format("energy balance closes to rounding: {:.1e} J; no energy in play", energy_balance);
  const std::string text = fmt::format("energy balance {} {:.1e} J, {:.1e} of {:.3g} J in play",
                                       is_trustworthy() ? "closes to" : "does NOT close: off by",
                                       energy_balance, relative_balance(), energy_scale);
  if (is_trustworthy()) return text;
  return text +
         "\n  try: a smaller --step or --tolerance; look for a prescribed motion or a force that jumps";
}

std::string Audit::text() const {
  std::string text = energy_text();
  if (momentum_applies)
    text += fmt::format("\nmomentum kept to {:.1e}, angular momentum to {:.1e} of their size", momentum_drift,
                        angular_momentum_drift);
  for (const ContactAudit& contact : contacts) text += '\n' + contact.text();
  return text;
}

std::string_view name_of(RunSummary::Outcome outcome) {
  switch (outcome) {
    case RunSummary::Outcome::kFinished:
      return "finished";
    case RunSummary::Outcome::kStopped:
      return "stopped";
    case RunSummary::Outcome::kFailed:
      return "failed";
    case RunSummary::Outcome::kInterrupted:
      return "interrupted";
  }
  return "";
}

void MemorySink::begin(const std::vector<Channel>& channels, const RunInfo&) {
  names_.clear();
  values_.clear();
  events_.clear();
  for (const Channel& channel : channels) names_.push_back(channel.name);
}

void MemorySink::row(std::span<const double> values) {
  values_.insert(values_.end(), values.begin(), values.end());
}

void MemorySink::event(const RunEvent& event) {
  events_.push_back(event);
}

void MemorySink::end(const RunSummary& summary) {
  summary_ = summary;
}

double MemorySink::value(long row, std::string_view channel) const {
  const auto found = std::find(names_.begin(), names_.end(), channel);
  if (found == names_.end() || row < 0 || row >= rows())
    throw std::out_of_range(fmt::format("no row {} of channel '{}'", row, channel));
  return values_[static_cast<std::size_t>(row) * names_.size() + (found - names_.begin())];
}

std::vector<double> MemorySink::column(std::string_view channel) const {
  std::vector<double> column;
  for (long i = 0; i < rows(); ++i) column.push_back(value(i, channel));
  return column;
}

}  // namespace haltere
