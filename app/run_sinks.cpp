#include "app/run_sinks.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "app/continuation.h"
#include "app/output_file.h"
#include "app/run_summary.h"
#include "app/wrong_input.h"

#include "haltere/io/csv_sink.h"
#include "haltere/io/hdf5_sink.h"

namespace haltere {
namespace fs = std::filesystem;
namespace {

/// Stands first and only looks whether the others will be able to write: the user's mistake, found before any
/// work.
class PlaceCheck : public Sink {
 public:
  PlaceCheck(std::string folder, std::vector<std::string> files)
      : folder_(std::move(folder)), files_(std::move(files)) {}

  void begin(const std::vector<Channel>&, const RunInfo&) override {
    for (const std::string& file : files_) require_writable(file);
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error)
      throw wrong_input(folder_, "cannot be made: " + error.message(), "-o DIR puts the result elsewhere");
    require_writable((fs::path(folder_) / kResultFile).string());
  }
  void row(std::span<const double>) override {}
  void end(const RunSummary&) override {}

 private:
  std::string folder_;
  std::vector<std::string> files_;
};

/// The checkpoint belongs to the result beside it: an older one goes when a new run begins, and one that is no
/// longer needed when it ends.
class CheckpointCare : public Sink {
 public:
  CheckpointCare(fs::path file, bool keep) : file_(std::move(file)), keep_(keep) {}

  void begin(const std::vector<Channel>&, const RunInfo&) override {
    if (!keep_) remove();
  }
  void row(std::span<const double>) override {}
  void end(const RunSummary& summary) override {
    using Outcome = RunSummary::Outcome;
    if (summary.outcome == Outcome::kFinished || summary.outcome == Outcome::kStopped) remove();
  }

 private:
  void remove() const {
    std::error_code error;
    fs::remove(file_, error);
    if (error) throw RunError(file_.string() + ": cannot be removed: " + error.message());
  }
  fs::path file_;
  bool keep_;
};

}  // namespace

RunSinks::RunSinks(const SinkArguments& arguments, const std::string& label)
    : folder_(arguments.folder) {
  if (folder_.empty()) folder_ = arguments.continued;
  if (folder_.empty()) folder_ = (fs::path("results") / label).string();
  std::vector<std::string> files;
  if (!arguments.csv.empty()) files.push_back(arguments.csv);
  if (!arguments.json.empty()) files.push_back(arguments.json);
  sinks_.push_back(std::make_unique<PlaceCheck>(folder_, files));
  std::error_code error;
  const bool in_place =
      !arguments.continued.empty() && fs::equivalent(folder_, arguments.continued, error);
  sinks_.push_back(std::make_unique<CheckpointCare>(checkpoint_file(), in_place));
  sinks_.push_back(std::make_unique<Hdf5Sink>(fs::path(folder_) / kResultFile));
  if (!arguments.csv.empty()) sinks_.push_back(std::make_unique<CsvSink>(arguments.csv));
  if (!arguments.json.empty()) sinks_.push_back(std::make_unique<SummarySink>(arguments.json));
}

std::string RunSinks::checkpoint_file() const {
  return (fs::path(folder_) / kCheckpointFile).string();
}

std::vector<Sink*> RunSinks::all() const {
  std::vector<Sink*> sinks;
  for (const std::unique_ptr<Sink>& sink : sinks_) sinks.push_back(sink.get());
  return sinks;
}

}  // namespace haltere
