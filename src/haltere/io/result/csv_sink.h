#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "haltere/simulate/recorder.h"

namespace haltere {

/// Writes rows as comma-separated text: first line the channel names, then SI numbers with 17 significant
/// digits, which is enough to read back the same bits. The file appears with the first flush, in place of an
/// older one: a run that fails before leaves that alone.
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
  void open();
  void write_line();
  void write_waiting();
  [[noreturn]] void fail();

  std::string path_;
  std::string line_;
  std::string waiting_;  // lines that are not in the file
  bool has_failed_ = false;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace haltere
