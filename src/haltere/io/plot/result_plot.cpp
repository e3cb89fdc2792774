#include "haltere/io/plot/result_plot.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>
#include <string_view>

#include <fmt/format.h>

#include "haltere/model/wrong_input.h"

namespace haltere {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

/// Rows of a result within the times that are wanted.
struct Rows {
  std::size_t first = 0, last = 0;
};

/// A result, and the rows of it that are drawn.
class Source {
 public:
  Source(const NamedResult& named, const ResultPlot& plot);
  const std::vector<double>& times() const { return t_; }
  std::size_t size() const { return rows_.last - rows_.first; }
  const std::string& name() const { return named_.name; }
  const Result& result() const { return *named_.result; }
  std::vector<Channel> select(const std::vector<std::string>& globs) const;
  /// In the unit that is drawn; NaN from when on the channel means nothing.
  std::vector<double> read(const Channel& channel, bool magnitude) const;

 private:
  const NamedResult& named_;
  const ResultPlot& plot_;
  std::vector<double> t_;
  Rows rows_;
};

Source::Source(const NamedResult& named, const ResultPlot& plot)
    : named_(named), plot_(plot), t_(named.result->column("t")) {
  const auto begin = plot.from ? std::lower_bound(t_.begin(), t_.end(), *plot.from) : t_.begin();
  const auto end = plot.to ? std::upper_bound(begin, t_.end(), *plot.to) : t_.end();
  rows_ = {static_cast<std::size_t>(begin - t_.begin()), static_cast<std::size_t>(end - t_.begin())};
}

std::vector<Channel> Source::select(const std::vector<std::string>& globs) const {
  try {
    return select_channels(result().channels(), globs);
  } catch (const InputError& error) {
    if (named_.name.empty()) throw;
    std::vector<Problem> problems = error.problems();
    for (Problem& problem : problems) problem.message = named_.name + ": " + problem.message;
    throw InputError(std::move(problems));
  }
}

bool is_angle(const std::string& unit) {
  return unit == "rad" || unit.starts_with("rad/");
}

std::string unit_of(const Channel& channel, const ResultPlot& plot) {
  return plot.degrees && is_angle(channel.unit) ? "deg" + channel.unit.substr(3) : channel.unit;
}

std::string name_of(const Channel& channel, const ResultPlot& plot) {
  return plot.magnitude ? '|' + channel.name + '|' : channel.name;
}

std::vector<double> Source::read(const Channel& channel, bool magnitude) const {
  std::vector<double> values = result().column(channel.name);
  // the row of the event is the first without meaning
  const auto end = std::lower_bound(t_.begin(), t_.end(), channel.valid_until) - t_.begin();
  std::fill(values.begin() + std::min(end, std::ssize(values)), values.end(), kNothing);
  values.resize(std::min(values.size(), rows_.last));
  values.erase(values.begin(),
               values.begin() + static_cast<std::ptrdiff_t>(std::min(values.size(), rows_.first)));
  const double factor = plot_.degrees && is_angle(channel.unit) ? 180 / std::numbers::pi : 1;
  for (double& value : values) value = factor * (magnitude ? std::abs(value) : value);
  return values;
}

/// What a logarithmic axis cannot show goes; how many values that were.
std::size_t remove_what_is_not_positive(std::vector<double>* values) {
  std::size_t n = 0;
  for (double& value : *values) {
    if (!std::isfinite(value) || value > 0) continue;
    value = kNothing;
    ++n;
  }
  return n;
}

bool has_values(const std::vector<double>& values) {
  return std::any_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

class Collector {
 public:
  explicit Collector(ResultPlot* plot) : plot_(*plot) {}
  void add(const Source& source, const Channel& x);
  void add_events(const Source& source, bool name_source);
  std::vector<std::vector<double>> x;
  std::vector<PlotSeries> series;
  std::vector<std::string> notes;

 private:
  void note(const Source& source, const std::string& channel, std::size_t lost, std::size_t all);
  ResultPlot& plot_;
};

void Collector::note(const Source& source, const std::string& channel, std::size_t lost, std::size_t all) {
  if (lost == 0) return;
  const std::string whose = source.name().empty() ? "" : source.name() + ": ";
  notes.push_back(
      fmt::format("{}{}: {} of {} values are not positive and not shown", whose, channel, lost, all));
}

void Collector::add(const Source& source, const Channel& x_channel) {
  x.push_back(source.read(x_channel, false));
  if (plot_.options.log_x)
    note(source, x_channel.name, remove_what_is_not_positive(&x.back()), source.size());
  for (const Channel& channel : source.select(plot_.globs)) {
    if (channel.name == "t") continue;
    PlotSeries s{name_of(channel, plot_), unit_of(channel, plot_), source.read(channel, plot_.magnitude)};
    s.source = source.name();
    s.x = x.size() - 1;
    if (plot_.options.log_y) {
      const std::size_t lost = remove_what_is_not_positive(&s.values);
      note(source, channel.name, lost, source.size());
      if (lost > 0 && !has_values(s.values)) continue;
    }
    series.push_back(std::move(s));
  }
}

void Collector::add_events(const Source& source, bool name_source) {
  for (const RunEvent& event : source.result().events()) {
    const auto same = [&](const PlotMark& mark) {
      return mark.t == event.t && (mark.name == event.name || mark.name.starts_with(event.name + " ("));
    };
    std::vector<PlotMark>& marks = plot_.options.marks;
    if (std::any_of(marks.begin(), marks.end(), same)) continue;
    marks.push_back({event.t, name_source ? fmt::format("{} ({})", event.name, source.name()) : event.name});
  }
}

Channel find_channel(const Source& source, const std::string& name) {
  for (const Channel& channel : source.result().channels())
    if (channel.name == name) return channel;
  const std::vector<Channel> found = source.select({name});  // or "did you mean"
  const auto other = std::find_if(found.begin(), found.end(), [](const Channel& c) { return c.name != "t"; });
  throw wrong_input("--x", "'" + name + "' is not one channel",
                    other == found.end() ? "" : "'" + other->name + "' is one");
}

void check_scales(const ResultPlot& plot, const std::vector<PlotSeries>& series) {
  if (!plot.options.equal) return;
  for (const PlotSeries& s : series)
    if (s.unit != plot.options.x_unit)
      throw wrong_input("--equal", fmt::format("'{}' is in [{}], '{}' in [{}]: there is no equal scale",
                                               s.name, s.unit, plot.options.x, plot.options.x_unit));
}

/// Names lose what all begin with, up to a separator; not where that is the whole of one of them and others add words.
void cut_common_start(std::vector<std::string>* names) {
  constexpr std::string_view kSeparators = "-,_";
  std::string start = names->front();
  for (const std::string& name : *names) {
    const auto [end, other] = std::mismatch(start.begin(), start.end(), name.begin(), name.end());
    start.erase(end, start.end());
  }
  const auto ends_here = [&](const std::string& name) { return name == start; };
  const auto adds_words = [&](const std::string& name) {
    return name != start && kSeparators.find(name[start.size()]) != std::string_view::npos;
  };
  const bool is_name = std::any_of(names->begin(), names->end(), ends_here);
  if (is_name && std::any_of(names->begin(), names->end(), adds_words)) return;
  const std::size_t separator = start.find_last_of(kSeparators);
  if (separator == std::string::npos || (is_name && separator + 1 == start.size())) return;
  for (std::string& name : *names) name.erase(0, separator + 1);
}

std::vector<std::string> split_path(const std::string& path) {
  std::vector<std::string> parts{""};
  for (const char c : path) {
    if (c == '/')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

}  // namespace

ResultPicture make_result_plot(const std::vector<NamedResult>& results, ResultPlot plot) {
  Collector all(&plot);
  bool has_rows = false;
  for (const NamedResult& named : results) {
    const Source source(named, plot);
    has_rows |= source.size() > 0;
    const Channel x = find_channel(source, plot.x);
    plot.options.x = x.name;
    plot.options.x_unit = unit_of(x, plot);
    all.add(source, x);
    if (x.name == "t") all.add_events(source, results.size() > 1);
  }
  if (!has_rows && (plot.from || plot.to)) {
    const std::vector<double> t = results.front().result->column("t");
    throw wrong_input(
        plot.from ? "--from" : "--to", "there are no rows in this time",
        t.empty() ? "" : fmt::format("there are some at t = {:g} ... {:g} s", t.front(), t.back()));
  }
  const bool is_log = plot.options.log_x || plot.options.log_y;
  const auto has_x = [](const std::vector<double>& x) { return has_values(x); };
  if (is_log && (all.series.empty() || std::none_of(all.x.begin(), all.x.end(), has_x)))
    throw wrong_input("--log", "none of the values is positive: nothing can be drawn",
                      plot.magnitude ? "" : "--abs draws them without their signs");
  check_scales(plot, all.series);
  return {make_plot(all.x, all.series, plot.options), std::move(all.notes)};
}

std::string make_plot(const Result& result, const std::vector<std::string>& globs, PlotOptions options) {
  ResultPlot plot;
  plot.globs = globs;
  plot.options = std::move(options);
  return make_result_plot({{&result, ""}}, std::move(plot)).svg;
}

std::vector<std::string> tell_apart(const std::vector<std::string>& paths) {
  std::vector<std::vector<std::string>> parts;
  for (const std::string& path : paths) parts.push_back(split_path(path));
  if (paths.size() == 1) return {parts[0].back()};
  const auto is_common = [&](auto part) {
    return std::all_of(parts.begin(), parts.end(),
                       [&](const auto& p) { return p.size() > 1 && part(p) == part(parts.front()); });
  };
  while (is_common([](const auto& p) { return p.back(); }))
    for (auto& p : parts) p.pop_back();
  while (is_common([](const auto& p) { return p.front(); }))
    for (auto& p : parts) p.erase(p.begin());
  std::vector<std::string> names;
  for (const auto& p : parts) names.push_back(fmt::format("{}", fmt::join(p, "/")));
  cut_common_start(&names);
  return names;
}

}  // namespace haltere
