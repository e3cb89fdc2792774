#include "haltere/io/result/result.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <system_error>

#include <fmt/format.h>

#include "haltere/io/result/hdf5_driver.h"

namespace haltere {
namespace {

constexpr std::size_t kLargestText = 1U << 30U;  // bytes of one list of texts

std::string trim_zeros(std::string text) {
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

}  // namespace

/// The open file. Trusts nothing in it: every size is checked before memory is taken for it.
class Result::File {
 public:
  explicit File(const std::filesystem::path& path);

  std::string read_text(hid_t where, const char* name) const;  // attribute or dataset; "" where missing
  double read_number(hid_t where, const char* name) const;     // attribute; 0 where missing
  int read_stride() const;
  std::vector<std::string> read_texts(const char* name) const;
  std::vector<std::pair<std::string, double>> read_parameters() const;
  std::vector<RunEvent> read_events() const;
  std::vector<double> read_validity(std::size_t channels) const;  // none where missing
  std::string read_summary(RunSummary* summary) const;            // returns the outcome
  std::vector<MeasureResult> read_measures() const;               // none where missing
  hid_t root() const { return file_.id(); }
  std::vector<double> open_frames(std::size_t bodies);  // returns their times; none where missing
  Frame read_frame(long index) const;

  void open_data(std::size_t channels);
  long rows() const { return static_cast<long>(rows_); }
  std::vector<double> read_column(std::size_t index) const { return read_block({0, index}, {rows_, 1}); }
  std::vector<double> read_rows(hsize_t first, hsize_t count, hsize_t channels) const {
    return read_block({first, 0}, {count, channels});
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    const std::string& damage = bytes_.damage();  // the reason for everything that the library could not do
    throw InputError({Problem{{path_, 0, 0}, "result", damage.empty() ? what : damage, ""}});
  }
  void check_size(double bytes) const {
    if (bytes > static_cast<double>(bytes_.size()))
      fail("it is damaged: its tables are larger than the file");
  }
  void check_links() const;
  void check_storage(const char* name) const;
  std::vector<double> read_block(const std::array<hsize_t, 2>& start,
                                 const std::array<hsize_t, 2>& count) const {
    return read_numbers(data_.id(), start, count);
  }
  std::vector<double> read_numbers(hid_t dataset, std::span<const hsize_t> start,
                                   std::span<const hsize_t> count) const;
  hsize_t count_records(hid_t dataset, const std::vector<hsize_t>& record) const;
  Hdf5Handle open_dataset(const char* name) const;
  hsize_t count_entries(hid_t dataset) const;  // of a list
  std::string read_text_from(hid_t type, const auto& read) const;

  /// Records as packed by the sink: texts of one width, then numbers.
  struct Table {
    std::size_t width, record_size, count;
    std::string bytes;
    std::string text(std::size_t record, std::size_t index) const {
      return trim_zeros(bytes.substr(record * record_size + index * width, width));
    }
    template <class T = double>
    T number(std::size_t record, std::size_t texts, std::size_t index) const {
      T value{};
      std::memcpy(&value, bytes.data() + record * record_size + texts * width + index * sizeof(value),
                  sizeof(value));
      return value;
    }
  };
  template <class MakeRecord>
  Table read_table(const char* name, const char* first_text, const MakeRecord& make_record) const;

  std::string path_;
  SealedReader bytes_;  // must outlive all handles
  /// A record of /sheets.
  struct Sheet {
    VortexSheet head;  // without its numbers
    std::int64_t frame = 0;
    hsize_t first_node = 0, first_ring = 0;
    hsize_t n_nodes() const { return (hsize_t(head.rows) + 1) * (hsize_t(head.columns) + 1); }
    hsize_t n_rings() const { return hsize_t(head.rows) * hsize_t(head.columns); }
  };
  Sheet read_sheet(const Table& table, std::size_t record) const;
  VortexSheet read_sheet_numbers(const Sheet& sheet) const;

  Hdf5Handle file_, data_;
  hsize_t rows_ = 0;
  Hdf5Handle frame_times_, poses_, nodes_, rings_;
  hsize_t n_bodies_ = 0;
  std::vector<Sheet> sheets_;
};

Result::File::File(const std::filesystem::path& path) : path_(path.string()), bytes_(path) {
  silence_hdf5();
  if (!bytes_.verify()) fail("it is damaged");  // also where nobody will look
  const Hdf5Handle access = make_hdf5_access(&bytes_);
  file_ = {H5Fopen(path_.c_str(), H5F_ACC_RDONLY, access.id()), H5Fclose};
  if (!file_.valid())  // a run is writing it, or was killed
    file_ = {H5Fopen(path_.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access.id()), H5Fclose};
  if (!file_.valid()) fail("cannot be opened; it is damaged");
  check_links();
  const std::string format = read_text(root(), "format");
  if (format != kResultFormat)
    fail(format.empty() ? "is an HDF5 file, but not a result of haltere"
                        : fmt::format("has format '{}'; this program reads '{}'", format, kResultFormat));
}

/// A result is a flat list of tables. Everything else that HDF5 knows could lead out of the file: external
/// and soft links, groups, tables that are stored elsewhere or made of others, filters that are loaded as
/// programs.
void Result::File::check_links() const {
  std::vector<std::string> names;
  const auto add = [](hid_t, const char* name, const H5L_info_t* link, void* list) -> herr_t {
    static_cast<std::vector<std::string>*>(list)->push_back(link->type == H5L_TYPE_HARD ? name : "");
    return 0;
  };
  if (H5Literate(file_.id(), H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, add, &names) < 0)
    fail("it is damaged: its tables cannot be listed");
  for (const std::string& name : names) {
    if (name.empty()) fail("has a link that leads elsewhere; results of haltere have none");
    check_storage(name.c_str());
  }
}

void Result::File::check_storage(const char* name) const {
  H5O_info_t object{};
  if (H5Oget_info_by_name(file_.id(), name, &object, H5P_DEFAULT) < 0 || object.type != H5O_TYPE_DATASET)
    fail(fmt::format("'{}' is no table; results of haltere have nothing else", name));
  const Hdf5Handle dataset = open_dataset(name);
  const Hdf5Handle properties(H5Dget_create_plist(dataset.id()), H5Pclose);
  const H5D_layout_t layout = H5Pget_layout(properties.id());
  const bool is_inside = (layout == H5D_CONTIGUOUS || layout == H5D_CHUNKED || layout == H5D_COMPACT) &&
                         H5Pget_external_count(properties.id()) == 0;
  if (!is_inside) fail(fmt::format("'{}' is stored outside the file; tables of haltere are not", name));
  if (H5Pget_nfilters(properties.id()) != 0)
    fail(fmt::format("'{}' is stored with a filter; tables of haltere are not", name));
}

Hdf5Handle Result::File::open_dataset(const char* name) const {
  Hdf5Handle dataset(H5Dopen2(file_.id(), name, H5P_DEFAULT), H5Dclose);
  if (!dataset.valid()) fail(fmt::format("it is damaged: '{}' is missing", name));
  return dataset;
}

hsize_t Result::File::count_entries(hid_t dataset) const {
  const Hdf5Handle space(H5Dget_space(dataset), H5Sclose);
  hsize_t size = 0;
  if (H5Sget_simple_extent_ndims(space.id()) != 1 ||
      H5Sget_simple_extent_dims(space.id(), &size, nullptr) < 0)
    fail("it is damaged: a list has a wrong shape");
  return size;
}

/// One text of fixed length, by a function read(type, buffer).
std::string Result::File::read_text_from(hid_t type, const auto& read) const {
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0)
    fail("it is damaged: a text is no text");
  const std::size_t size = H5Tget_size(type);
  check_size(static_cast<double>(size));
  std::string text(size, '\0');
  if (read(make_hdf5_text(size).id(), text.data()) < 0) fail("it is damaged: a text cannot be read");
  return trim_zeros(std::move(text));
}

std::string Result::File::read_text(hid_t where, const char* name) const {
  if (H5Aexists(where, name) > 0) {
    const Hdf5Handle attribute(H5Aopen(where, name, H5P_DEFAULT), H5Aclose);
    const Hdf5Handle type(H5Aget_type(attribute.id()), H5Tclose);
    const Hdf5Handle space(H5Aget_space(attribute.id()), H5Sclose);
    if (H5Sget_simple_extent_npoints(space.id()) != 1) fail("it is damaged: a text is a list");
    return read_text_from(type.id(), [&](hid_t t, char* out) { return H5Aread(attribute.id(), t, out); });
  }
  if (H5Lexists(where, name, H5P_DEFAULT) <= 0) return "";
  const Hdf5Handle dataset = open_dataset(name);
  const Hdf5Handle type(H5Dget_type(dataset.id()), H5Tclose);
  const Hdf5Handle space(H5Dget_space(dataset.id()), H5Sclose);
  if (H5Sget_simple_extent_npoints(space.id()) != 1) fail("it is damaged: a text is a list");
  return read_text_from(type.id(), [&](hid_t t, char* out) {
    return H5Dread(dataset.id(), t, H5S_ALL, H5S_ALL, H5P_DEFAULT, out);
  });
}

double Result::File::read_number(hid_t where, const char* name) const {
  if (H5Aexists(where, name) <= 0) return 0;
  const Hdf5Handle attribute(H5Aopen(where, name, H5P_DEFAULT), H5Aclose);
  const Hdf5Handle space(H5Aget_space(attribute.id()), H5Sclose);
  double value = 0;
  if (H5Sget_simple_extent_npoints(space.id()) != 1 || H5Aread(attribute.id(), H5T_NATIVE_DOUBLE, &value) < 0)
    fail(fmt::format("it is damaged: '{}' is no number", name));
  return value;
}

int Result::File::read_stride() const {
  const double stride = read_number(root(), "wake_stride");
  if (!(stride >= 0 && stride <= std::numeric_limits<int>::max()))
    fail("it is damaged: 'wake_stride' is no number");
  return static_cast<int>(stride);
}

std::vector<std::string> Result::File::read_texts(const char* name) const {
  const Hdf5Handle dataset = open_dataset(name);
  const Hdf5Handle type(H5Dget_type(dataset.id()), H5Tclose);
  if (H5Tget_class(type.id()) != H5T_STRING || H5Tis_variable_str(type.id()) != 0)
    fail(fmt::format("it is damaged: '{}' is not a list of texts", name));
  const std::size_t count = count_entries(dataset.id()), width = H5Tget_size(type.id());
  const double bytes = static_cast<double>(count) * static_cast<double>(width);
  if (bytes > kLargestText) fail("it is damaged: a list of texts is too large");
  check_size(bytes);
  std::string padded(count * width, '\0');
  if (H5Dread(dataset.id(), make_hdf5_text(width).id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, padded.data()) < 0)
    fail(fmt::format("it is damaged: '{}' cannot be read", name));
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) texts.push_back(trim_zeros(padded.substr(i * width, width)));
  return texts;
}

/// Bytes of all records of a table; its texts are as long as in the file.
template <class MakeRecord>
Result::File::Table Result::File::read_table(const char* name, const char* first_text,
                                             const MakeRecord& make_record) const {
  const Hdf5Handle dataset = open_dataset(name);
  const Hdf5Handle type(H5Dget_type(dataset.id()), H5Tclose);
  const int index = H5Tget_class(type.id()) == H5T_COMPOUND ? H5Tget_member_index(type.id(), first_text) : -1;
  if (index < 0) fail(fmt::format("it is damaged: '{}' is not a table", name));
  const Hdf5Handle text(H5Tget_member_type(type.id(), static_cast<unsigned>(index)), H5Tclose);
  if (H5Tget_class(text.id()) != H5T_STRING || H5Tis_variable_str(text.id()) != 0)
    fail(fmt::format("it is damaged: '{}' has no names", name));
  const Hdf5Record record = make_record(H5Tget_size(text.id()));
  Table table{record.width(), record.size(), count_entries(dataset.id()), {}};
  check_size(static_cast<double>(table.count) * static_cast<double>(record.size()));
  table.bytes.resize(table.count * record.size());
  if (H5Dread(dataset.id(), record.make_type().id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, table.bytes.data()) < 0)
    fail(fmt::format("it is damaged: '{}' cannot be read", name));
  return table;
}

std::vector<std::pair<std::string, double>> Result::File::read_parameters() const {
  const Table table = read_table("parameters", "name", make_hdf5_parameter);
  std::vector<std::pair<std::string, double>> parameters;
  for (std::size_t i = 0; i < table.count; ++i)
    parameters.emplace_back(table.text(i, 0), table.number(i, 1, 0));
  return parameters;
}

std::vector<RunEvent> Result::File::read_events() const {
  const Table table = read_table("events", "name", make_hdf5_event);
  std::vector<RunEvent> events;
  for (std::size_t i = 0; i < table.count; ++i)
    events.push_back({table.text(i, 0), table.number(i, 2, 0), table.number(i, 2, 1) != 0, table.text(i, 1),
                      table.number(i, 2, 2)});
  return events;
}

/// Results of older programs have none.
std::vector<double> Result::File::read_validity(std::size_t channels) const {
  if (H5Lexists(file_.id(), "valid_until", H5P_DEFAULT) <= 0) return {};
  const Hdf5Handle dataset = open_dataset("valid_until");
  if (count_entries(dataset.id()) != channels) fail("it is damaged: 'valid_until' has a wrong length");
  std::vector<double> times(channels);
  if (H5Dread(dataset.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, times.data()) < 0)
    fail("it is damaged: 'valid_until' cannot be read");
  return times;
}

void Result::File::open_data(std::size_t channels) {
  data_ = open_dataset("data");
  const Hdf5Handle space(H5Dget_space(data_.id()), H5Sclose);
  std::array<hsize_t, 2> size{};
  if (H5Sget_simple_extent_ndims(space.id()) != 2 ||
      H5Sget_simple_extent_dims(space.id(), size.data(), nullptr) < 0 || size[1] != channels)
    fail("it is damaged: the table of rows does not fit the names");
  check_size(static_cast<double>(size[0]) * static_cast<double>(size[1]) * sizeof(double));
  rows_ = size[0];
}

std::string Result::File::read_summary(RunSummary* summary) const {
  const Table table = read_table("summary", "outcome", make_hdf5_summary);
  if (table.count != 1) fail("it is damaged: its summary is not one record");
  const auto number = [&](std::size_t i) { return table.number(0, 2, i); };
  const auto count = [&](std::size_t i) { return static_cast<long>(number(i)); };
  summary->message = table.text(0, 1);
  summary->t = number(0);
  summary->steps = count(1);
  summary->rejected = count(2);
  summary->evaluations = count(3);
  summary->audit = {.energy_scale = number(4),
                    .energy_balance = number(5),
                    .momentum_applies = number(6) != 0,
                    .momentum_drift = number(7),
                    .angular_momentum_drift = number(8)};
  return table.text(0, 0);
}

/// Models without measures, and older programs, have none.
std::vector<MeasureResult> Result::File::read_measures() const {
  std::vector<MeasureResult> measures;
  if (H5Lexists(file_.id(), "measures", H5P_DEFAULT) <= 0) return measures;
  const Table table = read_table("measures", "name", make_hdf5_measure);
  for (std::size_t i = 0; i < table.count; ++i)
    measures.push_back(
        {table.text(i, 0), table.text(i, 1), table.text(i, 2), table.text(i, 3), table.number(i, 4, 0), {}});
  const Table periods = read_table("periods", "name", make_hdf5_period);
  for (std::size_t i = 0; i < periods.count; ++i)
    for (MeasureResult& measure : measures)
      if (measure.name == periods.text(i, 0)) measure.values.push_back(periods.number(i, 1, 1));
  return measures;
}

std::vector<double> Result::File::read_numbers(hid_t dataset, std::span<const hsize_t> start,
                                               std::span<const hsize_t> count) const {
  std::vector<double> values(std::accumulate(count.begin(), count.end(), hsize_t{1}, std::multiplies<>()));
  if (values.empty()) return values;
  const Hdf5Handle space(H5Dget_space(dataset), H5Sclose);
  const Hdf5Handle memory(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), H5Sclose);
  if (H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr) < 0 ||
      H5Dread(dataset, H5T_NATIVE_DOUBLE, memory.id(), space.id(), H5P_DEFAULT, values.data()) < 0)
    fail("it is damaged: its rows cannot be read");
  return values;
}

// -- frames

/// Of a table of numbers, whose records are as large as expected.
hsize_t Result::File::count_records(hid_t dataset, const std::vector<hsize_t>& record) const {
  const Hdf5Handle space(H5Dget_space(dataset), H5Sclose);
  const int dimensions = H5Sget_simple_extent_ndims(space.id());
  std::vector<hsize_t> size(record.size() + 1);
  if (dimensions != static_cast<int>(size.size()) ||
      H5Sget_simple_extent_dims(space.id(), size.data(), nullptr) < 0 ||
      !std::equal(record.begin(), record.end(), size.begin() + 1))
    fail("it is damaged: a table of its frames has a wrong shape");
  double bytes = sizeof(double);
  for (const hsize_t n : size) bytes *= static_cast<double>(n);
  check_size(bytes);
  return size[0];
}

/// Runs without wakes, and older programs, have none.
std::vector<double> Result::File::open_frames(std::size_t bodies) {
  if (H5Lexists(file_.id(), "frame_times", H5P_DEFAULT) <= 0) return {};
  n_bodies_ = bodies;
  frame_times_ = open_dataset("frame_times");
  poses_ = open_dataset("poses");
  nodes_ = open_dataset("nodes");
  rings_ = open_dataset("rings");
  const hsize_t frames = count_records(frame_times_.id(), {}),
                poses = count_records(poses_.id(), {bodies, kPoseNumbers}),
                nodes = count_records(nodes_.id(), {3}), rings = count_records(rings_.id(), {2});
  if (poses < frames) fail("it is damaged: poses are missing");
  const Table table = read_table("sheets", "surface", make_hdf5_sheet);
  for (std::size_t i = 0; i < table.count; ++i) {
    sheets_.push_back(read_sheet(table, i));
    const Sheet& sheet = sheets_.back();
    if (sheet.first_node > nodes || sheet.n_nodes() > nodes - sheet.first_node || sheet.first_ring > rings ||
        sheet.n_rings() > rings - sheet.first_ring)
      fail(fmt::format("it is damaged: entry {} of 'sheets' has more nodes than there are", i));
  }
  return read_numbers(frame_times_.id(), std::array<hsize_t, 1>{0}, std::array<hsize_t, 1>{frames});
}

Result::File::Sheet Result::File::read_sheet(const Table& table, std::size_t record) const {
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  const auto count = [&](std::size_t index, std::int64_t least, std::int64_t most) {
    const auto number = table.number<std::int64_t>(record, 1, index);
    if (number < least || number > most)
      fail(fmt::format("it is damaged: entry {} of 'sheets' has {}", record, number));
    return number;
  };
  const auto size = [&](std::size_t index, std::int64_t least) {
    return static_cast<int>(count(index, least, kMost));
  };
  constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();
  Sheet sheet;
  sheet.head = {.surface = table.text(record, 0),
                .is_wake = count(1, 0, 1) == 1,
                .rows = size(2, 0),
                .columns = size(3, 1),
                .stride = size(4, 1),
                .air_rows = size(5, 0)};
  sheet.frame = count(0, 0, kAny);
  sheet.first_node = static_cast<hsize_t>(count(6, 0, kAny));
  sheet.first_ring = static_cast<hsize_t>(count(7, 0, kAny));
  return sheet;
}

VortexSheet Result::File::read_sheet_numbers(const Sheet& sheet) const {
  using Place = std::array<hsize_t, 2>;
  VortexSheet out = sheet.head;
  const std::vector<double> nodes =
      read_numbers(nodes_.id(), Place{sheet.first_node, 0}, Place{sheet.n_nodes(), 3});
  const std::vector<double> rings =
      read_numbers(rings_.id(), Place{sheet.first_ring, 0}, Place{sheet.n_rings(), 2});
  for (std::size_t i = 0; i < nodes.size(); i += 3)
    out.nodes.emplace_back(nodes[i], nodes[i + 1], nodes[i + 2]);
  for (std::size_t i = 0; i < rings.size(); i += 2) {
    out.circulations.push_back(rings[i]);
    if (!out.is_wake) out.pressures.push_back(rings[i + 1]);
  }
  return out;
}

Frame Result::File::read_frame(long index) const {
  const auto at = static_cast<hsize_t>(index);
  using Place = std::array<hsize_t, 3>;
  Frame frame;
  frame.t = read_numbers(frame_times_.id(), std::array<hsize_t, 1>{at}, std::array<hsize_t, 1>{1})[0];
  const std::vector<double> poses =
      read_numbers(poses_.id(), Place{at, 0, 0}, Place{1, n_bodies_, kPoseNumbers});
  for (hsize_t b = 0; b < n_bodies_; ++b) {
    Transform<double> X;
    for (int i = 0; i < 3; ++i) {
      const double* row = poses.data() + b * kPoseNumbers + 4 * static_cast<hsize_t>(i);
      X.p[i] = row[0];
      for (int j = 0; j < 3; ++j) X.R(i, j) = row[1 + j];
    }
    frame.bodies.push_back(X);
  }
  for (const Sheet& sheet : sheets_)
    if (sheet.frame == index) frame.sheets.push_back(read_sheet_numbers(sheet));
  return frame;
}

namespace {

RunInfo read_info(const auto& file) {
  RunInfo info;
  const hid_t root = file.root();
  info.version = file.read_text(root, "version");
  info.command = file.read_text(root, "command");
  info.instruction_set = file.read_text(root, "instruction_set");
  info.model_name = file.read_text(root, "model_name");
  info.case_name = file.read_text(root, "case_name");
  info.reference = file.read_text(root, "reference");
  info.formulation = file.read_text(root, "formulation");
  info.chart = file.read_text(root, "chart");
  info.stabilization = file.read_text(root, "stabilization");
  info.integrator = file.read_text(root, "integrator");
  info.until = file.read_number(root, "until");
  info.step = file.read_number(root, "step");
  info.every = file.read_number(root, "every");
  info.tolerance = file.read_number(root, "tolerance");
  info.frames = file.read_number(root, "frames");
  info.wake_stride = file.read_stride();
  if (info.frames > 0) info.bodies = file.read_texts("bodies");
  info.set = file.read_texts("set");
  info.globs = file.read_texts("globs");
  info.parameters = file.read_parameters();
  for (const std::string& text : file.read_texts("model_text")) info.model_text += text;
  if (H5Lexists(root, "scene", H5P_DEFAULT) > 0)  // results of older programs have none
    for (const std::string& text : file.read_texts("scene")) info.scene += text;
  return info;
}

std::vector<Channel> read_channels(const auto& file) {
  const std::vector<std::string> names = file.read_texts("names"), units = file.read_texts("units"),
                                 meanings = file.read_texts("meanings");
  std::vector<Channel> channels;
  for (std::size_t i = 0; i < names.size(); ++i) {
    Channel channel;
    channel.name = names[i];
    if (i < units.size()) channel.unit = units[i];
    if (i < meanings.size()) channel.meaning = meanings[i];
    channels.push_back(std::move(channel));
  }
  const std::vector<double> valid_until = file.read_validity(channels.size());
  for (std::size_t i = 0; i < valid_until.size(); ++i) channels[i].valid_until = valid_until[i];
  return channels;
}

/// A run that was killed counts as interrupted.
RunSummary::Outcome outcome_of(std::string_view name) {
  using Outcome = RunSummary::Outcome;
  for (const Outcome outcome : {Outcome::kFinished, Outcome::kStopped, Outcome::kFailed})
    if (name_of(outcome) == name) return outcome;
  return Outcome::kInterrupted;
}

}  // namespace

Result::Result(const std::filesystem::path& path) {
  std::error_code error;
  const bool folder = std::filesystem::is_directory(path, error);
  file_ = std::make_unique<File>(folder ? path / "result.h5" : path);
  info_ = read_info(*file_);
  channels_ = read_channels(*file_);
  file_->open_data(channels_.size());

  outcome_ = file_->read_summary(&summary_);
  summary_.outcome = outcome_of(outcome_);
  summary_.rows = file_->rows();
  summary_.events = file_->read_events();
  summary_.measures = file_->read_measures();
  frame_times_ = file_->open_frames(info_.bodies.size());
}

Result::Result(Result&&) noexcept = default;
Result& Result::operator=(Result&&) noexcept = default;
Result::~Result() = default;

std::vector<double> Result::read_rows(long first, long count) const {
  return file_->read_rows(static_cast<hsize_t>(first), static_cast<hsize_t>(count), channels_.size());
}

Frame Result::read_frame(long index) const {
  return file_->read_frame(index);
}

std::vector<double> Result::column(std::string_view channel) const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    if (channels_[i].name == channel) return file_->read_column(i);
    names.push_back(channels_[i].name);
  }
  const std::string name(channel);
  throw InputError(
      {Problem{{}, "result", fmt::format("has no channel '{}'", name), did_you_mean(name, names)}});
}

}  // namespace haltere
