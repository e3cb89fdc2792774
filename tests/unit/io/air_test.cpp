// `air:` at the top of a model.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "haltere/dynamics/equations.h"
#include "haltere/io/model/model_reader.h"

namespace haltere {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A wing that is held at rest; `top` and `own` are keys of the model and of the wing.
std::string make_wing(const std::string& top, const std::string& own) {
  return "haltere: 1\nbodies: {plate: {mass: 1 kg, inertia: [1, 1, 1]}}\n"
         "joints: {hold: {kind: prismatic, child: plate, axis: z}}\n" +
         top +
         "surfaces: {wing: {kind: blade-element, body: plate, span_axis: y, chord_axis: -x, span: 2 m, "
         "chord: 0.5 m, "
         "lift: 2*pi*alpha, drag: 0.1" +
         own + "}}\n";
}

double calc_lift(const std::string& text) {
  const Model model = read_model_text(text, "wing.yaml");
  Equations equations("recursive", model);
  Snapshot snapshot;
  EXPECT_EQ(equations.observe(0, equations.calc_initial_state(), &snapshot), Status::kOk);
  return snapshot.surfaces.at(0).total.force().norm();
}

// q S sqrt(CL^2 + CD^2) with alpha = 0.1 to its third power (source: analytic)
TEST(Air, IsWhatSurfacesAreIn) {
  const std::string air = "air: {density: 1.2 kg/m3, wind: [-10 m/s, 0, 1 m/s]}\n";
  const double alpha = std::atan2(1, 10), q = 0.5 * 1.2 * 101;
  EXPECT_NEAR(calc_lift(make_wing(air, "")), q * std::hypot(2 * 3.14159265358979323846 * alpha, 0.1),
              1e-12 * q);
}

TEST(Air, IsTheSameAsItsValuesInEachSurface) {
  EXPECT_EQ(calc_lift(make_wing("air: {density: 1.2 kg/m3, wind: [-10 m/s, 0, 1 m/s]}\n", "")),
            calc_lift(make_wing("", ", density: 1.2 kg/m3, wind: [-10 m/s, 0, 1 m/s]")));
}

TEST(Air, GivesWayToWhatASurfaceSaysItself) {
  const std::string air = "air: {density: 1.2 kg/m3, wind: [-10 m/s, 0, 1 m/s]}\n";
  EXPECT_EQ(calc_lift(make_wing(air, ", density: 2.4 kg/m3")), 2 * calc_lift(make_wing(air, "")));
  EXPECT_EQ(calc_lift(make_wing(air, ", wind: [0, 0, 0]")), 0);
}

TEST(Air, OfACaseHoldsForAllSurfaces) {
  const std::string text = make_wing("air: {density: 1.2 kg/m3, wind: [-10 m/s, 0, 1 m/s]}\n", "") +
                           "cases: {heavy: {air: {density: 2.4 kg/m3}}}\n";
  const Model heavy = read_model_text(text, "wing.yaml", {.case_name = "heavy", .set = {}});
  Equations equations("recursive", heavy);
  Snapshot snapshot;
  ASSERT_EQ(equations.observe(0, equations.calc_initial_state(), &snapshot), Status::kOk);
  EXPECT_EQ(snapshot.surfaces.at(0).total.force().norm(), 2 * calc_lift(text));
}

std::vector<std::string> problems_of(const std::string& text) {
  try {
    read_model_text(text, "wing.yaml");
  } catch (const InputError& error) {
    std::vector<std::string> list;
    for (const Problem& problem : error.problems()) list.push_back(problem.text());
    return list;
  }
  return {};
}

TEST(Air, MistakesAreSaidOnceWithTheirPlace) {
  EXPECT_THAT(problems_of(make_wing("air: {density: 1.2 kg}\n", "")),
              ElementsAre(HasSubstr("wing.yaml:4:16: air: density")));
  EXPECT_THAT(problems_of(make_wing("air: {densty: 1.2 kg/m3}\n", "")),
              ElementsAre(HasSubstr("did you mean 'density'?")));
  EXPECT_THAT(problems_of(make_wing("air: 1.2 kg/m3\n", "")), ElementsAre(HasSubstr("air: expected a map")));
  EXPECT_THAT(problems_of(make_wing("", "")), ElementsAre(HasSubstr("density is missing")));
}

TEST(Air, WithoutSurfacesIsAWarning) {
  const std::string bare =
      "haltere: 1\nair: {density: 1.2 kg/m3}\nbodies: {a: {mass: 1}}\n"
      "joints: {j: {kind: prismatic, child: a}}\n";
  const Model model = read_model_text(bare, "bare.yaml");
  ASSERT_EQ(model.warnings.size(), 1U);
  EXPECT_THAT(model.warnings[0].text(), HasSubstr("bare.yaml:2:1: warning: air: nothing feels it"));
  EXPECT_TRUE(read_model_text(make_wing("air: {density: 1.2 kg/m3}\n", ""), "wing.yaml").warnings.empty());
}

}  // namespace
}  // namespace haltere
