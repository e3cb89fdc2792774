#pragma once

#include <optional>
#include <string>
#include <vector>

#include "haltere/io/plot/plot.h"

namespace haltere {

/// What of a result a figure shows, and how.
struct ResultPlot {
  std::vector<std::string> globs;  // channels, see select_channels
  std::string x = "t";             // the channel that they stand over
  std::optional<double> from, to;  // rows in between [s]
  bool degrees = false;            // in place of radians
  bool magnitude = false;          // without signs
  PlotOptions options;             // size, logarithmic axes, title; the rest follows from the results
};

struct NamedResult {
  const Result* result = nullptr;
  std::string name;  // in the legend, where there are several
};

struct ResultPicture {
  std::string svg;
  std::vector<std::string> notes;  // what is not shown, and why
};

/// The same channels of one result or of several. InputError for what cannot be drawn.
ResultPicture make_result_plot(const std::vector<NamedResult>& results, ResultPlot plot);

/// Names for files as far as they differ: `a` and `b` of /x/a/run and /x/b/run, `l=1` and `l=2` of results/p-l=1
/// and results/p-l=2.
std::vector<std::string> tell_apart(const std::vector<std::string>& paths);

}  // namespace haltere
