#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "haltere/io/result/result.h"

namespace haltere {

/// Numbers of a figure: points, joined by a line or not. `results`: the result that belongs to each point, -1 for none.
struct ReportSeries {
  std::string name;
  std::vector<double> x{}, y{};
  bool has_line = false, has_points = true;
  std::vector<std::string> texts{};  // of each point
  std::vector<int> results{};
};
struct ReportFigure {
  struct Axis {
    std::string label, unit;
    bool is_log = false;
  };
  std::string title;
  Axis x, y;
  bool has_equal_axes = false, has_unit_circle = false;
  std::vector<ReportSeries> series{};
};
struct ReportTable {
  struct Column {
    std::string name;
    bool is_number = false;  // stands at the right
  };
  std::string title;
  std::vector<Column> columns{};
  std::vector<std::vector<std::string>> rows{};
  std::vector<int> results{};  // of each row, -1 for none; may be empty
};

/// What a page is to show.
struct ReportContent {
  struct Part {
    const Result* result = nullptr;
    std::string name;              // made unique
    std::optional<double> loop{};  // [s]: it plays in a circle
  };
  std::string title;
  std::vector<Part> results{};
  std::vector<ReportTable> tables{};
  std::vector<ReportFigure> figures{};
};

struct Report {
  std::string page;
  std::vector<std::string> dropped;  // what did not fit, in words
};

inline constexpr double kReportSize = 30e6;  // bytes of a page, unless the user says otherwise; a choice

/// The page, of about `size` bytes at most: wakes are thinned first, then channels, of which all extremes are kept, then
/// poses. `viewer`: viewer_page(). The same content gives the same bytes.
Report make_report(std::string_view viewer, const ReportContent& content, double size = kReportSize);

}  // namespace haltere
