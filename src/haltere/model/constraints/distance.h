#pragma once

#include "haltere/model/constraints/constraint.h"

namespace haltere {

/// Keeps two points at a distance, which may be a formula of time: a massless rod, or a jack.
template <class T>
struct Distance {
  static constexpr std::string_view kName = "distance";
  static constexpr std::string_view kSummary = "two points keep a distance, which may be a formula of time";
  static constexpr std::array<std::string_view, 1> kRows{"distance"};
  static constexpr bool kIsLength = true;

  BodyIndex from;                            // the world by default
  VectorFunction<T> from_point;              // [m]
  BodyIndex to;                              //
  Vector3<T> to_point = Vector3<T>::Zero();  // [m]
  Function<T> distance;                      // [m]

  static constexpr auto fields() {
    return std::tuple{
        field("from", &Distance::from, "", "first body"),
        of_time(field("from_point", &Distance::from_point, "m",
                      "point of the first body; may be formulas of time")),
        required("to", &Distance::to, "", "second body"),
        field("to_point", &Distance::to_point, "m", "point of the second body"),
        of_time(required("distance", &Distance::distance, "m", "may be a formula of time", Rule::kPositive))};
  }

  MovingFrame<T> from_frame(const T& t) const { return make_point_frame<T>(from_point, t); }
  MovingFrame<T> to_frame(const T&) const { return {.X = {Matrix3<T>::Identity(), to_point}}; }
  void add_rows(const T& t, const FrameMotion<T>& F, const FrameMotion<T>& M, FrameRows<T>* rows) const {
    rows->add_distance(F, M, distance.calc_jet(t));
  }
};

}  // namespace haltere
