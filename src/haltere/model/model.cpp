#include "haltere/model/model.h"

#include <span>

#include "haltere/model/joints.h"
#include "haltere/model/shapes.h"

namespace haltere {
namespace {

/// The sizes of a joint kind, without its type.
struct JointTraits {
  int nq;
  int nv;
  std::span<const Motion> motions;
};

const JointTraits& traits_of(int kind) {
  static const auto traits = [] {
    std::vector<JointTraits> list;
    JointKinds::for_each([&]<class J>(const J&) { list.push_back({J::nq, J::nv, J::kMotions}); });
    return list;
  }();
  return traits[kind];
}

template <class Items, class Name>
std::optional<int> find_by_name(const Items& items, std::string_view name, Name name_of) {
  for (std::size_t i = 0; i < items.size(); ++i)
    if (name_of(items[i]) == name) return static_cast<int>(i);
  return std::nullopt;
}

}  // namespace

template <class T>
Matrix3<T> RotationSpec::calc_R(const Resolver<T>& resolver) const {
  Vector4<T> x = Vector4<T>::Zero();
  for (std::size_t i = 0; i < values.size(); ++i) x[static_cast<int>(i)] = resolver.calc(values[i]);
  switch (form) {
    case Form::kEuler:
      return sequence.calc_R<T>(Vector3<T>(x.template head<3>()));
    case Form::kAxisAngle:
      return rotation_about<T>(unit<T>(x.template head<3>()), x[3]);
    case Form::kQuaternion:
      return rotation_of<T>(x);
    case Form::kNone:
      break;
  }
  return Matrix3<T>::Identity();
}
template Matrix3<double> RotationSpec::calc_R(const Resolver<double>&) const;
template Matrix3<Dual> RotationSpec::calc_R(const Resolver<Dual>&) const;

template <class T>
MassProperties<T> calc_mass_properties(const BodySpec& body, const Resolver<T>& resolver) {
  MassProperties<T> m;
  m.mass = resolver.calc(body.mass);
  for (int i = 0; i < 3; ++i) m.p_BoBcm[i] = resolver.calc(body.center_of_mass[i]);
  if (body.inertia_shape) {
    const AnyShape<T> any = resolve<ShapeKinds, T>(*body.inertia_shape, resolver);
    m.I_BBcm = m.mass * std::visit([](const auto& shape) { return shape.calc_inertia(); }, any);
    return m;
  }
  std::array<T, 6> I;
  for (int i = 0; i < 6; ++i) I[i] = resolver.calc(body.inertia[i]);
  m.I_BBcm << I[0], I[3], I[4],  //
      I[3], I[1], I[5],          //
      I[4], I[5], I[2];
  return m;
}
template MassProperties<double> calc_mass_properties(const BodySpec&, const Resolver<double>&);
template MassProperties<Dual> calc_mass_properties(const BodySpec&, const Resolver<Dual>&);

int JointSpec::nq() const {
  return traits_of(entry.kind).nq;
}

int JointSpec::nv() const {
  return traits_of(entry.kind).nv;
}

Motion JointSpec::motion(int coordinate) const {
  return traits_of(entry.kind).motions[coordinate];
}

const std::string& Model::constraint_name(std::size_t i) const {
  const std::size_t n_loops = joints.size() - n_tree();
  return i < n_loops ? joints[n_tree() + i].name() : constraints[i - n_loops].name;
}

int Model::nq() const {
  int n = 0;
  for (const JointSpec& joint : joints) n += joint.nq();
  return n;
}

int Model::nv() const {
  int n = 0;
  for (const JointSpec& joint : joints) n += joint.nv();
  return n;
}

std::vector<double> Model::calc_parameters() const {
  std::vector<double> table;
  table.reserve(parameters.size());
  for (const ParameterSpec& parameter : parameters) table.push_back(parameter.value);
  return table;
}

std::optional<int> Model::find_body(std::string_view body) const {
  return find_by_name(bodies, body, [](const BodySpec& b) { return std::string_view(b.name); });
}

std::optional<int> Model::find_joint(std::string_view joint) const {
  return find_by_name(joints, joint, [](const JointSpec& j) { return std::string_view(j.name()); });
}

std::optional<int> Model::find_parameter(std::string_view parameter) const {
  return find_by_name(parameters, parameter, [](const ParameterSpec& p) { return std::string_view(p.name); });
}

}  // namespace haltere
