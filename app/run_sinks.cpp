#include "app/run_sinks.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "app/continuation.h"
#include "app/output_file.h"
#include "app/run_summary.h"

#include "haltere/io/result/csv_sink.h"
#include "haltere/io/result/hdf5_sink.h"
#include "haltere/model/wrong_input.h"

namespace haltere {
namespace fs = std::filesystem;
namespace {

/// Stands first: looks whether the others will be able to write (the user's mistake, found before any work),
/// and sets aside what is there.
class PlaceCheck : public Sink {
 public:
  PlaceCheck(std::vector<std::string> files, std::vector<std::string> inputs, std::string command,
             ResultPlace* place)
      : files_(std::move(files)), inputs_(std::move(inputs)), command_(std::move(command)), place_(*place) {}

  void begin(const std::vector<Channel>&, const RunInfo&) override {
    std::vector<std::string> all = files_;
    for (const char* own : {kResultFile, kCheckpointFile, kLockFile})
      all.push_back((fs::path(place_.folder) / own).string());
    require_distinct(all, inputs_);
    for (const std::string& file : files_) {
      if (fs::path(file).has_parent_path()) make_folder(fs::path(file).parent_path(), "");
      require_writable(file);
    }
    make_folder(place_.folder, "-o DIR puts the result elsewhere");
    if (place_.lock) return;  // a run goes on where it was
    place_.lock = std::make_unique<FolderLock>(place_.folder, command_);
    require_writable((fs::path(place_.folder) / kResultFile).string());
    place_.earlier = std::make_unique<EarlierResult>(place_.folder);
    place_.earlier->set_aside();
  }
  void row(std::span<const double>) override {}
  void end(const RunSummary&) override {}

 private:
  static void make_folder(const fs::path& folder, const char* hint) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw wrong_input(folder.string(), "cannot be made: " + error.message(), hint);
  }

  std::vector<std::string> files_, inputs_;
  std::string command_;
  ResultPlace& place_;
};

/// Stands last. What was in the folder is kept until the new run is worth more: one that does not get beyond
/// its start, or whose reader has gone, replaces nothing. The checkpoint goes when it is no longer needed.
class ResultCare : public Sink {
 public:
  explicit ResultCare(ResultPlace* place) : place_(*place) {}

  void begin(const std::vector<Channel>&, const RunInfo&) override {}
  void row(std::span<const double>) override {}
  void end(const RunSummary& summary) override {
    using Outcome = RunSummary::Outcome;
    const bool was_cut_off = summary.outcome == Outcome::kFailed || summary.outcome == Outcome::kInterrupted;
    const bool is_little = was_cut_off && (summary.rows <= 1 || summary.is_abandoned);
    place_.keeps_earlier = is_little && place_.earlier && !place_.earlier->what().empty();
    if (place_.keeps_earlier) return place_.earlier->restore();
    if (place_.earlier) place_.earlier->forget();
    if (summary.outcome == Outcome::kFinished || summary.outcome == Outcome::kStopped) remove_checkpoint();
  }

 private:
  void remove_checkpoint() const {
    std::error_code error;
    const fs::path file = fs::path(place_.folder) / kCheckpointFile;
    fs::remove(file, error);
    if (error) throw RunError(file.string() + ": cannot be removed: " + error.message());
  }
  ResultPlace& place_;
};

}  // namespace

RunSinks::RunSinks(const SinkArguments& arguments, const std::string& name, const std::string& command,
                   const std::vector<std::string>& inputs, std::unique_ptr<FolderLock> lock)
    : place_(std::make_unique<ResultPlace>()) {
  std::string& folder = place_->folder = arguments.folder;
  if (folder.empty()) folder = arguments.continued;
  if (folder.empty()) folder = (fs::path("results") / name).string();
  std::error_code error;
  const bool in_place = !arguments.continued.empty() && fs::equivalent(folder, arguments.continued, error);
  (in_place ? place_->lock : source_lock_) = std::move(lock);
  std::vector<std::string> files{arguments.csv, arguments.json, arguments.report}, read = inputs;
  std::erase(files, "");
  if (!arguments.continued.empty() && !in_place)
    for (const char* past : {kResultFile, kCheckpointFile})
      read.push_back((fs::path(arguments.continued) / past).string());
  sinks_.push_back(std::make_unique<PlaceCheck>(files, read, command, place_.get()));
  sinks_.push_back(std::make_unique<Hdf5Sink>(fs::path(folder) / kResultFile));
  if (!arguments.csv.empty()) sinks_.push_back(std::make_unique<CsvSink>(arguments.csv));
  if (!arguments.json.empty()) sinks_.push_back(std::make_unique<SummarySink>(arguments.json));
  sinks_.push_back(std::make_unique<ResultCare>(place_.get()));
}

std::string RunSinks::checkpoint_file() const {
  return (fs::path(place_->folder) / kCheckpointFile).string();
}

std::string RunSinks::describe() const {
  if (place_->keeps_earlier) return place_->folder + " stays " + place_->earlier->what();
  const bool replaced = place_->earlier && !place_->earlier->what().empty();
  return place_->folder + (replaced ? ", which replaces " + place_->earlier->what() : "");
}

std::vector<Sink*> RunSinks::all() const {
  std::vector<Sink*> sinks;
  for (const std::unique_ptr<Sink>& sink : sinks_) sinks.push_back(sink.get());
  return sinks;
}

}  // namespace haltere
