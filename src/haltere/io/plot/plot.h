#pragma once

#include <string>
#include <utility>
#include <vector>

#include "haltere/io/result/result.h"

namespace haltere {

/// One line of a plot.
struct PlotSeries {
  std::string name;
  std::string unit;  // series of one unit share an axis; "" for pure numbers
  std::vector<double> values;
  std::string source{};  // where several results are drawn: which; told apart by dashes, or by colours where
                         // every axis has one name
  std::size_t x = 0;     // which of the columns of x it stands over
  bool dots = false;     // at every value
};

/// A vertical line at a time.
struct PlotMark {
  double t = 0;  // [s]
  std::string name;
};

struct PlotOptions {
  std::string title;            // none: no line for it
  int width = 900;              // of the figure     [px]
  int panel_height = 220;       // of each axis      [px]
  std::vector<PlotMark> marks;  // events
  std::string x = "t", x_unit = "s";
  std::string y{};  // name of all vertical axes; none: of what they show, where that is one thing
  bool log_x = false, log_y = false;  // what is not positive is left out
  bool equal = false;                 // one scale for both axes, where all has one unit
  double paper_width = 0;             // > 0: drawn for print, instead of width and panel_height  [mm]
  double paper_height = 0;            // 0: as high as it needs                                   [mm]
  std::string font{};                 // none: one without serifs
};

/// Lines as an SVG document: one panel per unit, in order of first appearance. Long series are thinned to what
/// the picture can show, extremes and shape kept. InputError where a paper is too low for all panels.
std::string make_plot(const std::vector<std::vector<double>>& x, const std::vector<PlotSeries>& series,
                      const PlotOptions& options);

/// All over one column.
std::string make_plot(const std::vector<double>& x, const std::vector<PlotSeries>& series,
                      const PlotOptions& options);

/// How wide the picture is on paper; on a screen 96 px are an inch.                                [mm]
double calc_width(const PlotOptions& options);

/// Channels of a result (globs, see select_channels), with its events as marks.
std::string make_plot(const Result& result, const std::vector<std::string>& globs, PlotOptions options = {});

/// A page that stands alone: a title, facts as a table, remarks, figures.
struct Page {
  struct Figure {
    std::string caption;
    std::string svg;
  };
  std::string title;
  std::string subtitle;
  std::vector<std::pair<std::string, std::string>> facts;
  std::vector<std::string> remarks;  // one line each
  std::vector<Figure> figures;
};

/// The page as HTML; texts are escaped, nothing is loaded from elsewhere.
std::string make_page(const Page& page);

/// The page of a run: its settings, outcome, events and audit, and one figure per group of globs (caption,
/// globs). No group: the joints' motions, the bodies' positions and the energies, as far as they were
/// recorded.
using FigureGroup = std::pair<std::string, std::vector<std::string>>;
std::string make_page(const Result& result, std::vector<FigureGroup> groups = {});

}  // namespace haltere
