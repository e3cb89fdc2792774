#include "haltere/io/result/checkpoint_file.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "unit/io/temporary_folder.h"

namespace haltere {
namespace {

const Checkpoint kSample{
    1.5,
    42,
    3,
    {{"method, dop853", {0.1, -0.0, 1e-310, std::numeric_limits<double>::infinity(), 1.0 / 3}},
     {"eight or", {}}}};

TEST(CheckpointFile, KeepsEveryBit) {
  const TemporaryFolder folder;
  write_checkpoint(kSample, folder / "checkpoint");
  const Checkpoint read = read_checkpoint(folder / "checkpoint");
  EXPECT_EQ(read.t, kSample.t);
  EXPECT_EQ(read.rows, kSample.rows);
  EXPECT_EQ(read.events, kSample.events);
  EXPECT_EQ(read.state, kSample.state);
  EXPECT_TRUE(std::signbit(read.state[0].numbers[1]));
  EXPECT_FALSE(std::filesystem::exists(folder / "checkpoint.part"));
}

TEST(CheckpointFile, DamageOfAnyByteAndAnyCutIsSeen) {
  const TemporaryFolder folder;
  write_checkpoint(kSample, folder / "good");
  const std::string good = read_bytes(folder / "good");
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x10);
    write_bytes(folder / "bad", bad);
    EXPECT_THROW(read_checkpoint(folder / "bad"), InputError) << "byte " << i;
    write_bytes(folder / "bad", good.substr(0, i));
    EXPECT_THROW(read_checkpoint(folder / "bad"), InputError) << "cut at " << i;
  }
  EXPECT_THROW(read_checkpoint(folder / "missing"), InputError);
  EXPECT_THROW(read_checkpoint(folder.path()), InputError);
}

TEST(CheckpointFile, APipeIsRefusedAtOnce) {
  const TemporaryFolder folder;
  ASSERT_EQ(mkfifo((folder / "checkpoint").c_str(), 0600), 0);
  EXPECT_THROW(read_checkpoint(folder / "checkpoint"), InputError);
}

}  // namespace
}  // namespace haltere
