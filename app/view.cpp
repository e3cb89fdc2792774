#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <unistd.h>

#include "app/report_page.h"
#include "app/verbs.h"

#include "haltere/io/result/result.h"
#include "haltere/model/wrong_input.h"

namespace haltere {
namespace fs = std::filesystem;
namespace {

std::string find_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// The program that opens pages; "" where there is no display for one.
std::string find_browser() {
  const std::string browser = find_variable("BROWSER");
  if (!browser.empty()) return browser.substr(0, browser.find(':'));
  const bool has_display = !find_variable("DISPLAY").empty() || !find_variable("WAYLAND_DISPLAY").empty();
  return has_display ? "xdg-open" : "";
}

/// Starts it and does not wait: it may be the browser itself.
bool open_page(const std::string& browser, const std::string& page) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0);
  std::vector<std::string> words{browser, page};
  std::vector<char*> arguments{words[0].data(), words[1].data(), nullptr};
  pid_t process = 0;
  const int error = posix_spawnp(&process, browser.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error == 0;
}

int view(const std::vector<std::string>& names) {
  require_viewer();
  std::vector<Result> results;
  ReportContent content;
  for (const std::string& name : names) results.emplace_back(find_result_place(name));
  for (std::size_t i = 0; i < names.size(); ++i)
    content.results.push_back({&results[i], name_of_result(find_result_place(names[i]))});
  content.title = content.results[0].name;
  const fs::path folder = make_temporary_folder();
  const std::string page = (folder / "report.html").string();
  try {
    write_report(page, content);
  } catch (const std::exception&) {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    throw;
  }
  fmt::print("{}\n", page);
  const std::string browser = find_browser();
  if (browser.empty())
    fmt::print(stderr,
               "there is no display: copy the page to where there is one, and open it in a browser\n");
  else if (!open_page(browser, page))
    fmt::print(stderr, "'{}' cannot be started; BROWSER names another program, or open the page by hand\n",
               browser);
  return kSuccess;
}

}  // namespace

void add_view(CLI::App* program, Action* action) {
  CLI::App* verb = program->add_subcommand("view", "show results in the browser");
  const auto results = std::make_shared<std::vector<std::string>>();
  verb->add_option("RESULT", *results, "folders of results, or their result.h5")->required();
  verb->footer(
      "Examples:\n"
      "  haltere view results/double-pendulum\n"
      "Writes the page of haltere report to a temporary place, prints where, and opens it: with the program "
      "that BROWSER\n"
      "names, else with xdg-open where there is a display.");
  verb->callback([=] { *action = [=] { return view(*results); }; });
}

}  // namespace haltere
