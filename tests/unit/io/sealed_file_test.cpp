// Sealed files: no byte is believed that was not written so, whatever happened to the file, and whenever its
// writer died.
#include "haltere/io/result/sealed_file.h"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/io/sample_run.h"
#include "unit/io/temporary_folder.h"

#include "haltere/io/result/crc64.h"
#include "haltere/io/result/hdf5_sink.h"
#include "haltere/io/result/result.h"

namespace haltere {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

TEST(Crc64, HasItsCheckValue) {
  // of the catalogue of parametrised CRC algorithms, CRC-64/XZ
  EXPECT_EQ(calc_crc64("123456789"), 0x995DC9BBDF1939FAU);
  EXPECT_EQ(calc_crc64(""), 0U);
}

TEST(Seal, IsReadBack) {
  Seal seal;
  seal.size = Seal::kBlock + 1;
  seal.checksums = {1, ~std::uint64_t{0}};
  seal.pieces = {{7, "seven"}, {0, ""}};
  const std::optional<Seal> again = decode_seal(encode(seal));
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, seal);
  ASSERT_EQ(again->pieces.size(), 2U);
  EXPECT_EQ(again->pieces[0].offset, 7U);
  EXPECT_EQ(again->pieces[0].bytes, "seven");
}

TEST(Seal, WithAnyBitChangedOrAnyEndCutOffIsNone) {
  Seal seal;
  seal.size = 100;
  seal.checksums = {12345};
  seal.pieces = {{7, "seven"}};
  const std::string good = encode(seal);
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
    EXPECT_FALSE(decode_seal(bad)) << bit;
  }
  for (std::size_t size = 0; size < good.size(); ++size) EXPECT_FALSE(decode_seal(good.substr(0, size)));
}

// -- a run, small enough to try every place of its files

void write_run(Hdf5Sink* sink) {
  sink->begin(make_sample_channels({{"x", "m"}}), make_sample_info());
  sink->flush();
  write_sample_rows(sink, 2, 1500);
  sink->event({"release", 0.25, false, "k = 4 N/m", 1.5});
  sink->flush();
}

void copy_run(const fs::path& from, const fs::path& to) {
  for (const char* file : {"result.h5", "result.h5.seal"}) {
    fs::remove(to / file);
    if (fs::exists(from / file)) fs::copy_file(from / file, to / file);
  }
}

/// Everything that a result holds, or the error.
std::string describe(const fs::path& folder) {
  try {
    const Result result(folder);
    std::string text = result.outcome() + std::to_string(result.rows());
    for (const Channel& channel : result.channels())
      for (const double value : result.column(channel.name)) text += std::to_string(value) + " ";
    return text;
  } catch (const InputError& error) {
    return std::string("error: ") + error.what();
  }
}

/// One damaged copy after the other of the named file, each described.
void damage(const fs::path& good, const fs::path& bad, const std::string& name, int copies,
            const std::function<void(const std::string& what)>& look) {
  const std::string bytes = read_bytes(good / name);
  for (int i = 0; i < copies; ++i) {
    // places spread over the whole file, and with them every structure in it; another bit each time
    const std::size_t place = bytes.size() * i / copies;
    std::string damaged = bytes;
    damaged[place] = static_cast<char>(damaged[place] ^ (1 << i % 8));
    copy_run(good, bad);
    write_bytes(bad / name, damaged);
    look("bit " + std::to_string(i % 8) + " of byte " + std::to_string(place));
    copy_run(good, bad);
    write_bytes(bad / name, bytes.substr(0, place));
    look("cut at byte " + std::to_string(place));
  }
}

class Damaged : public testing::Test {
 protected:
  Damaged() {
    fs::create_directories(good());
    fs::create_directories(bad());
  }
  fs::path good() const { return folder_ / "good"; }
  fs::path bad() const { return folder_ / "bad"; }
  void expect_refused(const std::string& name, int copies) const {
    ASSERT_THAT(describe(good()), testing::Not(HasSubstr("error")));
    damage(good(), bad(), name, copies, [&](const std::string& what) {
      EXPECT_THAT(describe(bad()), testing::StartsWith("error: ")) << name << ", " << what;
    });
  }
  TemporaryFolder folder_;
};

TEST_F(Damaged, ResultsOfFinishedRunsAreRefused) {
  Hdf5Sink sink(good() / "result.h5");
  write_run(&sink);
  sink.end(make_sample_summary());
  EXPECT_FALSE(fs::exists(good() / "result.h5.seal"));
  expect_refused("result.h5", 200);
}

TEST_F(Damaged, ResultsOfKilledRunsAreRefused) {
  Hdf5Sink sink(folder_ / "result.h5");
  write_run(&sink);
  copy_run(folder_.path(), good());  // as a kill leaves them
  expect_refused("result.h5.seal", 100);
  // pieces of the last commit stand in the seal, so that damage to their place in the file does no harm
  const std::string whole = describe(good());
  int refused = 0;
  damage(good(), bad(), "result.h5", 100, [&](const std::string& what) {
    const std::string damaged = describe(bad());
    if (damaged.starts_with("error: "))
      ++refused;
    else
      EXPECT_EQ(damaged, whole) << what;
  });
  EXPECT_GT(refused, 50);
}

TEST_F(Damaged, TheMessageNamesThePlace) {
  Hdf5Sink sink(good() / "result.h5");
  write_run(&sink);
  sink.end(make_sample_summary());
  std::string bytes = read_bytes(good() / "result.h5");
  bytes[100] = static_cast<char>(bytes[100] ^ 1);
  write_bytes(bad() / "result.h5", bytes);
  EXPECT_THAT(describe(bad()), HasSubstr("it is damaged: bytes 0 to 65535 are not those that were written"));
}

TEST_F(Damaged, AnUnfinishedResultWithoutItsSealIsRefused) {
  Hdf5Sink sink(folder_ / "result.h5");
  write_run(&sink);
  copy_run(folder_.path(), good());
  fs::remove(good() / "result.h5.seal");
  EXPECT_THAT(describe(good()),
              HasSubstr("a run that was cut off has its seal beside it, in 'result.h5.seal'"));
}

// -- a writer that dies

/// Reads the whole file, or says that it is damaged.
std::string read_sealed(const fs::path& path) {
  SealedReader reader(path);
  std::string bytes(reader.size(), '\0');
  return reader.read(0, bytes) ? bytes : "damaged";
}

TEST(SealedFile, IsThatOfACommitWheneverTheWriterDies) {
  const TemporaryFolder folder;
  const fs::path path = folder / "file";
  const std::string start = "\x89HDF\r\n\x1a\n" + std::string(100'000, 'a');
  SealedWriter writer(path);
  writer.write(0, start);
  ASSERT_TRUE(writer.publish());
  EXPECT_EQ(read_sealed(path), start);

  // the second commit changes the middle and lets the file grow
  writer.write(70'000, std::string(50, 'b'));
  writer.write(start.size(), std::string(60'000, 'c'));
  std::string next = start + std::string(60'000, 'c');
  next.replace(70'000, 50, 50, 'b');
  const std::string before = read_bytes(path);  // with the first seal at its end
  ASSERT_TRUE(writer.commit());
  EXPECT_EQ(read_sealed(path), next);
  const std::string after = read_bytes(path), seal = read_bytes(path.string() + ".seal");

  // died with the new seal, before the first byte was changed: the old one at the end holds
  write_bytes(path, before);
  EXPECT_EQ(read_sealed(path), start);
  // died when only the old seal was cut off, and after each of the writes, also within one
  std::string torn = start;
  write_bytes(path, torn);
  EXPECT_EQ(read_sealed(path), next);
  torn.replace(70'000, 20, 20, 'b');
  write_bytes(path, torn);
  EXPECT_EQ(read_sealed(path), next);
  for (const std::size_t size : {start.size(), start.size() + 1, next.size() - 1, next.size()}) {
    write_bytes(path, next.substr(0, size));
    EXPECT_EQ(read_sealed(path), next);
  }
  // died while the last seal was written to the end of the file
  write_bytes(path, after);
  ASSERT_TRUE(writer.finish());
  EXPECT_FALSE(fs::exists(path.string() + ".seal"));
  const std::string finished = read_bytes(path);
  write_bytes(path.string() + ".seal", seal);
  for (std::size_t size = next.size(); size <= finished.size(); size += 5) {
    write_bytes(path, finished.substr(0, size));
    EXPECT_EQ(read_sealed(path), next) << size;
  }
}

TEST(SealedFile, WithItsOwnSealIgnoresOneOfAnOlderRunBesideIt) {
  const TemporaryFolder folder;
  write_bytes(folder / "file.seal", encode(Seal{}));
  SealedWriter writer(folder / "file");
  writer.write(0, "\x89HDF\r\n\x1a\nnew");
  ASSERT_TRUE(writer.publish());
  EXPECT_EQ(read_sealed(folder / "file"), "\x89HDF\r\n\x1a\nnew");
}

TEST(SealedFile, CanBeReadWhileItIsWritten) {
  const TemporaryFolder folder;
  SealedWriter writer(folder / "file");
  writer.write(0, "\x89HDF\r\n\x1a\n" + std::string(200'000, '0'));
  ASSERT_TRUE(writer.publish());
  SealedReader reader(folder / "file");
  for (int commit = 0; commit < 20; ++commit) {
    std::string now(10, '?');
    ASSERT_TRUE(reader.read(0, now));  // from another block
    writer.write(150'000 + 1000 * (commit + 1), std::string(10, static_cast<char>('a' + commit)));
    ASSERT_TRUE(writer.commit());
    ASSERT_TRUE(reader.read(150'000 + 1000 * (commit + 1), now)) << reader.damage();
    EXPECT_EQ(now, std::string(10, static_cast<char>('a' + commit)));
  }
}

}  // namespace
}  // namespace haltere
