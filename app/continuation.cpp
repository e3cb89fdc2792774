#include "app/continuation.h"

#include <fmt/format.h>

#include "haltere/io/result/checkpoint_file.h"
#include "haltere/model/wrong_input.h"

namespace haltere {
namespace {

Checkpoint find_checkpoint(const std::filesystem::path& folder, const Result& result) {
  std::error_code error;
  if (!std::filesystem::exists(folder / kCheckpointFile, error))
    throw wrong_input(folder.string(),
                      fmt::format("this run has {}, and left no checkpoint to continue from",
                                  result.outcome() == "running" ? "just begun" : result.outcome()));
  Checkpoint checkpoint = read_checkpoint(folder / kCheckpointFile);
  const long events = static_cast<long>(result.events().size());
  if (checkpoint.rows < 0 || checkpoint.rows > result.rows() || checkpoint.events < 0 ||
      checkpoint.events > events)
    throw wrong_input(folder.string(), "the checkpoint belongs to another result",
                      "run again from the start");
  return checkpoint;
}

}  // namespace

Continuation::Continuation(const std::filesystem::path& folder)
    : result_(folder),
      past_{find_checkpoint(folder, result_), result_.events(),
            [this](long first, long count) { return result_.read_rows(first, count); }, result_.frame_times(),
            [this](long index) { return result_.read_frame(index); }} {}

void Continuation::complete(Settings* settings) const {
  const RunInfo& past = info();
  const auto fill = [](auto* setting, const auto& value) {
    if (!*setting) *setting = value;
  };
  fill(&settings->until, past.until);
  fill(&settings->every, past.every);
  fill(&settings->tolerance, past.tolerance);
  fill(&settings->integrator, past.integrator);
  fill(&settings->formulation, past.formulation);
  fill(&settings->chart, past.chart);
  fill(&settings->stabilization, past.stabilization);
  if (past.step > 0) fill(&settings->step, past.step);
  fill(&settings->frames, past.frames);
  if (past.wake_stride > 0) fill(&settings->wake_stride, static_cast<double>(past.wake_stride));
}

}  // namespace haltere
