#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "haltere/math/rotation.h"
#include "haltere/math/spatial.h"
#include "haltere/model/entry.h"
#include "haltere/model/joints/joint.h"
#include "haltere/model/problem.h"
#include "haltere/model/states.h"
#include "haltere/model/values.h"

namespace haltere {

using Expression3 = std::array<Expression, 3>;

/// A rotation as a file may give it.
struct RotationSpec {
  enum class Form { kNone, kEuler, kAxisAngle, kQuaternion };
  Form form = Form::kNone;
  EulerSequence sequence;  // kEuler
  std::vector<Expression>
      values;  // kEuler: 3 angles; kAxisAngle: axis, angle; kQuaternion: w x y z (any length)

  template <class T>
  Matrix3<T> calc_R(const Resolver<T>& resolver) const;
};

struct FrameSpec {
  Expression3 position;  // [m]
  RotationSpec rotation;

  template <class T>
  Transform<T> calc_X(const Resolver<T>& resolver) const {
    Transform<T> X;
    X.R = rotation.calc_R<T>(resolver);
    for (int i = 0; i < 3; ++i) X.p[i] = resolver.calc(position[i]);
    return X;
  }
};

struct ParameterSpec {
  std::string name;
  SourceMark mark;
  Measure measure;          // dimension, where the file gave one
  double value = 0;         // SI, before any event
  bool structural = false;  // a count of repeated blocks depends on it: cannot change after loading
  std::optional<Expression>
      formula;  // of parameters with smaller slots: followed when an event changes those
};

struct BodySpec {
  std::string name;
  SourceMark mark;
  Expression mass;                     // [kg]
  Expression3 center_of_mass;          // in the body [m]
  std::array<Expression, 6> inertia;   // about the centre of mass, body axes: xx yy zz xy xz yz [kg m2]
  std::optional<Entry> inertia_shape;  // instead of `inertia`: homogeneous primitive (ShapeKinds)
  std::optional<Entry> shape;          // to draw; the inertia's primitive where none is given
  std::optional<EulerSequence> euler;  // asks for the channels body.NAME.euler.K
  std::string chart;                   // its own in `absolute`; empty: that of the run
  SourceMark chart_mark;
};

/// Mass, centre of mass and inertia of a body in the scalar T.
template <class T>
struct MassProperties {
  T mass{0};
  Vector3<T> p_BoBcm = Vector3<T>::Zero();
  Matrix3<T> I_BBcm = Matrix3<T>::Zero();
};
template <class T>
MassProperties<T> calc_mass_properties(const BodySpec& body, const Resolver<T>& resolver);

/// What a joint coordinate does.
enum class CoordinateMode { kPassive, kDriven, kPrescribed };

struct JointSpec {
  Entry entry;  // name, mark, kind of JointKinds, fields
  BodyIndex parent;
  BodyIndex child;
  FrameSpec parent_frame;  // X_PF
  FrameSpec child_frame;   // X_BM
  /// One per velocity coordinate; a formula of time and filters (prescribed) or of time and signals (driven).
  std::vector<std::optional<Expression>> prescribed;
  std::vector<std::optional<Expression>> driven;
  /// Spherical and free joints: prescribed[0..2] are the angles of this sequence.
  std::optional<EulerSequence> prescribed_sequence;
  bool locked = false;  // from the start: prescribed to stay at its initial position
  // initial state; absent values are 0, absent orientations the identity
  SourceMark initial_mark;
  std::vector<std::optional<Expression>> initial_position;  // per velocity coordinate that has a position
  RotationSpec initial_orientation;                         // spherical and free joints
  std::vector<std::optional<Expression>> initial_velocity;  // per velocity coordinate
  bool initial_turn_in_child = false;  // angular velocity given in the child's joint frame M instead of F

  const std::string& name() const { return entry.name; }
  int nq() const;
  int nv() const;
  Motion motion(int coordinate) const;
  CoordinateMode mode(int coordinate) const {
    return prescribed[coordinate] ? CoordinateMode::kPrescribed
           : driven[coordinate]   ? CoordinateMode::kDriven
                                  : CoordinateMode::kPassive;
  }
};

enum class Quantity : std::uint8_t;  // quantity.h: whoever does not name one need not know them

/// Something that formulas may read: `body.link1.position.x`, `joint.hinge.angle`.
struct Probe {
  using Quantity = haltere::Quantity;
  Quantity quantity{};  // one that is readable
  int index = 0;        // body or joint
  int component = 0;    // of the quantity, or coordinate of the joint
  std::string name;     // as in the file and in the channels
};

struct SignalSpec {
  std::string name;
  SourceMark mark;
  Expression value;  // of t, probes and earlier signals
};

struct EventSpec {
  enum class Direction { kBoth, kRising, kFalling };
  std::string name;
  SourceMark mark;
  std::optional<Expression> at;    // at this time [s] ...
  std::optional<Expression> when;  // ... or when this formula of time and signals passes zero
  Direction direction = Direction::kBoth;
  bool stop = false;                            // ends the run, as planned
  std::vector<std::pair<int, Expression>> set;  // parameter slot <- value (formula of parameters)
  std::vector<int> lock, free, break_off;       // joints that stop where they are, come loose, come off
  std::vector<int> remove;                      // constraints
  /// What becomes of the wakes; nothing: as kKeep. `air_mark`: where the file says it.
  enum class Air { kKeep, kClear };
  std::optional<Air> air;
  SourceMark air_mark;

  bool changes_mode() const {
    return !lock.empty() || !free.empty() || !break_off.empty() || !remove.empty();
  }
  bool clears_air() const { return air == Air::kClear; }
};

/// A number that describes a period of the motion.
struct MeasureSpec {
  enum class Kind { kMean, kPeak, kAmplitude, kPhase };
  std::string name;
  SourceMark mark;
  Kind kind{};
  std::vector<std::string> channels;  // that `of` reads: its locals 1 ...
  Expression of;                      // of t and channels
  Expression period;                  // [s]
};

/// A motion that comes back to itself, which `haltere trim` is to find.
struct TrimSpec {
  SourceMark mark;
  std::optional<Expression> period;  // [s]; none: a steady motion
  std::vector<int> parameters;       // slots of those that may change
  struct Target {
    MeasureSpec mean;  // of a formula of channels, over the period ...
    Expression value;  // ... is to be this
  };
  std::vector<Target> targets;
  std::vector<std::string> drift;  // positions that need not come back, by name; * for any part of it
  std::optional<int> mirror;  // after half a period: the mirror image, x, y or z being normal to the mirror
};

/// Plots that belong together in a report: a figure of the paper.
struct PresetSpec {
  struct Pane {
    std::string title;                  // may be empty
    std::vector<std::string> channels;  // globs
    std::string x;                      // the channel along its axis; empty: t
  };
  std::string title;
  SourceMark mark;
  std::vector<Pane> panes;
};

/// A plane that no air goes through: the ground, a wall, the middle of a machine of which one half is drawn.
struct PlaneSpec {
  std::string name;
  SourceMark mark;
  Expression3 point;   // [m]
  Expression3 normal;  // into the air, of any length
};

/// How to run: what the file says under `simulation`; the command line may override each.
struct Settings {
  std::map<std::string, SourceMark, std::less<>> marks;  // where the file gives each, by name
  std::optional<double> until;                           // [s]
  std::optional<double> step;                            // [s]
  std::optional<double> every;                           // [s]
  std::optional<double> tolerance;                       // relative
  std::optional<std::string> integrator;
  std::optional<std::string> formulation;
  std::optional<std::string> chart;
  std::optional<std::string> stabilization;
  std::optional<double> drift;        // largest allowed, of angles [rad] and of lengths in length scales
  std::optional<double> balance;      // largest allowed error of the energy balance, of the energy in play
  std::optional<double> frames;       // interval of what is drawn of the air; 0: nothing                [s]
  std::optional<double> wake_stride;  // rows of a wake from one that is drawn to the next
};

/// What the user described, validated; nothing changes it. Bodies and joints stand in tree order: body k is
/// the child of joint k - 1 and comes after its parent; body 0 is the world. Joints that close a loop follow
/// those of the tree.
struct Model {
  std::string name;
  std::string reference;
  std::string case_name;
  std::vector<std::string> set;    // key=value: what the command line changed
  std::vector<std::string> files;  // that were read
  std::string text;                // what was in them, for the record
  std::vector<ParameterSpec> parameters;
  Expression3 gravity;  // [m/s2]
  std::vector<BodySpec> bodies;
  std::vector<JointSpec> joints;
  std::vector<Entry> constraints;
  std::vector<Entry> forces;
  std::vector<Entry> surfaces;
  std::vector<PlaneSpec> planes;    // of the air
  std::vector<StateSpec> states;    // what it remembers: the first of the probes
  std::vector<Probe> probes;        // locals 1 ...
  std::vector<SignalSpec> signals;  // locals after the probes
  std::vector<EventSpec> events;
  std::vector<MeasureSpec> measures;
  std::optional<TrimSpec> trim;
  std::vector<std::string> outputs;  // channel globs; empty: all
  std::vector<PresetSpec> presets;   // of its reports
  Settings settings;
  std::vector<Problem> warnings;
  std::vector<std::string> notes;  // what else one should know of what was read: how near fits are

  int n_tree() const { return static_cast<int>(bodies.size()) - 1; }  // joints of the tree
  /// Of what holds besides the tree: the joints that close loops, then the constraints.
  const std::string& constraint_name(std::size_t i) const;
  int nq() const;  // positions of all joints, prescribed ones too
  int nv() const;
  std::vector<double> calc_parameters() const;  // the table of a run, before any event
  std::optional<int> find_body(std::string_view name) const;
  std::optional<int> find_joint(std::string_view name) const;
  std::optional<int> find_parameter(std::string_view name) const;
};

/// Evaluates the formulas of parameters anew, in the order of their slots, after an event has changed some.
/// `fixed`: one flag per parameter; those that an event has set keep their value.
void update_parameters(const Model& model, std::vector<double>* table, const std::vector<bool>& fixed);

/// Puts bodies and joints into tree order and renumbers every reference to them (joints, forces, probes).
/// Of several joints that have the same child, the one nearest to the world belongs to the tree (of those
/// equally near the first in the file); the others close loops. Adds a Problem for a body without joint, or
/// in a cycle that the world has no part in. Called once by the reader.
void sort_tree(Model* model, std::vector<Problem>* problems);

/// Checks that need numbers: masses and inertias (errors and warnings), rules of fields, axes of zero length,
/// what is not finite. Called by the reader after sort_tree, and by a run when an event has set parameters.
void check_model(const Model& model, const std::vector<double>& parameters, std::vector<Problem>* problems);

/// Names the joints whose coordinates meet no inertia in any configuration (massless bodies, thin rods). Only
/// for a model in tree order and without other errors, whose consequences these could be.
void check_singularity(const Model& model, const std::vector<double>& parameters,
                       std::vector<Problem>* problems);

/// A length typical of the machine, from its own geometry; scales exactly with the unit of length.     [m]
double calc_length_scale(const Model& model, const std::vector<double>& parameters);

/// The same; of a machine without extent how far it goes in one second: nobody changes the unit of time.  [m]
double calc_model_length(const Model& model, const std::vector<double>& parameters);

}  // namespace haltere
