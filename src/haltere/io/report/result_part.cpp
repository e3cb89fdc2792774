#include "haltere/io/report/result_part.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "haltere/math/rotation.h"
#include "haltere/simulate/frame_watch.h"
#include "haltere/simulate/glob.h"

namespace haltere {
namespace {

constexpr long kBlockValues = 1 << 20;    // read at once: 8 MB
constexpr std::size_t kPoseChannels = 7;  // of a body: position, then w, x, y, z

template <class T>
std::span<const T> span_of(const std::vector<T>& values) {
  return values;
}

Json lines_of(const std::string& text) {
  Json lines = Json::array();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (end > at) lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::string in_seconds(double value) {
  return fmt::format("{:.9g} s", value);
}

Json list_settings(const RunInfo& info) {
  Json settings = Json::array();
  const auto add = [&](std::string_view label, const std::string& text) {
    if (!text.empty()) settings.push_back({label, text});
  };
  add("formulation", info.formulation);
  if (info.formulation == "absolute") add("chart", info.chart);
  add("integrator", info.integrator);
  add("stabilization", info.stabilization);
  if (info.tolerance > 0) add("tolerance", fmt::format("{:g}", info.tolerance));
  if (info.step > 0) add("step", in_seconds(info.step));
  add("until", in_seconds(info.until));
  add("rows every", in_seconds(info.every));
  if (info.frames > 0) add("frames every", in_seconds(info.frames));
  for (const std::string& set : info.set) add("--set", set);
  for (const std::string& glob : info.globs) add("channels", glob);
  add("instruction set", info.instruction_set);
  return settings;
}

Json list_parameters(const RunInfo& info, const Json& scene) {
  Json parameters = Json::array();
  for (const auto& [name, value] : info.parameters) {
    const bool has_unit = scene.is_object() && scene.contains("units") && scene["units"].contains(name);
    parameters.push_back({name, value, has_unit ? scene["units"][name] : Json("")});
  }
  return parameters;
}

Json list_measures(const RunSummary& summary) {
  Json measures = Json::array();
  for (const MeasureResult& m : summary.measures)
    measures.push_back({{"name", m.name},
                        {"kind", m.kind},
                        {"of", m.of},
                        {"unit", m.unit},
                        {"period", m.period},
                        {"value", m.is_known() ? Json(m.value()) : Json()}});
  return measures;
}

Json list_events(const Result& result) {
  Json events = Json::array();
  for (const RunEvent& event : result.events())
    events.push_back({{"t", event.t}, {"name", event.name}, {"what", event.what}, {"stop", event.stop}});
  return events;
}

/// Poses of some times, packed as the page has them.
struct PoseArrays {
  std::vector<double> time;
  std::vector<float> position;
  std::vector<std::int16_t> orientation;
  std::vector<std::array<double, 4>> last;  // of each body

  explicit PoseArrays(std::size_t bodies) : last(bodies, {1, 0, 0, 0}) {}
  void add(std::size_t body, const std::array<double, 3>& p, std::array<double, 4> q) {
    constexpr double kOne = 32767;
    double cosine = 0;
    for (int k = 0; k < 4; ++k) cosine += q[k] * last[body][k];
    for (double& x : q) x = std::clamp(cosine < 0 ? -x : x, -1., 1.);  // both signs are the same turn
    last[body] = q;
    for (const double x : p) position.push_back(static_cast<float>(x));
    for (const double x : q) orientation.push_back(static_cast<std::int16_t>(std::lround(kOne * x)));
  }
  void put_into(PagePart* part) const {
    const std::size_t n = last.size();
    part->json["poses"] = {{"time", part->blob.add(span_of(time))},
                           {"position", part->blob.add(span_of(position))},
                           {"orientation", part->blob.add(span_of(orientation), 4 * n)}};
  }
};

bool fits_float(double value) {
  const double size = std::abs(value);
  return size <= std::numeric_limits<float>::max();
}

/// A channel while the rows pass by.
struct ChannelArrays {
  bool is_wide = false;        // numbers that 32 bits cannot hold
  double least = 0, most = 0;  // of all rows
  std::vector<double> values;
  std::vector<std::uint32_t> rows;  // of those; empty: all

  /// Of the present stretch of rows.
  struct Kept {
    std::uint32_t row = 0;
    double value = 0;
  };
  Kept first, low, high, last;
  bool is_empty = true;

  void add(std::uint32_t row, double value, bool is_thinned) {
    is_wide |= !fits_float(value);
    least = row == 0 ? value : std::min(least, value);
    most = row == 0 ? value : std::max(most, value);
    if (!is_thinned) return values.push_back(value);
    last = {row, value};
    if (is_empty) first = low = high = last;
    is_empty = false;
    if (value < low.value) low = last;
    if (value > high.value) high = last;
  }
  /// Its first, least, largest and last value, in order, each once.
  void end_stretch() {
    const bool falls = high.row < low.row;
    const std::size_t start = rows.size();
    for (const Kept& kept : {first, falls ? high : low, falls ? low : high, last}) {
      if (rows.size() > start && rows.back() == kept.row) continue;
      rows.push_back(kept.row);
      values.push_back(kept.value);
    }
    is_empty = true;
  }
};

Json add_values(const ChannelArrays& channel, Blob* blob) {
  if (channel.is_wide) return blob->add(span_of(channel.values));
  const std::vector<float> values(channel.values.begin(), channel.values.end());
  return blob->add(span_of(values));
}

}  // namespace

ResultPart::ResultPart(const Result& result, std::string name) : result_(result), name_(std::move(name)) {
  if (!result.info().scene.empty()) scene_ = Json::parse(result.info().scene, nullptr, false);
  if (scene_.is_discarded() || !scene_.is_object()) scene_ = nullptr;
  if (scene_.is_null()) {
    notes_.emplace_back(
        "this result does not say what its machine looks like: it is of an older version, or its model has a "
        "place that is no number; plots only");
    return;
  }
  find_bodies();
  if (!has_poses())
    notes_.emplace_back(
        "where the bodies are was not recorded: --channels 'body.*' besides others, or all channels, "
        "bring the animation");
}

void ResultPart::find_bodies() {
  for (const Json& body : scene_["bodies"]) bodies_.push_back(body["name"]);
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < result_.channels().size(); ++i) places.emplace(result_.channels()[i].name, i);
  for (const std::string& body : bodies_)
    for (const char* component : {"position.x", "position.y", "position.z", "orientation.w", "orientation.x",
                                  "orientation.y", "orientation.z"}) {
      const auto found = places.find("body." + body + "." + component);
      if (found == places.end()) return pose_channels_.clear();
      pose_channels_.push_back(found->second);
    }
}

Json ResultPart::make_head() const {
  const RunInfo& info = result_.info();
  const RunSummary& summary = result_.summary();
  Json head{{"name", name_},
            {"model", info.model_name},
            {"case", info.case_name},
            {"reference", info.reference},
            {"command", info.command},
            {"version", info.version},
            {"settings", list_settings(info)},
            {"parameters", list_parameters(info, scene_)},
            {"outcome", result_.outcome()},
            {"message", summary.message},
            {"notes", notes_},
            {"events", list_events(result_)},
            {"measures", list_measures(summary)},
            {"model_text", info.model_text},
            {"problems", Json::array()}};
  if (!is_cut_off(result_)) {  // such a run has told nothing of itself
    head["counts"] = Json::array({{"steps", summary.steps},
                                  {"rejected", summary.rejected},
                                  {"evaluations", summary.evaluations},
                                  {"rows", summary.rows}});
    head["audit"] = {{"lines", lines_of(summary.audit.text())}, {"ok", summary.audit.is_trustworthy()}};
  }
  for (const char* key :
       {"gravity", "length", "tree", "bodies", "joints", "links", "wheels", "planes", "presets"})
    if (scene_.is_object() && scene_.contains(key)) head[key] = scene_[key];
  if (scene_.is_null()) {
    for (const char* key :
         {"tree", "bodies", "joints", "links", "wheels", "planes", "presets", "surfaces", "arrows"})
      head[key] = Json::array();
    head["gravity"] = {0, 0, 0};
    head["length"] = 1;
  }
  return head;
}

// -- rows

namespace {

/// One pass over the rows of a result: what its channels and poses become.
class RowsPass {
 public:
  RowsPass(const Result& result, const PageDetail& detail, const std::vector<std::size_t>& pose_channels)
      : n_(result.rows()),
        width_(static_cast<long>(result.channels().size())),
        buckets_(n_ > std::max(detail.points, 4L) ? std::max(1L, detail.points / 4) : 0),
        pose_step_(std::max(1L, (n_ + detail.poses - 1) / std::max(1L, detail.poses))),
        pose_channels_(pose_channels),
        channels(result.channels().size()),
        poses(pose_channels.size() / kPoseChannels) {
    for (std::size_t c = 0; c < channels.size(); ++c)
      if (result.channels()[c].name == "t") time_channel = c;
    const long block = std::max(1L, kBlockValues / std::max(1L, width_));
    for (long first = 0; first < n_; first += block) {
      const long end = std::min(n_, first + block);
      const std::vector<double> values = result.read_rows(first, end - first);
      see_channels(values.data(), first, end);
      if (!pose_channels_.empty()) see_poses(values.data(), first, end);
    }
  }

  bool is_thinned() const { return buckets_ > 0; }

 private:
  long bucket_end(long bucket) const {
    if (bucket + 1 >= buckets_) return n_;
    return static_cast<long>(static_cast<double>(n_) * static_cast<double>(bucket + 1) /
                             static_cast<double>(buckets_));
  }

  void see_channels(const double* values, long first, long end) {
    for (long from = first; from < end;) {
      const long to = std::min(end, bucket_end(bucket_));
      for (long c = 0; c < width_; ++c)
        for (long row = from; row < to; ++row)
          channels[static_cast<std::size_t>(c)].add(static_cast<std::uint32_t>(row),
                                                    values[(row - first) * width_ + c], is_thinned());
      if (is_thinned() && to == bucket_end(bucket_)) {
        for (ChannelArrays& channel : channels) channel.end_stretch();
        ++bucket_;
      }
      from = to;
    }
  }

  void see_poses(const double* values, long first, long end) {
    for (long row = first; row < end; ++row) {
      if (row % pose_step_ != 0 && row != n_ - 1) continue;
      const double* at = values + (row - first) * width_;
      poses.time.push_back(at[time_channel]);
      for (std::size_t i = 0; i < pose_channels_.size(); i += kPoseChannels) {
        const std::size_t* place = pose_channels_.data() + i;
        poses.add(i / kPoseChannels, {at[place[0]], at[place[1]], at[place[2]]},
                  {at[place[3]], at[place[4]], at[place[5]], at[place[6]]});
      }
    }
  }

  const long n_, width_;
  const long buckets_;  // stretches of rows of which extremes are kept; 0: all rows are
  const long pose_step_;
  const std::vector<std::size_t>& pose_channels_;
  long bucket_ = 0;

 public:
  std::vector<ChannelArrays> channels;
  PoseArrays poses;
  std::size_t time_channel = 0;
};

Json list_channels_of(const Result& result, RowsPass* pass, Blob* blob) {
  // of all rows, or of those that are left of the time
  const std::vector<double> own_times = pass->channels[pass->time_channel].values;
  const std::vector<double> times = pass->is_thinned() ? result.column("t") : own_times;
  Json list = Json::array();
  for (std::size_t c = 0; c < pass->channels.size(); ++c) {
    if (c == pass->time_channel) continue;
    ChannelArrays& channel = pass->channels[c];
    const Channel& named = result.channels()[c];
    Json json{{"name", named.name}, {"unit", named.unit}, {"meaning", named.meaning}};
    if (times.size() > 2 && channel.least == channel.most) {
      channel.values = {channel.least, channel.least};
      channel.rows = {0, static_cast<std::uint32_t>(times.size() - 1)};
    }
    json["data"] = add_values(channel, blob);
    if (!channel.rows.empty()) {
      std::vector<double> own;
      for (const std::uint32_t row : channel.rows) own.push_back(times[row]);
      json["time"] = blob->add(span_of(own));
    }
    if (std::isfinite(named.valid_until)) json["valid_until"] = named.valid_until;
    list.push_back(std::move(json));
    channel.values = {};
    channel.rows = {};
  }
  return list;
}

}  // namespace

PagePart ResultPart::make_rows(const PageDetail& detail) const {
  RowsPass pass(result_, detail, pose_channels_);
  PagePart part;
  part.json["time"] = part.blob.add(span_of(pass.channels[pass.time_channel].values));
  part.json["channels"] = list_channels_of(result_, &pass, &part.blob);

  // what reads channels has those that are recorded, arrows those that are not always zero
  std::map<std::string, bool> moves;
  for (std::size_t c = 0; c < pass.channels.size(); ++c)
    moves[result_.channels()[c].name] = pass.channels[c].least != 0 || pass.channels[c].most != 0;
  const auto is_recorded = [&](const Json& name) { return moves.contains(name.get<std::string>()); };
  if (scene_.is_object()) {
    part.json["arrows"] = Json::array();
    for (const Json& arrow : scene_["arrows"]) {
      const Json& names = arrow["channels"];
      if (std::all_of(names.begin(), names.end(), is_recorded) &&
          std::any_of(names.begin(), names.end(),
                      [&](const Json& name) { return moves[name.get<std::string>()]; }))
        part.json["arrows"].push_back(arrow);
    }
    part.json["surfaces"] = scene_["surfaces"];
    for (Json& surface : part.json["surfaces"])
      if (!std::all_of(surface["load"].begin(), surface["load"].end(), is_recorded)) surface.erase("load");
  }

  if (pose_channels_.empty())
    add_frame_poses(detail, &part);
  else
    pass.poses.put_into(&part);
  return part;
}

/// Of the frames, where the rows do not have them.
void ResultPart::add_frame_poses(const PageDetail& detail, PagePart* part) const {
  const bool fits = result_.info().bodies == bodies_;
  PoseArrays poses(bodies_.size());
  const long n = fits ? n_frames() : 0,
             step = std::max(1L, (n + detail.poses - 1) / std::max(1L, detail.poses));
  for (long k = 0; k < n; ++k) {
    if (k % step != 0 && k != n - 1) continue;
    const Frame frame = result_.read_frame(k);
    poses.time.push_back(frame.t);
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      const Vector4<double> q = quaternion_of(frame.bodies[b].R);
      poses.add(b, {frame.bodies[b].p[0], frame.bodies[b].p[1], frame.bodies[b].p[2]},
                {q[0], q[1], q[2], q[3]});
    }
  }
  poses.put_into(part);
}

// -- sheets

namespace {

/// The sheets of one surface, or of its wake, over time.
struct SheetArrays {
  std::vector<double> time;
  std::vector<std::uint16_t> rows, columns;
  std::vector<std::uint32_t> first_node, first_ring;
  std::vector<float> box;
  std::vector<std::uint16_t> nodes;
  std::vector<double> circulation, pressure;

  void add(double t, const VortexSheet& sheet);
  void add_corners(const VortexSheet& sheet);
  Json put_into(Blob* blob) const;
};

/// In the box of the sheet, whose corner and size have 32 bits, too.
void SheetArrays::add_corners(const VortexSheet& sheet) {
  constexpr double kFull = 65535;
  Vector3<double> low = Vector3<double>::Zero(), high = low;
  if (!sheet.nodes.empty()) low = high = sheet.nodes[0];
  for (const Vector3<double>& node : sheet.nodes) {
    low = low.cwiseMin(node);
    high = high.cwiseMax(node);
  }
  std::array<double, 3> corner{}, size{};
  for (int i = 0; i < 3; ++i) {
    const auto at = static_cast<float>(low[i]);
    const float below = at > low[i] ? std::nextafter(at, -std::numeric_limits<float>::infinity()) : at;
    const auto wide = static_cast<float>(high[i] - below);
    const float above =
        wide < high[i] - below ? std::nextafter(wide, std::numeric_limits<float>::infinity()) : wide;
    corner[i] = below;
    size[i] = above;
  }
  for (const double x : corner) box.push_back(static_cast<float>(x));
  for (const double x : size) box.push_back(static_cast<float>(x));
  for (const Vector3<double>& node : sheet.nodes)
    for (int i = 0; i < 3; ++i) {
      const double part = size[i] > 0 ? (node[i] - corner[i]) / size[i] : 0;
      nodes.push_back(static_cast<std::uint16_t>(std::lround(kFull * std::clamp(part, 0., 1.))));
    }
}

void SheetArrays::add(double t, const VortexSheet& sheet) {
  time.push_back(t);
  rows.push_back(static_cast<std::uint16_t>(sheet.rows));
  columns.push_back(static_cast<std::uint16_t>(sheet.columns));
  first_node.push_back(static_cast<std::uint32_t>(nodes.size() / 3));
  first_ring.push_back(static_cast<std::uint32_t>(circulation.size()));
  add_corners(sheet);
  circulation.insert(circulation.end(), sheet.circulations.begin(), sheet.circulations.end());
  pressure.insert(pressure.end(), sheet.pressures.begin(), sheet.pressures.end());
}

/// Against the largest of all, which becomes 32767.
Json put_scaled(const std::vector<double>& values, const std::string& name, Blob* blob) {
  constexpr double kFull = 32767;
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  std::vector<std::int16_t> numbers;
  numbers.reserve(values.size());
  for (const double value : values)
    numbers.push_back(static_cast<std::int16_t>(largest > 0 ? std::lround(kFull * (value / largest)) : 0));
  return {{name, blob->add(span_of(numbers), 1)}, {name + "_scale", largest}};
}

Json SheetArrays::put_into(Blob* blob) const {
  Json json{{"time", blob->add(span_of(time))},
            {"rows", blob->add(span_of(rows), 1)},
            {"columns", blob->add(span_of(columns), 1)},
            {"first_node", blob->add(span_of(first_node), 1)},
            {"first_ring", blob->add(span_of(first_ring), 1)},
            {"box", blob->add(span_of(box))},
            {"nodes", blob->add(span_of(nodes), 3)}};
  json.update(put_scaled(circulation, "circulation", blob));
  if (!pressure.empty() && pressure.size() == circulation.size())
    json.update(put_scaled(pressure, "pressure", blob));
  return json;
}

}  // namespace

PagePart ResultPart::make_sheets(const PageDetail& detail) const {
  const auto is_closed = [&](const std::string& surface) {
    if (!scene_.is_object() || !scene_.contains("closed")) return false;
    return std::find(scene_["closed"].begin(), scene_["closed"].end(), surface) != scene_["closed"].end();
  };
  std::map<std::pair<std::string, bool>, SheetArrays> all;  // by surface, lattice before wake
  for (long k = 0; k < n_frames(); ++k) {
    if (k % detail.frame_step != 0 && k != n_frames() - 1) continue;
    const Frame frame = result_.read_frame(k);
    for (const VortexSheet& sheet : frame.sheets)
      all[{sheet.surface, sheet.is_wake}].add(frame.t, thin(sheet, detail.wake_stride));
  }
  PagePart part;
  part.json["sheets"] = Json::array();
  for (const auto& [key, arrays] : all) {
    Json json{{"surface", key.first},
              {"kind", key.second             ? "wake"
                       : is_closed(key.first) ? "body"
                                              : "lattice"}};
    json.update(arrays.put_into(&part.blob));
    part.json["sheets"].push_back(std::move(json));
  }
  return part;
}

}  // namespace haltere
