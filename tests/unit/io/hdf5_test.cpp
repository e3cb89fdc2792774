#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/io/sample_run.h"
#include "unit/io/temporary_folder.h"

#include "haltere/io/result/hdf5_sink.h"
#include "haltere/io/result/result.h"

namespace haltere {
namespace {

using ::testing::HasSubstr;

void write_sample(const std::filesystem::path& path, const RunInfo& info = make_sample_info(),
                  const RunSummary& summary = make_sample_summary()) {
  Hdf5Sink sink(path);
  sink.begin(make_sample_channels({{"joint.hinge.angle", "rad"}, {"energy.total", "J"}}), info);
  write_sample_rows(&sink, 3, 5);
  sink.event({"release", 0.25, false, "k = 4 N/m", 1.5});
  sink.event({"end", 0.45, true, "stop", 0});
  sink.end(summary);
}

TEST(Hdf5Sink, WhatIsWrittenIsReadBack) {
  const TemporaryFolder folder;
  write_sample(folder / "a/b/result.h5");
  const Result result(folder / "a/b");  // the folder stands for its result.h5
  EXPECT_EQ(result.rows(), 5);
  ASSERT_EQ(result.channels().size(), 3U);
  EXPECT_EQ(result.channels()[1].name, "joint.hinge.angle");
  EXPECT_EQ(result.channels()[1].unit, "rad");
  EXPECT_EQ(result.channels()[1].meaning, "meaning of joint.hinge.angle");
  for (std::size_t c = 0; c < 3; ++c) {
    const std::vector<double> column = result.column(result.channels()[c].name);
    ASSERT_EQ(column.size(), 5U);
    for (long r = 0; r < 5; ++r) EXPECT_EQ(column[r], sample_value(r, c));
  }
}

TEST(Hdf5Sink, KeepsMeasuresOfAllPeriods) {
  const TemporaryFolder folder;
  RunInfo info = make_sample_info();
  RunSummary summary = make_sample_summary();
  info.measures = {{"power", "mean", "joint.hinge.torque*joint.hinge.rate", "W", 0.2, {}},
                   {"lag", "phase", "joint.hinge.angle", "rad", 3.5, {}},
                   {"later", "peak", "t", "s", 100, {}}};
  summary.measures = info.measures;
  summary.measures[0].values = {1. / 3, 2, -5};
  summary.measures[1].values = {0.7, 0.71};
  write_sample(folder / "result.h5", info, summary);
  const std::vector<MeasureResult> read = Result(folder / "result.h5").summary().measures;
  ASSERT_EQ(read.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(read[i].name, summary.measures[i].name);
    EXPECT_EQ(read[i].kind, summary.measures[i].kind);
    EXPECT_EQ(read[i].of, summary.measures[i].of);
    EXPECT_EQ(read[i].unit, summary.measures[i].unit);
    EXPECT_EQ(read[i].period, summary.measures[i].period);
    EXPECT_EQ(read[i].values, summary.measures[i].values);
  }
}

TEST(Hdf5Sink, KeepsEverythingThatIsKnownOfTheRun) {
  const TemporaryFolder folder;
  write_sample(folder / "result.h5");
  const Result result(folder / "result.h5");
  const RunInfo expected = make_sample_info();
  EXPECT_EQ(result.info().version, expected.version);
  EXPECT_EQ(result.info().command, expected.command);
  EXPECT_EQ(result.info().model_name, expected.model_name);
  EXPECT_EQ(result.info().case_name, expected.case_name);
  EXPECT_EQ(result.info().model_text, expected.model_text);
  EXPECT_EQ(result.info().reference, expected.reference);
  EXPECT_EQ(result.info().integrator, expected.integrator);
  EXPECT_EQ(result.info().tolerance, expected.tolerance);
  EXPECT_EQ(result.info().parameters, expected.parameters);
  EXPECT_EQ(result.outcome(), "stopped");
  EXPECT_EQ(result.summary().t, 7.5);
  EXPECT_EQ(result.summary().evaluations, 1200);
  EXPECT_EQ(result.summary().audit.energy_balance, 1e-10);
  EXPECT_TRUE(result.summary().audit.momentum_applies);
  ASSERT_EQ(result.events().size(), 2U);
  EXPECT_EQ(result.events()[0].name, "release");
  EXPECT_EQ(result.events()[0].what, "k = 4 N/m");
  EXPECT_EQ(result.events()[0].energy_change, 1.5);
  EXPECT_EQ(result.events()[1].t, 0.45);
  EXPECT_TRUE(result.events()[1].stop);
}

TEST(Hdf5Sink, ARunThatIsKilledLeavesAReadableFile) {
  const TemporaryFolder folder;
  {
    Hdf5Sink sink(folder / "result.h5");
    sink.begin(make_sample_channels({{"x", "m"}}), make_sample_info());
    sink.flush();
    write_sample_rows(&sink, 2, 3000);  // no end()
  }
  const Result result(folder / "result.h5");
  EXPECT_EQ(result.outcome(), "running");
  EXPECT_GE(result.rows(), 2048);  // two whole blocks of 1024 rows
  EXPECT_EQ(result.column("x")[2000], sample_value(2000, 1));
}

TEST(Hdf5Sink, NothingAppearsBeforeTheRunBegins) {
  const TemporaryFolder folder;
  { const Hdf5Sink sink(folder / "new/result.h5"); }
  EXPECT_FALSE(std::filesystem::exists(folder / "new"));
}

TEST(Hdf5Sink, EqualRunsGiveEqualFiles) {
  const TemporaryFolder folder;
  RunSummary slower = make_sample_summary();
  slower.wall_seconds = 99;
  write_sample(folder / "a.h5");
  write_sample(folder / "b.h5", make_sample_info(), slower);
  EXPECT_EQ(read_bytes(folder / "a.h5"), read_bytes(folder / "b.h5"));
}

TEST(Hdf5Sink, TakesThousandsOfChannelsAndRows) {
  const TemporaryFolder folder;
  std::vector<std::pair<std::string, std::string>> names;
  for (int i = 1; i < 3000; ++i) names.emplace_back("body.link" + std::to_string(i) + ".position.x", "m");
  Hdf5Sink sink(folder / "result.h5");
  sink.begin(make_sample_channels(names), make_sample_info());
  write_sample_rows(&sink, 3000, 1500);
  sink.end(make_sample_summary());
  const Result result(folder / "result.h5");
  ASSERT_EQ(result.rows(), 1500);
  const std::vector<double> column = result.column("body.link2500.position.x");
  for (long r = 0; r < 1500; ++r) ASSERT_EQ(column[r], sample_value(r, 2500));
}

TEST(Hdf5Sink, TakesTextsOfAnyLength) {
  const TemporaryFolder folder;
  RunInfo info = make_sample_info();
  info.command = std::string(200'000, 'c');
  info.model_text = std::string(1'000'000, 'm');
  info.reference = "";
  info.parameters.clear();
  write_sample(folder / "result.h5", info);
  const Result result(folder / "result.h5");
  EXPECT_EQ(result.info().command, info.command);
  EXPECT_EQ(result.info().model_text, info.model_text);
  EXPECT_EQ(result.info().reference, "");
  EXPECT_TRUE(result.info().parameters.empty());
}

TEST(Hdf5Sink, TakesEventsOfAnyNumberAndLength) {
  const TemporaryFolder folder;
  Hdf5Sink sink(folder / "result.h5");
  RunInfo info = make_sample_info();
  info.event_text = 300;
  sink.begin(make_sample_channels({}), info);
  for (int i = 0; i < 300; ++i)
    sink.event(
        {"event" + std::to_string(i), 0.5 * i, false, std::string(static_cast<std::size_t>(i), 'w'), 0});
  sink.end(make_sample_summary());
  const Result result(folder / "result.h5");
  ASSERT_EQ(result.events().size(), 300U);
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(result.events()[i].name, "event" + std::to_string(i));
    EXPECT_EQ(result.events()[i].t, 0.5 * i);
    EXPECT_EQ(result.events()[i].what.size(), static_cast<std::size_t>(i));
  }
}

TEST(Hdf5Sink, KnowsUntilWhenAChannelMeansSomething) {
  const TemporaryFolder folder;
  Hdf5Sink sink(folder / "result.h5");
  sink.begin(make_sample_channels({{"a", "m"}, {"b", "m"}}), make_sample_info());
  sink.event({"snap", 0.25, false, "joint 'a' breaks off", 0, {1}});
  sink.event({"again", 0.5, false, "", 0, {1}});
  sink.end(make_sample_summary());
  const Result result(folder / "result.h5");
  EXPECT_EQ(result.channels()[0].valid_until, std::numeric_limits<double>::infinity());
  EXPECT_EQ(result.channels()[1].valid_until, 0.25);
  EXPECT_EQ(result.channels()[2].valid_until, std::numeric_limits<double>::infinity());
}

TEST(Hdf5Sink, ReplacesAnOlderResult) {
  const TemporaryFolder folder;
  write_bytes(folder / "result.h5", "something else");
  write_sample(folder / "result.h5");
  EXPECT_EQ(Result(folder / "result.h5").rows(), 5);
}

TEST(Hdf5Sink, APlaceThatCannotBeWrittenIsARunError) {
  const TemporaryFolder folder;
  write_bytes(folder / "file", "");
  Hdf5Sink sink(folder / "file/result.h5");
  try {
    sink.begin(make_sample_channels({}), make_sample_info());
    FAIL();
  } catch (const RunError& error) {
    EXPECT_THAT(error.what(), HasSubstr("cannot write"));
  }
  sink.end(make_sample_summary());  // after a failed beginning: nothing to do
}

}  // namespace
}  // namespace haltere
