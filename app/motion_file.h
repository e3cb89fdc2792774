#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "app/report_page.h"

#include "haltere/io/result/hdf5_sink.h"
#include "haltere/io/result/result.h"
#include "haltere/simulate/run.h"

namespace haltere {

/// States that an analysis found, one after the other, as a result to be shown; its file goes with the object.
class MotionFile {
 public:
  MotionFile(const Model& model, const std::vector<double>& parameters, const RunOptions& options);
  MotionFile(const MotionFile&) = delete;
  MotionFile& operator=(const MotionFile&) = delete;

  /// A state as it was observed; none, and one that is not finite, is left out.
  void add(double t, const Instant* instant);
  /// After the last one.
  const Result& finish();

 private:
  const Model& model_;
  ScratchFolder folder_;  // first: it goes last
  std::vector<Channel> channels_;
  std::vector<double> row_;
  std::unique_ptr<Hdf5Sink> sink_;
  RunSummary summary_;
  std::optional<Result> result_;
};

/// A run as a model asks for it, to be shown; its file goes with the object.
class RunFile {
 public:
  explicit RunFile(const Model& model, const std::atomic<bool>* interrupt);
  RunFile(const RunFile&) = delete;
  RunFile& operator=(const RunFile&) = delete;
  const Result& result() const { return *result_; }

 private:
  ScratchFolder folder_;  // first: it goes last
  std::optional<Result> result_;
};

}  // namespace haltere
