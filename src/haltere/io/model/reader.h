#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "haltere/io/model/document.h"
#include "haltere/io/model/formulas.h"
#include "haltere/model/kind_info.h"
#include "haltere/model/model.h"

/// The parts of the model reader: each reads one section of the tree into the Model.
namespace haltere {

using NameTable = std::unordered_map<std::string, int>;

/// What the parts share. Every mistake goes to `problems`; reading goes on with something harmless in its
/// place.
struct Reader {
  Reader(Model* m, ProblemList* p) : model(m), problems(p), formulas(p) {}

  Model* model;
  ProblemList* problems;
  Formulas formulas;
  std::map<std::string, Dimension, std::less<>> dimensions;  // of the units that fields have
  NameTable bodies, joints, constraints;  // -> position in the model, in the order of the file
  NameTable probes;                       // -> position in Model::probes
  struct StateNode {
    const YamlNode* node = nullptr;
    bool is_measured = false;
  };
  std::vector<StateNode> state_nodes;                 // per state: its entry in the file
  std::set<std::string, std::less<>> unknown_states;  // their kind could not be read
  std::set<std::string, std::less<>> signal_names;
  std::vector<const YamlNode*> joint_nodes;  // per joint: its entry in the file
  using FieldValues = std::map<std::string, Value, std::less<>>;
  std::function<std::shared_ptr<const PointGrid>(const std::string& file, const SourceMark& mark,
                                                 TextProblem* problem)>
      find_grid;                                 // points of files, see Tables
  FieldValues air;                               // what surfaces may take from `air`
  std::vector<bool> unknown_joints;              // per joint: its kind could not be read
  std::vector<std::array<int, 6>> mirror_signs;  // per joint: +1 or -1 per coordinate against its original

  // -- complaints
  void refuse(const YamlNode& node, const Thing& thing, std::string message, std::string hint = {});
  void refuse_unknown(const YamlNode& node, const Thing& thing, std::string_view what,
                      const std::string& name, const NameTable& known);
  /// Reports keys that are not in the list; `where` completes "unknown key 'x' in ...".
  void check_keys(const YamlNode& map, const Thing& thing, std::string_view where,
                  const std::vector<std::string>& known);

  /// Letters, digits, _; `known` gets the name, which must be new.
  bool add_name(const YamlNode& entry, const Thing& thing, int index, NameTable* known);

  // -- single values
  Dimension dimension_of(std::string_view unit);  // of a field's unit; each is parsed once
  std::optional<Expression> read_quantity(const YamlNode& node, const Thing& thing, std::string_view what,
                                          std::string_view unit, Rule rule = Rule::kAny, bool negate = false);
  /// More than a turn without a unit: degrees were meant, perhaps.
  void warn_of_degrees(const YamlNode& node, const Thing& thing, std::string_view what,
                       const Expression& angle);
  std::optional<Expression> read_function(const YamlNode& node, const Thing& thing, std::string_view what,
                                          std::string_view unit, Level level, bool negate = false);
  std::optional<std::string> read_word(const YamlNode& node, const Thing& thing, std::string_view what);
  std::optional<bool> read_flag(const YamlNode& node, const Thing& thing, std::string_view what);
  std::optional<EulerSequence> read_sequence(const YamlNode& node, const Thing& thing);
  std::optional<int> read_body(const YamlNode& node, const Thing& thing, std::string_view what);
  std::optional<int> read_joint(const YamlNode& node, const std::string& name, const Thing& thing);
  std::optional<CoordinateIndex> read_coordinate(const YamlNode& node, const Thing& thing);

  // -- three components; `parity` says how they look in a mirror, nothing: as they are
  struct VectorRequest {
    std::string_view what;
    std::string_view unit;
    std::optional<Parity> parity;
    Level level = Level::kParameters;
    Rule rule = Rule::kAny;
  };
  std::optional<std::vector<Expression>> read_vector(const YamlNode& node, const Thing& thing,
                                                     const VectorRequest& request);
  /// The words x, y, z, -x, -y, -z.
  std::optional<std::vector<Expression>> find_direction(const YamlNode& node,
                                                        std::optional<Parity> parity) const;

  // -- geometry (reader_frames.cpp)
  std::optional<RotationSpec> read_rotation(const YamlNode& node, const Thing& thing, std::string_view what);
  void read_frame(const YamlNode& node, const Thing& thing, std::string_view what, FrameSpec* out);

  // -- entries with kinds (reader_entries.cpp)
  /// The kind of an entry, or nothing where it is unknown.
  std::optional<int> read_kind(const YamlNode& node, const Thing& thing, const std::vector<KindInfo>& kinds);
  /// All fields of the kind; false where one is wrong. `more`: keys that the entry may have besides;
  /// `otherwise`: values of fields that it does not give.
  bool read_fields(const YamlNode& node, const Thing& thing, const std::vector<KindInfo>& kinds,
                   const std::vector<std::string>& more, Entry* entry, const FieldValues& otherwise = {});
  bool read_field(const YamlNode& node, const Thing& thing, const FieldInfo& field, Motion motion,
                  Value* out);
  std::optional<int> read_count(const YamlNode& node, const Thing& thing, const FieldInfo& field);
  std::optional<std::vector<Expression>> read_matrix(const YamlNode& node, const Thing& thing,
                                                     const FieldInfo& field);
  std::optional<std::vector<Expression>> read_rows(const YamlNode& node, const Thing& thing,
                                                   const FieldInfo& field);
  std::optional<std::shared_ptr<const PointGrid>> read_grid(const YamlNode& node, const Thing& thing,
                                                            const FieldInfo& field);
  std::optional<std::vector<Block>> read_blocks(const YamlNode& node, const Thing& thing,
                                                const FieldInfo& field);
  std::optional<Block> read_block(const YamlNode& node, const Thing& thing, const FieldInfo& field);
  std::optional<std::vector<SignalGain>> read_gains(const YamlNode& node, const Thing& thing, Motion motion);
  void check_gain(const YamlNode& node, const Thing& thing, const Measure& signal, const Measure& gain,
                  Motion motion);

  // -- sections
  void read_parameters(const YamlNode& section);
  void read_bodies(const YamlNode& section);
  void read_joint_kinds(const YamlNode& section);  // names and kinds: what probes need
  void read_joints();
  void read_prescribed();  // may use filters: after signals
  void read_driven();      // may use signals: after them
  void read_initial(const YamlNode& section);
  void lock_joints();                         // that are locked from the start, where `initial` puts them
  void collect_probes(const YamlNode& node);  // that formulas below the node name
  /// Names and kinds, before anything that reads states.
  void read_state_kinds(const YamlNode& section, const YamlNode& signals);
  std::optional<StateKind> read_state_kind(const YamlNode& node, const Thing& thing);
  std::optional<int> find_state(std::string_view name) const;  // `NAME` or `state.NAME`
  Measure measure_of_state(int index);
  bool reads_signals(const YamlNode& node) const;
  std::optional<Expression> read_state_field(int index, const StateField& field,
                                             const std::optional<Dimension>& dimension);
  void read_state(int index);
  void read_signals(const YamlNode& section);
  void read_constraints(const YamlNode& section);
  void read_forces(const YamlNode& section);
  /// What is around the machine: a surface takes of it what it does not say itself.
  void read_air(const YamlNode& node, bool has_surfaces);
  void read_planes(const YamlNode& section);
  void read_surfaces(const YamlNode& section);
  void read_events(const YamlNode& section);
  void check_freed();
  /// Those speak of channels: after sort_tree(), and only where nothing else is wrong.
  void read_measures(const YamlNode& section, const YamlNode* trim);
  void read_report(const YamlNode& section);
  void read_outputs(const YamlNode& node);
  void read_simulation(const YamlNode& node);

  std::optional<Probe> find_probe(std::string_view name) const;
  /// A state or a probe that has its slot.
  std::optional<Variable> find_local(std::string_view name);
  std::vector<std::string> list_similar_probes(std::string_view name) const;
  int coordinate_sign(const Copy* copy, int joint, int coordinate) const;
};

/// +1 or -1: how component `axis` of a vector changes in the mirror of a copy.
int mirror_sign(const Copy* copy, int axis, std::optional<Parity> parity);
/// The name that a node holds: that of the mirror image in a mirrored copy.
std::string name_in(const YamlNode& node);
/// The unit of a coordinate's force, from `N m | N`: the first for a rotary coordinate, the second for a
/// translational one.
std::string_view choose_unit(std::string_view units, Motion motion);

/// The fields of surfaces that `air` may give, too.
const std::vector<std::string>& air_keys();

}  // namespace haltere
