#include "haltere/simulate/table_watch.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace haltere {
namespace {

// t, x, y, z: where a surface will be is not known
const std::array<LineInTime, 4> kFieldLocals{LineInTime::time(), {}, {}, {}};

}  // namespace

TableWatch::TableWatch(const Model& model) : model_(model) {
  for (const SignalSpec& signal : model.signals)
    add(signal.value, signal.mark, fmt::format("signal '{}'", signal.name), "value");
  for (const StateSpec& state : model.states)
    add(*state.at(StateKey::kOf), state.mark, fmt::format("state '{}'", state.name), "of");
  for (const JointSpec& joint : model.joints)
    for (const auto* formulas : {&joint.prescribed, &joint.driven})
      for (const std::optional<Expression>& formula : *formulas)
        if (formula)
          add(*formula, joint.entry.mark, fmt::format("joint '{}'", joint.name()),
              formulas == &joint.driven ? "driven" : "prescribed");
  for (const Entry& constraint : model.constraints)
    add_fields(constraint_kinds()[constraint.kind], constraint, "constraint");
  for (const Entry& force : model.forces) add_fields(force_kinds()[force.kind], force, "force");
  for (const Entry& surface : model.surfaces) add_fields(surface_kinds()[surface.kind], surface, "surface");
  locals_.resize(1 + model.probes.size() + model.signals.size());
  locals_[0] = LineInTime::time();
}

void TableWatch::add(const Expression& expression, const SourceMark& mark, const std::string& thing,
                     std::string_view what, bool is_field) {
  if (expression.has_tables()) formulas_.push_back({&expression, is_field, mark, thing, std::string(what)});
}

void TableWatch::add_fields(const KindInfo& kind, const Entry& entry, std::string_view room) {
  const std::string thing = fmt::format("{} '{}'", room, entry.name);
  for (std::size_t i = 0; i < kind.fields.size(); ++i) {
    const FieldInfo& f = kind.fields[i];
    const Value& value = entry.values[i];
    if (f.reads == Reads::kAngle || f.reads == Reads::kSpan || f.reads == Reads::kSection) continue;
    const bool is_field = f.reads == Reads::kPlace;
    if (const auto* one = std::get_if<Expression>(&value)) add(*one, entry.mark, thing, f.name, is_field);
    if (const auto* list = std::get_if<std::vector<Expression>>(&value))
      for (const Expression& e : *list) add(e, entry.mark, thing, f.name, is_field);
  }
}

/// A signal that is a straight line in time is known in advance, too.
void TableWatch::update_signals(double t, const std::vector<double>& parameters) {
  for (std::size_t i = 0; i < model_.signals.size(); ++i)
    model_.signals[i].value.look_ahead(t, parameters.data(), locals_.data(),
                                       &locals_[1 + model_.probes.size() + i]);
}

TableOutlook TableWatch::look_ahead(const Formula& formula, double t,
                                    const std::vector<double>& parameters) const {
  LineInTime value;
  return formula.expression->look_ahead(t, parameters.data(),
                                        formula.is_field ? kFieldLocals.data() : locals_.data(), &value);
}

double TableWatch::find_kink(double t, const std::vector<double>& parameters) {
  double first = std::numeric_limits<double>::infinity();
  if (formulas_.empty()) return first;
  update_signals(t, parameters);
  for (const Formula& formula : formulas_) first = std::min(first, look_ahead(formula, t, parameters).kink);
  return first;
}

std::vector<Problem> TableWatch::find_short_tables(double until, const std::vector<double>& parameters) {
  std::vector<Problem> problems;
  if (formulas_.empty()) return problems;
  update_signals(0, parameters);
  for (const Formula& formula : formulas_) {
    const TableOutlook outlook = look_ahead(formula, 0, parameters);
    if (outlook.ended == nullptr || !(outlook.end < until)) continue;
    problems.push_back(
        {formula.mark, formula.thing,
         fmt::format("{}: table {} has points for t up to {:.10g} s only, and the run goes on until "
                     "{:.10g} s",
                     formula.what, outlook.ended->name(), std::max(outlook.end, 0.0), until),
         "\"hold\", \"extrapolate\" or \"periodic\" after its argument says what it is beyond "
         "them",
         Problem::Severity::kWarning});
  }
  return problems;
}

}  // namespace haltere
