#pragma once

#include <string>
#include <vector>

namespace haltere {

/// One name of a legend, with the line that it belongs to.
struct LegendEntry {
  std::string name;
  int color = 0;  // in kColors; kInk or kNoLine
  int dash = 0;   // in kDashes
  bool dots = false;

  static constexpr int kInk = -1;     // the dash matters, in any colour
  static constexpr int kNoLine = -2;  // a name alone
};

/// Where the entries of a legend stand: from left to right in rows, one below the other in columns.
struct Legend {
  struct Place {
    LegendEntry entry;
    double x = 0;  // from the left end
    int row = 0;
  };
  std::vector<Place> places;
  int rows = 0;
};

/// Sizes of a legend in units of the figure.
struct LegendSizes {
  double font = 12, swatch = 22, width = 800;
};

Legend make_legend(const std::vector<LegendEntry>& entries, const LegendSizes& sizes);

}  // namespace haltere
