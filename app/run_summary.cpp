#include "app/run_summary.h"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "app/output_file.h"

#include "haltere/io/result/run_json.h"

namespace haltere {
namespace {

constexpr std::size_t kShownEvents = 20;

/// The first ones; all are in the result.
void print_events(const std::vector<RunEvent>& events) {
  for (std::size_t i = 0; i < std::min(events.size(), kShownEvents); ++i) {
    const RunEvent& event = events[i];
    fmt::print(stderr, "event {} t={:.12g}{}{}{}\n", event.name, event.t, event.what.empty() ? "" : " ",
               event.what,
               event.energy_change == 0 ? "" : fmt::format(" (energy {:+.4g} J)", event.energy_change));
  }
  if (events.size() > kShownEvents)
    fmt::print(stderr, "and {} more events, which the result holds\n", events.size() - kShownEvents);
}

}  // namespace

void print_summary(const Model& model, const RunOptions& options, const RunSummary& summary,
                   const std::string& place) {
  const std::string name = model.case_name.empty() ? model.name : model.name + ", " + model.case_name;
  fmt::print(stderr, "{}: {} at t = {:.6g} s after {:.3g} s\n", name, name_of(summary.outcome), summary.t,
             summary.wall_seconds);
  fmt::print(stderr, "{} ({}): {} steps, {} rejected, {} evaluations, {} rows\n", options.integrator,
             options.formulation, summary.steps, summary.rejected, summary.evaluations, summary.rows);
  for (const std::string& note : summary.notes) fmt::print(stderr, "note: {}\n", note);
  print_events(summary.events);
  for (const MeasureResult& measure : summary.measures) fmt::print(stderr, "measure {}\n", measure.text());
  const std::string audit = summary.audit.text();
  fmt::print(stderr, "{}{}", audit, audit.empty() || audit.back() == '\n' ? "" : "\n");
  fmt::print(stderr, "result: {}\n", place);
}

void SummarySink::begin(const std::vector<Channel>&, const RunInfo& info) {
  info_ = info;
}

void SummarySink::end(const RunSummary& summary) {
  write_output(file_, make_run_json(info_, summary));
}

}  // namespace haltere
