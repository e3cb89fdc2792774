#include "app/steady_state.h"

#include <fmt/format.h>

#include "app/quantity.h"
#include "app/wrong_input.h"

#include "haltere/simulate/start.h"

namespace haltere {
namespace {

/// --keep NAME[=VALUE]: positions and velocities that a name or glob means.
void read_keep(const std::string& text, const SteadyState& state, EquilibriumOptions* options) {
  const std::size_t sign = text.find('=');
  const std::string glob = text.substr(0, sign);
  const std::vector<StateCoordinate> coordinates = list_coordinates(state.model);
  const CoordinateSelection named = select_coordinates(state.model, glob, "--keep");
  const int nq = state.equations->sizes().nq;
  const auto value = [&](std::string_view unit, double otherwise) {
    return sign == std::string::npos
               ? otherwise
               : read_quantity("--keep " + glob, text.substr(sign + 1), std::string(unit));
  };
  for (int i = 0; i < static_cast<int>(coordinates.size()); ++i) {
    const StateCoordinate& c = coordinates[i];
    if (named.positions[i] && c.motion == Motion::kTurn)
      throw wrong_input("--keep", fmt::format("'{}' is no single number", c.position),
                        "an orientation cannot be kept; its velocities can");
    if (named.positions[i]) options->positions.emplace_back(i, value(c.position_unit, state.guess[c.q]));
    if (named.velocities[i]) options->velocities.emplace_back(i, value(c.velocity_unit, state.guess[nq + i]));
  }
}

}  // namespace

void SteadyArguments::add_to(CLI::App* verb) {
  model.add_to(verb);
  const auto add_list = [&](const char* option, const char* what, const char* type, auto* list) {
    verb->add_option(option, *list, what)->type_name(type)->expected(1)->take_all();
  };
  add_list("--keep", "a coordinate or velocity that has this value, or that of the start; may be repeated",
           "NAME[=VALUE]", &keep);
  add_list("--drift", "a coordinate that moves steadily, although the equations notice; may be repeated",
           "NAME", &drift);
  verb->add_flag(
      "--settle", settle,
      "let the machine sink as in honey until it rests, instead of taking the nearest equilibrium");
}

std::unique_ptr<SteadyState> find_steady_state(const SteadyArguments& arguments, const Model& model,
                                               const Eigen::VectorXd* from) {
  auto state = std::make_unique<SteadyState>();
  std::vector<std::string> notes;
  state->model = freeze_motions(model, &notes);
  state->equations = make_equations("recursive", state->model);
  state->guess = from != nullptr ? *from : calc_start(state->model, state->equations->parameters()).y;
  EquilibriumOptions options;
  options.settle = arguments.settle;
  for (const std::string& text : arguments.keep) read_keep(text, *state, &options);
  for (const std::string& glob : arguments.drift) {
    const CoordinateSelection named = select_coordinates(state->model, glob, "--drift");
    for (int i = 0; i < static_cast<int>(named.positions.size()); ++i)
      if (named.positions[i] || named.velocities[i]) options.drift.push_back(i);
  }
  state->equilibrium = find_equilibrium(options, state->guess, state->equations.get());
  notes.insert(notes.end(), state->equilibrium.notes.begin(), state->equilibrium.notes.end());
  state->equilibrium.notes = std::move(notes);
  return state;
}

std::unique_ptr<SteadyState> require_steady_state(const SteadyArguments& arguments, const Model& model) {
  std::unique_ptr<SteadyState> state = find_steady_state(arguments, model);
  if (!state->equilibrium.failure.empty()) {
    std::string message = state->equilibrium.failure;
    for (const std::string& note : state->equilibrium.notes) message += "\n  note: " + note;
    throw RunError(message);
  }
  return state;
}

}  // namespace haltere
