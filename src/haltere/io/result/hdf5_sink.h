#pragma once

#include <filesystem>
#include <memory>

#include "haltere/simulate/recorder.h"

namespace haltere {

/// Writes a run to one HDF5 file; what is in it stands in docs/results.md. The file (and its folder) appears
/// with the first flush, in place of an older one, so a bad input leaves nothing behind. From then on it can
/// be read at any moment, while the run goes on or after it was killed: it is written in HDF5's mode of one
/// writer and many readers (SWMR), in which every state of the file is a valid one. Its outcome is "running"
/// until the end. Times of the clock are not stored.
class Hdf5Sink : public Sink {
 public:
  explicit Hdf5Sink(std::filesystem::path path);
  ~Hdf5Sink() override;

  void begin(const std::vector<Channel>& channels, const RunInfo& info) override;
  void row(std::span<const double> values) override;
  void event(const RunEvent& event) override;
  bool wants_frames() const override { return true; }
  void frame(const Frame& frame) override;
  void flush() override;
  void end(const RunSummary& summary) override;

 private:
  class File;
  std::filesystem::path path_;
  std::unique_ptr<File> file_;
};

}  // namespace haltere
