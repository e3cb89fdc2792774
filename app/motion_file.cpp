#include "app/motion_file.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/continuation.h"

#include "haltere/simulate/glob.h"
#include "haltere/simulate/run_info.h"
#include "haltere/simulate/scene_text.h"

namespace haltere {
namespace {

/// Of a motion: where bodies and joints are, how fast they go, and what air and drives do.
std::vector<Channel> list_motion_channels(const Model& model) {
  constexpr std::array<std::string_view, 11> kGlobs{"t",
                                                    "body.*.position.*",
                                                    "body.*.orientation.*",
                                                    "body.*.euler.*",
                                                    "body.*.velocity.*",
                                                    "joint.*.angle*",
                                                    "joint.*.position*",
                                                    "joint.*.rate*",
                                                    "joint.*.torque*",
                                                    "surface.*.force.*",
                                                    "energy.*"};
  std::vector<Channel> all = make_channels(model);
  std::erase_if(all, [&](const Channel& channel) {
    return std::none_of(kGlobs.begin(), kGlobs.end(),
                        [&](std::string_view glob) { return matches_glob(glob, channel.name); });
  });
  return all;
}

}  // namespace

MotionFile::MotionFile(const Model& model, const std::vector<double>& parameters, const RunOptions& options)
    : model_(model),
      channels_(list_motion_channels(model)),
      row_(channels_.size()),
      sink_(std::make_unique<Hdf5Sink>(folder_.path() / kResultFile)) {
  RunInfo info = make_run_info(model, options);
  info.frames = 0;
  info.scene = make_scene_text(model, parameters);
  for (std::size_t i = 0; i < info.parameters.size(); ++i) info.parameters[i].second = parameters[i];
  sink_->begin(channels_, info);
}

void MotionFile::add(double t, const Instant* instant) {
  if (instant == nullptr) return;
  calc_row(model_, channels_, *instant, row_);
  if (!std::all_of(row_.begin(), row_.end(), [](double x) { return std::isfinite(x); })) return;
  row_[0] = t;
  sink_->row(row_);
  ++summary_.rows;
  summary_.t = t;
}

const Result& MotionFile::finish() {
  sink_->end(summary_);
  sink_.reset();
  return result_.emplace(folder_.path());
}

RunFile::RunFile(const Model& model, const std::atomic<bool>* interrupt) {
  RunOptions options = make_run_options(model, {});
  options.interrupt = interrupt;
  Hdf5Sink sink(folder_.path() / kResultFile);
  const RunSummary summary = run(model, options, {&sink});
  try {
    result_.emplace(folder_.path());
  } catch (const InputError&) {  // nothing could be written
    throw RunError(summary.message);
  }
}

}  // namespace haltere
