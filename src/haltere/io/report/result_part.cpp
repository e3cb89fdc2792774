#include "haltere/io/report/result_part.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "haltere/io/report/extremes.h"
#include "haltere/math/rotation.h"
#include "haltere/simulate/frame_watch.h"
#include "haltere/simulate/glob.h"

namespace haltere {
namespace {

constexpr long kBlockValues = 1 << 20;  // read at once: 8 MB

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

/// A channel while the rows pass by.
struct ChannelArrays {
  bool is_wide = false;        // numbers that 32 bits cannot hold
  double least = 0, most = 0;  // of all rows
  std::vector<double> values;
  std::vector<std::uint32_t> rows;  // of those; empty: all
};

bool fits_float(double value) {
  const double size = std::abs(value);
  return size <= std::numeric_limits<float>::max();
}

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
    notes_.push_back(
        "this result does not say what its machine looks like, it is of an older version: plots only; "
        "run it again for the animation");
    return;
  }
  find_bodies();
  if (!has_poses())
    notes_.push_back(
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
            {"counts", Json::array({{"steps", summary.steps},
                                    {"rejected", summary.rejected},
                                    {"evaluations", summary.evaluations},
                                    {"rows", summary.rows}})},
            {"audit", {{"lines", lines_of(summary.audit.text())}, {"ok", summary.audit.is_trustworthy()}}},
            {"notes", notes_},
            {"events", list_events(result_)},
            {"measures", list_measures(summary)},
            {"model_text", info.model_text},
            {"problems", Json::array()}};
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

PagePart ResultPart::make_rows(const PageDetail& detail) const {
  const std::vector<Channel>& channels = result_.channels();
  const long n = rows(), width = n_channels();
  const bool is_thinned = n > std::max(detail.points, 4L);
  const long buckets = is_thinned ? std::max(1L, detail.points / 4) : 1;
  const long pose_step = std::max(1L, (n + detail.poses - 1) / std::max(1L, detail.poses));
  std::vector<ChannelArrays> arrays(static_cast<std::size_t>(width));
  PoseArrays poses(bodies_.size());
  std::size_t time_channel = 0;
  for (std::size_t c = 0; c < channels.size(); ++c)
    if (channels[c].name == "t") time_channel = c;

  // blocks of whole buckets; of a result that stays whole, of any rows
  const auto bucket_start = [&](long b) { return static_cast<long>(static_cast<double>(n) * b / buckets); };
  const long block = std::max(1L, kBlockValues / std::max(1L, width));
  long bucket = 0;
  for (long first = 0; first < n;) {
    long end = std::min(n, first + block), last_bucket = bucket;
    if (is_thinned) {
      do ++last_bucket;
      while (last_bucket < buckets && bucket_start(last_bucket + 1) <= first + block);
      end = last_bucket == buckets ? n : bucket_start(last_bucket);
    }
    const std::vector<double> values = result_.read_rows(first, end - first);
    for (long c = 0; c < width; ++c) {
      ChannelArrays& channel = arrays[static_cast<std::size_t>(c)];
      const StridedColumn column{values.data() + c, width};
      for (long i = 0; i < end - first; ++i) {
        const double value = column[i];
        channel.is_wide |= !fits_float(value);
        const bool is_first = first + i == 0;
        channel.least = is_first ? value : std::min(channel.least, value);
        channel.most = is_first ? value : std::max(channel.most, value);
        if (!is_thinned) channel.values.push_back(value);
      }
      if (!is_thinned) continue;
      for (long b = bucket; b < last_bucket; ++b) {
        const long from = bucket_start(b) - first, to = (b + 1 == buckets ? n : bucket_start(b + 1)) - first;
        for (const long row : find_extremes(column, from, to)) {
          channel.values.push_back(column[row]);
          channel.rows.push_back(static_cast<std::uint32_t>(first + row));
        }
      }
    }
    if (!pose_channels_.empty())
      for (long row = first; row < end; ++row) {
        if (row % pose_step != 0 && row != n - 1) continue;
        const double* at = values.data() + (row - first) * width;
        poses.time.push_back(at[time_channel]);
        for (std::size_t b = 0; b < bodies_.size(); ++b) {
          const std::size_t* place = pose_channels_.data() + 7 * b;
          poses.add(b, {at[place[0]], at[place[1]], at[place[2]]},
                    {at[place[3]], at[place[4]], at[place[5]], at[place[6]]});
        }
      }
    first = end;
    bucket = last_bucket;
  }

  PagePart part;
  // times: of all rows, or of the ends of the buckets
  const std::vector<double>& all_times = arrays[time_channel].values;
  part.json["time"] = part.blob.add(span_of(all_times));
  const std::vector<double> times = is_thinned ? result_.column("t") : std::vector<double>();
  Json list = Json::array();
  for (std::size_t c = 0; c < channels.size(); ++c) {
    if (c == time_channel) continue;
    ChannelArrays& channel = arrays[c];
    Json json{{"name", channels[c].name}, {"unit", channels[c].unit}, {"meaning", channels[c].meaning}};
    const bool is_constant = n > 2 && channel.least == channel.most;
    if (is_constant) {
      channel.values = {channel.least, channel.least};
      channel.rows = {0, static_cast<std::uint32_t>(n - 1)};
    }
    json["data"] = add_values(channel, &part.blob);
    if (is_constant) {
      const std::array<double, 2> ends{all_times.front(), all_times.back()};
      json["time"] = part.blob.add(std::span<const double>(ends));
    } else if (is_thinned) {
      std::vector<double> own;
      for (const std::uint32_t row : channel.rows) own.push_back(times[row]);
      json["time"] = part.blob.add(span_of(own));
    }
    if (std::isfinite(channels[c].valid_until)) json["valid_until"] = channels[c].valid_until;
    list.push_back(std::move(json));
    channel.values = {};
    channel.rows = {};
  }
  part.json["channels"] = std::move(list);

  // what reads channels has those that are recorded, arrows those that are not always zero
  std::map<std::string, bool> moves;
  for (std::size_t c = 0; c < channels.size(); ++c)
    moves[channels[c].name] = arrays[c].least != 0 || arrays[c].most != 0;
  const auto is_recorded = [&](const Json& name) { return moves.contains(name.get<std::string>()); };
  if (scene_.is_object()) {
    part.json["arrows"] = Json::array();
    for (const Json& arrow : scene_["arrows"]) {
      bool all = true, any = false;
      for (const Json& name : arrow["channels"]) {
        all &= is_recorded(name);
        any |= all && moves[name];
      }
      if (all && any) part.json["arrows"].push_back(arrow);
    }
    part.json["surfaces"] = scene_["surfaces"];
    for (Json& surface : part.json["surfaces"])
      if (!std::all_of(surface["load"].begin(), surface["load"].end(), is_recorded)) surface.erase("load");
  }

  if (pose_channels_.empty())
    add_frame_poses(detail, &part);
  else
    poses.put_into(&part);
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
