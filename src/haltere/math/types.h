#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

/// Names of the small fixed-size matrices, generic in the scalar T (double or Dual).
namespace haltere {

template <class T>
using Vector3 = Eigen::Matrix<T, 3, 1>;
template <class T>
using Vector4 = Eigen::Matrix<T, 4, 1>;  // quaternions: (w, x, y, z)
template <class T>
using Vector6 = Eigen::Matrix<T, 6, 1>;  // twists and wrenches: angular part first
template <class T>
using Matrix3 = Eigen::Matrix<T, 3, 3>;
template <class T>
using Matrix6 = Eigen::Matrix<T, 6, 6>;
template <class T>
using VectorX = Eigen::Matrix<T, Eigen::Dynamic, 1>;
template <class T>
using MatrixX = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

using ConstRef = const Eigen::Ref<const Eigen::VectorXd>&;
using Ref = Eigen::Ref<Eigen::VectorXd>;

}  // namespace haltere
