#include "haltere/io/model/model_reader.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "haltere/io/model/assemble.h"
#include "haltere/io/model/expand.h"
#include "haltere/io/model/reader.h"
#include "haltere/io/model/tables.h"
#include "haltere/model/lattice_checks.h"

namespace haltere {
namespace {

/// The sections that are maps of entries by name, and what an entry is called.
constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kCollections{
    {{"bodies", "body"},
     {"joints", "joint"},
     {"constraints", "constraint"},
     {"forces", "force"},
     {"surfaces", "surface"},
     {"states", "state"},
     {"signals", "signal"},
     {"events", "event"},
     {"measures", "measure"},
     {"initial", "initial"}}};

/// From the files of a model to the Model, stage by stage.
class ModelReader {
 public:
  explicit ModelReader(const ReadOptions& options, std::string over = {})
      : options_(options),
        over_(std::move(over)),
        assembler_(&sources_, &problems_),
        tables_(&sources_, &problems_),
        reader_(&model_, &problems_) {
    reader_.formulas.find_curve =
        [this](std::string_view file, std::string_view column, const CurveSpec& spec, const SourceMark& mark,
               TextProblem* problem) { return tables_.find(file, column, spec, mark, problem); };
    reader_.find_grid = [this](const std::string& file, const SourceMark& mark, TextProblem* problem) {
      return tables_.find_grid(file, mark, problem);
    };
  }

  Model read(const std::function<std::optional<YamlNode>(Assembler*)>& read_root,
             std::string_view default_name) {
    std::optional<YamlNode> root = read_root(&assembler_);
    if (!root) problems_.throw_errors();
    tables_.set_folder(assembler_.folder());
    assembler_.apply_case(options_.case_name, &*root);
    assembler_.apply_settings(options_.set, &*root);
    if (!over_.empty()) assembler_.apply_text(over_, &*root);
    read_head(*root, default_name);
    reader_.read_parameters(section(*root, "parameters"));
    expand(&*root);
    read_sections(*root);
    model_.parameters = reader_.formulas.parameters();
    model_.files.assign(sources_.names.begin(), sources_.names.end());
    model_.text = sources_.text;
    model_.case_name = options_.case_name;
    model_.set = options_.set;
    check();
    const YamlNode& measures = section(*root, "measures");
    const YamlNode& report = section(*root, "report");
    if (!problems_.has_errors()) reader_.read_measures(measures, root->find("trim"));
    if (!problems_.has_errors()) reader_.read_report(report);
    problems_.throw_errors();
    model_.warnings = problems_.take_warnings();
    model_.notes = tables_.list_fits();
    return std::move(model_);
  }

 private:
  /// A section that must be a map; an empty one where it is missing.
  const YamlNode& section(const YamlNode& root, std::string_view key) {
    static const YamlNode empty;
    const YamlNode* node = root.find(key);
    if (!node) return empty;
    if (node->is_map()) return *node;
    reader_.refuse(*node, {key, ""}, fmt::format("expected a map of names, not {}", describe(*node)));
    return empty;
  }

  void read_head(const YamlNode& root, std::string_view default_name) {
    reader_.check_keys(root, {"", ""}, "a model file", top_level_keys());
    const YamlNode* version = root.find("haltere");
    if (!version)
      problems_.add({*root.mark.file, 1, 1}, "", "the key `haltere` is missing",
                    "start the file with `haltere: 1`");
    else if (version->text != "1")
      reader_.refuse(*version, {"haltere", ""},
                     fmt::format("the format is {}; this program reads version 1", describe(*version)));
    model_.name = default_name;
    if (const YamlNode* name = root.find("name"))
      if (const auto word = reader_.read_word(*name, {"name", ""}, "name")) model_.name = *word;
    if (const YamlNode* reference = root.find("reference"))
      if (const auto word = reader_.read_word(*reference, {"reference", ""}, "reference"))
        model_.reference = *word;
  }

  void expand(YamlNode* root) {
    Expander expander(&reader_.formulas, &copies_, &problems_);
    for (const auto& [key, thing] : kCollections)
      if (YamlNode* node = root->find_any(key); node && node->is_map()) expander.expand(thing, node);
    if (YamlNode* outputs = root->find_any("outputs")) expander.bind("outputs", nullptr, outputs);
    assembler_.apply_kept([&](YamlNode* value) { expander.bind("--set", nullptr, value); }, root);
  }

  void read_sections(const YamlNode& root) {
    const YamlNode& joints = section(root, "joints");
    const YamlNode& states = section(root, "states");
    const YamlNode& signals = section(root, "signals");
    const YamlNode& forces = section(root, "forces");
    const YamlNode& surfaces = section(root, "surfaces");
    const YamlNode& events = section(root, "events");
    read_gravity(root);
    reader_.formulas.is_local = [&](std::string_view name) {
      return signals.find(name) != nullptr || reader_.find_state(name) ||
             reader_.find_probe(name).has_value();
    };
    reader_.read_bodies(section(root, "bodies"));
    reader_.read_joint_kinds(joints);
    reader_.read_joints();
    reader_.read_state_kinds(states, signals);  // the first of the probes
    // probes before signals, signals before what reads them
    for (const YamlNode* joint : reader_.joint_nodes)
      if (const YamlNode* driven = joint->find("driven")) reader_.collect_probes(*driven);
    for (const YamlNode* node : {&forces, &surfaces, &states, &signals, &events})
      reader_.collect_probes(*node);
    reader_.read_signals(signals);
    reader_.read_prescribed();
    reader_.read_driven();
    reader_.read_constraints(section(root, "constraints"));
    reader_.read_forces(forces);
    if (const YamlNode* air = root.find("air")) reader_.read_air(*air, !surfaces.children.empty());
    reader_.read_surfaces(surfaces);
    reader_.read_events(events);
    reader_.read_initial(section(root, "initial"));
    reader_.lock_joints();
    if (const YamlNode* outputs = root.find("outputs")) reader_.read_outputs(*outputs);
    if (const YamlNode* simulation = root.find("simulation")) reader_.read_simulation(*simulation);
  }

  void read_gravity(const YamlNode& root) {
    const YamlNode* gravity = root.find("gravity");
    if (!gravity) return;
    if (auto g = reader_.read_vector(*gravity, {"", ""}, {"gravity", "m/s2", std::nullopt}))
      std::move(g->begin(), g->end(), model_.gravity.begin());
  }

  /// What only the whole model shows. A thing with a mistake is not blamed for what follows from it.
  void check() {
    std::vector<Problem> found;
    sort_tree(&model_, &found);
    bool sorted = found.empty();
    for (const JointSpec& joint : model_.joints) sorted &= joint.parent.value >= 0 && joint.child.value >= 0;
    if (sorted) check_model(model_, model_.calc_parameters(), &found);
    const bool sound =
        std::all_of(found.begin(), found.end(), [](const Problem& p) { return p.is_warning(); });
    if (sorted && sound && !problems_.has_errors()) {
      check_singularity(model_, model_.calc_parameters(), &found);
      check_lattices(model_, model_.calc_parameters(), &found);
    }
    for (Problem& problem : found)
      if (problem.is_warning() || !problems_.mentions(problem.thing)) problems_.add(std::move(problem));
  }

  const ReadOptions& options_;
  const std::string over_;
  Sources sources_;
  ProblemList problems_;
  std::deque<Copy> copies_;
  Assembler assembler_;
  Tables tables_;
  Model model_;
  Reader reader_;
};

/// `models/chain/model.yaml` and `models/chain` are the model "chain"; `my.yaml` is "my".
std::string make_default_name(std::filesystem::path path) {
  if (!path.has_filename()) path = path.parent_path();
  if (path.filename() == "model.yaml" && path.has_parent_path()) path = path.parent_path();
  return path.stem().string();
}

}  // namespace

Model read_model(const std::filesystem::path& path, const ReadOptions& options, const std::string& over) {
  ModelReader reader(options, over);
  return reader.read([&](Assembler* assembler) { return assembler->read(path); }, make_default_name(path));
}

Model read_model_text(const std::string& text, const std::string& file_name, const ReadOptions& options) {
  ModelReader reader(options);
  return reader.read([&](Assembler* assembler) { return assembler->read_text(text, file_name); },
                     make_default_name(file_name));
}

std::vector<std::string> list_cases(const std::filesystem::path& path) {
  Sources sources;
  ProblemList problems;
  Assembler assembler(&sources, &problems);
  const std::optional<YamlNode> root = assembler.read(path);
  problems.throw_errors();
  return root ? assembler.list_cases(*root) : std::vector<std::string>();
}

}  // namespace haltere
