#pragma once

#include "haltere/model/joints/joint.h"

namespace haltere {

/// No motion: the two joint frames coincide.
template <class T>
struct Weld {
  static constexpr std::string_view kName = "weld";
  static constexpr std::string_view kSummary = "no motion; the two joint frames coincide";
  static constexpr int nq = 0, nv = 0;
  static constexpr std::array<Motion, nv> kMotions{};
  static constexpr Hold kHold{{true, true, true}, Hold::Turns::kAll};

  static constexpr auto fields() { return std::tuple{}; }

  Transform<T> calc_alignment() const { return {}; }
  static Transform<T> calc_X_FM(const T*) { return {}; }
  static Matrix6N<T, nv> calc_S_FM(const T*) { return {}; }
  static Vector6<T> calc_bias(const T*, const T*) { return Vector6<T>::Zero(); }
  static void calc_q(const Transform<T>&, T*) {}
  static void calc_qdot(const T*, const T*, T*) {}
};

}  // namespace haltere
