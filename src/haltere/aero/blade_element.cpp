#include "haltere/aero/blade_element.h"

#include <array>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "haltere/aero/gauss.h"
#include "haltere/aero/strip_law.h"
#include "haltere/math/dual.h"
#include "haltere/math/instruction_set.h"
#include "haltere/math/pack.h"
#include "haltere/model/joints/joint.h"

namespace haltere {
namespace {

/// Arrays of strips end at a multiple of the lanes; what follows the last strip has no area.
int round_up(int n) {
  return (n + Pack::kSize - 1) / Pack::kSize * Pack::kSize;
}

struct StripArrays {
  int n;
  const double *p_t, *p_w, *p_s, *pressure, *circulation;
};

/// Moment about Bo and force of all strips in still air, in E; four strips at a time.
HALTERE_INLINE Spatial<double> sum_strips(const StripArrays& strips, const RationalLaw& law,
                                          const Vec3<double>& w, const Vec3<double>& v) {
  Pack f_t = 0, f_w = 0, f_s = 0, m_t = 0, m_w = 0, m_s = 0;
  for (int i = 0; i < strips.n; i += Pack::kSize) {
    const Pack x = Pack::load(strips.p_t + i), y = Pack::load(strips.p_w + i), z = Pack::load(strips.p_s + i);
    const Pack a = v[0] + (w[1] * z - w[2] * y), n = v[1] + (w[2] * x - w[0] * z),
               s = v[2] + (w[0] * y - w[1] * x);
    const StripForce<Pack> force = calc_strip_force(law, a, n, s);
    const Pack q = Pack::load(strips.pressure + i), c = Pack::load(strips.circulation + i) * w[2];
    const Pack g_t = q * (force.lift[0] + force.drag[0]) - c * n,
               g_w = q * (force.lift[1] + force.drag[1]) + c * a, g_s = q * (force.lift[2] + force.drag[2]);
    f_t = f_t + g_t;
    f_w = f_w + g_w;
    f_s = f_s + g_s;
    m_t = m_t + (y * g_s - z * g_w);
    m_w = m_w + (z * g_t - x * g_s);
    m_s = m_s + (x * g_w - y * g_t);
  }
  return {Vec3<double>::make(m_t.sum(), m_w.sum(), m_s.sum()),
          Vec3<double>::make(f_t.sum(), f_w.sum(), f_s.sum())};
}

}  // namespace

template <class T>
BladeLoads<T>::BladeLoads(BladeElement<T> blade) : blade_(std::move(blade)) {
  const Vector3<T> t = unit<T>(-blade_.chord_axis), s = unit<T>(blade_.span_axis);
  R_BE_.col(0) = t;
  R_BE_.col(1) = s.cross(t);
  R_BE_.col(2) = s;
  R_BE_lanes_ = Mat3<T>::of(R_BE_);
  side_ = -blade_.side();  // w is opposite to span_axis x chord_axis
  root_E_ = R_BE_.transpose() * blade_.root;
  for (const Function<T>& component : blade_.wind)
    has_wind_ |= component.varies || value_of(component.value) != 0;

  is_fast_ = has_rational_law() && !has_wind_;

  const GaussRule rule = make_gauss_rule(blade_.points);
  for (auto* array : {&chord_, &sweep_, &width_, &p_t_, &p_w_, &p_s_, &pressure_, &circulation_})
    array->assign(round_up(blade_.points), T(0));
  for (int i = 0; i < blade_.points; ++i) {
    const T distance = blade_.span * T(rule.points[i]);
    const T c = blade_.chord.calc(&distance);
    chord_[i] = c;
    sweep_[i] = blade_.sweep.calc(&distance);
    width_[i] = blade_.span * T(rule.weights[i]);
    p_s_[i] = root_E_[2] + distance;
    const Vector3<T> p = calc_p(i, blade_.center_of_pressure);
    p_t_[i] = p[0];
    p_w_[i] = p[1];
    pressure_[i] = T(0.5) * blade_.density * c * width_[i];
    circulation_[i] = blade_.density * blade_.rotational_lift * c * c * width_[i];
    const Carried own = calc_carried(i);
    carried_.m += own.m;
    carried_.t += own.t;
    carried_.s += own.s;
    carried_.tt += own.tt;
    carried_.ts += own.ts;
    carried_.ss += own.ss;
  }
}

/// A point of a strip so many chords behind the leading edge, from Bo, in E.
template <class T>
Vector3<T> BladeLoads<T>::calc_p(int strip, const T& chords) const {
  return {root_E_[0] - sweep_[strip] - chords * chord_[strip], root_E_[1], p_s_[strip]};
}

template <class T>
typename BladeLoads<T>::Carried BladeLoads<T>::calc_carried(int strip) const {
  if (blade_.added_mass == AddedMass::kNone) return {};
  const T c = chord_[strip];
  const T m = blade_.added_mass_coefficient * blade_.density * c * c * width_[strip];
  const Vector3<T> p = calc_p(strip, blade_.added_mass_point);
  return {m, m * p[0], m * p[2], m * p[0] * p[0], m * p[0] * p[2], m * p[2] * p[2]};
}

template <class T>
HALTERE_INLINE typename BladeLoads<T>::Lanes BladeLoads<T>::calc_lanes(const Scene<T>& scene) const {
  const int b = blade_.body.value;
  const Mat3<T> R_WE = Mat3<T>::of(scene.X_WB[b].R) * R_BE_lanes_;
  const Mat3<T> R_EW = transpose(R_WE);
  const Spatial<T> V = Spatial<T>::of(scene.V_WB[b]);
  return {R_WE, R_EW * V.a, R_EW * V.l};
}

template <class T>
typename BladeLoads<T>::Flow BladeLoads<T>::calc_flow(const Scene<T>& scene) const {
  const Lanes lanes = calc_lanes(scene);
  return {lanes.R_WE.eigen(), lanes.w.eigen(), lanes.v.eigen()};
}

template <class T>
typename BladeLoads<T>::Wind BladeLoads<T>::calc_wind(const Scene<T>& scene, const Flow& flow,
                                                      const Vector3<T>& p_E) const {
  const Vector3<T> x = scene.X_WB[blade_.body.value].p + flow.R_WE * p_E;
  const Vector3<T> xdot = flow.R_WE * (flow.v + flow.w.cross(p_E));
  const Jet<T> locals[4] = {
      Jet<T>::time(scene.t), {x[0], xdot[0], T(0)}, {x[1], xdot[1], T(0)}, {x[2], xdot[2], T(0)}};
  Vector3<T> W, rate;
  for (int i = 0; i < 3; ++i) {
    const Jet<T> component = blade_.wind[i].calc_jet(locals);
    W[i] = component.value;
    rate[i] = component.d1;
  }
  return {flow.R_WE.transpose() * W, flow.R_WE.transpose() * rate};
}

template <class T>
bool BladeLoads<T>::has_rational_law() const {
  return blade_.coefficients == Coefficients::kPorez && !blade_.lift.expression && !blade_.drag.expression &&
         !blade_.moment.expression;
}

/// Lift, drag and moment by formulas, or by a law that needs angles.
template <class T>
typename BladeLoads<T>::Section BladeLoads<T>::calc_section(const Vector3<T>& V) const {
  const LawOptions options{blade_.velocity, blade_.lift_direction};
  const bool lifts = blade_.lift.expression != nullptr, drags = blade_.drag.expression != nullptr;
  const T &a = V[0], &n = V[1], &s = V[2], sink = T(-side_) * n;
  const bool needs_plate = !lifts || !drags;
  const T incidence = needs_plate ? calc_incidence(a, n) : T(0);
  const bool known = !lifts && !drags && !blade_.moment.expression;
  const T alpha = !known ? calc_alpha(a, sink) : value_of(sink) < 0 ? T(-incidence) : incidence;
  const Polar<T> plate = needs_plate ? calc_known_polar(blade_.coefficients, incidence) : Polar<T>{};
  Section section{{}, T(0), alpha};
  section.force.lift = lifts ? calc_section_lift(options, blade_.lift.calc(&alpha), a, n, s, side_)
                             : calc_plate_lift(options, plate.lift, a, n, s);
  section.force.drag = calc_drag(options, drags ? blade_.drag.calc(&alpha) : plate.drag, a, n, s);
  if (blade_.moment.expression) {
    const T V2 = a * a + n * n + (options.velocity == StripVelocity::kSection ? T(0) : s * s);
    section.moment = T(side_) * (blade_.moment.calc(&alpha) * V2);
  }
  return section;
}

/// The three velocity terms of one strip in E, and their wrench at Bo.
template <class T>
typename BladeLoads<T>::Wrench BladeLoads<T>::calc_strip_terms(const Scene<T>& scene, const Flow& flow,
                                                               int strip, Vector3<T>* lift, Vector3<T>* drag,
                                                               Vector3<T>* rotation, T* alpha) const {
  const Vector3<T> p(p_t_[strip], p_w_[strip], p_s_[strip]);
  Vector3<T> V = flow.v + flow.w.cross(p);
  if (has_wind_) V -= calc_wind(scene, flow, p).W;
  Section section;
  if (has_rational_law()) {
    const LawOptions options{blade_.velocity, blade_.lift_direction};
    section = {calc_strip_force(RationalLaw{kPorez, options}, V[0], V[1], V[2]), T(0),
               calc_alpha(V[0], T(-side_) * V[1])};
  } else {
    section = calc_section(V);
  }
  const StripForce<T>& force = section.force;
  *alpha = section.alpha;
  const T q = pressure_[strip], c = circulation_[strip] * flow.w[2];
  *lift = {q * force.lift[0], q * force.lift[1], q * force.lift[2]};
  *drag = {q * force.drag[0], q * force.drag[1], q * force.drag[2]};
  *rotation = {-c * V[1], c * V[0], T(0)};
  Wrench wrench;
  wrench.f = *lift + *drag + *rotation;
  wrench.m = p.cross(wrench.f);
  if (blade_.moment.expression) wrench.m[2] += q * chord_[strip] * section.moment;
  return wrench;
}

template <class T>
typename BladeLoads<T>::Wrench BladeLoads<T>::calc_steady(const Scene<T>& scene, const Flow& flow) const {
  Wrench sum;
  Vector3<T> lift, drag, rotation;
  T alpha;
  for (int i = 0; i < blade_.points; ++i) {
    const Wrench own = calc_strip_terms(scene, flow, i, &lift, &drag, &rotation, &alpha);
    sum.f += own.f;
    sum.m += own.m;
  }
  return sum;
}

/// Load of carried air that does not depend on accelerations, at Bo in E: what d/dt of body components and
/// the changing wind leave of K (alpha; a), and the bias.
template <class T>
HALTERE_INLINE Spatial<T> BladeLoads<T>::calc_bias(const Carried& c, const Vec3<T>& w, const Vec3<T>& v,
                                                   const T& rate) const {
  const T turned = w[2] * v[0] - w[0] * v[2], along = turned + rate;  // of w x v, along the normal
  const Vec3<T> MS = Vec3<T>::make(-c.s, T(0), c.t);  // K's moments by velocities: MS normal^T
  const Vec3<T> I_w = Vec3<T>::make(c.ss * w[0] - c.ts * w[2], T(0), c.tt * w[2] - c.ts * w[0]);
  const T momentum = c.m * v[1] + dot(MS, w);
  // a x normal = (-a_s, 0, a_t)
  const auto cross_normal = [](const Vec3<T>& a) { return Vec3<T>::make(-a[2], T(0), a[0]); };
  const Vec3<T> f = Vec3<T>::make(T(0), c.m * along, T(0)) - momentum * cross_normal(w);
  if (blade_.added_mass == AddedMass::kPrinted)
    return {(along - turned) * MS - cross(w, I_w) - (c.m * v[1]) * cross_normal(v), f};
  return {along * MS - cross(w, v[1] * MS + I_w) - momentum * cross_normal(v), f};
}

template <class T>
Spatial<T> BladeLoads<T>::calc_windy_bias(const Scene<T>& scene, const Flow& flow) const {
  Spatial<T> sum = Spatial<T>::zero();
  for (int i = 0; i < blade_.points; ++i) {
    const Wind wind = calc_wind(scene, flow, calc_p(i, blade_.added_mass_point));
    sum = sum + calc_bias(calc_carried(i), Vec3<T>::of(flow.w), Vec3<T>::of(flow.v - wind.W), wind.rate[1]);
  }
  return sum;
}

/// In world axes, symmetric to the last bit: products commute, and so do sums of two.
template <class T>
HALTERE_INLINE void BladeLoads<T>::write_K(const Carried& c, const Mat3<T>& R_WE, Matrix6<T>* K) const {
  const Vec3<T>&t = R_WE.c[0], &w = R_WE.c[1], &s = R_WE.c[2];
  const Vec3<T> MS = c.t * s - c.s * t;
  const Mat3<T> half = outer(T(0.5) * (c.ss * t - c.ts * s), t) + outer(T(0.5) * (c.tt * s - c.ts * t), s);
  const Mat3<T> I = half + transpose(half), H = outer(MS, w), G = outer(w, MS), ww = outer(w, w);
  for (int j = 0; j < 3; ++j) {
    const Vec3<T> M = c.m * ww.c[j];
    for (int i = 0; i < 3; ++i) {
      (*K)(i, j) = I.c[j][i];
      (*K)(i, 3 + j) = H.c[j][i];
      (*K)(3 + i, j) = G.c[j][i];
      (*K)(3 + i, 3 + j) = M[i];
    }
  }
}

/// Kinetic energy of the air that is carried along in still air.
template <class T>
HALTERE_INLINE T BladeLoads<T>::calc_energy(const Vec3<T>& w, const Vec3<T>& v) const {
  const Carried& c = carried_;
  const T MS_w = c.t * w[2] - c.s * w[0];
  return T(0.5) * (c.m * v[1] * v[1] + T(2) * v[1] * MS_w + c.ss * w[0] * w[0] - T(2) * c.ts * w[0] * w[2] +
                   c.tt * w[2] * w[2]);
}

/// In still air, and with a law that needs no angles, all of it is done four lanes wide.
template <class T>
HALTERE_INLINE Account<T> BladeLoads<T>::add_load_inline(const Scene<T>& scene, Loads<T>* loads) const {
  const Lanes lanes = calc_lanes(scene);
  Spatial<T> steady;  // moment and force at Bo, in E
  bool summed = false;
  if constexpr (std::is_same_v<T, double>)
    if (is_fast_) {
      const RationalLaw law{kPorez, {blade_.velocity, blade_.lift_direction}};
      const StripArrays strips{static_cast<int>(p_t_.size()),
                               p_t_.data(),
                               p_w_.data(),
                               p_s_.data(),
                               pressure_.data(),
                               circulation_.data()};
      steady = sum_strips(strips, law, lanes.w, lanes.v);
      summed = true;
    }
  if (!summed) {
    const Wrench sum = calc_steady(scene, {lanes.R_WE.eigen(), lanes.w.eigen(), lanes.v.eigen()});
    steady = {Vec3<T>::of(sum.m), Vec3<T>::of(sum.f)};
  }
  const Spatial<T> V{lanes.w, lanes.v};
  Spatial<T> all = steady;
  Account<T> account;
  account.input = dot(steady, V);
  account.power = account.input;
  if (blade_.added_mass != AddedMass::kNone) {
    const Spatial<T> bias =
        has_wind_ ? calc_windy_bias(scene, {lanes.R_WE.eigen(), lanes.w.eigen(), lanes.v.eigen()})
                  : calc_bias(carried_, lanes.w, lanes.v, T(0));
    all = all + bias;
    const T power = dot(bias, V);
    account.power += power;
    if (has_wind_)
      account.input += power;
    else
      account.potential = calc_energy(lanes.w, lanes.v);
    loads->added.emplace_back();
    typename Loads<T>::Added& added = loads->added.back();
    added.body = blade_.body;
    added.works = has_wind_;
    write_K(carried_, lanes.R_WE, &added.K);
  }
  const Vec3<T> m = lanes.R_WE * all.a, f = lanes.R_WE * all.l;
  Vector6<T>& F = loads->F_B_W[blade_.body.value];
  for (int i = 0; i < 3; ++i) {
    F[i] += m[i];
    F[3 + i] += f[i];
  }
  return account;
}

template <>
HALTERE_TARGET_AVX2 Account<double> BladeLoads<double>::add_load_avx2(const Scene<double>& scene,
                                                                      Loads<double>* loads) const {
  return add_load_inline(scene, loads);
}

template <>
Account<double> BladeLoads<double>::add_load(const Scene<double>& scene, Loads<double>* loads) const {
  return uses_avx2() ? add_load_avx2(scene, loads) : add_load_inline(scene, loads);
}
template <>
Account<Dual> BladeLoads<Dual>::add_load(const Scene<Dual>& scene, Loads<Dual>* loads) const {
  return add_load_inline(scene, loads);
}

template <>
void BladeLoads<double>::observe(const Scene<double>& scene, const Vector6<double>& A_WB,
                                 SurfaceLoad* out) const {
  using V3 = Vector3<double>;
  const Flow flow = calc_flow(scene);
  Vector6<double> A_E;
  A_E << flow.R_WE.transpose() * A_WB.head<3>(), flow.R_WE.transpose() * A_WB.tail<3>();
  out->total = {};
  out->moment.setZero();
  out->energy = 0;
  out->strips.assign(blade_.points, {});
  if (!has_wind_ && blade_.added_mass != AddedMass::kNone)
    out->energy = calc_energy(Vec3<double>::of(flow.w), Vec3<double>::of(flow.v));
  for (int i = 0; i < blade_.points; ++i) {
    AirLoad& strip = out->strips[i];
    V3 lift, drag, rotation;
    Wrench wrench = calc_strip_terms(scene, flow, i, &lift, &drag, &rotation, &strip.alpha);
    const Carried carried = calc_carried(i);
    const Wind wind =
        has_wind_ ? calc_wind(scene, flow, calc_p(i, blade_.added_mass_point)) : Wind{V3::Zero(), V3::Zero()};
    Matrix6<double> K;
    write_K(carried, Mat3<double>::of(Matrix3<double>::Identity()), &K);
    const Vector6<double> added =
        calc_bias(carried, Vec3<double>::of(flow.w), Vec3<double>::of(flow.v - wind.W), wind.rate[1])
            .eigen() -
        K * A_E;
    wrench.f += added.tail<3>();
    wrench.m += added.head<3>();
    strip.terms = {flow.R_WE * lift, flow.R_WE * drag, flow.R_WE * added.tail<3>(), flow.R_WE * rotation};
    strip.power = wrench.f.dot(flow.v) + wrench.m.dot(flow.w);
    for (int term = 0; term < AirLoad::kTerms; ++term) out->total.terms[term] += strip.terms[term];
    out->total.power += strip.power;
    out->moment += flow.R_WE * wrench.m;
  }
}

template <>
void BladeLoads<double>::observe(const Scene<double>& scene, const std::vector<Vector6<double>>& A_WB,
                                 SurfaceLoad* out) const {
  observe(scene, A_WB[blade_.body.value], out);
}

namespace {

struct TermWords {
  std::string_view name, meaning;
};
constexpr std::array<TermWords, AirLoad::kTerms> kTerms{
    {{"lift", "lift"},
     {"drag", "drag"},
     {"added_mass", "load of the air that is carried along"},
     {"rotation", "lift of the wing's own turning"}}};
constexpr std::array<std::string_view, 3> kAxes{"x", "y", "z"};

// -- parts: 3 times the term and the axis; of strips kOfStrip times the strip more
constexpr int kOfStrip = 3 * AirLoad::kTerms;

double read_term(const AirLoad& load, int part) {
  return load.terms[part / 3][part % 3];
}
double read_total_term(const SurfaceLoad& load, int part) {
  return read_term(load.total, part);
}
double read_strip_term(const SurfaceLoad& load, int part) {
  return read_term(load.strips[part / kOfStrip], part % kOfStrip);
}
double read_alpha(const SurfaceLoad& load, int strip) {
  return load.strips[strip].alpha;
}
double read_power(const SurfaceLoad& load, int strip) {
  return load.strips[strip].power;
}

void add_terms(const std::string& prefix, double (*read)(const SurfaceLoad&, int), int first,
               std::vector<SurfaceChannel>* list) {
  for (int term = 0; term < AirLoad::kTerms; ++term)
    for (int i = 0; i < 3; ++i)
      list->push_back({fmt::format("{}{}.{}", prefix, kTerms[term].name, kAxes[i]), "N",
                       fmt::format("{}, world axes, {}", kTerms[term].meaning, kAxes[i]), read,
                       first + 3 * term + i});
}

}  // namespace

std::vector<SurfaceChannel> list_channels(const BladeElement<double>& blade) {
  std::vector<SurfaceChannel> list;
  add_terms("", read_total_term, 0, &list);
  for (int k = 0; k < blade.points; ++k) {
    const std::string prefix = fmt::format("strip.{}.", k + 1);
    list.push_back({prefix + "alpha", "rad", "angle of attack", read_alpha, k});
    list.push_back({prefix + "power", "W", "power on the machine", read_power, k});
    add_terms(prefix, read_strip_term, kOfStrip * k, &list);
  }
  return list;
}

template class BladeLoads<double>;
template class BladeLoads<Dual>;

}  // namespace haltere
