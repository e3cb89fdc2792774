#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "haltere/dynamics/equations.h"
#include "haltere/io/model/model_reader.h"
#include "haltere/simulate/run.h"

/// Wings in steady flow, against thin-aerofoil theory and the statics of gliding flight (source: analytic).
namespace haltere {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr double kPi = std::numbers::pi;
constexpr double kDegree = kPi / 180;

/// Forces and moments on every surface in the initial state.
std::vector<SurfaceLoad> calc_loads(const Model& model) {
  const std::unique_ptr<Equations> equations = make_equations("recursive", model);
  Snapshot snapshot;
  EXPECT_EQ(equations->observe(0, equations->calc_initial_state(), &snapshot), Status::kOk);
  return snapshot.surfaces;
}

std::string warnings_of(const Model& model) {
  std::string text;
  for (const Problem& warning : model.warnings) text += warning.text() + '\n';
  return text;
}

/// A wing whose quarter chord is the origin, at 5 deg, in a wind or moving through air at rest; its fields
/// are the defaults but for what is said.
Model read_held_wing(bool moving, const std::string& fields) {
  return read_model_text(fmt::format(R"(haltere: 1
parameters: {{c: 0.2 m, alpha0: 5 deg, U: 10 m/s}}
bodies: {{wing: {{mass: 1 kg, inertia: [1, 1, 1]}}}}
joints: {{hold: {}}}
surfaces:
  wing:
    kind: blade-element
    body: wing
    root: [c/4*cos(alpha0), -0.5 m, c/4*sin(alpha0)]
    span_axis: y
    chord_axis: [-cos(alpha0), 0, -sin(alpha0)]
    span: 1 m
    chord: c
    density: 1.225 kg/m^3
    {}
    {}
)",
                                     moving ? "{kind: prismatic, child: wing, axis: x, prescribed: U*t}"
                                            : "{kind: weld, child: wing}",
                                     moving ? "" : "wind: [-U, 0, 0]", fields),
                         "wing.yaml");
}

constexpr double kPressure = 0.5 * 1.225 * 10 * 10, kChord = 0.2, kArea = 0.2;
const std::string kThinWing = "lift: 2*pi*sin(alpha)\n    drag: 0";

// thin-aerofoil theory: the load of steady flow acts at the quarter chord, C_L = 2 pi sin alpha
TEST(SteadyFlow, HasNoMomentAboutTheQuarterChordByDefault) {
  for (const bool moving : {false, true}) {
    const Model model = read_held_wing(moving, kThinWing);
    EXPECT_THAT(warnings_of(model), IsEmpty());
    const SurfaceLoad load = calc_loads(model)[0];
    EXPECT_NEAR(load.moment.norm(), 0, 1e-13) << moving;  // machine: of forces of 7 N
    EXPECT_NEAR(load.total.force()[2], kPressure * kArea * 2 * kPi * std::sin(5 * kDegree), 1e-12) << moving;
  }
}

// the same from Kirchhoff's load and lift in the middle of the chord: for a flat plate at any angle
// what a run records: terms and strips add up to the force, and every strip has the angle of the wing
TEST(SteadyFlow, HasAChannelForEveryTermOfEveryStrip) {
  const Model model = read_held_wing(false, "points: 3");
  Settings settings;
  settings.until = settings.every = 0.01;
  MemorySink sink;
  run(model, make_run_options(model, settings), {&sink});
  ASSERT_EQ(sink.summary().outcome, RunSummary::Outcome::kFinished) << sink.summary().message;
  const auto value = [&](const std::string& name) { return sink.value(0, "surface.wing." + name); };
  double strips = 0;
  for (const std::string strip : {"strip.1.", "strip.2.", "strip.3."}) {
    EXPECT_NEAR(value(strip + "alpha"), 5 * kDegree, 1e-14);
    for (const char* term : {"lift.z", "drag.z", "added_mass.z", "rotation.z"}) strips += value(strip + term);
  }
  EXPECT_GT(value("force.z"), 1);
  EXPECT_NEAR(strips, value("force.z"), 1e-13 * value("force.z"));  // rounding: sums of twelve terms
  EXPECT_NEAR(value("lift.z") + value("drag.z"), value("force.z"), 1e-13 * value("force.z"));
}

TEST(SteadyFlow, HasNoMomentAboutTheQuarterChordWithKirchhoffsLoadAndItsCentreOfPressure) {
  for (const bool moving : {false, true}) {
    const Model model =
        read_held_wing(moving, kThinWing + "\n    added_mass: kirchhoff\n    center_of_pressure: 0.5");
    EXPECT_THAT(warnings_of(model), IsEmpty());
    EXPECT_NEAR(calc_loads(model)[0].moment.norm(), 0, 1e-13) << moving;
  }
}

// Munk's moment pi/4 rho c^2 U^2 sin alpha cos alpha once more: -0.334 N m, and a word that says so
TEST(SteadyFlow, WarnsOfAMomentThatIsCountedTwice) {
  for (const bool moving : {false, true}) {
    const Model model = read_held_wing(moving, kThinWing + "\n    added_mass: kirchhoff");
    EXPECT_NEAR(calc_loads(model)[0].moment[1],
                -kPi / 2 * kPressure * kChord * kArea * std::sin(5 * kDegree) * std::cos(5 * kDegree), 1e-12);
    EXPECT_THAT(
        warnings_of(model),
        HasSubstr("warning: surface 'wing': added_mass: kirchhoff has the moment that steady flow exerts"));
    EXPECT_THAT(warnings_of(model), HasSubstr("center_of_pressure: 0.5 goes with kirchhoff"));
  }
  // that of a paper is taken as it is printed
  EXPECT_THAT(warnings_of(read_held_wing(true, kThinWing + "\n    added_mass: printed")), IsEmpty());
}

/// A glider of two surfaces in the plane of its centre of mass: wing and tail.
struct Glider {
  double m = 0.25, g = 9.81, rho = 1.225, b = 1, c = 0.12, lead = 0.035, tail_b = 0.3, tail_c = 0.07,
         tail_x = -0.45, incidence = 3 * kDegree;

  struct Load {
    double x, lift, drag;  // over rho/2 V^2
  };
  /// Of the wing and the tail at this angle of attack of the fuselage.
  std::array<Load, 2> calc_loads(double alpha) const {
    const auto load = [&](double x, double area, double slope, double angle) {
      return Load{x, area * slope * std::sin(2 * angle), area * (0.02 + 2 * std::pow(std::sin(angle), 2))};
    };
    return {load(lead - c / 4 * std::cos(incidence), b * c, 2.4, alpha + incidence),
            load(tail_x - tail_c / 4, tail_b * tail_c, 2.0, alpha)};
  }
  double calc_moment(double alpha) const {
    double moment = 0;
    for (const Load& load : calc_loads(alpha))
      moment += load.x * (load.lift * std::cos(alpha) + load.drag * std::sin(alpha));
    return moment;
  }
  std::string make_text(double V, double path, double pitch) const {
    return fmt::format(R"(haltere: 1
gravity: [0, 0, {}]
bodies: {{plane: {{mass: {}, inertia: [0.009, 0.006, 0.014]}}}}
joints: {{fly: {{kind: free, child: plane}}}}
surfaces:
  wing: {{kind: blade-element, body: plane, root: [{}, {}, 0], span_axis: y, chord_axis: [{:.17g}, 0, {:.17g}],
         span: {}, chord: {}, density: {}, lift: 2.4*sin(2*alpha), drag: 0.02 + 2*sin(alpha)^2}}
  tail: {{kind: blade-element, body: plane, root: [{}, {}, 0], span_axis: y, chord_axis: -x,
         span: {}, chord: {}, density: {}, lift: 2*sin(2*alpha), drag: 0.02 + 2*sin(alpha)^2}}
initial:
  fly: {{orientation: {{axis: y, angle: {:.17g}}}, velocity: [{:.17g}, 0, {:.17g}]}}
)",
                       -g, m, lead, -b / 2, -std::cos(incidence), -std::sin(incidence), b, c, rho, tail_x,
                       -tail_b / 2, tail_b, tail_c, rho, -pitch, V * std::cos(path), -V * std::sin(path));
  }
};

// statics: the moment about the centre of mass vanishes at one angle of attack; lift and drag there balance
// the weight
TEST(SteadyFlow, AGliderWithDefaultsFliesWhereStaticsSay) {
  Glider glider;
  const auto moment = [&](double alpha) {
    // the centre of pressure of the wing lies below the leading edge by c/4 sin(incidence)
    const Glider::Load wing = glider.calc_loads(alpha)[0];
    const double z = -glider.c / 4 * std::sin(glider.incidence);
    return glider.calc_moment(alpha) - z * (wing.lift * std::sin(alpha) - wing.drag * std::cos(alpha));
  };
  double low = -5 * kDegree, high = 15 * kDegree;
  ASSERT_LT(moment(high) * moment(low), 0);
  for (int i = 0; i < 200; ++i) (moment((low + high) / 2) * moment(low) > 0 ? low : high) = (low + high) / 2;
  const double alpha = (low + high) / 2;
  double lift = 0, drag = 0;
  for (const Glider::Load& load : glider.calc_loads(alpha)) {
    lift += load.lift;
    drag += load.drag;
  }
  const double path = std::atan2(drag, lift);
  const double V = std::sqrt(2 * glider.m * glider.g / (glider.rho * std::hypot(lift, drag)));
  const Model model = read_model_text(glider.make_text(V, path, alpha - path), "glider.yaml");
  EXPECT_THAT(warnings_of(model), IsEmpty());
  const std::unique_ptr<Equations> equations = make_equations("recursive", model);
  Snapshot snapshot;
  ASSERT_EQ(equations->observe(0, equations->calc_initial_state(), &snapshot), Status::kOk);
  EXPECT_NEAR(snapshot.vdot.tail<3>().norm() / glider.g, 0, 1e-13);  // machine
  EXPECT_NEAR(snapshot.vdot.head<3>().norm() * 0.006 / (glider.m * glider.g * glider.c), 0, 1e-13);
}

/// Two wings and, in a file of their own, the polar of a cambered section.
class Polars : public testing::Test {
 protected:
  Polars() : folder_(std::filesystem::temp_directory_path() / fmt::format("haltere-polars-{}", getpid())) {
    std::filesystem::create_directories(folder_);
    // in the columns of XFOIL, degrees; numbers of no section in particular
    std::ofstream(folder_ / "polar.csv")
        << "alpha,CL,CD,CM\n-8,-0.42,0.021,-0.06\n-4,-0.05,0.012,-0.07\n0,0.41,0.009,"
           "-0.08\n4,0.85,0.010,-0.085\n8,1.21,0.015,-0.08\n12,1.42,0.031,-0.06\n";
  }
  ~Polars() override { std::filesystem::remove_all(folder_); }

  Model read(const std::string& surfaces, double alpha) const {
    std::ofstream(folder_ / "model.yaml") << fmt::format(
        "haltere: 1\nbodies: {{plane: {{mass: 1, inertia: [1, 1, 1]}}}}\njoints: {{fly: {{kind: free, child: "
        "plane}}}}\n"
        "initial: {{fly: {{velocity: [{:.17g}, 0, {:.17g}]}}}}\nsurfaces:\n{}",
        std::cos(alpha), -std::sin(alpha), surfaces);
    return read_model(folder_);
  }
  static std::string wing(const std::string& name, const std::string& span_axis, const std::string& more) {
    return fmt::format(R"(  {}:
    {{kind: blade-element, body: plane, span_axis: {}, chord_axis: -x, span: 1, chord: 1, density: 2,
     lift: 'table("polar.csv", "CL", alpha/1 deg)', drag: 'table("polar.csv", "CD", alpha/1 deg)',
     moment: 'table("polar.csv", "CM", alpha/1 deg)'{}}}
)",
                       name, span_axis, more);
  }

  std::filesystem::path folder_;
};

// the numbers of the table: with rho/2 V^2 c = 1 forces are coefficients, left and right, below and above
// zero
TEST_F(Polars, OfACamberedSectionAreRightOnBothSidesOfAPairDrawnByHand) {
  const std::vector<std::array<double, 4>> rows{{-8, -0.42, 0.021, -0.06},
                                                {-4, -0.05, 0.012, -0.07},
                                                {0, 0.41, 0.009, -0.08},
                                                {12, 1.42, 0.031, -0.06}};
  for (const auto& [degrees, lift, drag, moment] : rows) {
    const double alpha = degrees * kDegree;
    const Model model = read(wing("left", "y", ", upper: z") + wing("right", "-y", ", upper: z"), alpha);
    EXPECT_THAT(warnings_of(model), IsEmpty());
    const std::vector<SurfaceLoad> loads = calc_loads(model);
    for (const SurfaceLoad& load : loads) {
      const Vector3<double> f = load.total.force(), forward(std::cos(alpha), 0, -std::sin(alpha)),
                            up(std::sin(alpha), 0, std::cos(alpha));
      EXPECT_NEAR(f.dot(up), lift, 1e-14);
      EXPECT_NEAR(-f.dot(forward), drag, 1e-14);
      EXPECT_NEAR(load.strips[0].alpha, alpha, 1e-15);
      // about the quarter chord, nose up: the origin is the leading edge
      EXPECT_NEAR(-load.moment[1] + 0.25 * f[2], moment, 1e-14);
    }
  }
}

TEST_F(Polars, OfACamberedSectionAreMirroredWithTheWing) {
  const std::string mirror = ", mirror: {plane: y, from: left, to: right}";
  for (const std::string upper : {", upper: z", ""}) {
    const Model model = read(wing("left", "y", upper + mirror), 0);
    ASSERT_EQ(model.surfaces.size(), 2U);
    for (const SurfaceLoad& load : calc_loads(model)) EXPECT_NEAR(load.total.force()[2], 0.41, 1e-14);
  }
}

TEST_F(Polars, OfACamberedSectionWarnWhereNobodySaidWhichSideIsUp) {
  const Model model = read(wing("left", "y", "") + wing("right", "-y", ""), 0);
  EXPECT_THAT(warnings_of(model),
              HasSubstr("surface 'left': the law has an upper side, which no key names: it is that "
                        "of span_axis x chord_axis = [0, 0, 1]"));
  EXPECT_THAT(warnings_of(model),
              HasSubstr("surface 'right': the law has an upper side, which no key names: it is "
                        "that of span_axis x chord_axis = [0, 0, -1]"));
  EXPECT_THAT(warnings_of(read(wing("left", "y", ", upper: z, velocity: spatial"), 0)),
              HasSubstr("velocity: spatial turns the lift into the plane"));
  try {
    read(wing("left", "y", ", upper: y"), 0);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("surface 'left': upper lies in the plane of the wing"));
  }
}

// a polar that ends is not drawn out: the machine stops, and says of which table, where, and what it has
TEST_F(Polars, ThatEndAreNotDrawnOut) {
  const Model model = read(wing("left", "y", ", upper: z"), 20 * kDegree);
  const std::unique_ptr<Equations> equations = make_equations("recursive", model);
  EXPECT_THAT(equations->explain_failure(0, equations->calc_initial_state()),
              HasSubstr("'polar.csv', column 'CM' is asked for 20, but has points from -8 to 12 only"));
}

}  // namespace
}  // namespace haltere
