#include "haltere/io/plot/plot.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/continuation.h"
#include "app/output_file.h"
#include "app/picture_file.h"
#include "app/verbs.h"

#include "haltere/io/plot/result_plot.h"
#include "haltere/io/result/result.h"
#include "haltere/model/read_quantity.h"
#include "haltere/model/wrong_input.h"

namespace haltere {
namespace {

constexpr double kOneColumn = 86, kTwoColumns = 178;  // of most journals [mm]
constexpr double kNarrowest = 30, kWidest = 2000;     // [mm]

struct PlotArguments {
  std::string result;
  std::vector<std::string> channels, figures, with;
  std::string output;
  std::string x, log, size, font, title, from, to, dpi;
  bool equal = false, degrees = false, magnitude = false;
};

/// `CAPTION: GLOB GLOB`.
FigureGroup parse_figure(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) throw wrong_input("--figure", "'" + text + "' is not CAPTION: GLOB GLOB");
  std::istringstream words(text.substr(colon + 1));
  return {text.substr(0, colon), {std::istream_iterator<std::string>(words), {}}};
}

/// Figures of a page: those that were described, then one for every channel; none at all: those that every
/// run has.
std::string make_page_of(const Result& result, const PlotArguments& a) {
  std::vector<FigureGroup> groups;
  for (const std::string& figure : a.figures) groups.push_back(parse_figure(figure));
  for (const std::string& glob : a.channels) groups.push_back({glob, {glob}});
  return make_page(result, groups);
}

/// `one-column`, `two-column`, `120mm` or `120x80mm`.
void parse_size(const std::string& text, PlotOptions* options) {
  if (text == "one-column" || text == "two-column") {
    options->paper_width = text == "one-column" ? kOneColumn : kTwoColumns;
    return;
  }
  char* end = nullptr;
  options->paper_width = std::strtod(text.c_str(), &end);
  if (*end == 'x') options->paper_height = std::strtod(end + 1, &end);
  const std::string known = did_you_mean(text, {"one-column", "two-column"});
  if (std::string_view(end) != "mm" || text.empty() || std::isalpha(static_cast<unsigned char>(text[0])) != 0)
    throw wrong_input("--size", "'" + text + "' is no size",
                      known.empty() ? "write one-column, two-column, 120mm or 120x80mm" : known);
  const bool has_height = text.find('x') != std::string::npos;
  const auto fits = [](double x) { return x >= kNarrowest && x <= kWidest; };
  if (!fits(options->paper_width) || (has_height && !fits(options->paper_height)))
    throw wrong_input("--size", "'" + text + "' cannot be drawn",
                      fmt::format("both sides are {:g} to {:g} mm long", kNarrowest, kWidest));
}

void parse_log(const std::string& text, PlotOptions* options) {
  if (text != "x" && text != "y" && text != "xy")
    throw wrong_input("--log", "'" + text + "' is no axis", "write x, y or xy");
  options->log_x = text != "y";
  options->log_y = text != "x";
}

double parse_dpi(const std::string& text) {
  char* end = nullptr;
  const double dpi = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(dpi > 0 && std::isfinite(dpi)))
    throw wrong_input("--dpi", "'" + text + "' is no number of pixels per inch", "300 is usual for print");
  return dpi;
}

ResultPlot read_plot(const PlotArguments& a) {
  ResultPlot plot;
  plot.globs = a.channels;
  if (!a.x.empty()) plot.x = a.x;
  if (!a.from.empty()) plot.from = read_quantity("--from", a.from, "s");
  if (!a.to.empty()) plot.to = read_quantity("--to", a.to, "s");
  if (plot.from && plot.to && !(*plot.from < *plot.to))
    throw wrong_input("--to",
                      fmt::format("{:g} s is not after {:g} s, where --from is", *plot.to, *plot.from));
  plot.degrees = a.degrees;
  plot.magnitude = a.magnitude;
  plot.options.title = a.title;
  plot.options.font = a.font;
  plot.options.equal = a.equal;
  if (!a.log.empty()) parse_log(a.log, &plot.options);
  if (a.equal && !a.log.empty())
    throw wrong_input("--equal", "does not go with --log: leave out one of them");
  if (a.equal && a.x.empty())
    throw wrong_input("--equal", "is for one channel against another", "add --x CHANNEL");
  if (!a.size.empty()) parse_size(a.size, &plot.options);
  return plot;
}

void check_page(const PlotArguments& a) {
  for (const auto& [given, option] : {std::pair{!a.with.empty(), "--with"},
                                      {!a.x.empty(), "--x"},
                                      {!a.log.empty(), "--log"},
                                      {!a.size.empty(), "--size"},
                                      {!a.font.empty(), "--font"},
                                      {!a.title.empty(), "--title"},
                                      {!a.from.empty(), "--from"},
                                      {!a.to.empty(), "--to"},
                                      {a.equal, "--equal"},
                                      {a.degrees, "--degrees"},
                                      {a.magnitude, "--abs"},
                                      {!a.dpi.empty(), "--dpi"}})
    if (given) throw wrong_input(option, "belongs to a figure .svg, .pdf or .png, not to a page");
}

void check_figure(const PlotArguments& a) {
  const PictureFormat format = find_picture_format(a.output);
  if (format == PictureFormat::kNone)
    throw wrong_input(a.output, "figures are written as .svg, .pdf or .png, pages as .html");
  if (!a.figures.empty()) throw wrong_input("--figure", "belongs to a page .html");
  if (!a.dpi.empty() && format != PictureFormat::kPng)
    throw wrong_input("--dpi", "belongs to a .png: other figures have no pixels");
  if (a.channels.empty())
    throw wrong_input("CHANNEL", "which channels shall be drawn?", "'joint.*.angle' for example");
}

/// The file of a result that was named by its folder or by itself.
std::string find_result(const std::filesystem::path& place) {
  std::error_code error;
  return (std::filesystem::is_directory(place, error) ? place / kResultFile : place).string();
}

/// Folders of results, as far as they differ. InputError where one comes twice.
std::vector<std::string> name_results(const std::vector<std::string>& files) {
  namespace fs = std::filesystem;
  std::vector<std::string> paths;
  for (const std::string& file : files) {
    std::error_code error;
    fs::path place = fs::weakly_canonical(file, error);
    if (place.filename() == kResultFile) place = place.parent_path();
    if (std::find(paths.begin(), paths.end(), place.string()) != paths.end())
      throw wrong_input("--with", "'" + file + "' is drawn already");
    paths.push_back(place.string());
  }
  return tell_apart(paths);
}

int plot_page(const PlotArguments& a) {
  check_page(a);
  const Result result(a.result);
  require_outputs({a.output}, {find_result(a.result)});
  write_output(a.output, make_page_of(result, a));
  return kSuccess;
}

int plot_figure(const PlotArguments& a) {
  check_figure(a);
  const ResultPlot plot = read_plot(a);
  const double dpi = a.dpi.empty() ? PictureSize{}.dpi : parse_dpi(a.dpi);
  std::vector<std::string> files{find_result(a.result)};
  std::vector<Result> results;
  results.emplace_back(a.result);
  for (const std::string& other : a.with) {
    files.push_back(find_result(other));
    results.emplace_back(other);
  }
  const std::vector<std::string> names = name_results(files);
  std::vector<NamedResult> named;
  for (std::size_t i = 0; i < results.size(); ++i)
    named.push_back({&results[i], results.size() > 1 ? names[i] : ""});
  require_outputs({a.output}, files);
  const ResultPicture picture = make_result_plot(named, plot);
  for (const std::string& note : picture.notes) fmt::print(stderr, "note: {}\n", note);
  write_picture(a.output, picture.svg, {calc_width(plot.options), dpi});
  return kSuccess;
}

int plot(const PlotArguments& a) {
  const int status = a.output.ends_with(".html") ? plot_page(a) : plot_figure(a);
  if (a.output != "-") fmt::print(stderr, "wrote {}\n", a.output);
  return status;
}

void add_figure_options(CLI::App* verb, PlotArguments* a) {
  verb->add_option("--with", a->with, "draw the same channels of another result as well; may be repeated")
      ->type_name("RESULT")
      ->expected(1)
      ->take_all();
  verb->add_option("--x", a->x, "what stands along the horizontal axis (t)")->type_name("CHANNEL");
  verb->add_flag("--equal", a->equal, "one scale for both axes, where both are in one unit");
  verb->add_option("--log", a->log, "logarithmic axes; what is not positive is left out")
      ->type_name("x|y|xy");
  verb->add_flag("--abs", a->magnitude, "values without their signs");
  verb->add_flag("--degrees", a->degrees, "angles and their rates in degrees");
  verb->add_option("--from", a->from, "rows from this time on, 2 or \"500 ms\"")->type_name("S");
  verb->add_option("--to", a->to, "rows up to this time")->type_name("S");
  verb->add_option("--size", a->size,
                   "for print, with text of 8 pt: one-column (86 mm), two-column (178 mm), 120mm or 120x80mm "
                   "(none: for a screen, 900 px wide)")
      ->type_name("SIZE");
  verb->add_option("--font", a->font, "a font of this machine")->type_name("NAME");
  verb->add_option("--title", a->title, "above the figure")->type_name("TEXT");
  verb->add_option("--dpi", a->dpi, "pixels per inch of a .png (300)")->type_name("N");
}

}  // namespace

void add_plot(CLI::App* program, Action* action) {
  CLI::App* verb = program->add_subcommand("plot", "draw channels of results: figures for papers, pages");
  const auto a = std::make_shared<PlotArguments>();
  verb->add_option("RESULT", a->result, "folder of a result, or its result.h5")->required();
  verb->add_option("CHANNEL", a->channels, "channels or globs; one panel per unit");
  verb->add_option("-o,--output", a->output,
                   "figure .svg (- is stdout), .pdf or .png, or page .html with a figure for each CHANNEL")
      ->required()
      ->type_name("FILE");
  add_figure_options(verb, a.get());
  verb->add_option("--figure", a->figures, "of a page: caption and channels; may be repeated")
      ->type_name("'CAPTION: GLOB GLOB'")
      ->expected(1)
      ->take_all();
  verb->footer(
      "Examples:\n"
      "  haltere plot results/double-pendulum 'joint.*.angle' energy.total -o motion.svg\n"
      "  haltere plot results/double-pendulum 'joint.*.angle' --degrees --size one-column -o fig1.pdf\n"
      "  haltere plot results/double-pendulum joint.elbow.rate --x joint.elbow.angle -o phase.svg\n"
      "  haltere plot results/a 'joint.*.angle' --with results/b --from 2 --to 4 -o both.svg\n"
      "  haltere plot results/four-bar 'drift.*' --abs --log y --size 120x80mm --dpi 600 -o drift.png\n"
      "  haltere plot results/double-pendulum -o index.html\n"
      "A .pdf and a .png are made by the program rsvg-convert (Debian: librsvg2-bin).");
  verb->callback([=] { *action = [=] { return plot(*a); }; });
}

}  // namespace haltere
