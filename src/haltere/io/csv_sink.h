#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "haltere/simulate/recorder.h"

namespace haltere {

/// Writes rows as comma-separated text: first line the channel names, then SI numbers with 17 significant
/// digits, which is enough to read back the same bits. The file appears when the run begins.
class CsvSink : public Sink {
 public:
  explicit CsvSink(std::string path);  // `-`: standard output

  void begin(const std::vector<Channel>& channels, const RunInfo& info) override;
  void row(std::span<const double> values) override;
  void flush() override;
  void end(const RunSummary& summary) override;

 private:
  struct Close {
    void operator()(std::FILE* file) const {
      if (file != stdout) std::fclose(file);
    }
  };
  void write_line();
  [[noreturn]] void fail() const;

  std::string path_;
  std::string line_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace haltere
