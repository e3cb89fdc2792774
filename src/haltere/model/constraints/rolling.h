#pragma once

#include <limits>
#include <numbers>
#include <string>

#include "haltere/math/dual.h"
#include "haltere/model/constraints/constraint.h"
#include "haltere/model/joints/joint.h"

namespace haltere {

/// A wheel that rolls on a plane without slip: a disc, or a torus if it has a tube radius. With the axis a of
/// the wheel, its centre c and the normal n of the plane, the lowest point is known in closed form:
///   s = |a x n|,   e = -(n - (n.a) a) / s,   contact = c + R e - r n,   gap = n . (c - p) - R s - r.
/// One row holds the gap closed, two the material point of the wheel that touches on that of the plane,
/// along a x n and n x (a x n). The plane may pull: contact is bilateral.
template <class T>
struct Rolling {
  static constexpr std::string_view kName = "rolling";
  static constexpr std::string_view kSummary =
      "a wheel (disc or torus) stays on a plane and rolls there without slip";
  static constexpr std::array<std::string_view, 3> kRows{"normal", "longitudinal", "lateral"};
  static constexpr int kHolonomicRows = 1;
  static constexpr bool kIsLength = true;

  BodyIndex from;                            // carries the plane; the world by default
  VectorFunction<T> from_point;              // [m]
  Vector3<T> normal = Vector3<T>::UnitZ();   // in axes of the first body
  BodyIndex to;                              // the wheel
  Vector3<T> to_point = Vector3<T>::Zero();  // [m]
  Vector3<T> axis = Vector3<T>::UnitY();     // in axes of the second body
  T radius{0};                               // R, of the centre line of the tube [m]
  T tube_radius{0};                          // r [m]

  static constexpr auto fields() {
    return std::tuple{
        field("from", &Rolling::from, "", "body that carries the plane"),
        of_time(field("from_point", &Rolling::from_point, "m",
                      "point of the plane; may be formulas of time: the ground moves with it")),
        field("normal", &Rolling::normal, "", "normal of the plane, towards the wheel"),
        required("to", &Rolling::to, "", "the wheel"),
        field("to_point", &Rolling::to_point, "m", "centre of the wheel"),
        axial(field("axis", &Rolling::axis, "",
                    "axis of the wheel; axis x normal is forward (channel longitudinal)")),
        required("radius", &Rolling::radius, "m", "of a disc, or of the centre line of a torus",
                 Rule::kPositive),
        field("tube_radius", &Rolling::tube_radius, "m", "of a torus; 0 is a disc", Rule::kNotNegative)};
  }

  MovingFrame<T> from_frame(const T& t) const { return make_point_frame<T>(from_point, t); }
  MovingFrame<T> to_frame(const T&) const { return {.X = {Matrix3<T>::Identity(), to_point}}; }

  /// The point of contact with its directions, all with their rates.
  struct Contact {
    T s;  // sine of the angle between axis and normal
    Vector3<T> n, along, across;
    Vector3<T> ndot, along_dot, across_dot;
    Vector3<T> d, d_dot;  // from the centre of the wheel to the point
  };
  Contact calc_contact(const FrameMotion<T>& F, const FrameMotion<T>& M) const {
    using std::sqrt;
    Contact c;
    const Vector3<T> w_F = F.V.template head<3>(), w_M = M.V.template head<3>();
    const Vector3<T> a = M.X.R * unit<T>(axis), adot = w_M.cross(a);
    c.n = F.X.R * unit<T>(normal);
    c.ndot = w_F.cross(c.n);
    const Vector3<T> axn = a.cross(c.n), axn_dot = adot.cross(c.n) + a.cross(c.ndot);
    c.s = sqrt(axn.squaredNorm());
    // contact angles turn at a rate of 1/s: not finite instead of steps without end, and the run says so
    if (value_of(c.s) < kFlat) c.s = T(std::numeric_limits<double>::quiet_NaN());
    c.along = axn / c.s;
    const T sdot = c.along.dot(axn_dot);
    c.along_dot = (axn_dot - sdot * c.along) / c.s;
    c.across = c.n.cross(c.along);
    c.across_dot = c.ndot.cross(c.along) + c.n.cross(c.along_dot);
    // e = a x along
    c.d = radius * a.cross(c.along) - tube_radius * c.n;
    c.d_dot = radius * (adot.cross(c.along) + a.cross(c.along_dot)) - tube_radius * c.ndot;
    return c;
  }

  void add_rows(const T&, const FrameMotion<T>& F, const FrameMotion<T>& M, FrameRows<T>* rows) const {
    const Contact c = calc_contact(F, M);
    const T gap = c.n.dot(M.X.p - F.X.p) - radius * c.s - tube_radius;
    rows->add_contact(F, M, gap, {c.n, c.ndot}, {c.d, c.d_dot});
    rows->add_contact(F, M, T(0), {c.along, c.along_dot}, {c.d, c.d_dot});
    rows->add_contact(F, M, T(0), {c.across, c.across_dot}, {c.d, c.d_dot});
  }

  /// Where it touches, and the angles of the contact in the wheel as [arroyo2020] has them: xi about the axis
  /// from a direction fixed in the wheel (body x for the axis y) to the lowest point of the centre line, up
  /// to whole turns, and eta from the plane of the wheel to the ground, counted from 2 pi.
  ContactPlace<T> calc_place(const FrameMotion<T>& F, const FrameMotion<T>& M) const {
    using std::atan2;
    const Contact c = calc_contact(F, M);
    const Vector3<T> a = M.X.R * unit<T>(axis), w = M.V.template head<3>();
    const Vector3<T> e = a.cross(c.along), edot = w.cross(a).cross(c.along) + a.cross(c.along_dot);
    const Vector3<T> zero = M.X.R * find_zero_direction();
    return {.point = M.X.p + c.d,
            .xi = atan2(e.dot(a.cross(zero)), e.dot(zero)),
            .xi_rate = a.cross(e).dot(edot - w.cross(e)),
            .eta = T(2 * std::numbers::pi) + atan2(-c.n.dot(a), c.s)};
  }

  static constexpr std::string_view kContactAngle = "xi";
  static ContactForce calc_contact_force(const Vector6<double>& lambda) {
    return {-lambda[0], -lambda[1], -lambda[2]};
  }

  std::vector<ConstraintChannel> channels() const {
    using Lambda = Vector6<double>;
    using Place = ContactPlace<double>;
    return {{"normal", "N", "force on the wheel along the normal; positive pushes",
             [](const Lambda& lambda, const Place&, int) { return calc_contact_force(lambda).normal; }},
            {"longitudinal", "N", "force on the wheel along axis x normal",
             [](const Lambda& lambda, const Place&, int) { return calc_contact_force(lambda).longitudinal; }},
            {"lateral", "N", "force on the wheel along normal x (axis x normal)",
             [](const Lambda& lambda, const Place&, int) { return calc_contact_force(lambda).lateral; }},
            {"friction_needed", "",
             "friction coefficient without which it would slip: tangential over normal force",
             [](const Lambda& lambda, const Place&, int) {
               return calc_contact_force(lambda).friction_needed();
             }},
            {"point.x", "m", "point of contact, world axes, x",
             [](const Lambda&, const Place& place, int) { return place.point[0]; }},
            {"point.y", "m", "point of contact, world axes, y",
             [](const Lambda&, const Place& place, int) { return place.point[1]; }},
            {std::string(kContactAngle), "rad", "contact angle about the axis of the wheel, over all turns",
             [](const Lambda&, const Place& place, int) { return place.xi; }},
            {"eta", "rad", "contact angle round the tube of the wheel; 2 pi where the wheel stands upright",
             [](const Lambda&, const Place& place, int) { return place.eta; }}};
  }

  std::string find_fault(const FrameMotion<T>& F, const FrameMotion<T>& M) const {
    if (value_of(calc_contact(F, M).s) > 2 * kFlat) return "";
    return "the wheel lies flat on its plane, where it touches in no single point; end the run before with "
           "an "
           "event (stop: true), or start from another orientation";
  }

 private:
  // sine of the angle between axis and normal, 0.06 deg: below it the contact point runs round the rim faster
  // than steps can follow (seen with a disc that falls without spin); the value is a choice
  static constexpr double kFlat = 1e-3;

  Vector3<T> find_zero_direction() const {
    const Vector3<T> a = unit<T>(axis), x = a.cross(Vector3<T>::UnitZ());
    constexpr double kParallel = 1e-6;  // square of a sine: any direction that is surely not parallel will do
    return value_of(x.squaredNorm()) > kParallel ? unit<T>(x) : Vector3<T>::UnitX();
  }
};

}  // namespace haltere
