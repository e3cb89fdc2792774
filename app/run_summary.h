#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "haltere/simulate/run.h"

namespace haltere {

/// What a person wants to know after a run, on stderr: cost, events, audit, where the result is (`place`).
void print_summary(const Model& model, const RunOptions& options, const RunSummary& summary,
                   const std::string& place);

/// The same for a program, as JSON; the file may be `-` for stdout.
class SummarySink : public Sink {
 public:
  explicit SummarySink(std::string file) : file_(std::move(file)) {}
  void begin(const std::vector<Channel>& channels, const RunInfo& info) override;
  void row(std::span<const double>) override {}
  void end(const RunSummary& summary) override;

 private:
  std::string file_;
  RunInfo info_;
};

}  // namespace haltere
