#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "haltere/model/kind_info.h"
#include "haltere/model/model.h"

/// A Model put together by hand, in the words of a model file.
namespace haltere {

inline std::vector<Expression> numbers(const Vector3<double>& x) {
  return {Expression(x[0]), Expression(x[1]), Expression(x[2])};
}

struct WrittenModel {
  Model model;

  WrittenModel() {
    model.bodies.emplace_back();
    model.bodies[0].name = "world";
  }

  BodySpec& add_body(const std::string& name, double mass = 0,
                     const Vector3<double>& moments = Vector3<double>::Zero()) {
    BodySpec body;
    body.name = name;
    body.mark = {"m.yaml", next_line_++, 3};
    body.mass = Expression(mass);
    for (int i = 0; i < 3; ++i) body.inertia[i] = Expression(moments[i]);
    model.bodies.push_back(body);
    return model.bodies.back();
  }

  void add_parameter(const std::string& name, double value) {
    ParameterSpec parameter;
    parameter.name = name;
    parameter.mark = {"m.yaml", next_line_++, 3};
    parameter.value = value;
    model.parameters.push_back(parameter);
  }

  /// Fields that are not given keep their default.
  Entry make_entry(const std::vector<KindInfo>& kinds, const std::string& name, std::string_view kind,
                   const std::vector<std::pair<std::string_view, Value>>& fields) {
    Entry entry{name, {"m.yaml", next_line_++, 3}, find_kind(kinds, kind), {}};
    for (const FieldInfo& f : kinds[entry.kind].fields) {
      entry.values.emplace_back();
      for (const auto& [field, value] : fields)
        if (field == f.name) entry.values.back() = value;
    }
    return entry;
  }

  JointSpec& add_joint(const std::string& name, std::string_view kind, std::string_view parent,
                       std::string_view child,
                       const std::vector<std::pair<std::string_view, Value>>& fields = {}) {
    JointSpec joint;
    joint.entry = make_entry(joint_kinds(), name, kind, fields);
    joint.parent = {model.find_body(parent).value_or(-1)};
    joint.child = {model.find_body(child).value_or(-1)};
    joint.prescribed.resize(joint.nv());
    joint.driven.resize(joint.nv());
    joint.initial_position.resize(joint.nv());
    joint.initial_velocity.resize(joint.nv());
    model.joints.push_back(joint);
    return model.joints.back();
  }

  void add_force(const std::string& name, std::string_view kind,
                 const std::vector<std::pair<std::string_view, Value>>& fields) {
    model.forces.push_back(make_entry(force_kinds(), name, kind, fields));
  }

 private:
  int next_line_ = 1;
};

/// The texts of all problems.
inline std::vector<std::string> texts(const std::vector<Problem>& problems) {
  std::vector<std::string> list;
  for (const Problem& problem : problems) list.push_back(problem.text());
  return list;
}

inline Expression3 position(double x, double y, double z) {
  return {Expression(x), Expression(y), Expression(z)};
}

}  // namespace haltere
