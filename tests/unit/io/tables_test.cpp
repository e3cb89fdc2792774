#include "haltere/io/model/tables.h"

#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/io/temporary_folder.h"

#include "haltere/io/model/model_reader.h"

namespace haltere {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

const std::string kModel = R"(haltere: 1
bodies: {a: {mass: 1, inertia: [1, 1, 1]}}
joints:
  j:
    kind: revolute
    child: a
    driven: table("torque.csv", "tau", t)
)";

class TablesOf : public testing::Test {
 protected:
  std::string problems_with(const std::string& csv, const std::string& model = kModel) {
    write_bytes(folder_ / "model.yaml", model);
    if (csv != "-") write_bytes(folder_ / "torque.csv", csv);
    try {
      model_ = read_model(folder_.path());
    } catch (const InputError& error) {
      std::string lines;
      for (const Problem& problem : error.problems()) lines += problem.text() + "\n";
      // names of files as they stand in the folder
      for (std::size_t at; (at = lines.find(folder_.path().string() + "/")) != std::string::npos;)
        lines.erase(at, folder_.path().string().size() + 1);
      return lines;
    }
    return "";
  }
  double torque(double t) const { return model_.joints[0].driven[0]->calc<double, double>(nullptr, &t); }

  TemporaryFolder folder_;
  Model model_;
};

TEST_F(TablesOf, AModelAreReadAndRecorded) {
  EXPECT_EQ(problems_with("# measured by hand\nt, other, tau\n0, 7, 1\r\n1,7,2\n\n2 , 7, +5.0e0\n"), "");
  EXPECT_NEAR(torque(0.5), 1.25, 1e-15);  // 1 + t^2
  EXPECT_TRUE(std::isnan(torque(3)));     // it does not reach so far
  EXPECT_THAT(model_.files, ElementsAre(EndsWith("model.yaml"), EndsWith("torque.csv")));
  EXPECT_THAT(model_.text, HasSubstr("# measured by hand"));
}

TEST_F(TablesOf, ManyColumnsAreRead) {
  // nothing may be quadratic in their number (a quadratic step would take minutes)
  std::string names = "t,tau", zeros = "0,0", ones = "1,1";
  for (int i = 0; i < 200'000; ++i) {
    names += ",c" + std::to_string(i);
    zeros += ",0";
    ones += ",1";
  }
  EXPECT_EQ(problems_with(names + "\n" + zeros + "\n" + ones + "\n"), "");
  EXPECT_NEAR(torque(0.5), 0.5, 1e-15);
}

std::string with_word(const std::string& word) {
  std::string model = kModel;
  return model.replace(model.find("t)"), 2, "t, \"" + word + "\")");
}

// analytic: 1 + t^2 between 0 and 2
TEST_F(TablesOf, AModelAreBeyondTheirPointsWhatItSays) {
  const std::string csv = "t,tau\n0,1\n1,2\n2,5\n";
  EXPECT_EQ(problems_with(csv, with_word("hold")), "");
  EXPECT_EQ(torque(3), 5);
  EXPECT_EQ(problems_with(csv, with_word("extrapolate")), "");
  EXPECT_NEAR(torque(3), 10, 1e-14);
  EXPECT_EQ(problems_with("t,tau\n0,1\n1,2\n2,5\n3,1\n", with_word("periodic")), "");
  EXPECT_NEAR(torque(31), 2, 1e-14);
  EXPECT_THAT(
      problems_with(csv, with_word("periodic")),
      HasSubstr("column 'tau' of 'torque.csv' begins with 1 and ends with 5; the last row of a periodic "
                "table is the first row of its next period"));
  EXPECT_THAT(
      problems_with(csv, with_word("linear")),
      HasSubstr("a table can be no 'linear' beyond its points; one of error, hold, extrapolate, periodic"));
}

/// y = cos(2 pi t/8) and a wave of the highest frequency that points can have, of size 0.1.
std::string make_wave(int rows) {
  std::string csv = "t,tau\n";
  for (int i = 0; i < rows; ++i)
    csv += fmt::format("{},{:.17g}\n", i, std::cos(2 * std::numbers::pi * i / 8) + (i % 2 == 0 ? 0.1 : -0.1));
  return csv;
}

// analytic: three harmonics of 8 s do not reach the wave of 2 s, which stays; a smoothing that halves what has
// 4 s lets 1/(1 + s/s(4 s)) through, s = (2 sin)^6/((66 + 52 cos + 2 cos)/120): 15 there, 480 of the wave
TEST_F(TablesOf, AModelAreFitted) {
  EXPECT_EQ(problems_with(make_wave(80), with_word("harmonics:3\", \"period:8 s")), "");
  for (const double t : {-9.3, 0.5, 4.0, 79.0, 1000.25})
    EXPECT_NEAR(torque(t), std::cos(2 * std::numbers::pi * t / 8), 1e-12);
  EXPECT_THAT(model_.notes,
              ElementsAre("table 'torque.csv', harmonics:3, period:8, leaves of its points (root "
                          "mean square, part of what it is about the mean): tau 0.1 (14 %)"));
  EXPECT_EQ(problems_with(make_wave(81), with_word("smooth:0.25 Hz")), "");
  const double slow = std::pow(2 * std::sin(std::numbers::pi / 8), 6) * 120 / (66 + 52 * std::sqrt(0.5));
  // ends are ten cycles of the cut-off away
  EXPECT_NEAR(torque(40), 1 / (1 + slow / 15) + 0.1 / (1 + 480 / 15), 1e-12);
  EXPECT_TRUE(std::isnan(torque(81)));
  EXPECT_THAT(model_.notes, ElementsAre(HasSubstr("'torque.csv', smooth:0.25, leaves of its points")));
  EXPECT_EQ(problems_with(make_wave(81)), "");
  EXPECT_TRUE(model_.notes.empty());
}

TEST_F(TablesOf, AModelThatCannotBeFittedAreNamedWhereTheyAreUsed) {
  EXPECT_THAT(
      problems_with(make_wave(6), with_word("harmonics:3")),
      HasSubstr("model.yaml:7:43: joint 'j': driven: table 'torque.csv', column 'tau': 3 harmonics have "
                "7 coefficients, and there are 5 points; fewer harmonics"));
  EXPECT_THAT(
      problems_with(make_wave(9), with_word("smooth:1 kHz")),
      HasSubstr("model.yaml:7:43: joint 'j': driven: table 'torque.csv', column 'tau': the cut-off 1000 "
                "is above 0.5, half the rate of the points"));
  EXPECT_THAT(
      problems_with(make_wave(9), with_word("smooth:1 rad/s")),
      HasSubstr("model.yaml:7:43: joint 'j': driven: the cut-off is measured in rad/s, and must be in "
                "1/s"));
  EXPECT_THAT(problems_with("t,tau\n0,1e308\n1,-1e308\n2,1e308\n3,-1e308\n", with_word("smooth:0.4 Hz")),
              HasSubstr("no fit can be computed of numbers so large or so small"));
  EXPECT_THAT(problems_with("t,tau\n0,1\n1,x\n", with_word("smooth:0.4 Hz")),
              HasSubstr("torque.csv:3:3: table: 'x' under 'tau' is no finite number"));
}

TEST_F(TablesOf, AModelAreNotAskedBeyondTheirPointsByItsNumbers) {
  std::string model = kModel;
  model.replace(model.find("mass: 1"), 7, "mass: M");
  EXPECT_THAT(problems_with("t,tau\n0,1\n1,2\n",
                            model + "parameters: {x: 3, M: 'table(\"torque.csv\", \"tau\", x)'}\n"),
              HasSubstr("table 'torque.csv', column 'tau' is asked for 3, but has points from 0 to 1 only"));
}

TEST_F(TablesOf, WrongNumbersAreNamedWithTheirPlace) {
  EXPECT_EQ(problems_with("t,tau\n0,1\n1,x\n2,nan\n"),
            "torque.csv:3:3: table: 'x' under 'tau' is no finite number\n"
            "torque.csv:4:3: table: 'nan' under 'tau' is no finite number\n");
  EXPECT_EQ(problems_with("t,tau\n0,1\n1\n"), "torque.csv:3:1: table: 1 numbers stand under 2 names\n");
  EXPECT_EQ(problems_with("t,tau\n0,1\n1,2\n1,3\n"),
            "torque.csv:4:1: table: 't' is 1 after 1; the first column must increase\n");
  EXPECT_EQ(
      problems_with("0,1\n1,2\n"),
      "torque.csv:1:1: table: '0' is a number; the first line must name the columns; as in 't, torque'\n");
  EXPECT_EQ(problems_with("t,tau,tau\n0,1,1\n1,2,2\n"),
            "torque.csv:1:7: table: there are two columns 'tau'\n");
  EXPECT_EQ(problems_with("t,tau\n0,1\n"),
            "torque.csv:1:1: table: it has 1 rows of numbers; must have two or more\n");
  EXPECT_EQ(problems_with(""),
            "torque.csv:1:1: table: it has 0 columns; must have two or more; the first column is what the "
            "others are "
            "functions of\n");
}

TEST_F(TablesOf, MissingOnesAreNamedWhereTheyAreUsed) {
  EXPECT_THAT(problems_with("-"), HasSubstr("model.yaml:7:13: file 'torque.csv': there is no such file"));
  EXPECT_THAT(
      problems_with("t,tua\n0,1\n1,2\n"),
      HasSubstr("model.yaml:7:32: joint 'j': driven: 'torque.csv' has no column 'tau'; did you mean 'tua'?"));
  std::string outside = kModel;
  outside.replace(outside.find("torque.csv"), 10, "../torque.csv");
  EXPECT_THAT(problems_with("-", outside), HasSubstr("'../torque.csv' lies outside the folder of the model"));
}

TEST(Tables, NeedAFolder) {
  try {
    read_model_text(kModel, "m.yaml");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("a text without a folder cannot read tables"));
  }
}

}  // namespace
}  // namespace haltere
