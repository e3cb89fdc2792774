#pragma once

#include <filesystem>
#include <memory>

#include "haltere/simulate/recorder.h"

namespace haltere {

/// Writes a run to one HDF5 file; what is in it stands in docs/results.md. The file (and its folder) appears
/// when the run begins, so a bad input leaves nothing behind. About once a second everything is on disk: a
/// run that is killed leaves a file that can be read, with outcome "running". Times of the clock are not
/// stored: equal runs give equal files.
class Hdf5Sink : public Sink {
 public:
  explicit Hdf5Sink(std::filesystem::path path);
  ~Hdf5Sink() override;

  void begin(const std::vector<Channel>& channels, const RunInfo& info) override;
  void row(std::span<const double> values) override;
  void event(const RunEvent& event) override;
  void end(const RunSummary& summary) override;

 private:
  class File;
  std::filesystem::path path_;
  std::unique_ptr<File> file_;
};

}  // namespace haltere
