#include "haltere/simulate/frame_watch.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace haltere {
namespace {

// of all frames of a run, where the user does not say how many rows of wakes they have; a choice
constexpr double kMostFrameBytes = 50e6;
// frames of bodies alone in the interval of frames: they are small; a choice
constexpr double kBodyFrames = 10;
// part of an interval, or of a step of the air, that is rounding of times
constexpr double kFrameSlack = 1e-9;

/// What the numbers of a frame take once it is thinned.
double count_bytes(const Frame& whole, int stride) {
  double bytes = 0;
  for (const VortexSheet& sheet : whole.sheets) {
    const double columns = sheet.columns,
                 rows = sheet.is_wake ? std::ceil(sheet.rows / (1. * stride)) : sheet.rows;
    bytes += sizeof(double) * (3 * (rows + 1) * (columns + 1) + 2 * rows * columns);
  }
  return bytes;
}

/// Rows of the air that are kept: the edge, then multiples of the stride from the other end.
std::vector<int> list_rows(int rows, int stride) {
  std::vector<int> kept;
  for (int row = rows; row > 0; row -= std::min(stride, row)) kept.push_back(row);
  kept.push_back(0);
  std::reverse(kept.begin(), kept.end());
  return kept;
}

Frame thin_all(const Frame& whole, int stride) {
  Frame frame{whole.t, whole.bodies, {}};
  for (const VortexSheet& sheet : whole.sheets) frame.sheets.push_back(thin(sheet, stride));
  return frame;
}

}  // namespace

VortexSheet thin(const VortexSheet& sheet, int stride) {
  if (!sheet.is_wake || stride <= 1 || sheet.rows <= 1) return sheet;
  const std::vector<int> kept = list_rows(sheet.rows, stride);
  VortexSheet out = sheet;
  out.rows = static_cast<int>(kept.size()) - 1;
  out.stride = stride;
  out.nodes.clear();
  out.circulations.clear();
  const long n = sheet.columns;
  for (const long row : kept)
    out.nodes.insert(out.nodes.end(), sheet.nodes.begin() + row * (n + 1),
                     sheet.nodes.begin() + (row + 1) * (n + 1));
  for (int i = 0; i < out.rows; ++i)
    for (long j = 0; j < n; ++j) {
      double sum = 0;
      for (long row = kept[i]; row < kept[i + 1]; ++row) sum += sheet.circulations[row * n + j];
      out.circulations.push_back(sum / (kept[i + 1] - kept[i]));
    }
  return out;
}

FrameWatch::FrameWatch(const Environments& environments, const RunOptions& options, bool are_wanted,
                       bool rows_have_poses)
    : until_(options.until), interval_(options.frames.value_or(0)), stride_(options.wake_stride) {
  if (!are_wanted || !(interval_ > 0)) return;
  for (const std::shared_ptr<Environment>& environment : environments)
    if (environment->drawing_step() > 0) air_ = environment;
  has_bodies_alone_ = !air_ && !rows_have_poses;
}

bool FrameWatch::is_due_at_row(double t) const {
  if (!has_bodies_alone_) return false;
  const auto count = [&](double time) { return std::floor(kBodyFrames * time / interval_ + kFrameSlack); };
  return !last_ || count(t) > count(*last_);
}

bool FrameWatch::is_due(double t) const {
  if (!air_) return false;
  if (!last_) return true;
  const auto count = [&](double time) { return std::floor(time / interval_ + kFrameSlack); };
  return t >= air_->next_time() - kFrameSlack * air_->drawing_step() && count(t) > count(*last_);
}

Frame FrameWatch::take(const Scene<double>& scene) {
  Frame whole{scene.t, {scene.X_WB.begin() + 1, scene.X_WB.end()}, {}};
  if (air_) air_->add_sheets(scene, &whole.sheets);
  last_ = scene.t;
  const int stride = stride_ > 0 || !air_ ? std::max(stride_, 1) : choose_stride(whole);
  if (stride_ == 0) largest_stride_ = std::max(largest_stride_, stride);
  return thin_all(whole, stride);
}

/// The smallest power of two with which a frame has its share of what all may take.
int FrameWatch::choose_stride(const Frame& whole) const {
  const double frames = 1 + until_ / std::max(interval_, air_->drawing_step());
  int longest = 1, stride = 1;
  for (const VortexSheet& sheet : whole.sheets)
    if (sheet.is_wake) longest = std::max(longest, sheet.rows);
  while (count_bytes(whole, stride) > kMostFrameBytes / frames && stride < longest) stride *= 2;
  return stride;
}

void FrameWatch::pass(const Frame& frame) {
  last_ = frame.t;
  if (stride_ > 0) return;
  for (const VortexSheet& sheet : frame.sheets) largest_stride_ = std::max(largest_stride_, sheet.stride);
}

std::string FrameWatch::note() const {
  if (largest_stride_ == 1) return "";
  return fmt::format(
      "to keep the frames within {:.0f} MB, long wakes are drawn with one row in up to {}; --wake-stride 1 "
      "keeps "
      "all, --frames S makes frames rarer",
      kMostFrameBytes / 1e6, largest_stride_);
}

}  // namespace haltere
