// Lattices and wakes in results: what is written is read back, at the right times and places; damage is found.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "message_of.h"
#include "unit/io/sample_run.h"
#include "unit/io/temporary_folder.h"

#include "haltere/io/model/model_reader.h"
#include "haltere/io/result/hdf5.h"
#include "haltere/io/result/hdf5_sink.h"
#include "haltere/io/result/result.h"
#include "haltere/io/result/sealed_file.h"
#include "haltere/simulate/run.h"

namespace haltere {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// -- sheets that were made up

/// Numbers that are different everywhere, with all bits in use.
VortexSheet make_sample_sheet(const std::string& surface, bool is_wake, int rows, int columns) {
  VortexSheet sheet{.surface = surface,
                    .is_wake = is_wake,
                    .rows = rows,
                    .columns = columns,
                    .stride = is_wake ? 2 : 1,
                    .air_rows = is_wake ? 2 * rows : rows};
  double x = static_cast<double>(surface.size()) + (is_wake ? 0.3 : 0);
  const auto next = [&] { return std::sin(x += 0.7); };
  for (int i = 0; i < (rows + 1) * (columns + 1); ++i) sheet.nodes.emplace_back(next(), next(), next());
  for (int i = 0; i < rows * columns; ++i) {
    sheet.circulations.push_back(next());
    if (!is_wake) sheet.pressures.push_back(next());
  }
  return sheet;
}

/// The wake grows from frame to frame; at first there is none.
Frame make_sample_frame(int index) {
  Frame frame;
  frame.t = 0.1 * index;
  for (int b = 0; b < 2; ++b) {
    Transform<double> X;
    X.p = Vector3<double>(index, b, std::sqrt(2));
    X.R << 0, -1, 0, 1, 0, 0, 0, 0, 1;
    frame.bodies.push_back(X);
  }
  frame.sheets = {make_sample_sheet("left", false, 2, 3), make_sample_sheet("left", true, index, 3),
                  make_sample_sheet("tail", false, 1, 1)};
  return frame;
}

RunInfo make_frames_info() {
  RunInfo info = make_sample_info();
  info.frames = 0.1;
  info.wake_stride = 2;
  info.bodies = {"thorax", "wing"};
  info.surfaces = {"left", "tail"};
  return info;
}

void write_frames(const std::filesystem::path& path, int frames) {
  Hdf5Sink sink(path);
  sink.begin(make_sample_channels({{"x", "m"}}), make_frames_info());
  write_sample_rows(&sink, 2, 5);
  for (int i = 0; i < frames; ++i) sink.frame(make_sample_frame(i));
  sink.end(make_sample_summary());
}

void expect_same(const Frame& frame, const Frame& expected) {
  EXPECT_EQ(frame.t, expected.t);
  ASSERT_EQ(frame.bodies.size(), expected.bodies.size());
  for (std::size_t b = 0; b < frame.bodies.size(); ++b) {
    EXPECT_EQ(frame.bodies[b].p, expected.bodies[b].p);
    EXPECT_EQ(frame.bodies[b].R, expected.bodies[b].R);
  }
  ASSERT_EQ(frame.sheets.size(), expected.sheets.size());
  for (std::size_t i = 0; i < frame.sheets.size(); ++i) {
    const VortexSheet &sheet = frame.sheets[i], &other = expected.sheets[i];
    EXPECT_EQ(sheet.surface, other.surface);
    EXPECT_EQ(sheet.is_wake, other.is_wake);
    EXPECT_EQ(sheet.rows, other.rows);
    EXPECT_EQ(sheet.columns, other.columns);
    EXPECT_EQ(sheet.stride, other.stride);
    EXPECT_EQ(sheet.air_rows, other.air_rows);
    EXPECT_TRUE(sheet.nodes == other.nodes);
    EXPECT_TRUE(sheet.circulations == other.circulations);
    EXPECT_TRUE(sheet.pressures == other.pressures);
  }
}

TEST(Frames, WhatIsWrittenIsReadBack) {
  const TemporaryFolder folder;
  write_frames(folder / "result.h5", 40);
  const Result result(folder / "result.h5");
  EXPECT_EQ(result.info().bodies, make_frames_info().bodies);
  EXPECT_EQ(result.info().frames, 0.1);
  EXPECT_EQ(result.info().wake_stride, 2);
  ASSERT_EQ(result.frame_times().size(), 40U);
  for (const int i : {0, 1, 17, 39}) expect_same(result.read_frame(i), make_sample_frame(i));
  EXPECT_EQ(result.column("x")[4], sample_value(4, 1));
}

TEST(Frames, AreThereAfterAKill) {
  const TemporaryFolder folder;
  Hdf5Sink sink(folder / "result.h5");
  sink.begin(make_sample_channels({{"x", "m"}}), make_frames_info());
  sink.frame(make_sample_frame(0));
  sink.frame(make_sample_frame(1));
  sink.flush();
  sink.frame(make_sample_frame(2));  // not flushed: it may be lost, and must not hurt
  const Result result(folder / "result.h5");
  EXPECT_EQ(result.outcome(), "running");
  ASSERT_EQ(result.frame_times().size(), 2U);
  expect_same(result.read_frame(1), make_sample_frame(1));
}

TEST(Frames, AResultWithoutThemHasNoTables) {
  const TemporaryFolder folder;
  {
    Hdf5Sink sink(folder / "result.h5");
    sink.begin(make_sample_channels({{"x", "m"}}), make_sample_info());
    sink.end(make_sample_summary());
  }
  EXPECT_THAT(Result(folder / "result.h5").frame_times(), IsEmpty());
  const std::string bytes = read_bytes(folder / "result.h5");
  for (const char* name : {"frame", "wake_stride", "sheets", "bodies", "poses"})
    EXPECT_EQ(bytes.find(name), std::string::npos) << name;
}

// -- damage that another program did, with a valid seal

std::string refusal_after(const auto& action) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "result.h5";
  write_frames(path, 3);
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  action(file);
  H5Fclose(file);
  const std::string bytes = read_bytes(path);
  {
    SealedWriter writer(path);
    EXPECT_TRUE(writer.write(0, bytes) && writer.publish());
  }
  return message_of([&] {
    const Result result(path);
    for (std::size_t i = 0; i < result.frame_times().size(); ++i) result.read_frame(static_cast<long>(i));
  });
}

TEST(Frames, AMissingTableIsNamed) {
  for (const char* name : {"poses", "sheets", "nodes", "rings", "bodies"})
    EXPECT_THAT(refusal_after([&](hid_t file) { H5Ldelete(file, name, H5P_DEFAULT); }),
                HasSubstr(std::string("'") + name + "' is missing"));
}

TEST(Frames, ATableOfTheWrongShapeIsRefused) {
  for (const char* name : {"frame_times", "poses", "nodes", "rings"})
    EXPECT_THAT(refusal_after([&](hid_t file) {
                  H5Ldelete(file, name, H5P_DEFAULT);
                  const hsize_t size[2] = {30, 7};
                  const Hdf5Handle space(H5Screate_simple(2, size, nullptr), H5Sclose);
                  H5Dclose(H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space.id(), H5P_DEFAULT, H5P_DEFAULT,
                                      H5P_DEFAULT));
                }),
                HasSubstr("wrong shape"))
        << name;
}

/// Puts a number in place of one of a sheet.
void set_count(hid_t file, const char* member, std::int64_t number) {
  const Hdf5Handle sheets(H5Dopen2(file, "sheets", H5P_DEFAULT), H5Dclose);
  const Hdf5Handle type(H5Tcreate(H5T_COMPOUND, sizeof number), H5Tclose);
  H5Tinsert(type.id(), member, 0, H5T_NATIVE_INT64);
  std::vector<std::int64_t> numbers(9, number);
  EXPECT_GE(H5Dwrite(sheets.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()), 0);
}

TEST(Frames, SheetsBeyondTheTablesAreRefused) {
  const auto refused = [](const char* member, std::int64_t number) {
    return refusal_after([&](hid_t file) { set_count(file, member, number); });
  };
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  EXPECT_THAT(refused("rows", 1000), HasSubstr("more nodes than there are"));
  EXPECT_THAT(refused("columns", std::numeric_limits<int>::max()), HasSubstr("more nodes than there are"));
  EXPECT_THAT(refused("first_node", kLargest), HasSubstr("more nodes than there are"));
  EXPECT_THAT(refused("first_ring", kLargest), HasSubstr("more nodes than there are"));
  // by hand: in three frames 72 corners, 30 rings
  EXPECT_THAT(refused("first_node", 71), HasSubstr("more nodes than there are"));
  EXPECT_THAT(refused("first_ring", 29), HasSubstr("more nodes than there are"));
  EXPECT_EQ(refused("first_node", 0), "");
  for (const char* member : {"rows", "columns", "stride", "frame", "wake", "air_rows", "first_node"})
    EXPECT_THAT(refused(member, -1), HasSubstr("of 'sheets' has -1")) << member;
  EXPECT_THAT(refused("wake", 2), HasSubstr("of 'sheets' has 2"));
  EXPECT_THAT(refused("rows", kLargest), HasSubstr("of 'sheets' has 9223372036854775807"));
}

// -- runs

/// A plate that is held, with a wake that goes with the wind: 2 x 2 panels of 0.5 m, edge at x = 1.125 m.
Model make_plate(const std::string& simulation) {
  return read_model_text(
      "haltere: 1\n"
      "air: {density: 1.2 kg/m3, wind: [8 m/s, 0, 1 m/s], step: 0.0625 s}\n"
      "bodies: {wing: {mass: 1 kg, inertia: [1, 1, 1]}}\n"
      "joints: {hold: {kind: prismatic, child: wing, axis: z, prescribed: 0.25 m}}\n"
      "surfaces:\n"
      "  wing: {kind: vortex-lattice, body: wing, span_axis: y, chord_axis: x, span: 1 m, chord: 1 m, "
      "chord_panels: 2, span_panels: 2, core: 5 mm, wake: prescribed}\n"
      "simulation: {until: 1, every: 1/16, step: 1/16, integrator: rk4" +
          simulation + "}\n",
      "plate.yaml");
}

Result run_plate(const std::filesystem::path& file, const std::string& simulation,
                 RunOptions* used = nullptr) {
  const Model model = make_plate(simulation);
  Hdf5Sink sink(file);
  RunOptions options = make_run_options(model, {});
  if (used != nullptr) options = *used;
  const RunSummary summary = run(model, options, {&sink});
  EXPECT_EQ(summary.outcome, RunSummary::Outcome::kFinished) << summary.message;
  return Result(file);
}

TEST(Frames, HaveTheWakeWhereTheWindHasTakenIt) {
  const TemporaryFolder folder;
  const Result result = run_plate(folder / "result.h5", "");
  ASSERT_EQ(result.frame_times().size(), 17U);  // of each step of the air, with the start and the end
  for (long k = 0; k <= 16; ++k) {
    const Frame frame = result.read_frame(k);
    EXPECT_EQ(frame.t, static_cast<double>(k) / 16);
    ASSERT_EQ(frame.sheets.size(), 2U);
    const VortexSheet &wing = frame.sheets[0], &wake = frame.sheets[1];
    ASSERT_EQ(wing.rows, 2);
    ASSERT_EQ(wake.rows, k);
    // analytic: corners of the panels; and row i left the edge i steps ago. Rounding of some additions
    for (int i = 0; i <= 2; ++i)
      for (int j = 0; j <= 2; ++j)
        EXPECT_LE((wing.nodes[3 * i + j] - Vector3<double>(0.5 * i, 0.5 * j, 0.25)).norm(), 1e-15);
    for (int i = 0; i <= wake.rows; ++i)
      for (int j = 0; j <= 2; ++j)
        EXPECT_LE((wake.nodes[3 * i + j] - Vector3<double>(1.125 + 0.5 * i, 0.5 * j, 0.25 + i / 16.)).norm(),
                  1e-14);
    // analytic: the row at the edge has what the last panels had a step ago, and keeps it
    if (k == 0) continue;
    const Frame before = result.read_frame(k - 1);
    for (int j = 0; j < 2; ++j) EXPECT_EQ(wake.circulations[j], before.sheets[0].circulations[2 + j]);
    for (std::size_t i = 2; i < wake.circulations.size(); ++i)
      EXPECT_EQ(wake.circulations[i], before.sheets[1].circulations[i - 2]);
  }
}

TEST(Frames, HaveThePressureThatMakesTheForce) {
  const TemporaryFolder folder;
  const Model model = make_plate(", frames: 0.5");
  Hdf5Sink file(folder / "result.h5");
  MemorySink rows;
  RunOptions options = make_run_options(model, {});
  options.channels = {"surface.wing.load.bernoulli.force.z"};
  ASSERT_EQ(run(model, options, {&file, &rows}).outcome, RunSummary::Outcome::kFinished);
  const Result result(folder / "result.h5");
  ASSERT_EQ(result.frame_times().size(), 3U);
  // analytic: panels of 0.25 m2 in the plane z; rounding of four additions
  for (const long k : {0, 1, 2}) {
    double force = 0;
    const Frame frame = result.read_frame(k);
    for (const double p : frame.sheets[0].pressures) force += 0.25 * p;
    const double expected = rows.value(8 * k, "surface.wing.load.bernoulli.force.z");
    EXPECT_NEAR(force, expected, 1e-14 * std::abs(expected));
  }
}

TEST(Frames, ComeAtTheIntervalAndStrideThatAreAskedFor) {
  const TemporaryFolder folder;
  const auto times = [&](const std::string& simulation) {
    return run_plate(folder / "result.h5", simulation).frame_times();
  };
  EXPECT_THAT(times(", frames: 0.25 s"), testing::ElementsAre(0, 0.25, 0.5, 0.75, 1));
  // the first step of the air that ends at or after each multiple of 0.3 s
  EXPECT_THAT(times(", frames: 0.3 s"), testing::ElementsAre(0, 0.3125, 0.625, 0.9375));
  EXPECT_THAT(times(", frames: 0"), IsEmpty());
  const Result thin = run_plate(folder / "result.h5", ", frames: 1 s, wake_stride: 5");
  const VortexSheet wake = thin.read_frame(1).sheets[1];
  EXPECT_EQ(wake.rows, 4);  // of the 17 rows of nodes: 0, then 1, 6, 11, 16
  EXPECT_NEAR(wake.nodes[3][0], 1.125 + 0.5 * 1, 1e-14);
  EXPECT_NEAR(wake.nodes[6][0], 1.125 + 0.5 * 6, 1e-14);
  EXPECT_THAT(message_of([] { make_run_options(make_plate(", wake_stride: 1.5"), {}); }),
              HasSubstr("simulation: wake_stride: is 1.5"));
  EXPECT_THAT(message_of([] { make_plate(", frames: -1"); }), HasSubstr("frames"));
}

TEST(Frames, LeaveNoTraceInTheMotion) {
  const TemporaryFolder folder;
  const Result with = run_plate(folder / "with.h5", ""),
               without = run_plate(folder / "without.h5", ", frames: 0");
  ASSERT_EQ(with.channels().size(), without.channels().size());
  for (const Channel& channel : with.channels())
    EXPECT_TRUE(with.column(channel.name) == without.column(channel.name)) << channel.name;
}

TEST(Frames, OfAContinuedRunAreThoseOfOneInOnePiece) {
  const std::string kSome = ", frames: 0.1875 s, wake_stride: 2";  // every third step of the air
  const TemporaryFolder folder;
  RunOptions options = make_run_options(make_plate(kSome), {});
  options.flush_every = 0;
  std::vector<Checkpoint> checkpoints;
  options.save = [&](const Checkpoint& c) { checkpoints.push_back(c); };
  const Result whole = run_plate(folder / "whole.h5", kSome, &options);
  options.save = nullptr;
  for (const std::size_t at : {std::size_t{0}, checkpoints.size() / 2, checkpoints.size() - 1}) {
    const PastRun past{checkpoints.at(at), whole.events(),
                       [&](long first, long count) { return whole.read_rows(first, count); },
                       whole.frame_times(), [&](long index) { return whole.read_frame(index); }};
    options.past = &past;
    const Result continued = run_plate(folder / "continued.h5", kSome, &options);
    ASSERT_EQ(continued.frame_times(), whole.frame_times());
    for (long i = 0; i < static_cast<long>(whole.frame_times().size()); ++i)
      expect_same(continued.read_frame(i), whole.read_frame(i));
  }
}

}  // namespace
}  // namespace haltere
