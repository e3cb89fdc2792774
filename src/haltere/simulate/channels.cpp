#include "haltere/simulate/channels.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "haltere/aero/surface_channels.h"
#include "haltere/dynamics/machine/constraint_set.h"
#include "haltere/model/entry_kinds.h"
#include "haltere/model/mode.h"
#include "haltere/model/quantity.h"
#include "haltere/simulate/glob.h"

namespace haltere {
namespace {

/// Collects channels; the prefix is `body.NAME`, `joint.NAME`, ...
class ChannelList {
 public:
  std::vector<Channel> channels;

  void add(std::string name, std::string_view unit, std::string_view meaning, Quantity quantity,
           int index = 0, int component = 0) {
    channels.push_back(
        {std::move(name), std::string(unit), std::string(meaning), quantity, index, component});
  }
  /// prefix.x, prefix.y, ...: a component for every letter
  void add_components(const std::string& prefix, std::string_view letters, std::string_view unit,
                      std::string_view meaning, Quantity quantity, int index = 0) {
    for (int i = 0; i < static_cast<int>(letters.size()); ++i)
      add(fmt::format("{}.{}", prefix, letters[i]), unit, fmt::format("{}, {}", meaning, letters[i]),
          quantity, index, i);
  }
  void add_vector(const std::string& prefix, std::string_view unit, std::string_view meaning,
                  Quantity quantity, int index = 0) {
    add_components(prefix, "xyz", unit, meaning, quantity, index);
  }
  void add_quantity(const std::string& prefix, const QuantityInfo& q, int index = 0) {
    const std::string name = prefix + std::string(q.word);
    if (q.components.empty()) return add(name, q.unit, q.meaning, q.quantity, index);
    add_components(name, q.components, q.unit, q.meaning, q.quantity, index);
  }
  /// Those that a kind adds.
  template <class OwnChannel>
  void add_own(const std::string& prefix, const std::vector<OwnChannel>& list, Quantity quantity, int index) {
    for (const OwnChannel& own : list) {
      add(fmt::format("{}.{}", prefix, own.name), own.unit, own.meaning, quantity, index, own.part);
      channels.back().read = own.read;
    }
  }
};

void add_euler(const BodySpec& body, const QuantityInfo& q, int index, ChannelList* list) {
  if (!body.euler) return;
  for (int i = 0; i < 3; ++i)
    list->add(fmt::format("body.{}.{}.{}", body.name, q.word, q.components[i]), q.unit,
              fmt::format("angle {} of the sequence {}", i, body.euler->name()), q.quantity, index, i);
}

void add_body(const BodySpec& body, int index, ChannelList* list) {
  for (const QuantityInfo& q : body_quantities()) {
    if (q.quantity == Quantity::kBodyEuler)
      add_euler(body, q, index, list);
    else
      list->add_quantity(fmt::format("body.{}.", body.name), q, index);
  }
}

void add_coordinates(const JointSpec& joint, int index, ChannelList* list) {
  for (int k = 0; k < joint.nv(); ++k)
    for (const QuantityInfo& q : coordinate_quantities(joint.motion(k)))
      list->add(name_coordinate(joint, q.quantity, k), q.unit, q.meaning, q.quantity, index, k);
}

void add_joint(const JointSpec& joint, int index, ChannelList* list) {
  for (const QuantityInfo& q : joint_quantities()) {
    const bool is_orientation = q.quantity == Quantity::kJointOrientation;
    if (!is_orientation || joint.nq() > joint.nv())
      list->add_quantity(fmt::format("joint.{}.", joint.name()), q, index);
    if (is_orientation) add_coordinates(joint, index, list);
  }
}

void add_power_and_energy(const std::string& prefix, Quantity quantity, int index, ChannelList* list) {
  list->add(prefix + ".power", "W", "power on the machine", quantity, index, 0);
  list->add(prefix + ".energy", "J", "potential energy stored", quantity, index, 1);
}

void add_force(const Entry& force, int index, ChannelList* list) {
  const std::string prefix = "force." + force.name;
  add_power_and_energy(prefix, Quantity::kForce, index, list);
  list->add_own(prefix, list_force_channels(force), Quantity::kForceOwn, index);
}

void add_surface(const Entry& surface, int index, ChannelList* list) {
  const std::string prefix = "surface." + surface.name;
  list->add_vector(prefix + ".force", "N", "force of the air, world axes", Quantity::kSurfaceForce, index);
  list->add_vector(prefix + ".moment", "N m", "moment of the air about the origin of its body, world axes",
                   Quantity::kSurfaceMoment, index);
  list->add(prefix + ".power", "W", "power on the machine", Quantity::kSurface, index, 0);
  list->add(prefix + ".energy", "J", "kinetic energy of the air that is carried along; 0 in wind",
            Quantity::kSurface, index, 1);
  list->add_own(prefix, list_surface_channels(surface), Quantity::kSurfaceOwn, index);
}

/// Joints that close loops, then the model's own.
void add_constraints(const Model& model, ChannelList* list) {
  const ConstraintSet<double> set(model, model.calc_parameters(), model.n_tree());
  for (int i = 0; i < static_cast<int>(set.row_names.size()); ++i) {
    const std::string prefix = "constraint." + model.constraint_name(i);
    list->add_vector(prefix + ".force", "N", "force on the second body at its point, world axes",
                     Quantity::kConstraintForce, i);
    list->add_vector(prefix + ".torque", "N m", "torque on the second body at its point, world axes",
                     Quantity::kConstraintTorque, i);
    for (int row = 0; row < static_cast<int>(set.row_names[i].size()); ++row)
      list->add(fmt::format("{}.multiplier.{}", prefix, set.row_names[i][row]),
                set.is_length[set.starts[i] + row] ? "N" : "N m", "multiplier of the row",
                Quantity::kConstraintMultiplier, i, row);
    const int own = i - static_cast<int>(set.joints.size());
    if (own >= 0)
      list->add_own(prefix, list_constraint_channels(model.constraints[own]), Quantity::kConstraintOwn, i);
    list->add(prefix + ".drift", "", "largest residual of its rows, in radians or length scales",
              Quantity::kConstraintDrift, i);
  }
  list->add("drift.position", "", "largest residual of all constraints, in radians or length scales",
            Quantity::kDrift, 0, 0);
  list->add("drift.velocity", "1/s", "the same of its rate", Quantity::kDrift, 0, 1);
}

std::string unit_of_signal(const SignalSpec& signal) {
  const Measure& measure = signal.value.measure();
  if (measure.kind != Measure::Kind::kExact || measure.dimension == Dimension{}) return "";
  return to_string(measure.dimension);
}

Problem make_no_match(const std::string& glob, const SourceMark& mark, const std::vector<Channel>& all) {
  std::vector<std::string> names;
  for (const Channel& channel : all) names.push_back(channel.name);
  std::string hint = hint_for_glob(glob, names);
  if (hint.empty()) hint = "`haltere list channels MODEL` names them all";
  return {mark, mark.line > 0 ? "outputs" : "channels", fmt::format("no channel matches '{}'", glob),
          std::move(hint)};
}

/// Those that match one of the globs; `mark_of`: where a glob stands.
template <class MarkOf>
std::vector<Channel> select(std::vector<Channel> all, const std::vector<std::string>& globs,
                            const MarkOf& mark_of) {
  if (globs.empty()) return all;
  std::vector<bool> wanted(all.size(), false);
  std::vector<Problem> problems;
  for (std::size_t k = 0; k < globs.size(); ++k) {
    bool found = false;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (matches_glob(globs[k], all[i].name)) found = wanted[i] = true;
    if (!found) problems.push_back(make_no_match(globs[k], mark_of(k), all));
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  std::vector<Channel> selected;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (wanted[i] || all[i].name == "t") selected.push_back(std::move(all[i]));
  return selected;
}

using Components = std::array<double, 4>;

Components components_of(const Vector3<double>& a) {
  return {a[0], a[1], a[2], 0};
}
Components components_of(const Vector4<double>& a) {
  return {a[0], a[1], a[2], a[3]};
}

Components calc_body(const Model& model, const Instant& instant, Quantity quantity, int b) {
  const Snapshot& s = instant.snapshot;
  const Transform<double>& X_WB = s.scene.X_WB[b];
  switch (quantity) {
    case Quantity::kBodyAcceleration:
      return components_of(Vector3<double>(s.A_WB[b].tail<3>()));
    case Quantity::kBodyAngularAcceleration:
      return components_of(Vector3<double>(X_WB.R.transpose() * s.A_WB[b].head<3>()));
    default:
      return components_of(calc_body_motion<double>(
          quantity, {model.bodies[b], X_WB, s.scene.V_WB[b], instant.masses[b].p_BoBcm}));
  }
}

Components calc_joint(const Model& model, const Snapshot& s, Quantity quantity, int j) {
  switch (quantity) {
    case Quantity::kReactionForce:
      return components_of(Vector3<double>(s.F_reaction[j].tail<3>()));
    case Quantity::kReactionTorque:
      return components_of(Vector3<double>(s.F_reaction[j].head<3>()));
    default: {  // its orientation
      const int start = s.scene.q_of[j] - (model.joints[j].nq() - model.joints[j].nv());
      return components_of(Vector4<double>(s.scene.q.segment<4>(start).normalized()));
    }
  }
}

Components calc_machine(const Instant& instant, Quantity quantity) {
  const Snapshot& s = instant.snapshot;
  switch (quantity) {
    case Quantity::kSystemCom:
      return components_of(s.com);
    case Quantity::kSystemMomentum:
      return components_of(s.momentum);
    case Quantity::kSystemAngularMomentum:
      return components_of(s.angular_momentum);
    case Quantity::kKineticEnergy:
      return {s.kinetic};
    case Quantity::kPotentialEnergy:
      return {s.potential};
    case Quantity::kTotalEnergy:
      return {instant.total()};
    case Quantity::kWork:
      return {instant.work()};
    default:
      return {instant.balance()};
  }
}

Components calc_element(const Model& model, const Instant& instant, Quantity quantity, int index) {
  const Snapshot& s = instant.snapshot;
  switch (quantity) {
    case Quantity::kForce:
      return {s.forces[index].power, s.forces[index].potential};
    case Quantity::kGravity:
      return {s.gravity_power, s.gravity_potential};
    case Quantity::kSurface:
      return {s.surfaces[index].total.power, s.surfaces[index].energy};
    case Quantity::kSurfaceForce:
      return components_of(s.surfaces[index].total.force());
    case Quantity::kSurfaceMoment:
      return components_of(s.surfaces[index].moment);
    case Quantity::kConstraintForce:
      return components_of(Vector3<double>(s.constraints[index].F.tail<3>()));
    case Quantity::kConstraintTorque:
      return components_of(Vector3<double>(s.constraints[index].F.head<3>()));
    case Quantity::kConstraintDrift:
      return {s.constraints[index].drift};
    case Quantity::kDrift:
      return {s.position_drift, s.velocity_drift};
    case Quantity::kState:
      return {s.scene.locals[1 + index]};
    case Quantity::kSignal:
      return {s.scene.locals[1 + model.probes.size() + index]};
    case Quantity::kEvent:
      return {static_cast<double>(instant.happened[index])};
    default:
      return {s.scene.t};
  }
}

/// The components of a quantity that is computed as a whole.
Components calc_components(const Model& model, const Instant& instant, Quantity quantity, int index) {
  switch (owner_of(quantity)) {
    case Owner::kBody:
      return calc_body(model, instant, quantity, index);
    case Owner::kJoint:
      return calc_joint(model, instant.snapshot, quantity, index);
    case Owner::kMachine:
      return calc_machine(instant, quantity);
    case Owner::kOther:
      break;
  }
  return calc_element(model, instant, quantity, index);
}

/// Lets a kind read a channel of its own.
struct OwnReader {
  const Snapshot& s;
  const Channel& c;
  double operator()(std::monostate) const { return 0; }
  double operator()(decltype(ForceChannel::read) read) const { return read(s.forces[c.index], c.component); }
  double operator()(decltype(SurfaceChannel::read) read) const {
    return read(s.surfaces[c.index], c.component);
  }
  double operator()(decltype(ConstraintChannel::read) read) const {
    const ConstraintLoad& load = s.constraints[c.index];
    return read(load.lambda, load.place, c.component);
  }
};

}  // namespace

std::vector<Channel> make_channels(const Model& model) {
  ChannelList list;
  list.add("t", "s", "time", Quantity::kTime);
  for (int b = 1; b < static_cast<int>(model.bodies.size()); ++b) add_body(model.bodies[b], b, &list);
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) add_joint(model.joints[j], j, &list);
  for (int f = 0; f < static_cast<int>(model.forces.size()); ++f) add_force(model.forces[f], f, &list);
  add_power_and_energy("force.gravity", Quantity::kGravity, 0, &list);
  for (int i = 0; i < static_cast<int>(model.surfaces.size()); ++i) add_surface(model.surfaces[i], i, &list);
  add_constraints(model, &list);
  for (const QuantityInfo& q : machine_quantities()) list.add_quantity("", q);
  for (int i = 0; i < static_cast<int>(model.states.size()); ++i)
    list.add("state." + model.states[i].name, unit_of_state(model.states[i]),
             std::string(model.states[i].info().name) + " " + model.states[i].at(StateKey::kOf)->text(),
             Quantity::kState, i);
  for (int i = 0; i < static_cast<int>(model.signals.size()); ++i)
    list.add("signal." + model.signals[i].name, unit_of_signal(model.signals[i]),
             model.signals[i].value.text(), Quantity::kSignal, i);
  for (int e = 0; e < static_cast<int>(model.events.size()); ++e)
    list.add("event." + model.events[e].name, "", "how many times it has happened", Quantity::kEvent, e);
  return std::move(list.channels);
}

std::vector<Channel> select_channels(std::vector<Channel> all, const std::vector<std::string>& globs) {
  return select(std::move(all), globs, [](std::size_t) { return SourceMark{}; });
}

std::vector<Channel> select_outputs(const Model& model) {
  return select(make_channels(model), model.outputs, [&](std::size_t i) {
    const auto mark = model.settings.marks.find(fmt::format("outputs.{}", i));
    return mark == model.settings.marks.end() ? SourceMark{} : mark->second;
  });
}

std::vector<int> find_ended(const Model& model, const std::vector<Channel>& channels,
                            const EventSpec& event) {
  const auto contains = [](const std::vector<int>& list, int i) {
    return std::find(list.begin(), list.end(), i) != list.end();
  };
  const int n_tree = model.n_tree(), n_loops = static_cast<int>(model.joints.size()) - n_tree;
  std::vector<int> ended;
  for (int i = 0; i < static_cast<int>(channels.size()); ++i) {
    const Channel& c = channels[i];
    bool ends = false;
    if (owner_of(c.quantity) == Owner::kJoint)
      ends = contains(event.break_off, c.index);
    else if (c.quantity >= Quantity::kConstraintForce && c.quantity <= Quantity::kConstraintDrift)
      ends = c.index < n_loops ? contains(event.break_off, n_tree + c.index)
                               : contains(event.remove, c.index - n_loops);
    else if (c.quantity == Quantity::kForce || c.quantity == Quantity::kForceOwn)
      ends = acts_on_any(model.forces[c.index], event.break_off);
    if (ends) ended.push_back(i);
  }
  return ended;
}

void calc_row(const Model& model, const std::vector<Channel>& channels, const Instant& instant,
              std::span<double> row) {
  const Snapshot& s = instant.snapshot;
  Components components{};
  const Channel* computed = nullptr;  // the channel that `components` was computed for
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const Channel& c = channels[i];
    switch (c.quantity) {
      // one number each, already in the snapshot
      case Quantity::kJointPosition:
        row[i] = s.scene.position({c.index, c.component});
        break;
      case Quantity::kJointVelocity:
        row[i] = s.scene.velocity({c.index, c.component});
        break;
      case Quantity::kJointAcceleration:
        row[i] = s.vdot[s.scene.v_start[c.index] + c.component];
        break;
      case Quantity::kConstraintMultiplier:
        row[i] = s.constraints[c.index].lambda[c.component];
        break;
      case Quantity::kJointForce:
        row[i] = s.tau[s.scene.v_start[c.index] + c.component];
        break;
      case Quantity::kForceOwn:
      case Quantity::kSurfaceOwn:
      case Quantity::kConstraintOwn:
        row[i] = std::visit(OwnReader{s, c}, c.read);
        break;
      default:
        if (computed == nullptr || computed->quantity != c.quantity || computed->index != c.index) {
          components = calc_components(model, instant, c.quantity, c.index);
          computed = &c;
        }
        row[i] = components[c.component];
    }
  }
}

}  // namespace haltere
