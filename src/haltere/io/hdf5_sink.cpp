#include "haltere/io/hdf5_sink.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "haltere/io/hdf5.h"
#include "haltere/io/result.h"

namespace haltere {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kFlushInterval = 1;                // [s]
constexpr std::size_t kBufferedValues = 1U << 20U;  // 8 MB
constexpr std::size_t kChunkValues = 1U << 14U;     // 128 kB, small enough to read single columns cheaply
constexpr std::size_t kLargestAttribute = 60000;    // bytes; HDF5 takes 64 kB with all its own

std::vector<std::string> collect(const std::vector<Channel>& channels, std::string Channel::*member) {
  std::vector<std::string> texts;
  for (const Channel& channel : channels) texts.push_back(channel.*member);
  return texts;
}

/// Records of a table, member after member.
class Packer {
 public:
  explicit Packer(std::size_t width) : width_(width) {}
  void add(const std::string& text) { bytes_.append(text).append(width_ - text.size(), '\0'); }
  void add(double number) { bytes_.append(reinterpret_cast<const char*>(&number), sizeof(number)); }
  const char* data() const { return bytes_.data(); }

 private:
  std::size_t width_;
  std::string bytes_;
};

}  // namespace

/// The open file; every function throws RunError where the library cannot write.
class Hdf5Sink::File {
 public:
  explicit File(const std::filesystem::path& path) : path_(path.string()) {
    silence_hdf5();
    // no creation times, so that equal runs give equal files
    const Hdf5Handle properties(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
    check(H5Pset_obj_track_times(properties.id(), false));
    file_ = own(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, properties.id(), H5P_DEFAULT), H5Fclose);
  }

  // -- texts and numbers
  void write_text(hid_t where, const char* name, const std::string& text);
  void write_texts(const char* name, const std::vector<std::string>& texts);
  void write_number(hid_t where, const char* name, double value) {
    write_attribute(where, name, H5T_NATIVE_DOUBLE, &value);
  }
  void write_count(hid_t where, const char* name, long value) {
    write_attribute(where, name, H5T_NATIVE_LONG, &value);
  }
  void write_parameters(const std::vector<std::pair<std::string, double>>& parameters);
  Hdf5Handle make_group(const char* name) {
    const Hdf5Handle properties(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
    check(H5Pset_obj_track_times(properties.id(), false));
    return own(H5Gcreate2(file_.id(), name, H5P_DEFAULT, properties.id(), H5P_DEFAULT), H5Gclose);
  }
  hid_t root() const { return file_.id(); }

  // -- rows and events
  void make_tables(std::size_t channels);
  void add_row(std::span<const double> values);
  void add_event(const RunEvent& event);
  void flush();
  void close();

 private:
  template <class Result>
  Result check(Result result) const {
    if (result < 0)
      throw RunError(
          fmt::format("cannot write '{}'; is the disk full, or another program using the file?", path_));
    return result;
  }
  Hdf5Handle own(hid_t id, Hdf5Handle::Close release) const { return {check(id), release}; }
  Hdf5Handle make_dataset(const char* name, hid_t type, hid_t space, std::span<const hsize_t> chunk = {});
  void write_attribute(hid_t where, const char* name, hid_t type, const void* value);
  void write_block(hid_t dataset, hid_t type, std::span<const hsize_t> start, std::span<const hsize_t> count,
                   const void* values);
  void write_rows();
  void make_event_table(std::size_t width);
  void write_event(std::size_t index);

  std::string path_;
  Hdf5Handle file_;
  Hdf5Handle data_, events_;
  hsize_t channels_ = 0, chunk_rows_ = 1;
  hsize_t rows_ = 0;  // in the file
  std::vector<RunEvent> known_events_;
  std::size_t event_width_ = 0;  // bytes of a text
  std::vector<double> buffer_;   // rows that are not in the file yet
  Clock::time_point last_flush_ = Clock::now();
};

Hdf5Handle Hdf5Sink::File::make_dataset(const char* name, hid_t type, hid_t space,
                                        std::span<const hsize_t> chunk) {
  const Hdf5Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  check(H5Pset_obj_track_times(properties.id(), false));
  if (!chunk.empty()) check(H5Pset_chunk(properties.id(), static_cast<int>(chunk.size()), chunk.data()));
  return own(H5Dcreate2(file_.id(), name, type, space, H5P_DEFAULT, properties.id(), H5P_DEFAULT), H5Dclose);
}

void Hdf5Sink::File::write_attribute(hid_t where, const char* name, hid_t type, const void* value) {
  if (check(H5Aexists(where, name)) > 0) check(H5Adelete(where, name));
  const Hdf5Handle space = own(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Handle attribute =
      own(H5Acreate2(where, name, type, space.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  check(H5Awrite(attribute.id(), type, value));
}

/// An attribute; what is too long for one becomes a dataset of the same name.
void Hdf5Sink::File::write_text(hid_t where, const char* name, const std::string& text) {
  const Hdf5Handle type = make_hdf5_text(std::max<std::size_t>(text.size(), 1));
  const std::string_view value = text.empty() ? std::string_view("\0", 1) : std::string_view(text);
  if (text.size() <= kLargestAttribute) return write_attribute(where, name, type.id(), value.data());
  const Hdf5Handle space = own(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Handle dataset = make_dataset(name, type.id(), space.id());
  check(H5Dwrite(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, value.data()));
}

/// A list of texts, padded with zeros to the longest.
void Hdf5Sink::File::write_texts(const char* name, const std::vector<std::string>& texts) {
  std::size_t width = 1;
  for (const std::string& text : texts) width = std::max(width, text.size());
  std::string padded(width * texts.size(), '\0');
  for (std::size_t i = 0; i < texts.size(); ++i) texts[i].copy(padded.data() + i * width, width);
  const Hdf5Handle type = make_hdf5_text(width);
  const hsize_t size = texts.size();
  const Hdf5Handle space = own(H5Screate_simple(1, &size, nullptr), H5Sclose);
  const Hdf5Handle dataset = make_dataset(name, type.id(), space.id());
  check(H5Dwrite(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, padded.data()));
}

void Hdf5Sink::File::write_parameters(const std::vector<std::pair<std::string, double>>& parameters) {
  std::size_t width = 1;
  for (const auto& [name, value] : parameters) width = std::max(width, name.size());
  const Hdf5Record record = make_hdf5_parameter(width);
  Packer packer(width);
  for (const auto& [name, value] : parameters) {
    packer.add(name);
    packer.add(value);
  }
  const Hdf5Handle type = record.make_type();
  const hsize_t size = parameters.size();
  const Hdf5Handle space = own(H5Screate_simple(1, &size, nullptr), H5Sclose);
  const Hdf5Handle dataset = make_dataset("parameters", type.id(), space.id());
  check(H5Dwrite(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, packer.data()));
}

void Hdf5Sink::File::make_tables(std::size_t channels) {
  channels_ = channels;
  chunk_rows_ = std::clamp<hsize_t>(kBufferedValues / channels, 1, 1024);
  const std::array<hsize_t, 2> chunk{chunk_rows_, std::min<hsize_t>(channels, kChunkValues / chunk_rows_)};
  const std::array<hsize_t, 2> size{0, channels}, most{H5S_UNLIMITED, channels};
  const Hdf5Handle plane = own(H5Screate_simple(2, size.data(), most.data()), H5Sclose);
  data_ = make_dataset("data", H5T_NATIVE_DOUBLE, plane.id(), chunk);
  buffer_.reserve(chunk_rows_ * channels);
  make_event_table(64);
}

/// The table of events with room for texts of `width` bytes, and those events that there are.
void Hdf5Sink::File::make_event_table(std::size_t width) {
  if (events_.valid()) {
    events_ = {};
    check(H5Ldelete(file_.id(), "events", H5P_DEFAULT));
  }
  event_width_ = width;
  const std::array<hsize_t, 1> none{0}, unlimited{H5S_UNLIMITED}, chunk{16};
  const Hdf5Handle line = own(H5Screate_simple(1, none.data(), unlimited.data()), H5Sclose);
  events_ = make_dataset("events", make_hdf5_event(width).make_type().id(), line.id(), chunk);
  for (std::size_t i = 0; i < known_events_.size(); ++i) write_event(i);
}

void Hdf5Sink::File::write_event(std::size_t index) {
  const RunEvent& event = known_events_[index];
  Packer packer(event_width_);
  packer.add(event.name);
  packer.add(event.what);
  packer.add(event.t);
  packer.add(event.stop ? 1.0 : 0.0);
  packer.add(event.energy_change);
  const std::array<hsize_t, 1> start{index}, count{1};
  write_block(events_.id(), make_hdf5_event(event_width_).make_type().id(), start, count, packer.data());
}

void Hdf5Sink::File::write_block(hid_t dataset, hid_t type, std::span<const hsize_t> start,
                                 std::span<const hsize_t> count, const void* values) {
  std::vector<hsize_t> size(count.begin(), count.end());
  size[0] += start[0];
  check(H5Dset_extent(dataset, size.data()));
  const Hdf5Handle space = own(H5Dget_space(dataset), H5Sclose);
  check(H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr));
  const Hdf5Handle memory =
      own(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), H5Sclose);
  check(H5Dwrite(dataset, type, memory.id(), space.id(), H5P_DEFAULT, values));
}

void Hdf5Sink::File::write_rows() {
  const std::array<hsize_t, 2> start{rows_, 0}, count{buffer_.size() / channels_, channels_};
  if (count[0] == 0) return;
  write_block(data_.id(), H5T_NATIVE_DOUBLE, start, count, buffer_.data());
  rows_ += count[0];
  buffer_.clear();
}

void Hdf5Sink::File::add_row(std::span<const double> values) {
  buffer_.insert(buffer_.end(), values.begin(), values.end());
  // whole chunks, but nothing waits for long
  if ((rows_ + buffer_.size() / channels_) % chunk_rows_ == 0) write_rows();
  if (std::chrono::duration<double>(Clock::now() - last_flush_).count() > kFlushInterval) flush();
}

void Hdf5Sink::File::add_event(const RunEvent& event) {
  known_events_.push_back(event);
  const std::size_t longest = std::max(event.name.size(), event.what.size());
  if (longest > event_width_)
    make_event_table(std::max(longest, 2 * event_width_));  // rare: all of it anew, wider
  else
    write_event(known_events_.size() - 1);
}

void Hdf5Sink::File::flush() {
  write_rows();
  check(H5Fflush(file_.id(), H5F_SCOPE_LOCAL));
  last_flush_ = Clock::now();
}

void Hdf5Sink::File::close() {
  flush();
  data_ = {};
  events_ = {};
  file_ = {};
}

Hdf5Sink::Hdf5Sink(std::filesystem::path path) : path_(std::move(path)) {}
Hdf5Sink::~Hdf5Sink() = default;

void Hdf5Sink::begin(const std::vector<Channel>& channels, const RunInfo& info) {
  std::error_code error;  // a folder that cannot be made is a file that cannot be written
  if (path_.has_parent_path()) std::filesystem::create_directories(path_.parent_path(), error);
  file_ = std::make_unique<File>(path_);
  const hid_t root = file_->root();
  file_->write_text(root, "format", std::string(kResultFormat));
  file_->write_text(root, "outcome", "running");
  file_->write_text(root, "version", info.version);
  file_->write_text(root, "instruction_set", info.instruction_set);
  file_->write_text(root, "command", info.command);
  file_->write_text(root, "model_name", info.model_name);
  file_->write_text(root, "case_name", info.case_name);
  file_->write_text(root, "reference", info.reference);
  file_->write_text(root, "formulation", info.formulation);
  file_->write_text(root, "integrator", info.integrator);
  file_->write_number(root, "until", info.until);
  file_->write_number(root, "step", info.step);
  file_->write_number(root, "every", info.every);
  file_->write_number(root, "tolerance", info.tolerance);
  file_->write_texts("model_text", {info.model_text});
  file_->write_texts("names", collect(channels, &Channel::name));
  file_->write_texts("units", collect(channels, &Channel::unit));
  file_->write_texts("meanings", collect(channels, &Channel::meaning));
  file_->write_parameters(info.parameters);
  file_->make_tables(channels.size());
  file_->flush();
}

void Hdf5Sink::row(std::span<const double> values) {
  file_->add_row(values);
}

void Hdf5Sink::event(const RunEvent& event) {
  file_->add_event(event);
}

void Hdf5Sink::end(const RunSummary& summary) {
  if (!file_) return;  // begin() failed
  const hid_t root = file_->root();
  file_->write_text(root, "outcome", std::string(name_of(summary.outcome)));
  file_->write_text(root, "message", summary.message);
  file_->write_number(root, "t_end", summary.t);
  file_->write_count(root, "steps", summary.steps);
  file_->write_count(root, "rejected", summary.rejected);
  file_->write_count(root, "evaluations", summary.evaluations);
  const Hdf5Handle audit = file_->make_group("audit");
  file_->write_number(audit.id(), "energy_scale", summary.audit.energy_scale);
  file_->write_number(audit.id(), "energy_balance", summary.audit.energy_balance);
  file_->write_count(audit.id(), "momentum_applies", summary.audit.momentum_applies ? 1 : 0);
  file_->write_number(audit.id(), "momentum_drift", summary.audit.momentum_drift);
  file_->write_number(audit.id(), "angular_momentum_drift", summary.audit.angular_momentum_drift);
  file_->close();
  file_.reset();
}

}  // namespace haltere
