#include <cmath>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "haltere/io/model/model_reader.h"
#include "haltere/simulate/recorder.h"
#include "haltere/simulate/run.h"

/// Runs of a machine that a table of time drives.
namespace haltere {
namespace {

using testing::HasSubstr;

class TablesOfTime : public testing::Test {
 protected:
  TablesOfTime()
      : folder_(std::filesystem::temp_directory_path() / fmt::format("haltere-tables-{}", getpid())) {
    std::filesystem::create_directories(folder_);
    std::ofstream csv(folder_ / "torque.csv");
    csv << "t,tau\n";
    for (int i = 0; i <= 100; ++i) csv << fmt::format("{:.10g},{:.17g}\n", 0.1 * i, calc_torque(0.1 * i));
  }
  ~TablesOfTime() override { std::filesystem::remove_all(folder_); }

  static double calc_torque(double t) { return std::sin(3 * t) + 0.3 * std::sin(11 * t); }

  RunSummary run_with(const std::string& torque, const std::string& integrator, double until,
                      MemorySink* sink) const {
    std::ofstream(folder_ / "model.yaml") << fmt::format(R"(haltere: 1
bodies: {{arm: {{mass: 1 kg, inertia: [1, 1, 1], center_of_mass: [0, 0, -1]}}}}
gravity: [0, 0, -9.81]
joints: {{hinge: {{kind: revolute, child: arm, axis: y, driven: '{}'}}}}
signals: {{phase: t/2}}
)",
                                                         torque);
    RunOptions options;
    options.integrator = integrator;
    options.until = until;
    options.every = 0.25;
    options.tolerance = 1e-10;
    return run(read_model(folder_), options, {sink});
  }
  static RunSummary::Outcome finished() { return RunSummary::Outcome::kFinished; }

  std::filesystem::path folder_;
  const std::string formula_ = "1 N*m*sin(3 rad/s*t) + 0.3 N*m*sin(11 rad/s*t)";
};

// self: a step that goes over a point of the table is rejected again and again (152 and 387 times before
// steps ended there, 12 and 54 with the formula that the table was made of)
TEST_F(TablesOfTime, CostAsFewRejectedStepsAsAFormula) {
  for (const char* argument : {"t", "2*phase", "mod(t, 20 s)", "clamp(t, 0, 10 s)"}) {
    MemorySink table, formula;
    const std::string text = fmt::format("table(\"torque.csv\", \"tau\", {})", argument);
    const RunSummary with_table = run_with(text, "dop853", 10, &table);
    const RunSummary with_formula = run_with(formula_, "dop853", 10, &formula);
    ASSERT_EQ(with_table.outcome, finished()) << with_table.message;
    EXPECT_LE(with_table.rejected, 2 * with_formula.rejected) << argument;
    EXPECT_LE(with_table.evaluations, 2 * with_formula.evaluations) << argument;
  }
}

// self: the same motion with a tolerance a hundred times smaller; errors of the points' neighbourhood show
// here
TEST_F(TablesOfTime, AreAsAccurateAsTheTolerance) {
  const std::string text = "table(\"torque.csv\", \"tau\", t)";
  MemorySink rough, reference;
  run_with(text, "dop853", 10, &rough);
  run_with(text, "dopri5", 10, &reference);
  const std::vector<double> a = rough.column("joint.hinge.angle"), b = reference.column("joint.hinge.angle");
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t row = 0; row < a.size(); ++row)
    EXPECT_NEAR(a[row], b[row], 1e-8);  // solver: 1e-10 a step, over some hundred steps
}

// the last state that the table reaches is kept, and the message has time, file, column, value and range
TEST_F(TablesOfTime, EndARunThatLeavesThem) {
  for (const char* integrator :
       {"dop853", "dopri5", "cvode-adams", "cvode-bdf", "ida-bdf", "generalized-alpha"}) {
    MemorySink sink;
    const RunSummary summary = run_with("table(\"torque.csv\", \"tau\", t + 9.4 s)", integrator, 2, &sink);
    EXPECT_EQ(summary.outcome, RunSummary::Outcome::kFailed) << integrator;
    EXPECT_THAT(summary.message, HasSubstr("t = 0.6 s: ")) << integrator;
    EXPECT_THAT(summary.message, HasSubstr("table 'torque.csv', column 'tau' is asked for 1")) << integrator;
    EXPECT_THAT(summary.message, HasSubstr("but has points from 0 to 10 only")) << integrator;
    EXPECT_NEAR(summary.t, 0.6, 1e-12) << integrator;
    ASSERT_FALSE(summary.notes.empty());
    EXPECT_THAT(summary.notes[0], HasSubstr("has points for t up to 0.6 s only"));
  }
  MemorySink sink;
  EXPECT_EQ(run_with("table(\"torque.csv\", \"tau\", t + 9.4 s, \"hold\")", "dop853", 2, &sink).outcome,
            finished());
  EXPECT_EQ(run_with("table(\"torque.csv\", \"tau\", t)", "dop853", 10, &sink).outcome, finished());
  EXPECT_EQ(run_with("table(\"torque.csv\", \"tau\", t)", "rk4", 10, &sink).outcome, finished());
}

}  // namespace
}  // namespace haltere
