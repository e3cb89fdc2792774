#include "haltere/io/model/tables.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "haltere/formula/scanner.h"
#include "haltere/formula/text.h"

namespace haltere {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kByteOrder = "\xef\xbb\xbf";

constexpr std::array<std::string_view, 5> kGridColumns{"i", "j", "x", "y", "z"};

/// A field with the place of its first byte in the line, from 0. Quotation marks round it are taken off.
struct Cell {
  std::string_view text;
  std::size_t place = 0;
};

std::vector<Cell> split_line(std::string_view line) {
  std::vector<Cell> fields;
  for (std::size_t start = 0;;) {
    const std::size_t end = std::min(line.find(',', start), line.size());
    std::string_view text = trim(line.substr(start, end - start));
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
    fields.push_back({text, text.empty() ? start : static_cast<std::size_t>(text.data() - line.data())});
    if (end == line.size()) return fields;
    start = end + 1;
  }
}

// of the largest value of a column: two that are meant to be the same may differ by rounding, with room
constexpr double kSameValue = 1e-12;

bool ends_as_it_begins(const std::vector<double>& y) {
  double size = 0;
  for (const double value : y) size = std::max(size, std::abs(value));
  return std::abs(y.front() - y.back()) <= kSameValue * size;
}

/// Root of the mean square about the mean.
double calc_spread(const std::vector<double>& y) {
  double mean = 0, squares = 0;
  for (const double value : y) mean += value / static_cast<double>(y.size());
  for (const double value : y) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(y.size()));
}

std::optional<double> read_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) return std::nullopt;
  return number;
}

}  // namespace

bool lies_in(const fs::path& file, const fs::path& folder) {
  std::error_code error;
  const fs::path inner = fs::weakly_canonical(file, error);
  if (error) return false;
  const fs::path outer = fs::weakly_canonical(folder, error);
  if (error) return false;
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

bool climbs(const fs::path& path) {
  return path.is_absolute() || std::find(path.begin(), path.end(), "..") != path.end();
}

std::shared_ptr<const Curve> Tables::find(std::string_view file, std::string_view column,
                                          const CurveSpec& spec, const SourceMark& mark,
                                          TextProblem* problem) {
  *problem = {-1, "", ""};
  auto found = tables_.find(file);
  if (found == tables_.end()) {
    std::optional<Table> table = read(folder_ / file, mark, problem);
    if (!problem->message.empty()) return nullptr;
    const std::size_t before = problems_->size();
    if (table) check((folder_ / file).string(), *table);
    if (problems_->size() != before) table.reset();
    found = tables_.emplace(file, std::move(table)).first;
  }
  if (!found->second) return nullptr;
  Table& table = *found->second;
  const auto name = std::find(table.names.begin(), table.names.end(), column);
  if (name == table.names.end()) {
    const std::optional<std::string> similar = find_similar(column, table.names);
    *problem = {0, fmt::format("{} has no column {}", quote(file), quote(column)),
                similar ? fmt::format("did you mean '{}'?", *similar) : ""};
    return nullptr;
  }
  const std::vector<double>& y = table.columns[name - table.names.begin()];
  // those who fit know that measured ends differ
  if (spec.outside == Outside::kPeriodic && spec.fit.kind == CurveFit::Kind::kNone && !ends_as_it_begins(y)) {
    *problem = {0,
                fmt::format("column {} of {} begins with {:.10g} and ends with {:.10g}", quote(column),
                            quote(file), y.front(), y.back()),
                "the last row of a periodic table is the first row of its next period"};
    return nullptr;
  }
  std::shared_ptr<const Curve>& curve = table.curves[{spec, *name}];
  if (!curve)
    curve = make_curve(table, y, spec, fmt::format("{}, column {}", quote(file), quote(column)), problem);
  return curve;
}

std::shared_ptr<const Curve> Tables::make_curve(const Table& table, const std::vector<double>& y,
                                                const CurveSpec& spec, const std::string& name,
                                                TextProblem* problem) {
  const std::vector<double>& x = table.columns[0];
  if (const std::optional<CurveFitFault> fault = find_fit_fault(spec.fit, x)) {
    *problem = {1, fmt::format("table {}: {}", name, fault->message), fault->hint};
    return nullptr;
  }
  auto curve = std::make_shared<const Curve>(x, y, spec, name);
  if (std::isfinite(curve->residual())) return curve;
  *problem = {1, fmt::format("table {}: no fit can be computed of numbers so large or so small", name), ""};
  return nullptr;
}

std::vector<std::string> Tables::list_fits() const {
  std::vector<std::string> sentences;
  for (const auto& [file, table] : tables_) {
    if (!table) continue;
    std::map<CurveFit, std::string> left;
    for (const auto& [key, curve] : table->curves) {
      const auto& [spec, column] = key;
      if (!curve || spec.fit.kind == CurveFit::Kind::kNone) continue;
      const auto name = std::find(table->names.begin(), table->names.end(), column);
      const double spread = calc_spread(table->columns[name - table->names.begin()]);
      std::string& list = left[spec.fit];
      list += fmt::format("{}{} {:.3g}", list.empty() ? "" : ", ", column, curve->residual());
      if (spread > 0) list += fmt::format(" ({:.2g} %)", 100 * curve->residual() / spread);
    }
    for (const auto& [fit, list] : left)
      sentences.push_back(fmt::format(
          "table {}, {}, leaves of its points (root mean square, part of what it is about the mean): {}",
          quote(file), describe(fit), list));
  }
  return sentences;
}

std::shared_ptr<const PointGrid> Tables::find_grid(std::string_view file, const SourceMark& mark,
                                                   TextProblem* problem) {
  *problem = {-1, "", ""};
  auto found = grids_.find(file);
  if (found == grids_.end()) {
    const fs::path path = folder_ / file;
    const std::optional<Table> table = read(path, mark, problem);
    if (!problem->message.empty()) return nullptr;
    found = grids_.emplace(file, table ? make_grid(path.string(), *table) : nullptr).first;
  }
  return found->second;
}

/// Every row and column must be there, once.
std::shared_ptr<const PointGrid> Tables::make_grid(const std::string& file, const Table& table) {
  const auto refuse = [&](int line, std::string message, std::string hint = {}) {
    problems_->add({file, line, 1}, "points", std::move(message), std::move(hint));
    return nullptr;
  };
  std::array<const std::vector<double>*, 5> columns{};
  for (std::size_t k = 0; k < kGridColumns.size(); ++k) {
    const auto name = std::find(table.names.begin(), table.names.end(), kGridColumns[k]);
    if (name == table.names.end())
      return refuse(1, fmt::format("it has no column {}", quote(kGridColumns[k])), "it has i, j, x, y, z");
    columns[k] = &table.columns[name - table.names.begin()];
  }
  const std::size_t n = table.lines.size();
  const auto count = [&](int k) {  // 0: a number that counts nothing
    double last = -1;
    for (std::size_t r = 0; r < n; ++r) {
      const double value = (*columns[k])[r];
      if (value < 0 || std::round(value) != value || value >= static_cast<double>(n)) {
        refuse(table.lines[r],
               fmt::format("{} is {:.10g} in a table of {} points", quote(kGridColumns[k]), value, n),
               "i and j are whole numbers that count rows and columns from 0");
        return std::size_t{0};
      }
      last = std::max(last, value);
    }
    return static_cast<std::size_t>(last + 1);
  };
  const std::size_t rows = count(0), width = rows == 0 ? 0 : count(1);
  if (width == 0) return n > 0 ? nullptr : refuse(1, "it has no points", "it has i, j, x, y, z of each");
  if (rows < 2 || width < 2)
    return refuse(table.lines[0], fmt::format("{} x {} points have no panel between them", rows, width),
                  "two rows and two columns are one panel");
  // places in the grid and their rows of the table, sorted: whatever i and j are, no more than the file is long
  std::vector<std::pair<std::size_t, std::size_t>> places;
  for (std::size_t r = 0; r < n; ++r)
    places.emplace_back(
        static_cast<std::size_t>((*columns[0])[r]) * width + static_cast<std::size_t>((*columns[1])[r]), r);
  std::sort(places.begin(), places.end());
  PointGrid grid{static_cast<int>(rows), static_cast<int>(width), {}, fs::path(file).filename().string()};
  for (const auto& [place, r] : places) {
    const std::size_t next = grid.points.size();
    if (place < next)
      return refuse(table.lines[r], fmt::format("the point i = {}, j = {} stands there already",
                                                place / width, place % width));
    if (place > next)
      return refuse(table.lines[r],
                    fmt::format("the point i = {}, j = {} is missing", next / width, next % width),
                    fmt::format("i and j say that there are {} x {}", rows, width));
    grid.points.emplace_back((*columns[2])[r], (*columns[3])[r], (*columns[4])[r]);
  }
  if (grid.points.size() < rows * width)
    return refuse(table.lines.back(),
                  fmt::format("the point i = {}, j = {} is missing", grid.points.size() / width,
                              grid.points.size() % width),
                  fmt::format("i and j say that there are {} x {}", rows, width));
  return std::make_shared<const PointGrid>(std::move(grid));
}

std::optional<Tables::Table> Tables::read(const fs::path& path, const SourceMark& mark,
                                          TextProblem* problem) {
  const std::string name = path.lexically_relative(folder_).string();
  if (folder_.empty()) {
    *problem = {-1, "a text without a folder cannot read tables", ""};
    return std::nullopt;
  }
  if (path.filename().empty() || climbs(name) || !lies_in(path, folder_)) {
    *problem = {-1, fmt::format("{} lies outside the folder of the model", quote(name)),
                "tables must lie beside the model or below it"};
    return std::nullopt;
  }
  const std::optional<std::string> text = read_text_file(path, mark, problems_);
  if (!text) return std::nullopt;
  const std::string file = path.string();
  if (text->size() > kLargestFile) {
    *problem = {-1, fmt::format("{} is larger than {} MiB", quote(name), kLargestFile >> 20), ""};
    return std::nullopt;
  }
  if (!sources_->add(file, *text, problems_)) return std::nullopt;

  const std::size_t before = problems_->size();
  Table table;
  std::string_view rest = *text;
  if (rest.starts_with(kByteOrder)) rest.remove_prefix(kByteOrder.size());
  for (int line = 1; !rest.empty(); ++line) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view row = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (trim(row).empty() || trim(row).starts_with('#')) continue;
    const bool is_head = table.names.empty();
    if (!is_head) table.lines.push_back(line);
    if (!read_line(row, {file, line, 1}, &table) && (is_head || problems_->full())) break;
  }
  if (problems_->size() != before) return std::nullopt;
  return table;
}

/// The names, or a row of numbers.
bool Tables::read_line(std::string_view line, const SourceMark& mark, Table* table) {
  const std::vector<Cell> fields = split_line(line);
  const auto refuse = [&](const Cell& field, std::string message, std::string hint = {}) {
    problems_->add({mark.file, mark.line, static_cast<int>(field.place) + 1}, "table", std::move(message),
                   std::move(hint));
    return false;
  };
  if (table->names.empty()) {
    std::unordered_set<std::string_view> names;
    for (const Cell& field : fields) {
      if (read_number(field.text))
        return refuse(field,
                      fmt::format("{} is a number; the first line must name the columns", quote(field.text)),
                      "as in 't, torque'");
      if (!names.insert(field.text).second)
        return refuse(field, fmt::format("there are two columns {}", quote(field.text)));
      table->names.emplace_back(field.text);
    }
    table->columns.resize(fields.size());
    return true;
  }
  if (fields.size() != table->names.size())
    return refuse(fields.front(),
                  fmt::format("{} numbers stand under {} names", fields.size(), table->names.size()));
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::optional<double> number = read_number(fields[i].text);
    if (!number)
      return refuse(fields[i], fmt::format("{} under {} is no finite number", quote(fields[i].text),
                                           quote(table->names[i])));
    table->columns[i].push_back(*number);
  }
  return true;
}

void Tables::check(const std::string& file, const Table& table) {
  if (table.names.size() < 2)
    return problems_->add({file, 1, 1}, "table",
                          fmt::format("it has {} columns; must have two or more", table.names.size()),
                          "the first column is what the others are functions of");
  const std::vector<double>& x = table.columns[0];
  if (x.size() < 2)
    return problems_->add({file, 1, 1}, "table",
                          fmt::format("it has {} rows of numbers; must have two or more", x.size()));
  for (std::size_t i = 1; i < x.size(); ++i)
    if (!(x[i] > x[i - 1]))
      return problems_->add({file, table.lines[i], 1}, "table",
                            fmt::format("{} is {:.10g} after {:.10g}; the first column must increase",
                                        quote(table.names[0]), x[i], x[i - 1]));
}

}  // namespace haltere
