#include "haltere/io/plot/plot.h"

#include <filesystem>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/continuation.h"
#include "app/output_file.h"
#include "app/verbs.h"

#include "haltere/io/result/result.h"
#include "haltere/model/wrong_input.h"

namespace haltere {
namespace {

struct PlotArguments {
  std::string result;
  std::vector<std::string> channels;
  std::vector<std::string> figures;
  std::string output;
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

void check_arguments(const PlotArguments& a, bool is_page) {
  if (is_page) return;
  if (!a.output.ends_with(".svg") && a.output != "-")
    throw wrong_input(a.output, "plots are written as .svg, or as a page .html");
  if (!a.figures.empty()) throw wrong_input("--figure", "belongs to a page .html");
  if (a.channels.empty())
    throw wrong_input("CHANNEL", "which channels shall be drawn?", "'joint.*.angle' for example");
}

/// The file of a result that was named by its folder or by itself.
std::string find_result(const std::filesystem::path& place) {
  std::error_code error;
  return (std::filesystem::is_directory(place, error) ? place / kResultFile : place).string();
}

int plot(const PlotArguments& a) {
  const bool is_page = a.output.ends_with(".html");
  check_arguments(a, is_page);
  const Result result(a.result);
  require_outputs({a.output}, {find_result(a.result)});
  const std::string text = is_page ? make_page_of(result, a) : make_plot(result, a.channels);
  write_output(a.output, text);
  if (a.output != "-") fmt::print(stderr, "wrote {}\n", a.output);
  return kSuccess;
}

}  // namespace

void add_plot(CLI::App* program, Action* action) {
  CLI::App* verb = program->add_subcommand("plot", "draw channels of a result over time");
  const auto a = std::make_shared<PlotArguments>();
  verb->add_option("RESULT", a->result, "folder of a result, or its result.h5")->required();
  verb->add_option("CHANNEL", a->channels, "channels or globs; one panel per unit");
  verb->add_option("--figure", a->figures, "of a page: caption and channels; may be repeated")
      ->type_name("'CAPTION: GLOB GLOB'")
      ->expected(1)
      ->take_all();
  verb->add_option("-o,--output", a->output,
                   "figure .svg (- is stdout), or page .html with a figure for each CHANNEL")
      ->required()
      ->type_name("FILE");
  verb->footer(
      "Examples:\n"
      "  haltere plot results/double-pendulum 'joint.*.angle' energy.total -o motion.svg\n"
      "  haltere plot results/double-pendulum -o index.html");
  verb->callback([=] { *action = [=] { return plot(*a); }; });
}

}  // namespace haltere
