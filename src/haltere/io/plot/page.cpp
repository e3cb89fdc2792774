#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include "haltere/io/plot/markup.h"
#include "haltere/io/plot/plot.h"

namespace haltere {
namespace {

constexpr std::size_t kMostLines = 12;  // of a figure that nobody asked for

constexpr std::string_view kStyle = R"(
body{margin:0;background:#f5f6f8;color:#2b2f36;font:15px/1.5 Inter,'Segoe UI','Helvetica Neue',Arial,sans-serif}
main{max-width:960px;margin:0 auto;padding:32px 20px 64px}
h1{font-size:26px;margin:0}
.subtitle{color:#5b616d;margin:4px 0 20px}
section,figure{background:#fff;border:1px solid #e2e5ea;border-radius:10px;padding:16px 20px;margin:0 0 18px}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th{text-align:left;font-weight:500;color:#5b616d;padding:2px 24px 2px 0;vertical-align:top}
td{padding:2px 0}
ul{margin:12px 0 0;padding-left:18px}
figcaption{font-weight:600;margin-bottom:6px}
svg{max-width:100%;height:auto;display:block}
)";

bool is_joint_motion(const Channel& c) {
  return c.name.starts_with("joint.") &&
         (c.name.find(".angle") != std::string::npos || c.name.find(".position") != std::string::npos);
}
bool is_joint_rate(const Channel& c) {
  return c.name.starts_with("joint.") &&
         (c.name.find(".rate") != std::string::npos || c.name.find(".velocity") != std::string::npos);
}
bool is_turning(const Channel& c) {
  return c.name.starts_with("body.") && c.name.find(".angular_velocity") != std::string::npos;
}
bool is_position(const Channel& c) {
  return c.name.starts_with("body.") && c.name.find(".position") != std::string::npos;
}
bool is_energy(const Channel& c) {
  return c.name == "energy.kinetic" || c.name == "energy.potential" || c.name == "energy.total" ||
         c.name == "energy.work";
}
bool is_balance(const Channel& c) {
  return c.name == "energy.balance";
}

/// What most people look at first.
std::vector<FigureGroup> make_default_groups(const Result& result) {
  std::vector<FigureGroup> groups;
  const auto add = [&](std::string caption, bool (*wanted)(const Channel&)) {
    std::vector<std::string> names;
    for (const Channel& channel : result.channels())
      if (wanted(channel)) names.push_back(channel.name);
    if (!names.empty() && names.size() <= kMostLines)
      groups.emplace_back(std::move(caption), std::move(names));
  };
  add("Motion of the joints", is_joint_motion);
  add("Rates of the joints", is_joint_rate);
  add("Angular velocities of the bodies, body axes", is_turning);
  add("Positions of the bodies", is_position);
  add("Energy", is_energy);
  add("Energy balance: what the computation loses or gains", is_balance);
  return groups;
}

void add_facts(const Result& result, Page* page) {
  const RunInfo& info = result.info();
  const RunSummary& summary = result.summary();
  page->facts = {{"model", info.model_name + (info.case_name.empty() ? "" : ", case " + info.case_name)},
                 {"outcome", result.outcome()},
                 {"time", fmt::format("{:g} s, {} rows", summary.t, result.rows())},
                 {"formulation", info.formulation},
                 {"integrator", fmt::format("{}, tolerance {:g}", info.integrator, info.tolerance)},
                 {"steps", fmt::format("{} ({} rejected), {} evaluations of the motion", summary.steps,
                                       summary.rejected, summary.evaluations)},
                 {"haltere", fmt::format("{} for {}", info.version, info.instruction_set)}};
  for (const RunEvent& event : result.events())
    page->facts.emplace_back("event " + event.name, fmt::format("t = {:.10g} s {}", event.t, event.what));
}

void add_lines(const std::string& text, std::vector<std::string>* lines) {
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines->push_back(line);
}

}  // namespace

std::string make_page(const Page& page) {
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{0}</title>\n"
      "<style>{1}</style>\n</head>\n<body>\n<main>\n<h1>{0}</h1>\n<p class=\"subtitle\">{2}</p>\n",
      escape_markup(page.title), kStyle, escape_markup(page.subtitle));
  html += "<section>\n<table>\n";
  for (const auto& [name, value] : page.facts)
    html += fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", escape_markup(name), escape_markup(value));
  html += "</table>\n";
  if (!page.remarks.empty()) html += "<ul>\n";
  for (const std::string& remark : page.remarks) html += fmt::format("<li>{}</li>\n", escape_markup(remark));
  html += page.remarks.empty() ? "</section>\n" : "</ul>\n</section>\n";
  for (const Page::Figure& figure : page.figures)
    html += fmt::format("<figure>\n<figcaption>{}</figcaption>\n{}</figure>\n", escape_markup(figure.caption),
                        figure.svg);
  return html + "</main>\n</body>\n</html>\n";
}

std::string make_page(const Result& result, std::vector<FigureGroup> groups) {
  if (groups.empty()) groups = make_default_groups(result);
  Page page;
  page.title = result.info().model_name.empty() ? "haltere" : result.info().model_name;
  page.subtitle = result.info().reference;
  add_facts(result, &page);
  add_lines(result.summary().message, &page.remarks);
  if (result.outcome() != "running") add_lines(result.summary().audit.text(), &page.remarks);
  for (const auto& [caption, globs] : groups) page.figures.push_back({caption, make_plot(result, globs)});
  return make_page(page);
}

}  // namespace haltere
