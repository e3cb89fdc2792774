// haltere compare: which method to trust.
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace haltere {
namespace {

using testing::HasSubstr;
using testing::Not;

class Compare : public ProgramTest {};

// Orders of rk4 and generalized-alpha (source: analytic, 4 and 2); printed to two digits in the last line.
TEST_F(Compare, PrintsTheOrdersThatComeOut) {
  const Outcome o =
      haltere({"compare", shipped("heavy-top"), "--order", "--until", "0.5", "--step", "2 ms", "--integrator",
               "rk4", "--integrator", "generalized-alpha:0.8", "--formulation", "recursive"});
  ASSERT_EQ(o.status, 0) << o.err;
  // step, "s", error, order, error, order, error, order
  std::vector<double> orders;
  for (std::size_t at = o.out.find("0.00025 s"); at != std::string::npos;
       at = o.out.find("0.00025 s", at + 1)) {
    std::istringstream words(o.out.substr(at, o.out.find('\n', at) - at));
    std::string word;
    for (int i = 0; i < 4 && words >> word; ++i) continue;
    orders.push_back(std::stod(word));
  }
  ASSERT_EQ(orders.size(), 2U) << o.out;
  EXPECT_NEAR(orders[0], 4, 0.15);
  EXPECT_NEAR(orders[1], 2, 0.15);
}

// rk4 of a spring of 20 rad/s grows in each step of 1, 0.5 and 0.25 s, until numbers overflow; at 0.125 s it
// is stable (h omega < 2.83).                                                              (source: analytic)
TEST_F(Compare, SaysWhyThereIsNoOrder) {
  write("spring.yaml",
        "haltere: 1\nbodies: {block: {mass: 1}}\njoints: {a: {kind: prismatic, child: block, axis: z}}\n"
        "forces: {s: {kind: linear-spring, joint: a, stiffness: 400 N/m}}\ninitial: {a: 1}\n");
  const auto compare = [&](const std::string& step) {
    return haltere({"compare", "spring.yaml", "--until", "100", "--every", "10", "--order", "--formulation",
                    "recursive", "--integrator", "rk4", "--step", step});
  };
  const Outcome fails = compare("1");
  ASSERT_EQ(fails.status, 0) << fails.err;
  EXPECT_THAT(fails.out, HasSubstr("-(f)"));
  EXPECT_THAT(fails.out, HasSubstr("(f) no order: a run failed"));
  EXPECT_THAT(fails.out, Not(HasSubstr("inf")));
  EXPECT_THAT(fails.out, Not(HasSubstr("nan")));
  const Outcome coarse = compare("0.1");
  ASSERT_EQ(coarse.status, 0) << coarse.err;
  EXPECT_THAT(coarse.out, HasSubstr("(s) no order yet: "));
}

// stdout carries the CSV alone where it was asked for
TEST_F(Compare, GivesTheNumbersAlone) {
  const Outcome o = haltere({"compare", shipped("pendulum"), "--until", "0.1", "--integrator", "rk4",
                             "--formulation", "recursive", "--csv", "-"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.out.find("formulation,chart"), 0U);
  EXPECT_EQ(std::count(o.out.begin(), o.out.end(), '\n'), 3);
}

// q and -q are one orientation: the two formulations differ by their tolerance, not by two
TEST_F(Compare, KnowsThatQuaternionsHaveNoSign) {
  const Outcome o = haltere({"compare", shipped("heavy-top"), "--until", "0.5", "--integrator", "dop853",
                             "--tolerance", "1e-9", "--formulation", "absolute", "--csv", "-"});
  ASSERT_EQ(o.status, 0) << o.err;
  std::istringstream row(o.out.substr(o.out.find('\n') + 1));
  std::string field;
  for (int i = 0; i < 7; ++i) std::getline(row, field, ',');
  EXPECT_GT(std::stod(field), 0) << o.out;
  EXPECT_LT(std::stod(field), 1e-5) << o.out;  // solver: 1e-9 a step
}

// alpha methods take the steps that are asked for, or choose their own
TEST_F(Compare, LetsAMethodChooseItsStepsWhereOnlyTolerancesAreGiven) {
  const std::vector<std::string> head{"compare", shipped("pendulum"), "--until",   "0.1",   "--integrator",
                                      "hht",     "--formulation",     "recursive", "--csv", "-"};
  const auto count = [&](std::vector<std::string> more) {
    more.insert(more.begin(), head.begin(), head.end());
    const Outcome o = haltere(more);
    EXPECT_EQ(o.status, 0) << o.err;
    return std::count(o.out.begin(), o.out.end(), '\n') - 1;
  };
  EXPECT_EQ(count({}), 2);  // two steps by default
  EXPECT_EQ(count({"--tolerance", "1e-5"}), 1);
  EXPECT_EQ(count({"--tolerance", "1e-5", "--step", "1 ms", "--step", "2 ms"}), 2);
}

TEST_F(Compare, WritesATableAndADiagram) {
  const Outcome o = haltere({"compare", shipped("four-bar"), "--until", "0.2", "--integrator", "dop853",
                             "--integrator", "newmark:0.015", "--stabilization", "projection",
                             "--stabilization", "none", "--csv", "c.csv", "--plot", "wp.svg"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("absolute lie, newmark:0.015, none"));
  const std::string csv = read("c.csv");
  EXPECT_THAT(csv, HasSubstr("formulation,chart,integrator"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 2 * 2 * 2 * 2);
  EXPECT_THAT(csv, Not(HasSubstr("nan")));
  EXPECT_THAT(read("wp.svg"), HasSubstr("recursive, dop853"));
}

// A method that fails is a line of the table, not the end of it.
TEST_F(Compare, SaysWhichMethodFails) {
  const Outcome o =
      haltere({"compare", shipped("x-hale"), "--case", "free", "--until", "6", "--formulation", "absolute",
               "--integrator", "newmark", "--integrator", "dop853", "--step", "0.01", "--tolerance", "1e-6"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("failed at t = 4."));
}

TEST_F(Compare, LeavesOutWhatAModelDoesNotFitInto) {
  const Outcome o = haltere({"compare", shipped("pendulum"), "--until", "0.1", "--integrator", "rk4"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.err, HasSubstr("hinge-matrix is left out: "));
  EXPECT_THAT(o.err, HasSubstr("joint 'pivot'"));
  EXPECT_THAT(o.out, Not(HasSubstr("hinge-matrix")));
  EXPECT_EQ(
      haltere({"compare", shipped("pendulum"), "--until", "0.1", "--formulation", "hinge-matrix"}).status, 2);
}

// three formulations of one insect; methods that hinge-matrix cannot do are those of the others
TEST_F(Compare, ShowsThatThreeFormulationsAgree) {
  const Outcome o = haltere({"compare", shipped("insect-hinge"), "--case", "force-on-body", "--until", "0.2",
                             "--integrator", "dop853", "--integrator", "hht", "--tolerance", "1e-9", "--step",
                             "1 ms", "--csv", "-"});
  ASSERT_EQ(o.status, 0) << o.err;
  int rows = 0;
  for (const std::string& line : lines_of(o.out)) {
    if (line.find("dop853") == std::string::npos) continue;
    ++rows;
    std::istringstream row(line);
    std::string field;
    for (int i = 0; i < 7; ++i) std::getline(row, field, ',');
    EXPECT_LT(std::stod(field), 1e-7) << line;  // solver: 1e-9 a step
  }
  EXPECT_EQ(rows, 3);
  EXPECT_EQ(std::count(o.out.begin(), o.out.end(), '\n'), 1 + 3 + 2);
  EXPECT_EQ(
      haltere({"compare", shipped("insect-hinge"), "--formulation", "hinge-matrix", "--integrator", "hht"})
          .status,
      2);
}

TEST_F(Compare, RefusesWhatMakesNoSense) {
  for (const std::vector<std::string>& more : {std::vector<std::string>{"--integrator", "ode45"},
                                               {"--order", "--integrator", "dop853"},
                                               {"--step", "-1"},
                                               {"--step", "1 m"},
                                               {"--formulation", "x"},
                                               {"--chart", "x", "--formulation", "absolute"},
                                               {"--integrator", "hht:3"}}) {
    std::vector<std::string> arguments{"compare", shipped("pendulum"), "--until", "0.1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_EQ(haltere(arguments).status, 2) << more[0] << ' ' << more[1];
  }
}

TEST_F(Compare, IsJsonForOtherPrograms) {
  const Outcome o = haltere({"compare", "pendulum", "--until", "0.2", "--formulation", "recursive",
                             "--integrator", "rk4", "--integrator", "dopri5", "--json", "-"});
  ASSERT_EQ(o.status, 0) << o.err;
  const auto runs = nlohmann::json::parse(o.out);  // no table beside it
  ASSERT_EQ(runs.size(), 4u);
  EXPECT_EQ(runs[0]["integrator"], "rk4");
  EXPECT_EQ(runs[0]["step"], 0.2 / 1000);
  EXPECT_EQ(runs[3]["tolerance"], 1e-9);
  for (const auto& run : runs)
    EXPECT_LT(run["position_error"], 1e-4);  // tolerance: the loosest run asks for 1e-6 a step
}

}  // namespace
}  // namespace haltere
