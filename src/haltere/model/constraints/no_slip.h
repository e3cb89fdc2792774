#pragma once

#include "haltere/model/constraints/constraint.h"
#include "haltere/model/joints/joint.h"

namespace haltere {

/// A blade: a point of a body does not move along a direction of that body, against the first body. It may go
/// anywhere all the same: one nonholonomic row.
template <class T>
struct NoSlip {
  static constexpr std::string_view kName = "no-slip";
  static constexpr std::string_view kSummary =
      "a point of a body does not move along a direction of the body: a blade, a skate";
  static constexpr std::array<std::string_view, 1> kRows{"slip"};
  static constexpr int kHolonomicRows = 0;
  static constexpr bool kIsLength = true;

  BodyIndex from;                            // the world by default
  BodyIndex to;                              //
  Vector3<T> to_point = Vector3<T>::Zero();  // [m]
  Vector3<T> direction = Vector3<T>::UnitY();

  static constexpr auto fields() {
    return std::tuple{field("from", &NoSlip::from, "", "body against which it does not slip"),
                      required("to", &NoSlip::to, "", "body with the blade"),
                      field("to_point", &NoSlip::to_point, "m", "point of the blade"),
                      field("direction", &NoSlip::direction, "",
                            "direction of the second body, in which the point does not move")};
  }

  MovingFrame<T> from_frame(const T&) const { return {}; }
  MovingFrame<T> to_frame(const T&) const { return {.X = {Matrix3<T>::Identity(), to_point}}; }
  void add_rows(const T&, const FrameMotion<T>& F, const FrameMotion<T>& M, FrameRows<T>* rows) const {
    const Vector3<T> u = M.X.R * unit<T>(direction), w = M.V.template head<3>();
    rows->add_contact(F, M, T(0), {u, w.cross(u)}, {Vector3<T>::Zero(), Vector3<T>::Zero()});
  }
};

}  // namespace haltere
