#include "haltere/io/result/result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "unit/io/sample_run.h"
#include "unit/io/temporary_folder.h"

#include "haltere/io/result/hdf5.h"
#include "haltere/io/result/hdf5_sink.h"
#include "haltere/io/result/sealed_file.h"

namespace haltere {
namespace {

using ::testing::HasSubstr;

void write_sample(const std::filesystem::path& path) {
  Hdf5Sink sink(path);
  sink.begin(make_sample_channels({{"joint.hinge.angle", "rad"}}), make_sample_info());
  write_sample_rows(&sink, 2, 50);
  sink.event({"release", 0.25, false, "k = 4 N/m", 1.5});
  sink.end(make_sample_summary());
}

/// Puts a valid seal to what the file holds now: HDF5 drops the old one when another program changes the
/// file.
void seal(const std::filesystem::path& path) {
  const std::string bytes = read_bytes(path);
  SealedWriter writer(path);
  ASSERT_TRUE(writer.write(0, bytes) && writer.publish());
}

/// Changes the file as another program would, and seals it again.
void change(const std::filesystem::path& path, const auto& action) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  action(file);
  H5Fclose(file);
  seal(path);
}

std::string error_of(const std::filesystem::path& path) {
  try {
    Result result(path);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Result, WhatIsNoResultIsSaid) {
  const TemporaryFolder folder;
  EXPECT_THAT(error_of(folder / "missing.h5"), HasSubstr("cannot be read"));
  EXPECT_THAT(error_of(folder.path()), HasSubstr("result.h5"));  // a folder without one
  write_bytes(folder / "empty.h5", "");
  EXPECT_THAT(error_of(folder / "empty.h5"), HasSubstr("is not an HDF5 file"));
  write_bytes(folder / "text.h5", "t,x\n0,1\n");
  EXPECT_THAT(error_of(folder / "text.h5"), HasSubstr("is not an HDF5 file"));
  H5Fclose(H5Fcreate((folder / "other.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  EXPECT_THAT(error_of(folder / "other.h5"), HasSubstr("has no seal"));
  seal(folder / "other.h5");
  EXPECT_THAT(error_of(folder / "other.h5"), HasSubstr("not a result of haltere"));
}

TEST(Result, AMissingTableIsNamed) {
  for (const char* name : {"data", "names", "units", "events", "parameters", "model_text"}) {
    const TemporaryFolder folder;
    write_sample(folder / "result.h5");
    change(folder / "result.h5", [&](hid_t file) { H5Ldelete(file, name, H5P_DEFAULT); });
    EXPECT_THAT(error_of(folder / "result.h5"), HasSubstr(std::string("'") + name + "' is missing"));
  }
}

TEST(Result, ATableOfTheWrongShapeIsRefused) {
  const TemporaryFolder folder;
  write_sample(folder / "result.h5");
  change(folder / "result.h5", [](hid_t file) {
    H5Ldelete(file, "data", H5P_DEFAULT);
    const hsize_t size[2] = {4, 7};
    const hid_t space = H5Screate_simple(2, size, nullptr);
    H5Dclose(H5Dcreate2(file, "data", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(space);
  });
  EXPECT_THAT(error_of(folder / "result.h5"), HasSubstr("does not fit the names"));
}

TEST(Result, ATableLargerThanTheFileIsRefused) {
  const TemporaryFolder folder;
  write_sample(folder / "result.h5");
  change(folder / "result.h5", [](hid_t file) {
    const hid_t data = H5Dopen2(file, "data", H5P_DEFAULT);
    const hsize_t size[2] = {1'000'000'000'000, 2};  // no memory for a single column
    EXPECT_GE(H5Dset_extent(data, size), 0);
    H5Dclose(data);
  });
  EXPECT_THAT(error_of(folder / "result.h5"), HasSubstr("larger than the file"));
}

// -- files that lead elsewhere: refused even with a valid seal, and nothing outside is opened

class Outside : public testing::Test {
 protected:
  Outside() {
    write_sample(folder_ / "result.h5");
    // a pipe that nobody writes to: whoever opens it waits for ever
    EXPECT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  }
  std::string refusal_of(const auto& action) const {
    change(folder_ / "result.h5", action);
    return error_of(folder_ / "result.h5");
  }
  std::string pipe() const { return (folder_ / "pipe").string(); }

  /// A table of numbers in place of `name`.
  static void replace(hid_t file, const char* name, const auto& set_properties) {
    const Hdf5Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    const hsize_t size = 3;
    set_properties(properties.id(), size);
    const Hdf5Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
    H5Ldelete(file, name, H5P_DEFAULT);
    const Hdf5Handle dataset(
        H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space.id(), H5P_DEFAULT, properties.id(), H5P_DEFAULT),
        H5Dclose);
    EXPECT_TRUE(dataset.valid());
  }
  TemporaryFolder folder_;
};

TEST_F(Outside, ExternalLinksAreRefused) {
  EXPECT_THAT(refusal_of([&](hid_t file) {
                H5Ldelete(file, "valid_until", H5P_DEFAULT);
                H5Lcreate_external(pipe().c_str(), "/x", file, "valid_until", H5P_DEFAULT, H5P_DEFAULT);
              }),
              HasSubstr("a link that leads elsewhere"));
}

TEST_F(Outside, LinksThatNobodyAsksForAreRefusedToo) {
  EXPECT_THAT(refusal_of([&](hid_t file) {
                H5Lcreate_external(pipe().c_str(), "/x", file, "extra", H5P_DEFAULT, H5P_DEFAULT);
              }),
              HasSubstr("a link that leads elsewhere"));
}

TEST_F(Outside, SoftLinksAreRefused) {
  EXPECT_THAT(refusal_of([](hid_t file) {
                H5Ldelete(file, "units", H5P_DEFAULT);
                H5Lcreate_soft("/names", file, "units", H5P_DEFAULT, H5P_DEFAULT);
              }),
              HasSubstr("a link that leads elsewhere"));
}

TEST_F(Outside, GroupsAreRefused) {
  EXPECT_THAT(refusal_of([](hid_t file) {
                H5Gclose(H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
              }),
              HasSubstr("'group' is no table"));
}

TEST_F(Outside, ExternalStorageIsRefused) {
  EXPECT_THAT(refusal_of([&](hid_t file) {
                replace(file, "valid_until", [&](hid_t properties, hsize_t size) {
                  H5Pset_external(properties, pipe().c_str(), 0, size * sizeof(double));
                });
              }),
              HasSubstr("'valid_until' is stored outside the file"));
}

TEST_F(Outside, VirtualTablesAreRefused) {
  EXPECT_THAT(refusal_of([&](hid_t file) {
                replace(file, "valid_until", [&](hid_t properties, hsize_t size) {
                  const Hdf5Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
                  H5Pset_virtual(properties, space.id(), pipe().c_str(), "/x", space.id());
                });
              }),
              HasSubstr("'valid_until' is stored outside the file"));
}

TEST_F(Outside, FiltersAreRefused) {
  EXPECT_THAT(refusal_of([](hid_t file) {
                replace(file, "valid_until", [](hid_t properties, hsize_t size) {
                  H5Pset_chunk(properties, 1, &size);
                  H5Pset_filter(properties, 32000, H5Z_FLAG_OPTIONAL, 0,
                                nullptr);  // a plugin that is not there
                });
              }),
              HasSubstr("'valid_until' is stored with a filter"));
}

TEST(Result, APipeIsRefusedAtOnce) {
  const TemporaryFolder folder;
  ASSERT_EQ(mkfifo((folder / "result.h5").c_str(), 0600), 0);
  EXPECT_THAT(error_of(folder / "result.h5"), HasSubstr("is no regular file"));
}

TEST(Result, AnUnknownChannelGetsAHint) {
  const TemporaryFolder folder;
  write_sample(folder / "result.h5");
  const Result result(folder / "result.h5");
  try {
    result.column("joint.hinge.angel");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'joint.hinge.angle'?"));
  }
}

}  // namespace
}  // namespace haltere
