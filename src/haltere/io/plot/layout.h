#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "haltere/io/plot/axis.h"
#include "haltere/io/plot/legend.h"
#include "haltere/io/plot/plot.h"

namespace haltere {

/// Sizes in units of a figure: px on a screen, pt on paper.
struct FigureLook {
  double font, tick_font, title_font, note_font;
  double line, frame, grid;  // widths of lines
  double row, row_gap, title_row, gap, swatch,
      dot;  // rows of a legend and below it, between panels, a line in a legend
  double left, right, top, tick_drop, name_drop, bottom;  // least margins; baselines below the last panel
  double column;                                          // points closer than this along x are seen as one
  std::string_view fonts;
};

/// The lines of one unit and what stands around them.
struct FigurePanel {
  struct Line {
    const PlotSeries* series;
    int color, dash;
  };
  std::string unit, name;  // at its axis
  std::vector<Line> lines;
  std::vector<LegendEntry> entries;
  Legend legend;
  double top = 0;  // of the axes
  Axis axis;
};

/// Where everything stands in a figure.
struct FigureLayout {
  FigureLook look;
  double width = 0, height = 0, left = 0, right = 0, panel_height = 0;
  std::vector<std::string> title;  // its lines
  std::vector<LegendEntry> sources;
  Legend source_legend;  // of all panels, below the title
  std::vector<FigurePanel> panels;
  Axis x;
  double inner_width() const { return std::max(width - left - right, 1.0); }
};

FigureLayout make_layout(const std::vector<std::vector<double>>& x, const std::vector<PlotSeries>& series,
                         const PlotOptions& options);

}  // namespace haltere
