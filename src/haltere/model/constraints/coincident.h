#pragma once

#include "haltere/model/constraints/constraint.h"

namespace haltere {

/// Holds a point of one body on a point of another. The first may move in its body by formulas of time: with
/// the world as the first body, a point that is led along a path.
template <class T>
struct Coincident {
  static constexpr std::string_view kName = "coincident";
  static constexpr std::string_view kSummary = "a point of one body stays on a point of another";
  static constexpr std::array<std::string_view, 3> kRows{"x", "y", "z"};
  static constexpr bool kIsLength = true;

  BodyIndex from;                            // the world by default
  VectorFunction<T> from_point;              // [m]
  BodyIndex to;                              //
  Vector3<T> to_point = Vector3<T>::Zero();  // [m]

  static constexpr auto fields() {
    return std::tuple{field("from", &Coincident::from, "", "first body"),
                      of_time(field("from_point", &Coincident::from_point, "m",
                                    "point of the first body; may be formulas of time")),
                      required("to", &Coincident::to, "", "second body"),
                      field("to_point", &Coincident::to_point, "m", "point of the second body")};
  }

  MovingFrame<T> from_frame(const T& t) const { return make_point_frame<T>(from_point, t); }
  MovingFrame<T> to_frame(const T&) const { return {.X = {Matrix3<T>::Identity(), to_point}}; }
  void add_rows(const T&, const FrameMotion<T>& F, const FrameMotion<T>& M, FrameRows<T>* rows) const {
    for (int i = 0; i < 3; ++i) rows->add_world_translation(F, M, i);
  }
};

}  // namespace haltere
