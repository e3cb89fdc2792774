#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "haltere/io/model/document.h"
#include "haltere/io/model/expand.h"
#include "haltere/model/model.h"

namespace haltere {

/// What a formula may use besides parameters: nothing, the time, the time and signals; a place, an angle of
/// attack, a distance along a span, a part of a chord there (see Reads); the time and filters of second order.
enum class Level { kParameters, kTime, kSignals, kPlace, kAngle, kSpan, kSection, kPrescribed };
Level level_of(Reads reads);

/// Of what a problem is, for messages: "joint 'hinge'".
struct Thing {
  std::string_view kind;
  std::string_view name;

  std::string text() const;
};

/// A formula that some place of the file holds.
struct Request {
  const YamlNode& node;
  Thing thing;
  std::string_view what;  // "mass", for messages
  Level level = Level::kParameters;
  std::optional<Dimension> dimension = std::nullopt;  // nothing: any
  bool negate = false;                                // the mirror image: -(formula)
};

/// Reads formulas: knows the names that they may use, puts problems at their line and column, and parses
/// equal texts once.
class Formulas {
 public:
  using Find = std::function<std::optional<Variable>(std::string_view)>;

  explicit Formulas(ProblemList* problems);
  Formulas(const Formulas&) = delete;
  Formulas& operator=(const Formulas&) = delete;

  // -- names; the reader defines them as it goes
  std::vector<ParameterSpec>& parameters() { return parameters_; }
  const std::vector<double>& values() const { return values_; }  // of the parameters [SI]
  int add_parameter(ParameterSpec parameter);                    // its slot
  Find find_parameter;                                           // may read it first
  Find find_local;                                               // signals and probes; may read them first
  Find find_filter;                                              // states that prescribed motions may read
  std::function<bool(std::string_view)> is_local;                // is it the name of a signal or a probe?
  std::function<std::vector<std::string>(std::string_view)> similar_locals;  // for "did you mean"
  std::function<std::shared_ptr<const Curve>(std::string_view file, std::string_view column,
                                             const CurveSpec& spec, const SourceMark& mark,
                                             TextProblem* problem)>
      find_curve;  // columns of files, see Tables

  /// The formula; nothing where it is wrong (the problem is then in the list). Formulas of parameters are
  /// finite.
  std::optional<Expression> read(const Request& request);
  /// Its value with the parameters of the start.
  double calc(const Expression& formula) const;
  /// A number that decides how many blocks there are, and their names: its parameters cannot change during a
  /// run.
  std::optional<int> calc_integer(const Request& request);
  /// Marks a parameter, and all that its formula needs, as structural.
  void set_structural(int slot);

 private:
  struct Frame;
  struct Cached {
    Expression formula;
    bool uses_index = false;
  };

  std::optional<Variable> find(std::string_view name);
  std::optional<Variable> find_index(std::string_view name);
  std::vector<std::string> list_names() const;
  bool names_local(std::string_view name);
  std::string make_key(const Request& request) const;
  std::optional<Expression> parse(const Request& request);
  bool is_finite(const Request& request, const Expression& formula);

  ProblemList* problems_;
  std::vector<ParameterSpec> parameters_;
  std::vector<double> values_;
  Scope scope_;
  Frame* frame_ = nullptr;  // of the formula being parsed
  std::unordered_map<std::string, Cached> cache_;
  std::unordered_set<std::string> failed_;
};

/// The number with the unit of its dimension, for messages: `-120 N m/rad`.
std::string format_quantity(double value, std::string_view unit);

/// Letters, digits and _, starting with a letter.
bool is_name(std::string_view text);

}  // namespace haltere
