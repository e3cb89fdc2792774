#include "haltere/simulate/checkpoint.h"

#include <algorithm>

#include <fmt/format.h>

namespace haltere {
namespace {

class RunComparison {
 public:
  void compare(const char* what, const std::string& past, const std::string& now) {
    if (past != now) add(what, fmt::format("was '{}' and is '{}' now", past, now));
  }
  void compare(const char* what, double past, double now) {
    if (past != now) add(what, fmt::format("was {:.17g} and is {:.17g} now", past, now));
  }
  void add(std::string what, std::string difference) {
    problems_.push_back(
        {{}, std::move(what), std::move(difference), "a run can only be continued as it began"});
  }
  void throw_if_any() {
    if (!problems_.empty()) throw InputError(std::move(problems_));
  }

 private:
  std::vector<Problem> problems_;
};

}  // namespace

void require_same_run(const RunInfo& past, const std::vector<Channel>& past_channels, const RunInfo& now,
                      const std::vector<Channel>& channels) {
  RunComparison comparison;
  comparison.compare("version", past.version, now.version);
  comparison.compare("model", past.model_name, now.model_name);
  comparison.compare("case", past.case_name, now.case_name);
  comparison.compare("--set", fmt::format("{}", fmt::join(past.set, " ")),
                     fmt::format("{}", fmt::join(now.set, " ")));
  if (past.model_text != now.model_text) comparison.add("model", "its files have changed");
  comparison.compare("formulation", past.formulation, now.formulation);
  comparison.compare("chart", past.chart, now.chart);
  comparison.compare("stabilization", past.stabilization, now.stabilization);
  comparison.compare("integrator", past.integrator, now.integrator);
  comparison.compare("step", past.step, now.step);
  comparison.compare("every", past.every, now.every);
  comparison.compare("tolerance", past.tolerance, now.tolerance);
  comparison.compare("frames", past.frames, now.frames);
  comparison.compare("wake-stride", past.wake_stride, now.wake_stride);
  if (past.parameters != now.parameters) comparison.add("parameters", "have changed");
  const auto same_name = [](const Channel& a, const Channel& b) { return a.name == b.name; };
  if (!std::equal(past_channels.begin(), past_channels.end(), channels.begin(), channels.end(), same_name))
    comparison.add("channels", "are others than before");
  comparison.throw_if_any();
}

}  // namespace haltere
