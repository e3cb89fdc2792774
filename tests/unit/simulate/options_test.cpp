#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "haltere/simulate/run.h"

namespace haltere {
namespace {

using ::testing::HasSubstr;

Settings make_settings(double until, double every = 0) {
  Settings settings;
  settings.until = until;
  if (every != 0) settings.every = every;
  return settings;
}

std::string error_of(const Settings& overrides, const Settings& file = {}) {
  Model model;
  model.settings = file;
  try {
    make_run_options(model, overrides);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(RunOptions, CommandLineWinsOverFileWinsOverDefault) {
  Model model;
  model.settings.until = 3;
  model.settings.integrator = "rk4";
  model.settings.step = 0.01;
  Settings overrides;
  overrides.until = 5;
  const RunOptions options = make_run_options(model, overrides);
  EXPECT_EQ(options.until, 5);
  EXPECT_EQ(options.integrator, "rk4");
  EXPECT_EQ(options.step, 0.01);
  EXPECT_EQ(options.every, 5 / 1000.0);
  EXPECT_EQ(options.formulation, "recursive");
}

TEST(RunOptions, AFixedStepMethodWithoutAStepTakesTheIntervalOfRows) {
  Settings settings = make_settings(2, 0.05);
  settings.integrator = "rk4";
  EXPECT_EQ(make_run_options({}, settings).step, 0.05);
  settings.integrator = "dop853";
  EXPECT_EQ(make_run_options({}, settings).step, 0);
}

TEST(RunOptions, UnknownWordsGetAHint) {
  Settings settings;
  settings.integrator = "dop583";
  EXPECT_THAT(error_of(settings),
              HasSubstr("--integrator: unknown integrator 'dop583'; did you mean 'dop853'?"));
  EXPECT_THAT(error_of({}, settings), HasSubstr("simulation: integrator: unknown integrator"));
  settings.integrator = "euler";
  EXPECT_THAT(error_of(settings), HasSubstr("rk4"));
  settings = {};
  settings.formulation = "recursiv";
  EXPECT_THAT(error_of(settings), HasSubstr("did you mean 'recursive'?"));
}

TEST(RunOptions, AMistakeInTheFileHasItsPlace) {
  Settings settings;
  settings.integrator = "dop583";
  settings.marks["integrator"] = {"m.yaml", 12, 5};
  EXPECT_THAT(error_of({}, settings),
              HasSubstr("m.yaml:12:5: simulation: integrator: unknown integrator 'dop583'"));
}

TEST(RunOptions, ImpossibleNumbersAreRefused) {
  EXPECT_THAT(error_of(make_settings(-1)), HasSubstr("--until: is -1 s; it must not be negative"));
  EXPECT_THAT(error_of(make_settings(std::numeric_limits<double>::quiet_NaN())), HasSubstr("--until"));
  EXPECT_THAT(error_of(make_settings(std::numeric_limits<double>::infinity())), HasSubstr("--until"));
  EXPECT_THAT(error_of(make_settings(1, -0.1)), HasSubstr("--every: is -0.1 s; it must be greater than 0"));
  EXPECT_THAT(error_of(make_settings(10, 1e-16)), HasSubstr("1e+17 rows"));
  Settings settings = make_settings(1);
  settings.step = 2;
  EXPECT_THAT(error_of(settings), HasSubstr("--step: a step of 2 s is longer than the run"));
  settings.step = 1e-17;
  EXPECT_THAT(error_of(settings), HasSubstr("1e+17 steps"));
  EXPECT_THAT(error_of(make_settings(5e-324)),
              HasSubstr("--until: is 4.940656458e-324 s; it must lie between"));
  settings = make_settings(1);
  for (const double tolerance : {0.0, 1.0, -1e-6, 1e-20, std::numeric_limits<double>::quiet_NaN()}) {
    settings.tolerance = tolerance;
    EXPECT_THAT(error_of(settings), HasSubstr("--tolerance")) << tolerance;
  }
}

TEST(RunOptions, AllProblemsComeAtOnce) {
  Settings settings = make_settings(-1, -1);
  settings.integrator = "x";
  settings.tolerance = 7;
  const std::string error = error_of(settings);
  for (const char* word : {"--until", "--every", "--integrator", "--tolerance"})
    EXPECT_THAT(error, HasSubstr(word));
}

TEST(RunOptions, ABodyHasAChartThatExists) {
  Model model;
  model.bodies.resize(2);
  model.bodies[1].name = "wing";
  model.bodies[1].chart = "euler-zyx";
  EXPECT_NO_THROW(make_run_options(model, make_settings(1)));
  model.bodies[1].chart = "euler-zzx";
  model.bodies[1].chart_mark = {"m.yaml", 7, 3};
  try {
    make_run_options(model, make_settings(1));
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("m.yaml:7:3: body 'wing': unknown chart 'euler-zzx'"));
  }
}

TEST(RunOptions, ARunOfNoLengthIsAllowed) {
  EXPECT_EQ(make_run_options({}, make_settings(0)).until, 0);
}

}  // namespace
}  // namespace haltere
