#pragma once

#include <utility>
#include <vector>

#include "haltere/aero/strip_law.h"
#include "haltere/aero/surface_load.h"
#include "haltere/math/vec3.h"
#include "haltere/model/scene.h"
#include "haltere/model/surfaces/blade_element.h"

namespace haltere {

// clang-format off
/// What the air does to a `blade-element` surface.                                  [porez2014] sec. IV, [sane2002]
///
/// Axes E of the surface: t towards the leading edge, w normal to the wing, s along the span, t x w = s. A strip of
/// chord c has its centre of pressure P, which moves with V = (a, n, v_s) in E against the air. A metre of it feels
///   lift      rho/2 c |V|^2 C_L u,          u: the part of t normal to V, of length one
///   drag     -rho/2 c |V|^2 C_D V/|V|
///   rotation  rho C_R c^2 w_s (s x V),      w_s: angular velocity about the span
/// Known laws are those of plates without upper side: C(atan2(|n|, a)). Formulas are of the angle of attack
/// alpha = atan2(-n_up, a) in (-pi, pi], n_up along the normal out of the upper side; their lift is turned from V a
/// quarter towards that side (which is u where alpha > 0, -u where it is not), and their moment
///   moment    rho/2 c^2 |V|^2 C_M(alpha)    nose up
/// acts at P. A metre carries m = kappa rho c^2 of air along w. What that air does is the rate of its momentum
/// P_a, L_a as the body's axes see it: with n6 = (p x w; w) of each strip, K = sum m n6 n6^T,
///   load = -K (d/dt of the body components of the twist) - bias,    (L_a; P_a) = K (Omega; V)
///   bias = (Omega x L_a + V x P_a; Omega x P_a)                                               [kirchhoff1870]
/// or that of [porez2014] sec. IV, whose moment has MS (Omega x V) instead of Omega x (MS V) + V x (MS^T Omega).
/// Neither bias does work. In steady flow both leave the moment -m n V x w of an ideal fluid, which is also that of
/// lift at 1/4 of the chord about 1/2 of it: with it lift acts at 1/2, without it at 1/4.
/// In wind, V is the velocity against the air at each strip.
// clang-format on
template <class T>
class BladeLoads {
 public:
  explicit BladeLoads(BladeElement<T> blade);

  /// All but what needs accelerations, which goes to loads->added.
  Account<T> add_load(const Scene<T>& scene, Loads<T>* loads) const;
  /// Term by term and strip by strip, the body having the acceleration A_WB.
  void observe(const Scene<double>& scene, const Vector6<double>& A_WB, SurfaceLoad* out) const;
  /// The same with the accelerations of all bodies, of which it takes its own.
  void observe(const Scene<double>& scene, const std::vector<Vector6<double>>& A_WB, SurfaceLoad* out) const;

 private:
  /// Sums over the strips of m, m p_t, m p_s, ... : all that K is made of.
  struct Carried {
    T m{0}, t{0}, s{0}, tt{0}, ts{0}, ss{0};
  };
  /// Axes of the surface, and the motion of Bo in them.
  struct Lanes {
    Mat3<T> R_WE;
    Vec3<T> w, v;
  };
  struct Flow {  // the same
    Matrix3<T> R_WE;
    Vector3<T> w, v;
  };
  struct Wind {
    Vector3<T> W, rate;  // velocity of the air, and its change where a point of the surface goes; in E
  };
  struct Wrench {
    Vector3<T> f = Vector3<T>::Zero(), m = Vector3<T>::Zero();
  };

  struct Section {
    StripForce<T> force;  // over rho/2 c
    T moment{0};          // over rho/2 c^2, along s
    T alpha{0};
  };

  Account<T> add_load_inline(const Scene<T>& scene, Loads<T>* loads) const;
  Account<T> add_load_avx2(const Scene<T>& scene, Loads<T>* loads) const;
  Lanes calc_lanes(const Scene<T>& scene) const;
  Flow calc_flow(const Scene<T>& scene) const;
  Wind calc_wind(const Scene<T>& scene, const Flow& flow, const Vector3<T>& p_E) const;
  Vector3<T> calc_p(int strip, const T& chords) const;
  Wrench calc_steady(const Scene<T>& scene, const Flow& flow) const;
  Wrench calc_strip_terms(const Scene<T>& scene, const Flow& flow, int strip, Vector3<T>* lift,
                          Vector3<T>* drag, Vector3<T>* rotation, T* alpha) const;
  Section calc_section(const Vector3<T>& V) const;
  Carried calc_carried(int strip) const;
  Spatial<T> calc_bias(const Carried& carried, const Vec3<T>& w, const Vec3<T>& v, const T& rate) const;
  Spatial<T> calc_windy_bias(const Scene<T>& scene, const Flow& flow) const;
  void write_K(const Carried& carried, const Mat3<T>& R_WE, Matrix6<T>* K) const;
  T calc_energy(const Vec3<T>& w, const Vec3<T>& v) const;
  bool has_rational_law() const;

  BladeElement<T> blade_;
  Matrix3<T> R_BE_;
  Mat3<T> R_BE_lanes_;
  Vector3<T> root_E_;
  int side_ = 1;  // the upper side is that of side_ * w
  bool has_wind_ = false;
  bool is_fast_ = false;  // still air, and a law that needs no angles
  Carried carried_;
  // -- per strip, and zeros up to a multiple of four
  std::vector<T> chord_;
  std::vector<T> sweep_;            // of the leading edge                                       [m]
  std::vector<T> width_;            // along the span                                            [m]
  std::vector<T> p_t_, p_w_, p_s_;  // centre of pressure from Bo, in E                          [m]
  std::vector<T> pressure_;         // rho/2 c width                                             [kg/m]
  std::vector<T> circulation_;      // rho C_R c^2 width                                         [kg]
};

/// What every kind of surface is asked for: what the air does to it, and its channels.
template <class T>
BladeLoads<T> make_loads(BladeElement<T> blade) {
  return BladeLoads<T>(std::move(blade));
}
std::vector<SurfaceChannel> list_channels(const BladeElement<double>& blade);

}  // namespace haltere
