#include "haltere/io/model/initial_text.h"

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "haltere/model/quantity.h"

namespace haltere {
namespace {

using Values = std::vector<std::string>;

/// The shortest text that reads back as the same number.
std::string to_text(double x) {
  return fmt::format("{}", x);
}

/// The same for the position of a joint; above one turn with the unit, so that nobody asks whether degrees
/// are meant.
std::string to_text(double x, Motion motion) {
  return to_text(x) + (motion == Motion::kAngle && std::abs(x) > 2 * std::numbers::pi ? " rad" : "");
}

std::string list_of(const Values& values) {
  return fmt::format("[{}]", fmt::join(values, ", "));
}

/// The coordinates of one joint, by the keys of `initial`.
class JointText {
 public:
  /// Takes its numbers from q and v on.
  JointText(const JointSpec& joint, const Resolver<double>& resolver, const double** q, const double** v)
      : joint_(joint) {
    if (joint.locked) {
      add_locked(resolver);
      return;
    }
    const bool turns = joint.nq() > joint.nv() && !joint.prescribed_sequence;
    if (turns) {
      Values orientation;
      for (int i = 0; i < 4; ++i) orientation.push_back(to_text(*(*q)++));
      keys_.emplace_back("orientation", list_of(orientation));
    }
    Values positions, velocities;
    for (int k = 0; k < joint.nv(); ++k) {
      const bool given = joint.mode(k) != CoordinateMode::kPrescribed;
      positions.push_back(given && joint.motion(k) != Motion::kTurn ? to_text(*(*q)++, joint.motion(k))
                                                                    : "~");
      velocities.push_back(given ? to_text(*(*v)++) : "~");
    }
    add(Quantity::kJointPosition, Motion::kAngle, positions);
    add(Quantity::kJointPosition, Motion::kLength, positions);
    if (turns) keys_.emplace_back("angular_velocity", list_of({velocities.begin(), velocities.begin() + 3}));
    add(Quantity::kJointVelocity, Motion::kAngle, velocities);
    add(Quantity::kJointVelocity, Motion::kLength, velocities);
  }

  std::string make() const {
    if (keys_.empty()) return "";
    std::string text = fmt::format("  {}:", joint_.name());
    const bool is_long = joint_.nv() > 1;
    for (const auto& [key, value] : keys_)
      text += is_long ? fmt::format("\n    {}: {}", key, value)
                      : fmt::format("{}{}: {}", &key == &keys_[0].first ? " {" : ", ", key, value);
    return text + (is_long ? "\n" : "}\n");
  }

 private:
  /// Its position is no part of the state, and a part of `initial` all the same.
  void add_locked(const Resolver<double>& resolver) {
    Values positions;
    if (joint_.nq() > joint_.nv()) {
      Values angles;
      for (int k = 0; k < 3; ++k) angles.push_back(to_text(resolver.calc(*joint_.prescribed[k])));
      keys_.emplace_back("orientation", fmt::format("{{sequence: {}, angles: {}}}",
                                                    joint_.prescribed_sequence->name(), list_of(angles)));
    }
    for (int k = 0; k < joint_.nv(); ++k)
      positions.push_back(joint_.motion(k) == Motion::kTurn
                              ? "~"
                              : to_text(resolver.calc(*joint_.prescribed[k]), joint_.motion(k)));
    add(Quantity::kJointPosition, Motion::kAngle, positions);
    add(Quantity::kJointPosition, Motion::kLength, positions);
  }

  /// One value, or a list where the joint has several of this motion; nothing where all are prescribed.
  void add(Quantity quantity, Motion motion, const Values& all) {
    Values own;
    bool given = false;
    for (int k = 0; k < joint_.nv(); ++k)
      if (joint_.motion(k) == motion) {
        own.push_back(all[k]);
        given |= all[k] != "~";
      }
    if (given) keys_.emplace_back(word_of(motion, quantity), own.size() == 1 ? own[0] : list_of(own));
  }

  const JointSpec& joint_;
  std::vector<std::pair<std::string, std::string>> keys_;
};

}  // namespace

std::string make_initial_text(const Model& model, ConstRef q, ConstRef v) {
  const double *next_q = q.data(), *next_v = v.data();
  std::string entries;
  const std::vector<double> parameters = model.calc_parameters();
  const Resolver<double> resolver{parameters.data()};
  for (int j = 0; j < model.n_tree(); ++j)
    entries += JointText(model.joints[j], resolver, &next_q, &next_v).make();
  return entries.empty() ? "initial: {}\n" : "initial:\n" + entries;
}

std::string make_states_text(const Model& model, ConstRef x) {
  std::string text;
  // with the unit: what the file gives may be all that says it
  const auto with_unit = [](double value, const Measure& measure, const Dimension& dimension) {
    const bool is_pure = measure.kind != Measure::Kind::kExact || dimension == Dimension{};
    return is_pure ? to_text(value) : fmt::format("{} {}", value, to_string(dimension));
  };
  for (const StateSpec& state : model.states) {
    if (state.info().order == 0) continue;
    const Dimension& own = state.measure.dimension;
    text += fmt::format("  {}: {{initial: {}", state.name, with_unit(x[state.slot], state.measure, own));
    if (state.info().order > 1)
      text += fmt::format(", initial_rate: {}",
                          with_unit(x[state.slot + 1], state.measure, own / unit_of("s").dimension));
    text += "}\n";
  }
  return text.empty() ? "" : "states:\n" + text;
}

}  // namespace haltere
