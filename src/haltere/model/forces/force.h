#pragma once

#include "haltere/model/kind.h"
#include "haltere/model/kind_channel.h"
#include "haltere/model/scene.h"

/// What every force kind is made of:
///   Account<T> add_load(const Scene<T>&, Loads<T>*) const
/// adds wrenches, generalised forces and added matrices, and says where the energy goes. Law (checked for
/// every kind by tests/property/forces_test.cpp): power = -d(potential)/dt - dissipation + input, and
/// dissipation >= 0. `channels()`, if it has channels besides power and energy.
namespace haltere {

/// Read from where its energy goes.
using ForceChannel = KindChannel<Account<double>>;

/// Axes in which a vector is given.
enum class Axes { kWorld, kBody };
template <>
struct Words<Axes> {
  static constexpr std::array<std::string_view, 2> kNames{"world", "body"};
};

}  // namespace haltere
