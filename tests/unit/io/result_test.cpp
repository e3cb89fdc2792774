#include "haltere/io/result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include "unit/io/sample_run.h"
#include "unit/io/temporary_folder.h"

#include "haltere/io/hdf5_sink.h"

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
  EXPECT_THAT(error_of(folder / "other.h5"), HasSubstr("not a result of haltere"));
}

TEST(Result, AMissingTableIsNamed) {
  for (const char* name : {"data", "names", "units", "events", "parameters", "model_text"}) {
    const TemporaryFolder folder;
    write_sample(folder / "result.h5");
    const hid_t file = H5Fopen((folder / "result.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    H5Ldelete(file, name, H5P_DEFAULT);
    H5Fclose(file);
    EXPECT_THAT(error_of(folder / "result.h5"), HasSubstr(std::string("'") + name + "' is missing"));
  }
}

TEST(Result, ATableOfTheWrongShapeIsRefused) {
  const TemporaryFolder folder;
  write_sample(folder / "result.h5");
  const hid_t file = H5Fopen((folder / "result.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  H5Ldelete(file, "data", H5P_DEFAULT);
  const hsize_t size[2] = {4, 7};
  const hid_t space = H5Screate_simple(2, size, nullptr);
  H5Dclose(H5Dcreate2(file, "data", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  H5Sclose(space);
  H5Fclose(file);
  EXPECT_THAT(error_of(folder / "result.h5"), HasSubstr("does not fit the names"));
}

TEST(Result, ATableLargerThanTheFileIsRefused) {
  const TemporaryFolder folder;
  write_sample(folder / "result.h5");
  const hid_t file = H5Fopen((folder / "result.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t data = H5Dopen2(file, "data", H5P_DEFAULT);
  const hsize_t size[2] = {1'000'000'000'000, 2};  // no memory for a single column
  ASSERT_GE(H5Dset_extent(data, size), 0);
  H5Dclose(data);
  H5Fclose(file);
  EXPECT_THAT(error_of(folder / "result.h5"), HasSubstr("larger than the file"));
}

TEST(Result, ATruncatedFileIsAnErrorAndNoCrash) {
  const TemporaryFolder folder;
  write_sample(folder / "result.h5");
  const std::string whole = read_bytes(folder / "result.h5");
  for (const double part : {0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99}) {
    write_bytes(folder / "cut.h5",
                whole.substr(0, static_cast<std::size_t>(part * static_cast<double>(whole.size()))));
    EXPECT_NE(error_of(folder / "cut.h5"), "") << part;
  }
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
