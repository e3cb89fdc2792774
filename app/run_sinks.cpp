#include "app/run_sinks.h"

#include <algorithm>
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
  PlaceCheck(std::string folder, std::vector<std::string> files, std::vector<std::string> inputs)
      : folder_(std::move(folder)), files_(std::move(files)), inputs_(std::move(inputs)) {}

  void begin(const std::vector<Channel>&, const RunInfo&) override {
    require_distinct();
    for (const std::string& file : files_) {
      if (fs::path(file).has_parent_path()) make_folder(fs::path(file).parent_path(), "");
      require_writable(file);
    }
    make_folder(folder_, "-o DIR puts the result elsewhere");
    require_writable((fs::path(folder_) / kResultFile).string());
  }
  void row(std::span<const double>) override {}
  void end(const RunSummary&) override {}

 private:
  static void make_folder(const fs::path& folder, const char* hint) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw wrong_input(folder.string(), "cannot be made: " + error.message(), hint);
  }

  /// No output goes over another one, or over the model.
  void require_distinct() const {
    std::vector<fs::path> taken;
    const auto place_of = [](const fs::path& file) {
      std::error_code ignored;
      return fs::weakly_canonical(file, ignored);
    };
    for (const std::string& input : inputs_) taken.push_back(place_of(input));
    for (const char* own : {kResultFile, kCheckpointFile}) taken.push_back(place_of(fs::path(folder_) / own));
    for (const std::string& file : files_) {
      if (file == "-") continue;
      if (std::find(taken.begin(), taken.end(), place_of(file)) != taken.end())
        throw wrong_input(file, "is a file of the model, or another output", "choose another name");
      taken.push_back(place_of(file));
    }
  }

  std::string folder_;
  std::vector<std::string> files_, inputs_;
};

/// The checkpoint belongs to the result beside it: an older one goes when a new run begins, and one that is
/// no longer needed when it ends.
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

RunSinks::RunSinks(const SinkArguments& arguments, const std::string& label,
                   const std::vector<std::string>& inputs)
    : folder_(arguments.folder) {
  if (folder_.empty()) folder_ = arguments.continued;
  if (folder_.empty()) folder_ = (fs::path("results") / label).string();
  std::vector<std::string> files;
  if (!arguments.csv.empty()) files.push_back(arguments.csv);
  if (!arguments.json.empty()) files.push_back(arguments.json);
  sinks_.push_back(std::make_unique<PlaceCheck>(folder_, files, inputs));
  std::error_code error;
  const bool in_place = !arguments.continued.empty() && fs::equivalent(folder_, arguments.continued, error);
  sinks_.push_back(std::make_unique<Hdf5Sink>(fs::path(folder_) / kResultFile));
  if (!arguments.csv.empty()) sinks_.push_back(std::make_unique<CsvSink>(arguments.csv));
  if (!arguments.json.empty()) sinks_.push_back(std::make_unique<SummarySink>(arguments.json));
  sinks_.push_back(
      std::make_unique<CheckpointCare>(checkpoint_file(), in_place));  // last: needed until all is written
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
