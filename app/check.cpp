#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/model_arguments.h"
#include "app/output_file.h"
#include "app/verbs.h"

#include "haltere/io/json.h"
#include "haltere/io/model/model_reader.h"
#include "haltere/simulate/notes.h"
#include "haltere/simulate/run.h"
#include "haltere/simulate/start.h"
#include "haltere/simulate/table_watch.h"

namespace haltere {
namespace {

/// Coordinates of the tree, less the independent rows of loops and constraints where the machine starts.
struct Freedom {
  int coordinates = 0, rows = 0, redundant = 0, prescribed = 0;
  std::vector<std::string> notes;  // on the start
  int degrees() const { return coordinates - (rows - redundant); }
};

Freedom count_freedom(const Model& model) {
  const std::unique_ptr<Equations> equations = make_equations("recursive", model);
  Freedom freedom{equations->sizes().nv, equations->sizes().na, 0, 0, {}};
  for (const JointSpec& joint : model.joints)
    for (int k = 0; k < joint.nv(); ++k) freedom.prescribed += joint.mode(k) == CoordinateMode::kPrescribed;
  if (freedom.rows == 0) return freedom;
  const Start start = calc_start(model, equations->parameters());
  freedom.redundant = static_cast<int>(start.redundant.size());
  freedom.notes = start.notes;
  return freedom;
}

std::string count_of(long n, const char* one, const char* many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

Json describe(const std::vector<Problem>& problems) {
  Json list = Json::array();
  for (const Problem& p : problems)
    list.push_back({{"file", p.mark.file},
                    {"line", p.mark.line},
                    {"column", p.mark.column},
                    {"severity", p.is_warning() ? "warning" : "error"},
                    {"thing", p.thing},
                    {"message", p.message},
                    {"hint", p.hint}});
  return list;
}

int check_model(const ModelArguments& arguments, Json* json) {
  Model model = arguments.read();
  const RunOptions options = make_run_options(model, {});  // refuses unknown integrators and the like
  require_formulation(model, options);
  if (!model.outputs.empty()) select_outputs(model);  // and outputs that are no channels
  for (Problem& problem : TableWatch(model).find_short_tables(options.until, model.calc_parameters()))
    model.warnings.push_back(std::move(problem));
  print_warnings(model);
  const Freedom freedom = count_freedom(model);
  std::vector<std::string> closing;
  for (std::size_t j = model.n_tree(); j < model.joints.size(); ++j)
    closing.push_back(fmt::format("joint '{}'", model.joints[j].name()));
  if (!closing.empty()) fmt::print(stderr, "note: {}\n", say_of_all(closing, kClosesLoop, kCloseLoops));
  for (const std::string& note : model.notes) fmt::print(stderr, "note: {}\n", note);
  for (const std::string& note : freedom.notes) fmt::print(stderr, "note: {}\n", note);
  std::string line = fmt::format("{}: {}, {}, {}", arguments.model,
                                 count_of(static_cast<long>(model.bodies.size()) - 1, "body", "bodies"),
                                 count_of(static_cast<long>(model.joints.size()), "joint", "joints"),
                                 count_of(freedom.degrees(), "degree of freedom", "degrees of freedom"));
  if (freedom.rows > 0)
    line += fmt::format(", {} ({} redundant)", count_of(freedom.rows, "constraint row", "constraint rows"),
                        freedom.redundant);
  if (freedom.prescribed > 0) line += fmt::format(", {} prescribed", freedom.prescribed);
  if (!model.warnings.empty())
    line += ", " + count_of(static_cast<long>(model.warnings.size()), "warning", "warnings");
  fmt::print(stderr, "{}: no problems\n", line);
  std::vector<std::string> notes = model.notes;
  notes.insert(notes.end(), freedom.notes.begin(), freedom.notes.end());
  *json = {{"problems", describe(model.warnings)}, {"bodies", model.bodies.size() - 1},
           {"joints", model.joints.size()},        {"degrees_of_freedom", freedom.degrees()},
           {"constraint_rows", freedom.rows},      {"redundant_rows", freedom.redundant},
           {"prescribed", freedom.prescribed},     {"notes", notes}};
  return kSuccess;
}

struct CheckArguments {
  ModelArguments model;
  std::string json;
};

/// The problems are on stderr for people, whatever else is asked for.
int check(const CheckArguments& a) {
  require_outputs({a.json}, {});
  Json json;
  try {
    const int status = check_model(a.model, &json);
    if (!a.json.empty()) write_output(a.json, to_text(json));
    return status;
  } catch (const InputError& error) {
    if (!a.json.empty()) write_output(a.json, to_text({{"problems", describe(error.problems())}}));
    throw;
  }
}

}  // namespace

void add_check(CLI::App* program, Action* action) {
  CLI::App* verb =
      program->add_subcommand("check", "find every problem of a model, each with its place and a hint");
  const auto arguments = std::make_shared<CheckArguments>();
  arguments->model.add_to(verb);
  verb->add_option("--json", arguments->json, "problems and counts for other programs; - is stdout")
      ->type_name("FILE");
  verb->footer("Example:\n  haltere check my-machine/model.yaml");
  verb->callback([=] { *action = [=] { return check(*arguments); }; });
}

}  // namespace haltere
