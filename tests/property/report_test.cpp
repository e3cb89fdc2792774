// A report can be made of every shipped model, and what it says of itself fits together.
#include "haltere/io/report/report.h"

#include <cmath>

#include <gtest/gtest.h>

#include "report_page.h"
#include "shipped_models.h"
#include "unit/io/temporary_folder.h"

#include "haltere/io/result/hdf5_sink.h"
#include "haltere/simulate/run.h"

namespace haltere {
namespace {

class ReportOfModel : public testing::TestWithParam<std::string> {};

/// A few rows and frames; of wings with wakes a few of their steps.
void run_shortly(const Model& model, const std::filesystem::path& file) {
  RunOptions options = make_run_options(model, {});
  options.until = std::min(options.until, 6 * (options.every > 0 ? options.every : options.until / 1000));
  options.frames = options.until / 3;
  Hdf5Sink sink(file);
  const RunSummary summary = run(model, options, {&sink});
  ASSERT_NE(summary.outcome, RunSummary::Outcome::kFailed) << summary.message;
}

TEST_P(ReportOfModel, IsWhole) {
  const TemporaryFolder folder;
  const Model model = read_for_laws(GetParam());
  run_shortly(model, folder / "result.h5");
  const Result result(folder / "result.h5");
  ReportContent content{GetParam()};
  content.results.push_back({&result, GetParam()});
  const ReportPage page(make_report("<!-- haltere:data -->", content).page);
  const auto& r = page.json["results"][0];
  EXPECT_TRUE(r["notes"].empty()) << r["notes"];
  EXPECT_GT(r["length"].get<double>(), 0);
  const std::size_t n = model.bodies.size() - 1;
  ASSERT_EQ(r["bodies"].size(), n);
  EXPECT_EQ(r["tree"].size(), n);
  // something is to be seen
  std::size_t shapes = r["surfaces"].size() + r["sheets"].size() + r["wheels"].size();
  for (const auto& body : r["bodies"]) shapes += body["shapes"].size();
  EXPECT_GT(shapes, 0u);
  // poses are those of unit quaternions, one a body and time
  const std::vector<double> t = page.numbers(r["poses"]["time"]), p = page.numbers(r["poses"]["position"]),
                            q = page.numbers(r["poses"]["orientation"]);
  EXPECT_GE(t.size(), 4u);
  EXPECT_EQ(p.size(), 3 * n * t.size());
  ASSERT_EQ(q.size(), 4 * n * t.size());
  for (std::size_t i = 0; i < q.size(); i += 4)
    EXPECT_NEAR(std::sqrt(q[i] * q[i] + q[i + 1] * q[i + 1] + q[i + 2] * q[i + 2] + q[i + 3] * q[i + 3]),
                32767, 2);
  // all that is named is there
  for (const auto& surface : r["surfaces"]) {
    EXPECT_EQ(surface["nodes"].size(), 6 * (surface["columns"].get<std::size_t>() + 1));
    for (const auto& name : surface.value("load", nlohmann::json::array())) page.channel(0, name);
  }
  for (const auto& arrow : r["arrows"])
    for (const auto& name : arrow["channels"]) page.channel(0, name);
  for (const auto& wheel : r["wheels"])
    if (wheel.contains("path")) page.channel(0, wheel["path"]["x"]);
}

INSTANTIATE_TEST_SUITE_P(Shipped, ReportOfModel, testing::ValuesIn(list_shipped_models()),
                         [](const auto& test) { return to_test_name(test.param); });

}  // namespace
}  // namespace haltere
