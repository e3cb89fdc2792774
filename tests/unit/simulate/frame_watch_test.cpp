#include "haltere/simulate/frame_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace haltere {
namespace {

using ::testing::HasSubstr;

/// Wakes of `rows` x `columns` rings; the corners of a row have its number, counted from the oldest, as x.
VortexSheet make_wake(int rows, int columns) {
  VortexSheet sheet{.surface = "wing", .is_wake = true, .rows = rows, .columns = columns, .air_rows = rows};
  for (int i = 0; i <= rows; ++i)
    for (int j = 0; j <= columns; ++j) sheet.nodes.emplace_back(rows - i, j, 0);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) sheet.circulations.push_back(10 * i + j);
  return sheet;
}

/// Air with one wake, a row longer at each step.
class GrowingAir final : public Environment {
 public:
  GrowingAir(double step, int columns) : step_(step), columns_(columns) {}
  std::string name() const override { return "air"; }
  std::vector<BodyIndex> bodies() const override { return {}; }
  void start(const Scene<double>&) override {}
  double next_time() const override { return static_cast<double>(rows_) * step_; }
  void advance(const Scene<double>&) override { ++rows_; }
  Account<double> add_load(const Scene<double>&, Loads<double>*) const override { return {}; }
  double drawing_step() const override { return step_; }
  void add_sheets(const Scene<double>&, std::vector<VortexSheet>* sheets) const override {
    sheets->push_back(make_wake(rows_, columns_));
  }
  void visit_state(Archive&) override {}

 private:
  const double step_;
  const int columns_;
  int rows_ = 0;
};

Scene<double> scene_at(double t) {
  Scene<double> scene;
  scene.t = t;
  scene.X_WB.resize(3);  // of the world, too
  return scene;
}

double count_bytes(const Frame& frame) {
  double bytes = 0;
  for (const VortexSheet& sheet : frame.sheets)
    bytes +=
        24. * static_cast<double>(sheet.nodes.size()) + 16. * static_cast<double>(sheet.circulations.size());
  return bytes;
}

TEST(Thin, KeepsTheEdgeTheEndAndTheSameRows) {
  const VortexSheet whole = make_wake(7, 2);
  const VortexSheet sheet = thin(whole, 3);
  // by hand: counted from the oldest 0, 3, 6, and the edge, 7
  EXPECT_EQ(sheet.rows, 3);
  EXPECT_EQ(sheet.stride, 3);
  EXPECT_EQ(sheet.air_rows, 7);
  ASSERT_EQ(sheet.nodes.size(), 12U);
  for (const auto& [row, number] : {std::pair{0, 7}, {1, 6}, {2, 3}, {3, 0}})
    for (int j = 0; j <= 2; ++j) EXPECT_EQ(sheet.nodes[3 * row + j], Vector3<double>(number, j, 0));
  // by hand: row 0 alone, the means of 1 to 3 and of 4 to 6
  EXPECT_THAT(sheet.circulations, testing::ElementsAre(0, 1, 20, 21, 50, 51));
}

TEST(Thin, LeavesWhatIsShortAndLatticesWhole) {
  VortexSheet lattice = make_wake(6, 2);
  lattice.is_wake = false;
  EXPECT_TRUE(thin(lattice, 3).nodes == lattice.nodes);
  for (const int rows : {0, 1}) EXPECT_TRUE(thin(make_wake(rows, 2), 3).nodes == make_wake(rows, 2).nodes);
  EXPECT_TRUE(thin(make_wake(6, 2), 1).nodes == make_wake(6, 2).nodes);
  EXPECT_EQ(thin(make_wake(5, 2), 100).rows, 1);  // the edge and the end
}

struct Taken {
  int frames = 0;
  double bytes = 0;
  int last_stride = 0;
  std::string note;
};

/// All frames of a run of 2 s, with steps of the air of `step`.
Taken take_all(const RunOptions& options, double step, int columns) {
  const auto air = std::make_shared<GrowingAir>(step, columns);
  FrameWatch watch({air}, options, true);
  Taken taken;
  for (int k = 0; static_cast<double>(k) * step <= options.until; ++k) {
    const double t = static_cast<double>(k) * step;
    if (watch.is_due(t)) {
      const Frame frame = watch.take(scene_at(t));
      EXPECT_EQ(frame.bodies.size(), 2U);
      ++taken.frames;
      taken.bytes += count_bytes(frame);
      taken.last_stride = frame.sheets[0].stride;
    }
    air->advance({});
  }
  taken.note = watch.note();
  return taken;
}

RunOptions make_options(double frames, int stride = 0) {
  RunOptions options;
  options.until = 2;
  options.frames = frames;
  options.wake_stride = stride;
  return options;
}

TEST(FrameWatch, KeepsAllWhereThatIsLittle) {
  const Taken taken = take_all(make_options(0.02), 0.01, 10);
  EXPECT_EQ(taken.frames, 101);
  EXPECT_EQ(taken.last_stride, 1);
  EXPECT_EQ(taken.note, "");
}

TEST(FrameWatch, BoundsWhatALongRunDraws) {
  // 10000 rows of 20 columns at the end: 8 MB a frame, 400 MB in all
  const Taken taken = take_all(make_options(0.02), 0.0002, 20);
  EXPECT_EQ(taken.frames, 101);
  EXPECT_LE(taken.bytes, 50e6);
  EXPECT_GE(taken.bytes, 10e6);  // and not much less than it may
  EXPECT_EQ(taken.last_stride, 32);
  EXPECT_THAT(taken.note, HasSubstr("one row in up to 32"));
}

TEST(FrameWatch, DoesAsItIsTold) {
  const Taken taken = take_all(make_options(0.1, 7), 0.01, 10);
  EXPECT_EQ(taken.frames, 21);
  EXPECT_EQ(taken.last_stride, 7);
  EXPECT_EQ(taken.note, "");
  EXPECT_EQ(take_all(make_options(0), 0.01, 10).frames, 0);
}

// an interval shorter than the steps of the air asks for no more frames than there are
TEST(FrameWatch, DrawsEachStepOnce) {
  const Taken taken = take_all(make_options(1e-6), 0.01, 10);
  EXPECT_EQ(taken.frames, 201);
  EXPECT_EQ(taken.last_stride, 1);
}

TEST(FrameWatch, HasNothingToDrawWithoutAirOrWithoutAnybodyToLook) {
  EXPECT_FALSE(FrameWatch({}, make_options(0.1), true).has_frames());
  EXPECT_FALSE(FrameWatch({std::make_shared<GrowingAir>(0.01, 2)}, make_options(0.1), false).has_frames());
}

}  // namespace
}  // namespace haltere
