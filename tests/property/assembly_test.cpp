// Putting machines together: what is kept stays, what is solved for obeys, the nearest branch is taken.
#include "haltere/analysis/assembly.h"

#include <cmath>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "random_tree.h"
#include "scale_model.h"
#include "shipped_models.h"
#include "tolerance.h"

#include "haltere/dynamics/equations.h"
#include "haltere/io/model/initial_text.h"
#include "haltere/io/model/model_reader.h"
#include "haltere/model/kind_info.h"

namespace haltere {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

// machine: angles of size one, residuals down to 1e-13, amplified by the slope of the closed form
constexpr double kRounding = 1e-11;

constexpr const char* kFourBar = R"yaml(haltere: 1
name: linkage
parameters: {a: 0.3 m, b: 0.8 m, c: 0.6 m, d: 0.7 m}
gravity: [0, -9.81, 0]
bodies:
  crank: {mass: 1 kg, center_of_mass: [a/2, 0, 0], inertia: [1, 1, 1 g m2]}
  coupler: {mass: 2 kg, center_of_mass: [b/2, 0, 0], inertia: [1, 1, 1 g m2]}
  rocker: {mass: 1 kg, center_of_mass: [c/2, 0, 0], inertia: [1, 1, 1 g m2]}
joints:
  crank: {kind: revolute, child: crank}
  coupler: {kind: revolute, parent: crank, child: coupler, parent_frame: [a, 0, 0]}
  rocker: {kind: revolute, child: rocker, parent_frame: [d, 0, 0]}
  close: {kind: revolute, parent: coupler, child: rocker, parent_frame: [b, 0, 0], child_frame: [c, 0, 0]}
)yaml";

/// Closed form of the linkage above (analytic: law of cosines; side is +1 or -1).
struct FourBar {
  FourBar(double crank, double side) : theta(crank) {
    const double x = d - a * std::cos(theta), y = -a * std::sin(theta), r = std::hypot(x, y);
    psi = std::atan2(y, x) + side * std::acos((b * b + r * r - c * c) / (2 * b * r));
    phi = std::atan2(a * std::sin(theta) + b * std::sin(psi), a * std::cos(theta) + b * std::cos(psi) - d);
  }
  double coupler() const { return psi - theta; }
  /// Rates of the joints for a rate of the crank: a e'(theta) + b e'(psi) = c e'(phi).
  double coupler_rate(double w) const {
    return -a * w * std::sin(phi - theta) / (b * std::sin(phi - psi)) - w;
  }
  double rocker_rate(double w) const { return a * w * std::sin(psi - theta) / (c * std::sin(psi - phi)); }

  static constexpr double a = 0.3, b = 0.8, c = 0.6, d = 0.7;
  double theta, psi = 0, phi = 0;  // of crank, coupler and rocker against the ground
};

double wrapped(double angle) {
  return std::remainder(angle, 2 * std::numbers::pi);
}

/// A machine and what is asked of it.
class Task {
 public:
  explicit Task(Model model)
      : model_(std::move(model)),
        equations_(make_equations("recursive", model_)),
        coordinates_(list_coordinates(model_)),
        keep_(coordinates_.size()),
        solve_(coordinates_.size()) {
    guess = equations_->calc_initial_state();
  }
  explicit Task(const char* text) : Task(read_model_text(text, "task.yaml")) {}

  Task& keep(const std::string& glob) {
    keep_.add(select_coordinates(model_, glob, "--keep"));
    return *this;
  }
  Task& solve(const std::string& glob) {
    solve_.add(select_coordinates(model_, glob, "--solve"));
    return *this;
  }
  double& at(const std::string& name) { return guess[index(name)]; }
  int index(const std::string& name) const {
    const std::vector<std::string> names = equations_->coordinate_names();
    return static_cast<int>(std::find(names.begin(), names.end(), name) - names.begin());
  }
  Assembly assemble() { return haltere::assemble(make_partition(keep_, solve_), guess, equations_.get()); }

  const Model& model() const { return model_; }
  Equations& equations() { return *equations_; }
  std::string row_name(int row) const { return equations_->row_name(row); }
  std::vector<std::string> positions(const std::vector<int>& indices) const {
    std::vector<std::string> names;
    for (const int i : indices) names.push_back(coordinates_[i].position);
    return names;
  }
  std::vector<std::string> velocities(const std::vector<int>& indices) const {
    std::vector<std::string> names;
    for (const int i : indices) names.push_back(coordinates_[i].velocity);
    return names;
  }
  double calc_drift(const Eigen::VectorXd& y) {
    Eigen::VectorXd g(equations_->sizes().ng), gdot(equations_->sizes().na);
    EXPECT_EQ(equations_->calc_drift(0, y, g, gdot), Status::kOk);
    return std::max(g.lpNorm<Eigen::Infinity>(), gdot.lpNorm<Eigen::Infinity>());
  }

  Eigen::VectorXd guess;

 private:
  Model model_;
  std::unique_ptr<Equations> equations_;
  std::vector<StateCoordinate> coordinates_;
  CoordinateSelection keep_, solve_;
};

class FourBarAt : public testing::TestWithParam<int> {
 protected:
  double crank() const { return -3 + 0.31 * GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(Angles, FourBarAt, testing::Range(0, 20));

TEST_P(FourBarAt, TheBranchNearestToTheGuessIsTakenAndTheOtherIsReported) {
  for (const double side : {1., -1.})
    for (const double off : {0.1, 0.6}) {
      const FourBar near(crank(), side), far(crank(), -side);
      Task task(kFourBar);
      task.keep("joint.crank.angle");
      task.at("joint.crank.angle") = crank();
      task.at("joint.coupler.angle") = near.coupler() + off;
      task.at("joint.rocker.angle") = near.phi - off;
      const Assembly assembly = task.assemble();
      ASSERT_EQ(assembly.failure, "");
      // which one is nearer is decided by the closed form, too
      const double to_near = std::hypot(off, off),
                   to_far = std::hypot(wrapped(far.coupler() - near.coupler() - off),
                                       wrapped(far.phi - near.phi + off));
      const FourBar& first = to_near < to_far ? near : far;
      const FourBar& second = to_near < to_far ? far : near;
      const int coupler = task.index("joint.coupler.angle"), rocker = task.index("joint.rocker.angle");
      EXPECT_EQ(assembly.y[task.index("joint.crank.angle")], crank());
      EXPECT_NEAR(wrapped(assembly.y[coupler] - first.coupler()), 0, kRounding);
      EXPECT_NEAR(wrapped(assembly.y[rocker] - first.phi), 0, kRounding);
      EXPECT_NEAR(assembly.distance, std::min(to_near, to_far), kRounding);
      ASSERT_EQ(assembly.others.size(), 1U);
      EXPECT_NEAR(wrapped(assembly.others[0].y[coupler] - second.coupler()), 0, kRounding);
      EXPECT_NEAR(wrapped(assembly.others[0].y[rocker] - second.phi), 0, kRounding);
      EXPECT_NEAR(assembly.others[0].distance, std::max(to_near, to_far), kRounding);
    }
}

TEST_P(FourBarAt, VelocitiesFollowTheKeptRate) {
  const FourBar exact(crank(), 1);
  const double w = 2.5;
  Task task(kFourBar);
  task.keep("joint.crank.*");
  task.at("joint.crank.angle") = crank();
  task.at("joint.coupler.angle") = exact.coupler() + 0.05;
  task.at("joint.rocker.angle") = exact.phi;
  task.at("joint.crank.rate") = w;
  const Assembly assembly = task.assemble();
  ASSERT_EQ(assembly.failure, "");
  EXPECT_EQ(assembly.y[task.index("joint.crank.rate")], w);
  EXPECT_NEAR(assembly.y[task.index("joint.coupler.rate")], exact.coupler_rate(w), 10 * kRounding);
  EXPECT_NEAR(assembly.y[task.index("joint.rocker.rate")], exact.rocker_rate(w), 10 * kRounding);
}

TEST(Assembly, KeepingTheRockerSolvesForTheCrank) {
  const FourBar exact(0.7, 1);
  Task task(kFourBar);
  task.solve("joint.crank.angle").solve("joint.coupler.angle");
  task.at("joint.rocker.angle") = exact.phi;
  task.at("joint.rocker.rate") = exact.rocker_rate(3);
  task.at("joint.crank.angle") = 0.5;
  task.at("joint.coupler.angle") = exact.coupler();
  const Assembly assembly = task.assemble();
  ASSERT_EQ(assembly.failure, "");
  EXPECT_EQ(assembly.y[task.index("joint.rocker.angle")], exact.phi);
  EXPECT_NEAR(assembly.y[task.index("joint.crank.angle")], 0.7, kRounding);
  EXPECT_NEAR(assembly.y[task.index("joint.crank.rate")], 3, 10 * kRounding);
}

TEST(Assembly, WhatIsKeptTooMuchIsNamed) {
  Task task(kFourBar);
  task.keep("joint.crank.angle").keep("joint.rocker.angle");
  task.at("joint.crank.angle") = 0.7;
  task.at("joint.rocker.angle") = FourBar(0.7, 1).phi + 0.2;
  task.at("joint.coupler.angle") = FourBar(0.7, 1).coupler();
  const Assembly assembly = task.assemble();
  EXPECT_THAT(assembly.failure, HasSubstr("joint 'close', row position"));
  EXPECT_THAT(assembly.failure, HasSubstr("joint.crank.angle, joint.rocker.angle kept"));
  EXPECT_THAT(assembly.failure, HasSubstr("1 too many is kept"));
  EXPECT_THAT(task.positions(assembly.to_free), ElementsAre("joint.crank.angle", "joint.rocker.angle"));
  ASSERT_THAT(assembly.unmet_rows, Not(IsEmpty()));
  EXPECT_THAT(task.row_name(assembly.unmet_rows[0]), HasSubstr("joint 'close'"));
}

TEST(Assembly, WhatIsKeptTooMuchMayFit) {
  const FourBar exact(0.7, 1);
  Task task(kFourBar);
  task.keep("joint.crank.angle").keep("joint.rocker.angle");
  task.at("joint.crank.angle") = 0.7;
  task.at("joint.rocker.angle") = exact.phi;
  task.at("joint.coupler.angle") = 1;
  const Assembly assembly = task.assemble();
  ASSERT_EQ(assembly.failure, "");
  EXPECT_NEAR(assembly.y[task.index("joint.coupler.angle")], exact.coupler(), 1e-9);
}

TEST(Assembly, RatesThatContradictEachOtherAreNamed) {
  Task task(kFourBar);
  task.keep("joint.crank.*").keep("joint.rocker.rate");
  task.at("joint.crank.angle") = 0.7;
  task.at("joint.crank.rate") = 1;
  task.at("joint.rocker.angle") = FourBar(0.7, 1).phi;
  task.at("joint.coupler.angle") = FourBar(0.7, 1).coupler();
  task.at("joint.rocker.rate") = FourBar(0.7, 1).rocker_rate(1) + 0.1;
  const Assembly assembly = task.assemble();
  EXPECT_THAT(assembly.failure, HasSubstr("no velocities obey"));
  EXPECT_THAT(assembly.failure, HasSubstr("joint 'close', row position"));
  EXPECT_THAT(task.velocities(assembly.to_free), ElementsAre("joint.crank.rate", "joint.rocker.rate"));
}

TEST(Assembly, ALinkThatIsTooShortIsNamed) {
  const Model model = read_model_text(kFourBar, "short.yaml", {.case_name = "", .set = {"b=0.2", "c=0.05"}});
  for (const bool partitioned : {false, true}) {
    Task task(model);
    if (partitioned) task.keep("joint.crank.angle");
    task.at("joint.crank.angle") = 2;
    const Assembly assembly = task.assemble();
    EXPECT_THAT(assembly.failure, HasSubstr("joint 'close', row position")) << partitioned;
    EXPECT_THAT(assembly.failure, HasSubstr("other dimensions")) << partitioned;
    EXPECT_THAT(assembly.to_free, IsEmpty());
  }
}

// the same linkage and a pendulum that has nothing to do with it
TEST(Assembly, WhatTheRowsDoNotDetermineIsNamedAndStays) {
  std::string text = kFourBar;
  text.insert(text.find("joints:\n"), "  bob: {mass: 1 kg, inertia: [1, 1, 1]}\n");
  text += "  swing: {kind: spherical, child: bob}\n";
  Task task(text.c_str());
  task.keep("joint.crank.angle");
  task.at("joint.crank.angle") = 0.7;
  task.at("joint.coupler.angle") = 1;
  const Assembly assembly = task.assemble();
  ASSERT_EQ(assembly.failure, "");
  EXPECT_THAT(task.positions(assembly.free_positions),
              ElementsAre("joint.swing.orientation", "joint.swing.orientation", "joint.swing.orientation"));
  EXPECT_THAT(task.velocities(assembly.free_velocities),
              ElementsAre("joint.swing.velocity.0", "joint.swing.velocity.1", "joint.swing.velocity.2"));
  EXPECT_EQ(assembly.y[task.index("joint.swing.orientation.w")], 1);
  // plane linkage of revolute joints: turns about x and y, and the position along z, are held twice
  EXPECT_EQ(assembly.redundant_rows.size(), 3U);
  EXPECT_FALSE(assembly.is_singular);
}

// five bars: two degrees of freedom, one kept
TEST(Assembly, AMotionThatIsLeftOverNamesAllThatTakePartInIt) {
  std::string text = kFourBar;
  text.insert(text.find("joints:\n"), "  extra: {mass: 1 kg, inertia: [1, 1, 1]}\n");
  text.replace(text.find("parent: coupler, child: rocker"), 30, "parent: extra, child: rocker  ");
  text += "  extra: {kind: revolute, parent: coupler, child: extra, parent_frame: [0.4, 0, 0]}\n";
  Task task(text.c_str());
  task.keep("joint.crank.angle");
  task.at("joint.crank.angle") = 0.7;
  task.at("joint.rocker.angle") = 1.6;
  const Assembly assembly = task.assemble();
  ASSERT_EQ(assembly.failure, "");
  EXPECT_LE(task.calc_drift(assembly.y), kRounding);
  EXPECT_THAT(task.positions(assembly.free_positions),
              UnorderedElementsAre("joint.coupler.angle", "joint.rocker.angle", "joint.extra.angle"));
}

TEST(Assembly, AStretchedLinkageIsSingular) {
  // crank and coupler in one line, rocker kept: the crank has no way to follow
  const double reach = FourBar::a + FourBar::b;
  const double rocker =
      std::numbers::pi - std::acos((FourBar::c * FourBar::c + FourBar::d * FourBar::d - reach * reach) /
                                   (2 * FourBar::c * FourBar::d));
  Task task(kFourBar);
  task.keep("joint.rocker.angle");
  task.at("joint.rocker.angle") = rocker;
  task.at("joint.crank.angle") = std::acos(
      (reach * reach + FourBar::d * FourBar::d - FourBar::c * FourBar::c) / (2 * reach * FourBar::d));
  const Assembly assembly = task.assemble();
  ASSERT_EQ(assembly.failure, "");
  EXPECT_TRUE(assembly.is_singular || assembly.is_nearly_singular());

  task.at("joint.rocker.angle") = rocker + 1e-7;  // 1e-7 rad from it the other angles are 1e-4 or so away
  const Assembly near = task.assemble();
  ASSERT_EQ(near.failure, "");
  EXPECT_TRUE(near.is_nearly_singular()) << near.regularity << ' ' << near.distance;
}

TEST(Assembly, ParallelogramsThatLieFlatAreSingular) {
  Task task(read_model(shipped_model("four-bar")));
  EXPECT_FALSE(task.assemble().is_singular);
  for (const char* name : {"joint.ground0.angle", "joint.ground1.angle", "joint.ground2.angle"})
    task.at(name) = std::numbers::pi / 2;
  for (const char* name : {"joint.left1.angle", "joint.left2.angle"}) task.at(name) = -std::numbers::pi / 2;
  EXPECT_TRUE(task.assemble().is_singular);
}

TEST(Assembly, BricardsLoopHasARedundantRowAndIsNotSingular) {
  Task task(read_model(shipped_model("bricard")));
  task.keep("joint.hinge1.angle");
  task.at("joint.hinge1.angle") = 0.2;
  const Assembly assembly = task.assemble();
  ASSERT_EQ(assembly.failure, "");
  EXPECT_EQ(assembly.redundant_rows.size(), 1U);
  EXPECT_FALSE(assembly.is_singular);
  // rods that lie on each other can turn together: of such motions one point is enough
  EXPECT_LE(std::count_if(assembly.others.begin(), assembly.others.end(),
                          [](const Branch& other) { return !other.is_isolated; }),
            1);
  // the symmetry of the loop, as in tests/validation
  EXPECT_NEAR(assembly.y[task.index("joint.hinge3.angle")], -0.2, 1e-9);
}

// a slider crank with an offset, and its unknown length                                   (source: analytic)
constexpr const char* kSlider = R"yaml(haltere: 1
bodies:
  crank: {mass: 1 kg, center_of_mass: [0.1, 0, 0], inertia: [1, 1, 1]}
  rod: {mass: 2 kg, center_of_mass: [0.3, 0, 0], inertia: [1, 1, 1]}
  block: {mass: 1 kg, inertia: [1, 1, 1]}
joints:
  crank: {kind: revolute, child: crank}
  rod: {kind: revolute, parent: crank, child: rod, parent_frame: [0.2 m, 0, 0]}
  slide: {kind: prismatic, child: block, axis: x, parent_frame: [0, 0.05 m, 0]}
  pin: {kind: revolute, parent: rod, child: block, parent_frame: [0.7 m, 0, 0]}
initial: {crank: {angle: 1, rate: 3}, slide: 0.5 m}
)yaml";

TEST(Assembly, SolvesForALength) {
  Task task(kSlider);
  task.keep("joint.crank.angle");
  const Assembly assembly = task.assemble();
  ASSERT_EQ(assembly.failure, "");
  const double y = 0.05 - 0.2 * std::sin(1);
  EXPECT_NEAR(assembly.y[task.index("joint.slide.position")], 0.2 * std::cos(1) + std::sqrt(0.49 - y * y),
              kRounding);
  // dx = -(tangent of the rod) dy - r sin
  const double slope = y / std::sqrt(0.49 - y * y);
  EXPECT_NEAR(assembly.y[task.index("joint.slide.velocity")], -0.6 * std::sin(1) + slope * 0.6 * std::cos(1),
              kRounding);
  ASSERT_EQ(assembly.others.size(), 1U);
}

TEST(Assembly, OtherUnitsOfLengthAndMassGiveTheSameBits) {
  const Model model = read_model_text(kSlider, "slider.yaml");
  for (const bool partitioned : {true, false})
    for (const UnitChange& change : {UnitChange{20, 0}, {-20, 0}, {0, 20}, {0, -20}, {20, -20}}) {
      Model scaled = model;
      ModelScaler(change, &scaled).scale();
      Task original(model), other(scaled);
      if (partitioned) {
        original.keep("joint.crank.*");
        other.keep("joint.crank.*");
      }
      const Assembly a = original.assemble(), b = other.assemble();
      ASSERT_EQ(a.failure, "");
      EXPECT_EQ(a.distance, b.distance);
      EXPECT_EQ(a.regularity, b.regularity);
      EXPECT_EQ(a.redundant_rows, b.redundant_rows);
      ASSERT_EQ(a.others.size(), b.others.size());
      for (const char* name : {"joint.crank.angle", "joint.rod.angle", "joint.crank.rate", "joint.rod.rate"})
        EXPECT_EQ(a.y[original.index(name)], b.y[original.index(name)]);
      for (const char* name : {"joint.slide.position", "joint.slide.velocity"})
        EXPECT_EQ(a.y[original.index(name)] * change.factor("m"), b.y[original.index(name)]);
    }
}

class RandomLoop : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Seeds, RandomLoop, testing::Range(1, 31));

/// Two points of a random tree that coincide in a random position, which the guess is a little off.
struct ClosedTree {
  explicit ClosedTree(int seed) : random(seed) {
    const int n = 4 + seed % 4;
    Model model = random.tree(n, 0.1);
    Equations tree("recursive", model);
    y = tree.calc_initial_state();
    for (double& x : y) x += random.number();
    Eigen::VectorXd unused(y.size());
    tree.normalize(y, unused);
    Scene<double> scene;
    tree.calc_scene(0, y, &scene);
    const Vector3<double> p_W(random.number(), random.number(), random.number());
    const auto point = [&](int body) {
      const Transform<double>& X = scene.X_WB[body];
      const Vector3<double> p = X.R.transpose() * (p_W - X.p);
      return std::vector<Expression>{Expression(p[0]), Expression(p[1]), Expression(p[2])};
    };
    model.constraints.push_back({"pin",
                                 {},
                                 find_kind(constraint_kinds(), "coincident"),
                                 {BodyIndex{0}, point(0), BodyIndex{n}, point(n)}});
    task = std::make_unique<Task>(model);
    task->guess.head(y.size()) = y;
  }
  test::RandomTree random;
  Eigen::VectorXd y;
  std::unique_ptr<Task> task;
};

TEST_P(RandomLoop, KeepsWhatIsKeptAndObeys) {
  ClosedTree tree(GetParam());
  Task& task = *tree.task;
  const std::vector<StateCoordinate> coordinates = list_coordinates(task.model());
  const Sizes sizes = task.equations().sizes();
  std::vector<bool> kept(coordinates.size());
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    const StateCoordinate& c = coordinates[i];
    if (c.motion == Motion::kTurn) continue;
    kept[i] = tree.random.number(0, 1) < 0.3;
    if (kept[i])
      task.keep(c.position);
    else
      task.guess[c.q] += 0.1 * tree.random.number();
  }
  const Assembly assembly = task.assemble();
  if (!assembly.failure.empty()) {  // the kept positions belong to a closed one, the rates may be too many
    EXPECT_THAT(assembly.failure, HasSubstr("no velocities obey"));
    EXPECT_THAT(assembly.unmet_rows, Not(IsEmpty()));
    return;
  }
  EXPECT_LE(task.calc_drift(assembly.y), 1e-9);  // solver: what counts as met, times the size of the rates
  for (std::size_t i = 0; i < coordinates.size(); ++i)
    if (kept[i]) {
      EXPECT_EQ(assembly.y[coordinates[i].q], task.guess[coordinates[i].q]);
      EXPECT_EQ(assembly.y[sizes.nq + static_cast<int>(i)], task.guess[sizes.nq + static_cast<int>(i)]);
    }
}

// every kind of joint in a tree, a ball in a loop; some coordinates prescribed
constexpr const char* kEveryJoint = R"yaml(haltere: 1
bodies:
  a: {mass: 1 kg, inertia: [1, 1, 1]}
  b: {mass: 1 kg, inertia: [1, 1, 1]}
  c: {mass: 1 kg, inertia: [1, 1, 1]}
  d: {mass: 1 kg, inertia: [1, 1, 1]}
  e: {mass: 1 kg, inertia: [1, 1, 1]}
  f: {mass: 1 kg, inertia: [1, 1, 1]}
  g: {mass: 1 kg, inertia: [1, 1, 1]}
  h: {mass: 1 kg, inertia: [1, 1, 1]}
joints:
  base: {kind: free, child: a}
  ball: {kind: spherical, parent: a, child: b, parent_frame: [1, 0, 0]}
  drum: {kind: cylindrical, parent: b, child: c, parent_frame: [1, 0, 0], prescribed: ["t*1 rad/s", ~]}
  table: {kind: planar, parent: c, child: d}
  fork: {kind: universal, parent: a, child: e, axis: x, second_axis: y}
  hinge: {kind: revolute, parent: e, child: f, axis: y}
  glued: {kind: weld, parent: f, child: g}
  led: {kind: free, parent: a, child: h, prescribed: {sequence: xyz, angles: [0, "t*1 rad/s", 0]}}
constraints:
  tie: {kind: coincident, from: d, from_point: [0, 1, 0], to: g, to_point: [0.5, 0, 0.2]}
)yaml";

TEST(Assembly, TheInitialBlockReadsBackToTheSameBits) {
  Task task(kEveryJoint);
  test::RandomTree random(7);
  const Sizes sizes = task.equations().sizes();
  for (int seed = 0; seed < 20; ++seed) {
    task.guess = task.equations().calc_initial_state();
    for (int i = 0; i < sizes.nq + sizes.nv; ++i) task.guess[i] += 0.7 * random.number();
    Eigen::VectorXd unused(task.guess.size());
    task.equations().normalize(task.guess, unused);
    const Assembly assembly = task.assemble();
    ASSERT_EQ(assembly.failure, "");
    const std::string block =
        make_initial_text(task.model(), assembly.y.head(sizes.nq), assembly.y.segment(sizes.nq, sizes.nv));
    const Task again((std::string(kEveryJoint) + block).c_str());
    EXPECT_EQ(again.guess, assembly.y) << block;
  }
}

TEST(Coordinates, NamesThatCannotBeChosenSayWhy) {
  const auto problem_of = [](const char* text, const std::string& name) {
    try {
      select_coordinates(read_model_text(text, "m.yaml"), name, "--solve");
    } catch (const InputError& error) {
      return error.problems()[0].text();
    }
    return std::string();
  };
  EXPECT_THAT(problem_of(kFourBar, "joint.crnk.angle"), HasSubstr("did you mean 'joint.crank.angle'?"));
  EXPECT_THAT(problem_of(kFourBar, "joint.crank"), HasSubstr("did you mean 'joint.crank.*'?"));
  EXPECT_THAT(problem_of(kFourBar, "joint.close.angle"), HasSubstr("closes a loop"));
  EXPECT_THAT(problem_of(kEveryJoint, "joint.drum.angle.0"), HasSubstr("is prescribed"));
  EXPECT_THAT(problem_of(kEveryJoint, "joint.ball.orientation.w"),
              HasSubstr("did you mean 'joint.ball.orientation'?"));
}

TEST(Coordinates, APartitionFollowsItsRules) {
  const auto select = [](std::vector<bool> positions, std::vector<bool> velocities) {
    CoordinateSelection s;
    s.positions = std::move(positions);
    s.velocities = std::move(velocities);
    return s;
  };
  const CoordinateSelection none(3), first = select({true, false, false}, {false, false, false}),
                                     second = select({false, true, false}, {false, false, false}),
                                     rate = select({false, false, false}, {false, true, false});
  EXPECT_THAT(make_partition(none, none).positions, IsEmpty());
  EXPECT_THAT(make_partition(first, none).positions, ElementsAre(false, true, true));
  EXPECT_THAT(make_partition(first, none).velocities, ElementsAre(false, true, true));
  EXPECT_THAT(make_partition(none, second).positions, ElementsAre(false, true, false));
  EXPECT_THAT(make_partition(first, second).positions, ElementsAre(false, true, false));
  EXPECT_THAT(make_partition(second, second).positions, ElementsAre(false, false, false));
  EXPECT_THAT(make_partition(rate, none).positions, IsEmpty());
  EXPECT_THAT(make_partition(rate, none).velocities, ElementsAre(true, false, true));
  CoordinateSelection both = first;
  both.add(rate);
  EXPECT_THAT(make_partition(both, none).positions, ElementsAre(false, true, true));
  EXPECT_THAT(make_partition(both, none).velocities, ElementsAre(true, false, true));
}

}  // namespace
}  // namespace haltere
