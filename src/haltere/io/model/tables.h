#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "haltere/formula/curve.h"
#include "haltere/formula/units.h"
#include "haltere/io/model/document.h"
#include "haltere/model/values.h"

namespace haltere {

/// Does the file lie in the folder, links followed?
bool lies_in(const std::filesystem::path& file, const std::filesystem::path& folder);
/// A path that leaves the folder which it starts from.
bool climbs(const std::filesystem::path& path);

/// The files that formulas read with `table(...)`: comma-separated numbers under a line of names, the first
/// column increasing; lines that start with # are comments. Each file is read once, and belongs to the record
/// of the model.
class Tables {
 public:
  Tables(Sources* sources, ProblemList* problems) : sources_(sources), problems_(problems) {}

  /// Where the files lie, or below; without one there are none.
  void set_folder(std::filesystem::path folder) { folder_ = std::move(folder); }
  /// A column as a function of the first one; `mark`: of the formula. Nothing: `problem` says why, as
  /// Scope::find_curve does, or is empty where the mistakes of the file stand in the list already.
  std::shared_ptr<const Curve> find(std::string_view file, std::string_view column, const CurveSpec& spec,
                                    const SourceMark& mark, TextProblem* problem);
  /// What all fits so far leave of their columns, a sentence for each file and fit.
  std::vector<std::string> list_fits() const;
  /// The points of a surface: columns i, j, x, y, z [m], i and j counting its rows and columns from 0, in any
  /// order. Nothing: as above.
  std::shared_ptr<const PointGrid> find_grid(std::string_view file, const SourceMark& mark,
                                             TextProblem* problem);

 private:
  struct Table {
    std::vector<std::string> names;
    std::vector<int> lines;  // of the rows
    std::vector<std::vector<double>> columns;
    std::map<std::pair<CurveSpec, std::string>, std::shared_ptr<const Curve>> curves;  // by column
  };
  std::optional<Table> read(const std::filesystem::path& path, const SourceMark& mark, TextProblem* problem);
  bool read_line(std::string_view line, const SourceMark& mark, Table* table);
  void check(const std::string& file, const Table& table);
  static std::shared_ptr<const Curve> make_curve(const Table& table, const std::vector<double>& y,
                                                 const CurveSpec& spec, const std::string& name,
                                                 TextProblem* problem);
  std::shared_ptr<const PointGrid> make_grid(const std::string& file, const Table& table);

  Sources* sources_;
  ProblemList* problems_;
  std::filesystem::path folder_;
  std::map<std::string, std::optional<Table>, std::less<>> tables_;  // nothing: a file with mistakes
  std::map<std::string, std::shared_ptr<const PointGrid>, std::less<>> grids_;
};

}  // namespace haltere
