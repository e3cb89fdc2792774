#pragma once

#include <string_view>

#include "haltere/math/types.h"
#include "haltere/model/joints/joint.h"
#include "haltere/model/kind.h"

/// Homogeneous primitives: inertia of a body, and what the report draws. Centred at the centre of mass;
/// `axis` is in body axes. Law: calc_inertia() is the inertia about the centre per unit of mass [m2].
namespace haltere {

/// Inertia per unit mass of a body of revolution about `axis`: axial value `a`, transverse value `b`.
template <class T>
Matrix3<T> inertia_about(const Vector3<T>& axis, const T& a, const T& b) {
  const Vector3<T> e = unit<T>(axis);
  const Matrix3<T> E = e * e.transpose();  // by itself: symmetric to the last bit
  return b * Matrix3<T>::Identity() + (a - b) * E;
}

template <class T>
struct Box {
  static constexpr std::string_view kName = "box";
  static constexpr std::string_view kSummary = "solid block with edges along the body axes";
  Vector3<T> size = Vector3<T>::Zero();  // edge lengths [m]
  static constexpr auto fields() {
    return std::tuple{required("size", &Box::size, "m", "edge lengths along x, y, z", Rule::kNotNegative)};
  }
  Matrix3<T> calc_inertia() const {
    const Vector3<T> s = size.cwiseProduct(size) / T(12);
    return Vector3<T>(s[1] + s[2], s[0] + s[2], s[0] + s[1]).asDiagonal();
  }
};

template <class T>
struct Plate {
  static constexpr std::string_view kName = "plate";
  static constexpr std::string_view kSummary =
      "rectangle without thickness, given as the box that it would be";
  Vector3<T> size = Vector3<T>::Zero();  // [m], one of them 0
  static constexpr auto fields() {
    return std::tuple{
        required("size", &Plate::size, "m", "edge lengths along x, y, z; one of them 0", Rule::kNotNegative)};
  }
  Matrix3<T> calc_inertia() const { return Box<T>{size}.calc_inertia(); }
};

template <class T>
struct Cylinder {
  static constexpr std::string_view kName = "cylinder";
  static constexpr std::string_view kSummary = "solid circular cylinder";
  T radius{0};  // [m]
  T length{0};  // [m]
  Vector3<T> axis = Vector3<T>::UnitZ();
  static constexpr auto fields() {
    return std::tuple{required("radius", &Cylinder::radius, "m", "radius", Rule::kNotNegative),
                      required("length", &Cylinder::length, "m", "length along the axis", Rule::kNotNegative),
                      field("axis", &Cylinder::axis, "", "direction of the axis in the body")};
  }
  Matrix3<T> calc_inertia() const {
    return inertia_about<T>(axis, radius * radius / T(2), (T(3) * radius * radius + length * length) / T(12));
  }
};

template <class T>
struct Ellipsoid {
  static constexpr std::string_view kName = "ellipsoid";
  static constexpr std::string_view kSummary = "solid ellipsoid with axes along the body axes";
  Vector3<T> radii = Vector3<T>::Zero();  // half axes [m]
  static constexpr auto fields() {
    return std::tuple{
        required("radii", &Ellipsoid::radii, "m", "half axes along x, y, z", Rule::kNotNegative)};
  }
  Matrix3<T> calc_inertia() const {
    const Vector3<T> s = radii.cwiseProduct(radii) / T(5);
    return Vector3<T>(s[1] + s[2], s[0] + s[2], s[0] + s[1]).asDiagonal();
  }
};

template <class T>
struct Sphere {
  static constexpr std::string_view kName = "sphere";
  static constexpr std::string_view kSummary = "solid sphere";
  T radius{0};  // [m]
  static constexpr auto fields() {
    return std::tuple{required("radius", &Sphere::radius, "m", "radius", Rule::kNotNegative)};
  }
  Matrix3<T> calc_inertia() const { return T(0.4) * radius * radius * Matrix3<T>::Identity(); }
};

template <class T>
struct Rod {
  static constexpr std::string_view kName = "rod";
  static constexpr std::string_view kSummary = "thin straight rod";
  T length{0};  // [m]
  Vector3<T> axis = Vector3<T>::UnitX();
  static constexpr auto fields() {
    return std::tuple{required("length", &Rod::length, "m", "length", Rule::kNotNegative),
                      field("axis", &Rod::axis, "", "direction of the rod in the body")};
  }
  Matrix3<T> calc_inertia() const { return inertia_about<T>(axis, T(0), length * length / T(12)); }
};

using ShapeKinds = KindList<  //
    Box,                      //
    Plate,                    //
    Cylinder,                 //
    Ellipsoid,                //
    Sphere,                   //
    Rod                       //  <- a new shape: its struct above, its line here
    >;
template <class T>
using AnyShape = ShapeKinds::Any<T>;

}  // namespace haltere
