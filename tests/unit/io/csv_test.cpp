#include <cstdlib>
#include <limits>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/io/sample_run.h"
#include "unit/io/temporary_folder.h"

#include "haltere/io/result/csv_sink.h"

namespace haltere {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

TEST(CsvSink, WritesNamesThenRows) {
  const TemporaryFolder folder;
  CsvSink sink(folder / "a/rows.csv");
  sink.begin(make_sample_channels({{"joint.hinge.angle", "rad"}}), make_sample_info());
  sink.row(std::vector<double>{0, 0.1});
  sink.row(std::vector<double>{0.5, -2});
  sink.end(make_sample_summary());
  EXPECT_THAT(split(read_bytes(folder / "a/rows.csv"), '\n'),
              ElementsAre("t,joint.hinge.angle", "0,0.10000000000000001", "0.5,-2"));
}

TEST(CsvSink, NumbersComeBackToTheLastBit) {
  const TemporaryFolder folder;
  const std::vector<double> values{1.0 / 3,
                                   -std::numeric_limits<double>::max(),
                                   std::numeric_limits<double>::min(),
                                   std::numeric_limits<double>::denorm_min(),
                                   123456789.123456789,
                                   -0.0};
  CsvSink sink(folder / "rows.csv");
  sink.begin(make_sample_channels(std::vector<std::pair<std::string, std::string>>(5)), make_sample_info());
  sink.row(values);
  sink.end(make_sample_summary());
  const auto numbers = split(split(read_bytes(folder / "rows.csv"), '\n')[1], ',');
  ASSERT_EQ(numbers.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(std::strtod(numbers[i].c_str(), nullptr), values[i]);
}

TEST(CsvSink, QuotesNamesThatWouldBeMisread) {
  const TemporaryFolder folder;
  CsvSink sink(folder / "rows.csv");
  sink.begin(make_sample_channels({{"a,b", ""}, {"say \"x\"", ""}}), make_sample_info());
  sink.end(make_sample_summary());
  EXPECT_EQ(read_bytes(folder / "rows.csv"), "t,\"a,b\",\"say \"\"x\"\"\"\n");
}

TEST(CsvSink, WritesToStandardOutput) {
  ::testing::internal::CaptureStdout();
  CsvSink sink("-");
  sink.begin(make_sample_channels({}), make_sample_info());
  sink.row(std::vector<double>{0.25});
  sink.end(make_sample_summary());
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "t\n0.25\n");
}

TEST(CsvSink, AFullDiskIsARunError) {
  CsvSink sink("/dev/full");
  sink.begin(make_sample_channels({}), make_sample_info());
  EXPECT_THROW(sink.flush(), RunError);
  const TemporaryFolder folder;
  write_bytes(folder / "file", "");
  CsvSink nowhere(folder / "file/rows.csv");
  nowhere.begin(make_sample_channels({}), make_sample_info());
  EXPECT_THROW(nowhere.flush(), RunError);
  nowhere.end(make_sample_summary());
}

TEST(CsvSink, ARunThatFailsAtItsStartLeavesAnEarlierFileAlone) {
  const TemporaryFolder folder;
  write_bytes(folder / "rows.csv", "earlier");
  CsvSink sink(folder / "rows.csv");
  sink.begin(make_sample_channels({}), make_sample_info());
  RunSummary failed = make_sample_summary();
  failed.outcome = RunSummary::Outcome::kFailed;
  sink.end(failed);
  EXPECT_EQ(read_bytes(folder / "rows.csv"), "earlier");
}

}  // namespace
}  // namespace haltere
