#include "haltere/io/report/report.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "haltere/io/base64.h"
#include "haltere/io/report/blob.h"
#include "haltere/io/report/result_part.h"
#include "haltere/io/report/viewer.h"

namespace haltere {
namespace {

constexpr double kLettersPerByte = 4. / 3;          // of base64
constexpr std::size_t kLongestElement = 3U << 24U;  // bytes of one element of the page: 2^26 letters
constexpr double kUnpacked = 3;  // numbers are not packed better than to a third, unless they hardly change
constexpr long kLeastPoints = 64, kLeastPoses = 64;  // of a channel or a motion, however small the page
constexpr int kMostStride = 16;                      // of wakes, before frames are left out
constexpr long kLeastFrames = 16;
constexpr double kMargin = 0.97;  // of estimated sizes
constexpr int kMostTries = 6;

/// What is known of a result at one level of detail, and what it takes when it is packed.
struct Draft {
  std::unique_ptr<ResultPart> part;
  PageDetail detail;
  PagePart rows, sheets;
  std::size_t rows_size = 0, sheets_size = 0;  // packed

  void make_rows() {
    rows = part->make_rows(detail);
    rows_size = pack_gzip(rows.blob.bytes()).size();
  }
  void make_sheets() {
    sheets = part->make_sheets(detail);
    sheets_size = pack_gzip(sheets.blob.bytes()).size();
  }
  bool can_thin_sheets() const {
    if (sheets.blob.bytes().empty()) return false;
    return detail.wake_stride < kMostStride || part->n_frames() / detail.frame_step > kLeastFrames;
  }
  void thin_sheets() {
    if (detail.wake_stride < kMostStride)
      detail.wake_stride *= 2;
    else
      detail.frame_step *= 2;
    make_sheets();
  }
};

class ReportMaker {
 public:
  ReportMaker(std::string_view viewer, const ReportContent& content, double size)
      : viewer_(viewer),
        content_(content),
        room_((size - static_cast<double>(viewer.size())) / kLettersPerByte * kMargin) {}

  Report make();

 private:
  void draft();
  void fit();
  double count(std::size_t Draft::*part) const;
  void describe_dropped();
  Json describe() const;
  Json describe_figure(const ReportFigure& figure);
  std::string write(const std::string& text) const;

  std::string_view viewer_;
  const ReportContent& content_;
  double room_;  // bytes for all that is packed
  std::vector<Draft> drafts_;
  Blob figures_blob_;
  Json figures_ = Json::array();
  Report report_;
};

/// Names that nobody else has.
std::string make_unique_name(const std::string& wanted, std::set<std::string>* taken) {
  std::string name = wanted.empty() ? "result" : wanted;
  for (int k = 2; !taken->insert(name).second; ++k) name = fmt::format("{} ({})", wanted, k);
  return name;
}

void ReportMaker::draft() {
  std::set<std::string> names;
  double values = 0;
  for (const ReportContent::Part& part : content_.results) {
    Draft& draft = drafts_.emplace_back();
    draft.part = std::make_unique<ResultPart>(*part.result, make_unique_name(part.name, &names));
    values += static_cast<double>(draft.part->rows()) * static_cast<double>(draft.part->n_channels());
  }
  // what could never fit is not even looked at in full: so much memory is enough
  const double most = kUnpacked * std::max(room_, 0.) / sizeof(float);
  for (Draft& draft : drafts_) {
    const double share = values > most ? most / values : 1;
    const auto rows = static_cast<double>(draft.part->rows());
    draft.detail.points = std::max(kLeastPoints, static_cast<long>(share * rows));
    draft.detail.poses = draft.detail.points;
    draft.make_rows();
    draft.make_sheets();
  }
}

double ReportMaker::count(std::size_t Draft::*part) const {
  double size = 0;
  for (const Draft& draft : drafts_) size += static_cast<double>(draft.*part);
  return size;
}

void ReportMaker::fit() {
  const auto total = [&] { return count(&Draft::rows_size) + count(&Draft::sheets_size); };
  // wakes first, down to a quarter of the page
  for (bool goes_on = true; goes_on && total() > room_ && count(&Draft::sheets_size) > room_ / 4;) {
    goes_on = false;
    for (Draft& draft : drafts_)
      if (draft.can_thin_sheets()) {
        draft.thin_sheets();
        goes_on = true;
      }
  }
  for (int i = 0; i < kMostTries && total() > room_; ++i) {
    const double share =
        std::max(0.05, kMargin * (room_ - count(&Draft::sheets_size)) / count(&Draft::rows_size));
    bool is_less = false;
    for (Draft& draft : drafts_) {
      const auto less = [&](long* number, long least) {
        const long before = std::min(*number, draft.part->rows());
        *number = std::max(least, static_cast<long>(share * static_cast<double>(before)));
        is_less |= *number < before;
      };
      less(&draft.detail.points, kLeastPoints);
      less(&draft.detail.poses, kLeastPoses);
      draft.make_rows();
    }
    if (!is_less) break;
  }
}

void ReportMaker::describe_dropped() {
  for (const Draft& draft : drafts_) {
    const auto add = [&](const std::string& text) {
      report_.dropped.push_back(fmt::format("{}: {}", draft.part->name(), text));
    };
    if (draft.detail.wake_stride > 1) add(fmt::format("of wakes one row in {}", draft.detail.wake_stride));
    if (draft.detail.frame_step > 1)
      add(fmt::format("of lattices and wakes one frame in {}", draft.detail.frame_step));
    if (draft.part->rows() > draft.detail.points)
      add(fmt::format("of channels about {} of {} values, all extremes among them", draft.detail.points,
                      draft.part->rows()));
    if (draft.part->rows() > draft.detail.poses)
      add(fmt::format("of the motion about {} of {} rows", draft.detail.poses, draft.part->rows()));
  }
}

Json ReportMaker::describe_figure(const ReportFigure& figure) {
  const auto describe_axis = [](const ReportFigure::Axis& axis) {
    Json json{{"label", axis.label}, {"unit", axis.unit}};
    if (axis.is_log) json["log"] = true;
    return json;
  };
  Json json{{"title", figure.title}, {"x", describe_axis(figure.x)}, {"y", describe_axis(figure.y)}};
  if (figure.has_equal_axes) json["equal"] = true;
  if (figure.has_unit_circle) json["circle"] = true;
  json["series"] = Json::array();
  for (const ReportSeries& series : figure.series) {
    Json item{{"name", series.name},
              {"x", figures_blob_.add(std::span<const double>(series.x))},
              {"y", figures_blob_.add(std::span<const double>(series.y))}};
    if (series.has_line) item["line"] = true;
    if (series.has_points) item["points"] = true;
    if (!series.texts.empty()) item["text"] = series.texts;
    if (!series.results.empty()) item["result"] = series.results;
    json["series"].push_back(std::move(item));
  }
  return json;
}

Json describe_table(const ReportTable& table) {
  Json columns = Json::array();
  for (const ReportTable::Column& column : table.columns)
    columns.push_back({{"name", column.name}, {"align", column.is_number ? "right" : "left"}});
  Json json{{"title", table.title}, {"columns", columns}, {"rows", table.rows}};
  if (!table.results.empty()) json["result"] = table.results;
  return json;
}

/// All that the page says, the arrays of each part where they come to lie.
Json ReportMaker::describe() const {
  Json json{{"format", "haltere report 1"}, {"title", content_.title}, {"results", Json::array()}};
  std::size_t offset = figures_blob_.bytes().size();
  for (std::size_t i = 0; i < drafts_.size(); ++i) {
    const Draft& draft = drafts_[i];
    Json result = draft.part->make_head();
    if (content_.results[i].loop) {  // a motion that was found, not a run
      result["loop"] = *content_.results[i].loop;
      for (const char* key : {"counts", "audit"}) result.erase(key);
      result["settings"] = Json::array();
    }
    for (const PagePart* part : {&draft.rows, &draft.sheets}) {
      Json own = part->json;
      shift_arrays(offset, &own);
      result.update(own);
      offset += part->blob.bytes().size();
    }
    json["results"].push_back(std::move(result));
  }
  json["tables"] = Json::array();
  for (const ReportTable& table : content_.tables) json["tables"].push_back(describe_table(table));
  json["figures"] = figures_;
  json["dropped"] = report_.dropped;
  return json;
}

void append_word(std::size_t number, std::string* bytes) {
  for (int k = 0; k < 4; ++k) *bytes += static_cast<char>(number >> (8 * k) & 0xffU);
}

std::string ReportMaker::write(const std::string& text) const {
  constexpr std::size_t kWord = 8;
  std::string bytes = "HLTR";
  append_word(1, &bytes);  // version
  append_word(text.size(), &bytes);
  bytes += text;
  bytes.append((kWord - bytes.size() % kWord) % kWord, '\0');
  bytes += figures_blob_.bytes();
  for (const Draft& draft : drafts_)
    for (const PagePart* part : {&draft.rows, &draft.sheets}) bytes += part->blob.bytes();
  const std::string packed = pack_gzip(bytes);
  const std::size_t at = viewer_.find(kViewerDataMark);
  if (at == std::string_view::npos) throw std::logic_error("the viewer has no place for data");
  std::string page(viewer_.substr(0, at));
  for (std::size_t i = 0; i < packed.size(); i += kLongestElement) {
    page += R"(<script type="application/octet-stream" class="haltere-data">)";
    page += encode_base64(std::string_view(packed).substr(i, kLongestElement));
    page += "</script>\n";
  }
  return page.append(viewer_.substr(at + kViewerDataMark.size()));
}

Report ReportMaker::make() {
  for (const ReportFigure& figure : content_.figures) figures_.push_back(describe_figure(figure));
  draft();
  room_ -=
      static_cast<double>(pack_gzip(describe().dump(-1, ' ', false, Json::error_handler_t::replace)).size());
  fit();
  describe_dropped();
  report_.page = write(describe().dump(-1, ' ', false, Json::error_handler_t::replace));
  return std::move(report_);
}

}  // namespace

Report make_report(std::string_view viewer, const ReportContent& content, double size) {
  return ReportMaker(viewer, content, size).make();
}

}  // namespace haltere
