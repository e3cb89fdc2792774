#pragma once

#include <random>
#include <string>

#include "haltere/model/kind_info.h"
#include "haltere/model/model.h"

/// Random machines for tests: any tree, any joint kind, any choice of prescribed coordinates.
namespace haltere::test {

struct RandomTree {
  explicit RandomTree(unsigned seed) : generator(seed) {}

  double number(double low = -1, double high = 1) {
    return std::uniform_real_distribution<double>(low, high)(generator);
  }
  int integer(int low, int high) { return std::uniform_int_distribution<int>(low, high)(generator); }
  Expression constant(double low = -1, double high = 1) { return Expression(number(low, high)); }
  Expression3 vector() { return {constant(), constant(), constant()}; }

  RotationSpec rotation() {
    RotationSpec r;
    r.form = RotationSpec::Form::kQuaternion;
    for (int i = 0; i < 4; ++i) r.values.push_back(constant());
    return r;
  }

  BodySpec body(const std::string& name) {
    BodySpec b;
    b.name = name;
    b.mass = constant(0.5, 2);
    b.center_of_mass = vector();
    // inertia of a box-like body, turned: I = trace-dominant symmetric matrix
    for (int i = 0; i < 3; ++i) b.inertia[i] = constant(0.6, 1);
    for (int i = 3; i < 6; ++i) b.inertia[i] = constant(-0.1, 0.1);
    return b;
  }

  JointSpec joint(const std::string& name, int kind, int parent, int child) {
    JointSpec j;
    j.entry.name = name;
    j.entry.kind = kind;
    for (std::size_t i = 0; i < joint_kinds()[kind].fields.size(); ++i)
      j.entry.values.emplace_back(std::vector<Expression>{constant(), constant(), constant()});
    j.parent = {parent};
    j.child = {child};
    j.parent_frame = {vector(), rotation()};
    j.child_frame = {vector(), rotation()};
    j.prescribed.resize(j.nv());
    j.driven.resize(j.nv());
    j.initial_position.resize(j.nv());
    j.initial_velocity.resize(j.nv());
    return j;
  }

  /// Prescribes some coordinates of a joint by random formulas of time.
  void prescribe(double share, JointSpec* j) {
    const Scope scope{[](std::string_view name) -> std::optional<Variable> {
                        if (name == "t") return Variable{Variable::Source::kLocal, 0, {}};
                        return std::nullopt;
                      },
                      [] { return std::vector<std::string>{"t"}; }};
    std::vector<TextProblem> problems;
    const auto formula = [&] {
      const std::string text = std::to_string(number()) + " + " + std::to_string(number()) + "*sin(" +
                               std::to_string(number(1, 3)) + "*t + " + std::to_string(number()) + ")";
      return Expression::parse(text, scope, std::nullopt, &problems);
    };
    const bool turns = j->nq() > j->nv();
    if (turns && number(0, 1) < share) {
      j->prescribed_sequence = *EulerSequence::parse("zxy");
      for (int i = 0; i < 3; ++i) j->prescribed[i] = formula();
    }
    for (int i = turns ? 3 : 0; i < j->nv(); ++i)
      if (number(0, 1) < share) j->prescribed[i] = formula();
  }

  /// A machine of `n` bodies; `share` of its coordinates prescribed.
  Model tree(int n, double share = 0) {
    Model m;
    m.name = "random";
    m.gravity = vector();
    m.bodies.emplace_back();
    m.bodies[0].name = "world";
    for (int k = 1; k <= n; ++k) {
      const std::string number_text = std::to_string(k);
      m.bodies.push_back(body("body" + number_text));
      m.joints.push_back(joint("joint" + number_text, integer(0, static_cast<int>(joint_kinds().size()) - 1),
                               integer(0, k - 1), k));
      if (share > 0) prescribe(share, &m.joints.back());
    }
    return m;
  }

  /// Fluid loads on a body, whose matrices have no symmetry; `size` of their entries.
  void add_fluid(int body, double size, Model* m) {
    const auto list = [&](int n, double most) {
      std::vector<Expression> values;
      for (int i = 0; i < n; ++i) values.push_back(constant(-most, most));
      return values;
    };
    Entry fluid{"fluid" + std::to_string(m->forces.size()), {}, find_kind(force_kinds(), "linear-fluid"), {}};
    fluid.values = {BodyIndex{body}, list(3, 1),    list(3, 1),    list(3, 1),
                    list(3, 1),      list(9, size), list(9, size), constant(-size, size),
                    integer(0, 1)};
    m->forces.push_back(std::move(fluid));
  }

  /// A chain on spherical joints whose end a universal joint ties to the world.
  Model loop(int n) {
    Model m = tree(n);
    for (int k = 0; k < n; ++k) {
      m.joints[k] = joint("joint" + std::to_string(k), find_kind(joint_kinds(), "spherical"), k, k + 1);
      for (auto& velocity : m.joints[k].initial_velocity) velocity = constant();
    }
    m.joints.push_back(joint("loop", find_kind(joint_kinds(), "universal"), 0, n));
    return m;
  }

  /// One free body with wings on spherical joints, `share` of them prescribed, the others driven or not.
  Model insect(int n_wings, double share) {
    Model m;
    m.name = "insect";
    m.gravity = vector();
    m.bodies.emplace_back();
    m.bodies[0].name = "world";
    for (int k = 1; k <= 1 + n_wings; ++k) {
      const bool is_body = k == 1;
      const std::string_view kind = is_body ? "free" : "spherical";
      m.bodies.push_back(body(is_body ? "body" : "wing" + std::to_string(k - 1)));
      m.joints.push_back(joint(is_body ? "base" : "hinge" + std::to_string(k - 1),
                               find_kind(joint_kinds(), kind), is_body ? 0 : 1, k));
      JointSpec& j = m.joints.back();
      if (!is_body) prescribe(share, &j);
      if (j.prescribed_sequence) continue;
      for (auto& velocity : j.initial_velocity) velocity = constant();
      j.initial_orientation = rotation();
      if (integer(0, 1) == 1)
        for (auto& torque : j.driven) torque = constant();
    }
    const auto point = [&] { return std::vector<Expression>{constant(), constant(), constant()}; };
    for (int k = 2; k <= 1 + n_wings; ++k)
      m.forces.push_back(
          {"spring" + std::to_string(k - 1),
           {},
           find_kind(force_kinds(), "spring-damper"),
           {BodyIndex{1}, point(), BodyIndex{k}, point(), constant(0, 5), constant(0, 1), constant(0, 1)}});
    return m;
  }

  std::mt19937 generator;
};

}  // namespace haltere::test
