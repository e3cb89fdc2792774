#include "haltere/io/result/hdf5_sink.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "haltere/io/result/hdf5_driver.h"
#include "haltere/io/result/result.h"

namespace haltere {
namespace {

constexpr std::size_t kBufferedValues = 1U << 20U;  // 8 MB
constexpr std::size_t kChunkValues = 1U << 14U;     // 128 kB, small enough to read single columns cheaply
constexpr std::size_t kMostPending = 1U << 22U;     // bytes between two commits
constexpr std::size_t kLargestAttribute = 60000;    // bytes; HDF5 takes 64 kB with all its own
constexpr std::size_t kLongestMessage = 4096;       // bytes
constexpr hsize_t kChunkNodes = 512;                // 12 kB: a frame of a small wing

std::vector<std::string> collect(const std::vector<Channel>& channels, std::string Channel::*member) {
  std::vector<std::string> texts;
  texts.reserve(channels.size());
  for (const Channel& channel : channels) texts.push_back(channel.*member);
  return texts;
}

/// Records of a table, member after member.
class Packer {
 public:
  explicit Packer(std::size_t width) : width_(width) {}
  void add(std::string_view text) { bytes_.append(text).append(width_ - text.size(), '\0'); }
  void add(double number) { bytes_.append(reinterpret_cast<const char*>(&number), sizeof(number)); }
  void add_count(std::int64_t number) {
    bytes_.append(reinterpret_cast<const char*>(&number), sizeof(number));
  }
  const char* data() const { return bytes_.data(); }

 private:
  std::size_t width_;
  std::string bytes_;
};

}  // namespace

/// The open file; every function throws RunError where the library cannot write.
class Hdf5Sink::File {
 public:
  explicit File(const std::filesystem::path& path) : path_(path.string()), bytes_(path) {
    silence_hdf5();
    check(bytes_.valid());
    // no creation times, so that equal runs give equal files
    const Hdf5Handle properties(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
    check(H5Pset_obj_track_times(properties.id(), false));
    const Hdf5Handle access = make_hdf5_access(&bytes_);
    check(H5Pset_libver_bounds(access.id(), H5F_LIBVER_V110, H5F_LIBVER_V110));  // the first with SWMR
    file_ = own(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, properties.id(), access.id()), H5Fclose);
  }

  /// Without close(), as after an exception: what was written is kept.
  ~File() {
    close_handles();
    if (is_published_) bytes_.commit();
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  // -- texts and numbers
  void write_text(hid_t where, const char* name, const std::string& text);
  void write_texts(const char* name, const std::vector<std::string>& texts);
  void write_number(hid_t where, const char* name, double value) {
    write_attribute(where, name, H5T_NATIVE_DOUBLE, &value);
  }
  void write_parameters(const std::vector<std::pair<std::string, double>>& parameters);
  hid_t root() const { return file_.id(); }

  // -- rows and events
  void make_tables(std::size_t channels, std::size_t event_text);
  void write_summary(std::string_view outcome, const RunSummary& summary);
  void make_measures(const std::vector<MeasureResult>& measures);
  void write_measures(const std::vector<MeasureResult>& measures);
  void write_periods(const std::vector<MeasureResult>& measures);
  void add_row(std::span<const double> values);
  void add_event(const RunEvent& event);
  void make_frames(const RunInfo& info);
  void add_frame(const Frame& frame);
  void start_rows();  // no new objects from here on: only rows, events and the summary change
  void flush();
  void close();

 private:
  [[noreturn]] void fail() const {
    throw RunError(
        fmt::format("cannot write '{}'; is the disk full, or another program using the file?", path_));
  }
  void check(bool done) const {
    if (!done) fail();
  }
  template <class Result>
  Result check(Result result) const {
    if (result < 0) fail();
    return result;
  }
  Hdf5Handle own(hid_t id, Hdf5Handle::Close release) const { return {check(id), release}; }
  Hdf5Handle make_dataset(const char* name, hid_t type, hid_t space, std::span<const hsize_t> chunk = {});
  void write_attribute(hid_t where, const char* name, hid_t type, const void* value);
  void write_block(hid_t dataset, hid_t type, std::span<const hsize_t> start, std::span<const hsize_t> count,
                   const void* values);
  void write_rows();
  void add_sheet(const VortexSheet& sheet);
  Hdf5Handle make_growing(const char* name, hid_t type, std::vector<hsize_t> record, hsize_t chunk);
  void flush_tables();
  void close_handles();
  void write_validity() {
    check(H5Dwrite(valid_until_.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, valid_.data()));
  }

  std::string path_;
  SealedWriter bytes_;  // must outlive all handles
  bool is_published_ = false;
  Hdf5Handle file_;
  Hdf5Handle data_, events_, summary_, valid_until_;
  Hdf5Handle measures_, periods_;                            // none where the model has no measures
  std::size_t measure_width_ = 1;                            // bytes of a text
  Hdf5Handle frame_times_, poses_, sheets_, nodes_, rings_;  // none where there are no frames
  std::size_t sheet_width_ = 1;                              // bytes of a text
  hsize_t n_frames_ = 0, n_sheets_ = 0, n_nodes_ = 0, n_rings_ = 0;
  std::vector<double> valid_;  // of each channel, until this time
  hsize_t channels_ = 0, chunk_rows_ = 1;
  hsize_t rows_ = 0, n_events_ = 0;  // in the file
  std::size_t event_width_ = 0;      // bytes of a text
  std::vector<double> buffer_;       // rows that are not in the file yet
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

void Hdf5Sink::File::make_tables(std::size_t channels, std::size_t event_text) {
  channels_ = channels;
  chunk_rows_ = std::clamp<hsize_t>(kBufferedValues / channels, 1, 1024);
  const std::array<hsize_t, 2> chunk{chunk_rows_, std::min<hsize_t>(channels, kChunkValues / chunk_rows_)};
  const std::array<hsize_t, 2> size{0, channels}, most{H5S_UNLIMITED, channels};
  const Hdf5Handle plane = own(H5Screate_simple(2, size.data(), most.data()), H5Sclose);
  data_ = make_dataset("data", H5T_NATIVE_DOUBLE, plane.id(), chunk);
  buffer_.reserve(chunk_rows_ * channels);

  event_width_ = std::max<std::size_t>(event_text, 1);
  const std::array<hsize_t, 1> none{0}, unlimited{H5S_UNLIMITED}, few{16}, one{1};
  const Hdf5Handle list = own(H5Screate_simple(1, none.data(), unlimited.data()), H5Sclose);
  events_ = make_dataset("events", make_hdf5_event(event_width_).make_type().id(), list.id(), few);
  const Hdf5Handle record = own(H5Screate_simple(1, one.data(), nullptr), H5Sclose);
  summary_ = make_dataset("summary", make_hdf5_summary(kLongestMessage).make_type().id(), record.id());
  const std::array<hsize_t, 1> all{channels};
  const Hdf5Handle column = own(H5Screate_simple(1, all.data(), nullptr), H5Sclose);
  valid_until_ = make_dataset("valid_until", H5T_NATIVE_DOUBLE, column.id());
  valid_.assign(channels, std::numeric_limits<double>::infinity());
  write_validity();
}

void Hdf5Sink::File::write_summary(std::string_view outcome, const RunSummary& summary) {
  const Hdf5Record record = make_hdf5_summary(kLongestMessage);
  Packer packer(record.width());
  packer.add(outcome);
  packer.add(std::string_view(summary.message).substr(0, kLongestMessage));
  for (const double number :
       {summary.t, static_cast<double>(summary.steps), static_cast<double>(summary.rejected),
        static_cast<double>(summary.evaluations), summary.audit.energy_scale, summary.audit.energy_balance,
        summary.audit.momentum_applies ? 1.0 : 0.0, summary.audit.momentum_drift,
        summary.audit.angular_momentum_drift})
    packer.add(number);
  check(H5Dwrite(summary_.id(), record.make_type().id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, packer.data()));
}

/// Tables of the measures: nothing in them yet but what is known before the run.
void Hdf5Sink::File::make_measures(const std::vector<MeasureResult>& measures) {
  if (measures.empty()) return;
  for (const MeasureResult& m : measures)
    for (const std::string* text : {&m.name, &m.kind, &m.of, &m.unit})
      measure_width_ = std::max(measure_width_, text->size());
  const std::array<hsize_t, 1> all{measures.size()}, none{0}, unlimited{H5S_UNLIMITED}, some{256};
  const Hdf5Handle list = own(H5Screate_simple(1, all.data(), nullptr), H5Sclose);
  measures_ = make_dataset("measures", make_hdf5_measure(measure_width_).make_type().id(), list.id());
  const Hdf5Handle growing = own(H5Screate_simple(1, none.data(), unlimited.data()), H5Sclose);
  periods_ = make_dataset("periods", make_hdf5_period(measure_width_).make_type().id(), growing.id(), some);
  write_measures(measures);
}

void Hdf5Sink::File::write_measures(const std::vector<MeasureResult>& measures) {
  if (!measures_.valid()) return;
  Packer packer(measure_width_);
  for (const MeasureResult& m : measures) {
    for (const std::string* text : {&m.name, &m.kind, &m.of, &m.unit}) packer.add(*text);
    packer.add(m.period);
    packer.add(m.is_known() ? m.value() : 0.0);
    packer.add(static_cast<double>(m.values.size()));
  }
  check(H5Dwrite(measures_.id(), make_hdf5_measure(measure_width_).make_type().id(), H5S_ALL, H5S_ALL,
                 H5P_DEFAULT, packer.data()));
}

void Hdf5Sink::File::write_periods(const std::vector<MeasureResult>& measures) {
  Packer packer(measure_width_);
  hsize_t n = 0;
  for (const MeasureResult& m : measures)
    for (std::size_t k = 0; k < m.values.size(); ++k, ++n) {
      packer.add(m.name);
      packer.add(m.end_of(k));
      packer.add(m.values[k]);
    }
  if (n == 0) return;
  const std::array<hsize_t, 1> start{0}, count{n};
  write_block(periods_.id(), make_hdf5_period(measure_width_).make_type().id(), start, count, packer.data());
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
  if (bytes_.pending() < kMostPending) return;
  flush_tables();  // only what HDF5 has written out is a file that can be read
  check(bytes_.commit());
}

void Hdf5Sink::File::add_row(std::span<const double> values) {
  buffer_.insert(buffer_.end(), values.begin(), values.end());
  if ((rows_ + buffer_.size() / channels_) % chunk_rows_ == 0) write_rows();  // whole chunks
}

void Hdf5Sink::File::add_event(const RunEvent& event) {
  Packer packer(event_width_);
  packer.add(std::string_view(event.name).substr(0, event_width_));
  packer.add(std::string_view(event.what).substr(0, event_width_));
  packer.add(event.t);
  packer.add(event.stop ? 1.0 : 0.0);
  packer.add(event.energy_change);
  const std::array<hsize_t, 1> start{n_events_++}, count{1};
  write_block(events_.id(), make_hdf5_event(event_width_).make_type().id(), start, count, packer.data());
  for (const int channel : event.ended) valid_[channel] = std::min(valid_[channel], event.t);
  if (!event.ended.empty()) write_validity();
}

/// A table without records yet; each is as large as `record` says.
Hdf5Handle Hdf5Sink::File::make_growing(const char* name, hid_t type, std::vector<hsize_t> record,
                                        hsize_t chunk) {
  record.insert(record.begin(), 0);
  std::vector<hsize_t> most = record, chunks = record;
  most[0] = H5S_UNLIMITED;
  chunks[0] = chunk;
  for (hsize_t& size : chunks) size = std::max<hsize_t>(size, 1);  // there may be no bodies
  const Hdf5Handle space =
      own(H5Screate_simple(static_cast<int>(record.size()), record.data(), most.data()), H5Sclose);
  return make_dataset(name, type, space.id(), chunks);
}

void Hdf5Sink::File::make_frames(const RunInfo& info) {
  write_number(root(), "frames", info.frames);
  write_number(root(), "wake_stride", info.wake_stride);
  write_texts("bodies", info.bodies);
  for (const std::string& surface : info.surfaces) sheet_width_ = std::max(sheet_width_, surface.size());
  frame_times_ = make_growing("frame_times", H5T_NATIVE_DOUBLE, {}, 64);
  poses_ = make_growing("poses", H5T_NATIVE_DOUBLE, {info.bodies.size(), kPoseNumbers}, 16);
  sheets_ = make_growing("sheets", make_hdf5_sheet(sheet_width_).make_type().id(), {}, 64);
  nodes_ = make_growing("nodes", H5T_NATIVE_DOUBLE, {3}, kChunkNodes);
  rings_ = make_growing("rings", H5T_NATIVE_DOUBLE, {2}, kChunkNodes);
}

/// At once, so that a commit has all of it or nothing.
void Hdf5Sink::File::add_frame(const Frame& frame) {
  for (const VortexSheet& sheet : frame.sheets) add_sheet(sheet);
  std::vector<double> poses;
  for (const Transform<double>& X : frame.bodies)
    for (int i = 0; i < 3; ++i) poses.insert(poses.end(), {X.p[i], X.R(i, 0), X.R(i, 1), X.R(i, 2)});
  const std::array<hsize_t, 3> start{n_frames_, 0, 0}, count{1, frame.bodies.size(), kPoseNumbers};
  write_block(poses_.id(), H5T_NATIVE_DOUBLE, start, count, poses.data());
  write_block(frame_times_.id(), H5T_NATIVE_DOUBLE, std::span(start).first(1), std::span(count).first(1),
              &frame.t);
  ++n_frames_;
  if (bytes_.pending() < kMostPending) return;
  flush_tables();
  check(bytes_.commit());
}

void Hdf5Sink::File::add_sheet(const VortexSheet& sheet) {
  Packer packer(sheet_width_);
  packer.add(sheet.surface);
  for (const hsize_t number : {n_frames_, hsize_t{sheet.is_wake ? 1U : 0U}, static_cast<hsize_t>(sheet.rows),
                               static_cast<hsize_t>(sheet.columns), static_cast<hsize_t>(sheet.stride),
                               static_cast<hsize_t>(sheet.air_rows), n_nodes_, n_rings_})
    packer.add_count(static_cast<std::int64_t>(number));
  std::vector<double> nodes, rings;
  for (const Vector3<double>& node : sheet.nodes) nodes.insert(nodes.end(), node.begin(), node.end());
  for (std::size_t i = 0; i < sheet.circulations.size(); ++i)
    rings.insert(rings.end(), {sheet.circulations[i], sheet.pressures.empty() ? 0 : sheet.pressures[i]});
  const auto append = [&](const Hdf5Handle& table, hid_t type, hsize_t* size, hsize_t records, hsize_t width,
                          const void* values) {
    const std::array<hsize_t, 2> start{*size, 0}, count{records, width};
    const std::size_t dimensions = width > 0 ? 2 : 1;
    if (records > 0)
      write_block(table.id(), type, std::span(start).first(dimensions), std::span(count).first(dimensions),
                  values);
    *size += records;
  };
  append(nodes_, H5T_NATIVE_DOUBLE, &n_nodes_, sheet.nodes.size(), 3, nodes.data());
  append(rings_, H5T_NATIVE_DOUBLE, &n_rings_, sheet.circulations.size(), 2, rings.data());
  append(sheets_, make_hdf5_sheet(sheet_width_).make_type().id(), &n_sheets_, 1, 0, packer.data());
}

void Hdf5Sink::File::start_rows() {
  check(H5Fflush(file_.id(), H5F_SCOPE_LOCAL));
  check(H5Fstart_swmr_write(file_.id()));
}

void Hdf5Sink::File::flush_tables() {
  for (const Hdf5Handle* dataset :
       {&data_, &events_, &summary_, &valid_until_, &rings_, &nodes_, &sheets_, &poses_, &frame_times_})
    if (dataset->valid()) check(H5Dflush(dataset->id()));
}

void Hdf5Sink::File::flush() {
  write_rows();
  flush_tables();
  check(is_published_ ? bytes_.commit() : bytes_.publish());
  is_published_ = true;
}

void Hdf5Sink::File::close_handles() {
  for (Hdf5Handle* handle : {&data_, &events_, &summary_, &valid_until_, &measures_, &periods_, &frame_times_,
                             &poses_, &sheets_, &nodes_, &rings_, &file_})
    *handle = {};
}

void Hdf5Sink::File::close() {
  flush();
  close_handles();
  check(bytes_.finish());
}

Hdf5Sink::Hdf5Sink(std::filesystem::path path) : path_(std::move(path)) {}
Hdf5Sink::~Hdf5Sink() = default;

void Hdf5Sink::begin(const std::vector<Channel>& channels, const RunInfo& info) {
  std::error_code error;  // a folder that cannot be made is a file that cannot be written
  if (path_.has_parent_path()) std::filesystem::create_directories(path_.parent_path(), error);
  file_ = std::make_unique<File>(path_);
  const hid_t root = file_->root();
  file_->write_text(root, "format", std::string(kResultFormat));
  file_->write_text(root, "version", info.version);
  file_->write_text(root, "instruction_set", info.instruction_set);
  file_->write_text(root, "command", info.command);
  file_->write_text(root, "model_name", info.model_name);
  file_->write_text(root, "case_name", info.case_name);
  file_->write_text(root, "reference", info.reference);
  file_->write_text(root, "formulation", info.formulation);
  file_->write_text(root, "chart", info.chart);
  file_->write_text(root, "stabilization", info.stabilization);
  file_->write_text(root, "integrator", info.integrator);
  file_->write_number(root, "until", info.until);
  file_->write_number(root, "step", info.step);
  file_->write_number(root, "every", info.every);
  file_->write_number(root, "tolerance", info.tolerance);
  file_->write_texts("model_text", {info.model_text});
  if (!info.scene.empty()) file_->write_texts("scene", {info.scene});
  file_->write_texts("names", collect(channels, &Channel::name));
  file_->write_texts("units", collect(channels, &Channel::unit));
  file_->write_texts("meanings", collect(channels, &Channel::meaning));
  file_->write_texts("set", info.set);
  file_->write_texts("globs", info.globs);
  file_->write_parameters(info.parameters);
  file_->make_tables(channels.size(), info.event_text);
  file_->make_measures(info.measures);
  if (info.frames > 0) file_->make_frames(info);
  file_->write_summary("running", {});
  file_->start_rows();
}

void Hdf5Sink::row(std::span<const double> values) {
  file_->add_row(values);
}

void Hdf5Sink::event(const RunEvent& event) {
  file_->add_event(event);
}

void Hdf5Sink::frame(const Frame& frame) {
  file_->add_frame(frame);
}

void Hdf5Sink::flush() {
  file_->flush();
}

void Hdf5Sink::end(const RunSummary& summary) {
  if (!file_) return;  // begin() failed
  file_->write_summary(name_of(summary.outcome), summary);
  file_->write_measures(summary.measures);
  file_->write_periods(summary.measures);
  file_->close();
  file_.reset();
}

}  // namespace haltere
