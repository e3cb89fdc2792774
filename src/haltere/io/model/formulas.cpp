#include "haltere/io/model/formulas.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "haltere/formula/text.h"

namespace haltere {
namespace {

/// A variable that formulas of a level have, beside parameters and signals; its slot is its position.
struct Local {
  std::string_view name;
  std::string_view unit;
};
constexpr std::array<Local, 4> kPlace{{{"t", "s"}, {"x", "m"}, {"y", "m"}, {"z", "m"}}};
constexpr std::array<Local, 1> kAngle{{{"alpha", "rad"}}};
constexpr std::array<Local, 1> kSpan{{{"s", "m"}}};
constexpr std::array<Local, 2> kSection{{{"x", ""}, {"s", "m"}}};

std::span<const Local> locals_of(Level level) {
  switch (level) {
    case Level::kParameters:
      break;
    case Level::kTime:
    case Level::kSignals:
    case Level::kPrescribed:
      return std::span(kPlace).first(1);
    case Level::kPlace:
      return kPlace;
    case Level::kAngle:
      return kAngle;
    case Level::kSpan:
      return kSpan;
    case Level::kSection:
      return kSection;
  }
  return {};
}

std::string_view allowed_names(Level level) {
  switch (level) {
    case Level::kParameters:
      return "only parameters can be used here";
    case Level::kTime:
      return "only parameters and the time t can be used here";
    case Level::kSignals:
      break;
    case Level::kPrescribed:
      return "a prescribed motion needs a rate and an acceleration: only parameters, the time t and states "
             "of the kind "
             "filter2 can be used here";
    case Level::kPlace:
      return "only parameters, the time t and the place x, y, z can be used here";
    case Level::kAngle:
      return "only parameters and the angle of attack alpha can be used here";
    case Level::kSpan:
      return "only parameters and the distance s from the root, or the nose, can be used here";
    case Level::kSection:
      return "only parameters, the part x of the chord and the distance s from the root can be used here";
  }
  return "";
}

/// What YAML writes for numbers that are not finite.
bool is_yaml_number(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  for (const std::string_view word : {".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF"})
    if (text == word) return true;
  return false;
}

}  // namespace

/// What happens while one formula is parsed; frames nest, because a name may have to be read first.
struct Formulas::Frame {
  const Request& request;
  bool uses_index = false;
  std::string missing;                 // the last name that was not found
  std::vector<std::string> forbidden;  // names that exist but may not be used here
};

Level level_of(Reads reads) {
  switch (reads) {
    case Reads::kTime:
      return Level::kTime;
    case Reads::kPlace:
      return Level::kPlace;
    case Reads::kAngle:
      return Level::kAngle;
    case Reads::kSpan:
      return Level::kSpan;
    case Reads::kSection:
      return Level::kSection;
    case Reads::kSignals:
      break;
  }
  return Level::kSignals;
}

std::string Thing::text() const {
  return name.empty() ? std::string(kind) : fmt::format("{} '{}'", kind, name);
}

std::string format_quantity(double value, std::string_view unit) {
  return unit.empty() ? fmt::format("{:.6g}", value) : fmt::format("{:.6g} {}", value, unit);
}

bool is_name(std::string_view text) {
  const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  const auto is_part = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; };
  return !text.empty() && is_letter(text[0]) && std::all_of(text.begin(), text.end(), is_part);
}

Formulas::Formulas(ProblemList* problems)
    : problems_(problems),
      scope_{[this](std::string_view name) { return find(name); }, [this] { return list_names(); },
             [this](std::string_view name) { return names_local(name); },
             [this](std::string_view file, std::string_view column, const CurveSpec& spec,
                    TextProblem* problem) {
               const SourceMark mark = frame_->request.node.mark.source();
               return find_curve ? find_curve(file, column, spec, mark, problem) : nullptr;
             }} {}

int Formulas::add_parameter(ParameterSpec parameter) {
  values_.push_back(parameter.value);
  parameters_.push_back(std::move(parameter));
  return static_cast<int>(parameters_.size()) - 1;
}

void Formulas::set_structural(int slot) {
  if (parameters_[slot].structural) return;
  parameters_[slot].structural = true;
  if (parameters_[slot].formula)
    for (const int needed : parameters_[slot].formula->parameters()) set_structural(needed);
}

double Formulas::calc(const Expression& formula) const {
  return formula.calc<double, double>(values_.data(), nullptr);
}

// -- names

std::optional<Variable> Formulas::find_index(std::string_view name) {
  const Copy* copy = frame_->request.node.copy;
  if (!copy) return std::nullopt;
  for (const Index& index : copy->indices)
    if (index.name == name) {
      frame_->uses_index = true;
      Variable variable;
      variable.source = Variable::Source::kConstant;
      variable.number = index.value;
      return variable;
    }
  return std::nullopt;
}

std::optional<Variable> Formulas::find(std::string_view name) {
  if (std::optional<Variable> index = find_index(name)) return index;
  const Copy* copy = frame_->request.node.copy;
  const bool mirrored = copy && copy->is_mirrored();
  const std::string image = mirrored ? copy->mirror(name) : std::string(name);
  const Level level = frame_->request.level;
  int slot = 0;
  for (const Local& local : locals_of(level)) {
    if (local.name == name)
      return Variable{
          Variable::Source::kLocal, slot, {Measure::Kind::kExact, unit_of(local.unit).dimension}, 0};
    ++slot;
  }
  // a parameter has an image only where the file gives one; what moves always has one
  std::optional<Variable> found = find_parameter ? find_parameter(image) : std::nullopt;
  if (!found && mirrored && find_parameter) found = find_parameter(name);
  if (found) return found;
  if (level == Level::kSignals && find_local) found = find_local(image);
  if (level == Level::kPrescribed && find_filter) found = find_filter(image);
  if (found) return found;
  frame_->missing = image;
  if (name == "t" || (level != Level::kSignals && is_local && is_local(image)))
    frame_->forbidden.emplace_back(name);
  return std::nullopt;
}

bool Formulas::names_local(std::string_view name) {
  if (frame_->request.level == Level::kParameters) return false;
  const std::optional<Variable> found = find(name);
  return found && found->source == Variable::Source::kLocal;
}

std::vector<std::string> Formulas::list_names() const {
  std::vector<std::string> names;
  if (problems_->full()) return names;
  for (const ParameterSpec& parameter : parameters_) names.push_back(parameter.name);
  if (frame_ && frame_->request.node.copy)
    for (const Index& index : frame_->request.node.copy->indices) names.push_back(index.name);
  if (frame_)
    for (const Local& local : locals_of(frame_->request.level)) names.emplace_back(local.name);
  if (frame_ && frame_->request.level == Level::kSignals && similar_locals)
    for (std::string& name : similar_locals(frame_->missing)) names.push_back(std::move(name));
  return names;
}

// -- formulas

std::string Formulas::make_key(const Request& request) const {
  std::string key;
  key += static_cast<char>('0' + static_cast<int>(request.level) + (request.negate ? 16 : 0));
  if (const auto& d = request.dimension)
    for (const std::int8_t power : {d->length, d->mass, d->time, d->angle, d->current, d->temperature})
      key += static_cast<char>(power);
  key += '\n';
  if (request.node.copy && request.node.copy->is_mirrored())
    key += request.node.copy->from + '\n' + request.node.copy->to;
  key += '\n';
  // an index hides what has its name elsewhere
  if (request.node.copy)
    for (const Index& index : request.node.copy->indices) key += index.name + ' ';
  key += '\n';
  return key + request.node.text;
}

std::optional<Expression> Formulas::parse(const Request& request) {
  const int shift = request.negate ? 2 : 0;
  const std::string text = request.negate ? "-(" + request.node.text + ")" : request.node.text;
  std::vector<TextProblem> found;
  Expression formula = Expression::parse(text, scope_, request.dimension, &found);
  if (found.empty()) return formula;
  for (const TextProblem& problem : found) {
    if (problem.message.empty()) continue;  // the mistake is in a table, and stands there
    const int length = static_cast<int>(request.node.text.size());
    const SourceMark mark = request.node.mark_at(std::clamp(problem.offset - shift, 0, length));
    // a name that exists but has no place here
    const auto forbidden = std::find_if(
        frame_->forbidden.begin(), frame_->forbidden.end(),
        [&](const std::string& name) { return problem.message.find(quote(name)) != std::string::npos; });
    if (forbidden == frame_->forbidden.end())
      problems_->add(mark, request.thing.text(), fmt::format("{}: {}", request.what, problem.message),
                     is_cut_at_comma(request.node) ? std::string(kCommaHint) : problem.hint);
    else
      problems_->add(mark, request.thing.text(),
                     fmt::format("{}: {} cannot be used here", request.what, quote(*forbidden)),
                     std::string(allowed_names(request.level)));
  }
  return std::nullopt;
}

std::optional<Expression> Formulas::read(const Request& request) {
  if (!request.node.is_scalar()) {
    problems_->add(
        request.node.mark.source(), request.thing.text(),
        fmt::format("{}: expected a quantity or a formula, not {}", request.what, describe(request.node)));
    return std::nullopt;
  }
  if (is_yaml_number(request.node.text)) {
    problems_->add(request.node.mark.source(), request.thing.text(),
                   fmt::format("{} is {}; must be a finite number", request.what, quote(request.node.text)));
    return std::nullopt;
  }
  const std::string key = make_key(request);
  const auto cached = cache_.find(key);
  if (cached != cache_.end() && !cached->second.uses_index) {
    if (!is_finite(request, cached->second.formula)) return std::nullopt;
    return cached->second.formula;
  }
  // every copy of a repeated or mirrored block has the same mistake: once is enough
  const Mark& mark = request.node.mark;
  std::string place = fmt::format("{}:{}:{}", mark.file ? *mark.file : "", mark.line, mark.column);
  place += '\n' + request.node.text;
  if (mark.line > 0 && failed_.contains(place)) return std::nullopt;
  Frame frame{request, false, {}, {}};
  Frame* const outer = std::exchange(frame_, &frame);
  std::optional<Expression> formula = parse(request);
  frame_ = outer;
  if (!formula) {
    failed_.insert(place);
    return std::nullopt;
  }
  cache_[key] = {*formula, frame.uses_index};
  if (!is_finite(request, *formula)) return std::nullopt;
  return formula;
}

bool Formulas::is_finite(const Request& request, const Expression& formula) {
  if (request.level != Level::kParameters) return true;
  double value = 0;
  const std::string outside = find_curve_fault([&] { value = calc(formula); });
  if (std::isfinite(value)) return true;
  if (!outside.empty()) {
    problems_->add(request.node.mark.source(), request.thing.text(),
                   fmt::format("{}: {}", request.what, outside));
    return false;
  }
  problems_->add(request.node.mark.source(), request.thing.text(),
                 fmt::format("{} is not a finite number", request.what),
                 std::isnan(value) ? "look for a root or logarithm of a negative number, or 0/0"
                                   : "look for a division by zero, or a number that is too large");
  return false;
}

std::optional<int> Formulas::calc_integer(const Request& request) {
  const std::optional<Expression> formula = read(request);
  if (!formula) return std::nullopt;
  const double value = calc(*formula);
  if (std::round(value) != value || std::abs(value) > 1e9) {
    problems_->add(
        request.node.mark.source(), request.thing.text(),
        fmt::format("{} is {:.10g}; must be a whole number of reasonable size", request.what, value));
    return std::nullopt;
  }
  for (const int slot : formula->parameters()) set_structural(slot);
  return static_cast<int>(value);
}

}  // namespace haltere
