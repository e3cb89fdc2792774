#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/output_file.h"
#include "app/report_page.h"
#include "app/signals.h"
#include "app/verbs.h"

#include "haltere/io/result/result.h"
#include "haltere/model/wrong_input.h"

namespace haltere {
namespace {

struct ReportArguments {
  std::vector<std::string> results;
  std::string output, size, title;
};

std::string make_title(const std::vector<Result>& results) {
  std::vector<std::string> names;
  for (const Result& result : results) {
    const RunInfo& info = result.info();
    std::string name = info.case_name.empty() ? info.model_name : info.model_name + " " + info.case_name;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

int report(const ReportArguments& a) {
  if (a.output.empty()) throw wrong_input("--output", "names no file", "-o report.html");
  require_page(a.output);
  const double size = a.size.empty() ? kReportSize : read_size(a.size);
  std::vector<Result> results;
  std::vector<std::string> places, inputs;
  for (const std::string& text : a.results) {
    places.push_back(find_result_place(text));
    inputs.push_back(find_result_file(places.back()));
    results.emplace_back(places.back());
  }
  require_outputs({a.output}, inputs);
  ReportContent content;
  content.title = a.title.empty() ? make_title(results) : a.title;
  for (std::size_t i = 0; i < results.size(); ++i)
    content.results.push_back({&results[i], name_of_result(places[i])});
  write_report(a.output, content, size);
  if (a.output != "-") fmt::print(stderr, "wrote {}\n", a.output);
  return kSuccess;
}

}  // namespace

void add_report(CLI::App* program, Action* action) {
  CLI::App* verb = program->add_subcommand("report", "a page that plays results in a browser, one file");
  const auto a = std::make_shared<ReportArguments>();
  verb->add_option("RESULT", a->results,
                   "folders of results, or their result.h5; several are shown over each other")
      ->required();
  verb->add_option("-o,--output", a->output, "the page, .html; - is stdout")->required()->type_name("FILE");
  verb->add_option(
          "--size", a->size,
          "of the page, at most (30MB): wakes are thinned first, then channels, whose extremes all stay")
      ->type_name("SIZE");
  verb->add_option("--title", a->title, "of the page (the models)");
  verb->footer(
      "Examples:\n"
      "  haltere report results/double-pendulum -o report.html\n"
      "  haltere report results/insect-hinge results/insect-hinge-damaged -o both.html --size 10MB\n"
      "The page needs no network and opens from disk. haltere view RESULT makes one and opens the browser.");
  verb->callback([=] { *action = [=] { return report(*a); }; });
}

}  // namespace haltere
