#pragma once

#include "haltere/model/constraints/constraint.h"

namespace haltere {

/// Holds the axes of one body against those of another, turned by three angles about x, the new y and the new
/// z, which may be formulas of time.
template <class T>
struct Orientation {
  static constexpr std::string_view kName = "orientation";
  static constexpr std::string_view kSummary =
      "the axes of one body are turned against those of another by given angles";
  static constexpr std::array<std::string_view, 3> kRows{"x", "y", "z"};
  static constexpr bool kIsLength = false;

  BodyIndex from;            // the world by default
  BodyIndex to;              //
  VectorFunction<T> angles;  // [rad]

  static constexpr auto fields() {
    return std::tuple{
        field("from", &Orientation::from, "", "first body"),
        required("to", &Orientation::to, "", "second body"),
        of_time(axial(field("angles", &Orientation::angles, "rad",
                            "of the second against the first, about x, then the new y, then the "
                            "new z; may be formulas of time")))};
  }

  MovingFrame<T> from_frame(const T& t) const { return make_turned_frame<T>({{0, 1, 2}}, angles, t); }
  MovingFrame<T> to_frame(const T&) const { return {}; }
  void add_rows(const T&, const FrameMotion<T>& F, const FrameMotion<T>& M, FrameRows<T>* rows) const {
    rows->add_orientation(F, M);
  }
};

}  // namespace haltere
