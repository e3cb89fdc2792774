#include "haltere/io/model/assemble.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/io/reading.h"

#include "haltere/model/kind_info.h"

namespace haltere {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kModel = kPendulum + R"(parameters: {k: 2 N m/rad, n: 1}
forces:
  spring: {kind: rotary-spring, joint: hinge, stiffness: k}
cases:
  stiff: {parameters: {k: 20 N m/rad}}
  free: {forces: ~}
  driven: {forces: {spring: {kind: feedback, gains: {joint.hinge.angle: -1}, joint: hinge}}}
)";

std::string problem_of_file(const std::filesystem::path& path, const ReadOptions& options = {}) {
  try {
    read_model(path, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

double find_value(const Model& model, const std::string& parameter) {
  return model.parameters[*model.find_parameter(parameter)].value;
}

// -- cases

TEST(Cases, OverrideTheModel) {
  EXPECT_EQ(find_value(read(kModel), "k"), 2);
  const Model model = read(kModel, {"stiff", {}});
  EXPECT_EQ(find_value(model, "k"), 20);
  EXPECT_EQ(find_value(model, "n"), 1) << "what the case does not name stays";
  EXPECT_EQ(model.case_name, "stiff");
}

TEST(Cases, TildeRemoves) {
  EXPECT_EQ(read(kModel).forces.size(), 1u);
  EXPECT_EQ(read(kModel, {"free", {}}).forces.size(), 0u);
}

TEST(Cases, AnotherKindReplacesTheWholeEntry) {
  const Model model = read(kModel, {"driven", {}});
  EXPECT_EQ(force_kinds()[model.forces[0].kind].name, "feedback");
}

TEST(Cases, UnknownOnesListTheKnown) {
  EXPECT_EQ(problem_of(kModel, {"stif", {}}),
            "m.yaml:9:1: unknown case 'stif'; cases are: stiff, free, driven; did you mean 'stiff'?");
}

TEST(Cases, UnknownKeysAreFoundInCasesThatAreNotUsed) {
  EXPECT_EQ(problem_of(kPendulum + "cases: {a: {gravty: [0, 0, 1]}}\n"),
            "m.yaml:6:13: case 'a': unknown key 'gravty'; did you mean 'gravity'?");
}

TEST(Cases, FilesBesideTheModelAreCases) {
  const TemporaryFolder folder;
  const auto path = folder.write("model.yaml", kModel);
  folder.write("cases/soft.yaml", "parameters: {k: 0.5 N m/rad}\n");
  EXPECT_EQ(find_value(read_model(folder.path(), {"soft", {}}), "k"), 0.5);
  EXPECT_THAT(list_cases(folder.path()), ElementsAre("stiff", "free", "driven", "soft"));
  EXPECT_THAT(problem_of_file(path, {"../model", {}}), HasSubstr("unknown case '../model'"));
}

// -- the command line

TEST(Set, ReplacesParametersAndWhatFollowsFromThem) {
  const Model model = read(kModel + "signals: {}\n", {"", {"k=5"}});
  EXPECT_EQ(find_value(model, "k"), 5);
}

TEST(Set, WinsOverTheCase) {
  EXPECT_EQ(find_value(read(kModel, {"stiff", {"k=5"}}), "k"), 5);
}

TEST(Set, ReachesIntoTheFile) {
  const Model model = read(kModel, {"",
                                    {"simulation.until=3 s", "bodies.link.mass=5 g", "gravity=[0, 0, -1.62]",
                                     "gravity.0=3", "initial.hinge=20 deg"}});
  EXPECT_EQ(model.settings.until, 3.0);
  EXPECT_DOUBLE_EQ(value_of(model.bodies[1].mass, model), 0.005);
  EXPECT_DOUBLE_EQ(value_of(model.gravity[2], model), -1.62);
  EXPECT_DOUBLE_EQ(value_of(model.gravity[0], model), 3);
  EXPECT_DOUBLE_EQ(value_of(*model.joints[0].initial_position[0], model), EIGEN_PI / 9);
}

TEST(Set, ReachesCopiesOfRepeatedBlocks) {
  const std::string text = R"(haltere: 1
bodies: {"b{i}": {repeat: {i: 1..3}, mass: 1, inertia: [1, 1, 1]}}
joints: {"j{i}": {repeat: {i: 1..3}, kind: free, child: "b{i}"}}
)";
  const Model all = read(text, {"", {"bodies.b{i}.mass=2"}});
  const Model one = read(text, {"", {"bodies.b2.mass=2"}});
  EXPECT_EQ(value_of(all.bodies[3].mass, all), 2);
  EXPECT_EQ(value_of(one.bodies[2].mass, one), 2);
  EXPECT_EQ(value_of(one.bodies[3].mass, one), 1);
}

TEST(Set, AddsEntriesAndSaysSo) {
  const Model model = read_model_text(
      kModel, "m.yaml",
      {"",
       {"forces.brake={kind: rotary-spring, joint: hinge, damping: c}", "parameters.c=3 N*m*s/rad",
        "signals.fast=joint.hinge.rate - 1", "simulation.tolerance=1e-6"}});
  EXPECT_EQ(model.forces.back().name, "brake");
  EXPECT_EQ(model.signals.back().name, "fast");
  EXPECT_EQ(find_value(model, "c"), 3);
  EXPECT_EQ(model.settings.tolerance, 1e-6);
  ASSERT_EQ(model.warnings.size(), 3U);
  EXPECT_THAT(model.warnings[0].text(),
              HasSubstr("forces.brake: is new: 'forces' of the file has no 'brake'"));
}

TEST(Set, AddsToTheShortFormOfAnInitialValue) {
  const Model turns = read(kModel, {"", {"initial.hinge=20 deg", "initial.hinge.rate=3"}});
  EXPECT_DOUBLE_EQ(value_of(*turns.joints[0].initial_position[0], turns), EIGEN_PI / 9);
  EXPECT_EQ(value_of(*turns.joints[0].initial_velocity[0], turns), 3);
  const Model slides = read(
      "haltere: 1\nbodies: {a: {mass: 1}}\njoints: {s: {kind: prismatic, child: a, axis: x}}\n"
      "initial: {s: 2 m}\n",
      {"", {"initial.s.velocity=3"}});
  EXPECT_EQ(value_of(*slides.joints[0].initial_position[0], slides), 2);
  EXPECT_EQ(value_of(*slides.joints[0].initial_velocity[0], slides), 3);
}

TEST(Set, ReachesOneCopyOfARepeatedInitialState) {
  const std::string text = R"(haltere: 1
parameters: {n: 3}
bodies: {"b{i}": {repeat: {i: 1..n}, mass: 1, inertia: [1, 1, 1]}}
joints: {"j{i}": {repeat: {i: 1..n}, kind: revolute, axis: z, child: "b{i}"}}
initial: {"j{i}": {repeat: {i: 1..n}, angle: 0.1*i}}
)";
  const Model model =
      read(text, {"", {"initial.j2.rate=5", "initial.j3=7 rad", "joints.j1.child_frame=[0, 0, 4]"}});
  EXPECT_DOUBLE_EQ(value_of(*model.joints[1].initial_position[0], model), 0.2);
  EXPECT_EQ(value_of(*model.joints[1].initial_velocity[0], model), 5);
  EXPECT_FALSE(model.joints[0].initial_velocity[0].has_value());
  EXPECT_EQ(value_of(*model.joints[2].initial_position[0], model), 7);
  EXPECT_EQ(value_of(model.joints[0].child_frame.position[2], model), 4);
  // names of copies in a value are those of repeated blocks
  const Model added = read_model_text(
      text, "m.yaml", {"", {"forces.push={kind: applied-torque, body: 'b{n}', torque: [0, 0, 1]}"}});
  EXPECT_EQ(added.forces.size(), 1U);
  EXPECT_EQ(problem_of(text, {"", {"joints.j4.axis=x"}}),
            "--set: joints.j4.axis: 'joints' has no entry 'j4'; did you mean 'j1'?");
}

TEST(Set, AddsBlocksThatAreRepeated) {
  const Model model = read_model_text(kModel, "m.yaml",
                                      {"", {"signals.s{i}={repeat: {i: 1..3}, value: joint.hinge.rate*i}"}});
  EXPECT_EQ(model.signals.back().name, "s3");
}

TEST(Set, MistakesAreNamed) {
  const auto set = [](const std::string& text) { return problem_of(kModel, {"", {text}}); };
  EXPECT_EQ(set("kk=3"), "--set: kk: there is no such parameter or key; did you mean 'k'?");
  EXPECT_EQ(set("bodies.lnk.mass=3"),
            "--set: bodies.lnk.mass: 'bodies' has no entry 'lnk'; did you mean 'link'?");
  EXPECT_EQ(set("bodies.link.mas=3"),
            "--set: body 'link': unknown key 'mas' in a body; did you mean 'mass'?");
  EXPECT_EQ(set("simulation.untl=3"),
            "--set: simulation: unknown key 'untl' in simulation; did you mean 'until'?");
  EXPECT_EQ(set("k"), "--set: 'k' is not of the form key=value");
  EXPECT_EQ(set("=3"), "--set: '=3' is not of the form key=value");
  EXPECT_EQ(set("include=a.yaml"), "--set: include: this key cannot be set; choose a case with --case");
  EXPECT_THAT(set("k=3 parsec"), HasSubstr("--set: parameter 'k': value:"));
  EXPECT_THAT(set("bodies.link.mass=-3 kg"),
              HasSubstr("--set: body 'link': mass is -3 kg; must not be negative"));
  EXPECT_EQ(set("bodies.link.inertia.7=1"),
            "--set: bodies.link.inertia.7: 'inertia' has no entry '7'; it is a list of 3, counted from 0");
  EXPECT_THAT(set("bodies.link.mass.x=1"), HasSubstr("'mass' has no entry 'x'; it is a single value"));
  EXPECT_EQ(set("link.mass=3"),
            "--set: link.mass: there is no such parameter or key; did you mean 'bodies.link.mass'?");
  EXPECT_EQ(set("bodies.completely.mass=3"),
            "--set: bodies.completely.mass: 'bodies' has no entry 'completely'; there is link; a new one is "
            "given as "
            "a whole: --set 'bodies.completely={...}'");
}

// -- include

TEST(Include, LiesBelowTheIncludingFile) {
  const TemporaryFolder folder;
  folder.write("parts/base.yaml", "parameters: {k: 1, m: 7}\ngravity: [0, 0, -1]\n");
  folder.write("more.yaml", "parameters: {m: 8}\n");
  folder.write("model.yaml", "include: [parts/base.yaml, more.yaml]\n" + kModel);
  const Model model = read_model(folder.path());
  EXPECT_EQ(find_value(model, "k"), 2) << "the including file wins";
  EXPECT_EQ(find_value(model, "m"), 8) << "the later include wins";
  EXPECT_EQ(value_of(model.gravity[2], model), -1);
  EXPECT_THAT(model.text, HasSubstr("parameters: {m: 8}"));
}

TEST(Include, IsRelativeToTheFileThatIncludes) {
  const TemporaryFolder folder;
  folder.write("parts/a.yaml", "include: b.yaml\n");
  folder.write("parts/b.yaml", "parameters: {m: 7}\n");
  folder.write("model.yaml", "include: parts/a.yaml\n" + kModel);
  EXPECT_EQ(find_value(read_model(folder.path()), "m"), 7);
}

TEST(Include, StaysInTheFolderOfTheModel) {
  const TemporaryFolder folder;
  folder.write("secret.yaml", "parameters: {m: 7}\n");
  const auto include = [&](const std::string& name) {
    folder.write("in/model.yaml", "include: " + name + "\n" + kModel);
    return problem_of_file(folder.path() / "in");
  };
  const std::string outside = "lies outside the folder of the model";
  EXPECT_THAT(include("../secret.yaml"), HasSubstr("model.yaml:1:10: include: '../secret.yaml' " + outside));
  EXPECT_THAT(include("x/../../secret.yaml"), HasSubstr(outside));
  EXPECT_THAT(include((folder.path() / "secret.yaml").string()), HasSubstr(outside));
  std::filesystem::create_symlink(folder.path() / "secret.yaml", folder.path() / "in" / "link.yaml");
  EXPECT_THAT(include("link.yaml"), HasSubstr(outside));
}

TEST(Include, CyclesAndMissingFilesAreNamed) {
  const TemporaryFolder folder;
  folder.write("model.yaml", "include: other.yaml\n" + kModel);
  folder.write("other.yaml", "include: model.yaml\n");
  EXPECT_THAT(problem_of_file(folder.path()),
              HasSubstr("other.yaml:1:10: include: 'model.yaml' includes itself"));
  folder.write("other.yaml", "include: bse.yaml\n");
  folder.write("base.yaml", "{}\n");
  EXPECT_THAT(problem_of_file(folder.path()), HasSubstr("there is no such file; did you mean 'base.yaml'?"));
  folder.write("other.yaml", "include: [.]\n");
  EXPECT_THAT(problem_of_file(folder.path()), HasSubstr("it is a folder, not a file"));
  folder.write("other.yaml", "include: {a: b}\n");
  EXPECT_THAT(problem_of_file(folder.path()), HasSubstr("expected the name of a file, not a map"));
}

TEST(Include, ManyFilesThatIncludeEachOtherTwiceEnd) {
  // 2^40 files if nobody counted
  const TemporaryFolder folder;
  for (int i = 0; i < 40; ++i) {
    const std::string next = "f" + std::to_string(i + 1) + ".yaml";
    folder.write("f" + std::to_string(i) + ".yaml", "include: [" + next + ", " + next + "]\n");
  }
  folder.write("f40.yaml", "{}\n");
  folder.write("model.yaml", "include: f0.yaml\n" + kModel);
  EXPECT_THAT(problem_of_file(folder.path()), HasSubstr("more than 200 files are included"));
}

TEST(Include, ManyLargeFilesAreTooMuchTogether) {
  const TemporaryFolder folder;
  const std::string large = "# " + std::string(kLargestFile - 10, 'x') + "\n{}\n";
  std::string names;
  for (int i = 0; i < 10; ++i) {
    names += "f" + std::to_string(i) + ".yaml, ";
    folder.write("f" + std::to_string(i) + ".yaml", large);
  }
  folder.write("model.yaml", "include: [" + names + "]\n" + kModel);
  const std::string problem = problem_of_file(folder.path());
  EXPECT_THAT(problem, HasSubstr("f7.yaml: with this file the model is larger than 32 MiB"));
  EXPECT_THAT(problem, testing::Not(HasSubstr("f8.yaml")));  // said once
}

TEST(Include, ATextHasNoFolder) {
  EXPECT_EQ(problem_of("include: a.yaml\n" + kPendulum),
            "m.yaml:1:1: a text without a folder cannot include files");
}

// -- files

TEST(Files, WhatCannotBeReadIsNamed) {
  const TemporaryFolder folder;
  folder.write("pendulum.yaml", kPendulum);
  EXPECT_THAT(problem_of_file(folder.path() / "pendlum.yaml"),
              HasSubstr("there is no such file; did you mean 'pendulum.yaml'?"));
  EXPECT_THAT(problem_of_file(folder.path()), HasSubstr("the folder has no model.yaml"));
  EXPECT_THAT(problem_of_file("/dev/null"), HasSubstr("it is no regular file"));
  EXPECT_EQ(problem_of_file(folder.path() / "pendulum.yaml"), "");
}

TEST(Files, TheNameIsThatOfTheFolder) {
  const TemporaryFolder folder;
  folder.write("swing/model.yaml", kPendulum);
  EXPECT_EQ(read_model(folder.path() / "swing").name, "swing");
  EXPECT_EQ(read_model(folder.path() / "swing" / "model.yaml").name, "swing");
  EXPECT_EQ(read("name: clock\n" + kPendulum).name, "clock");
}

}  // namespace
}  // namespace haltere
