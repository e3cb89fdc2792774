#include "haltere/io/result/state_space_file.h"

#include <gtest/gtest.h>

#include "unit/io/temporary_folder.h"

#include "haltere/io/result/hdf5.h"
#include "haltere/model/problem.h"

namespace haltere {
namespace {

/// As a program that knows nothing of haltere reads it: by rows.
std::vector<double> read_matrix(hid_t file, const char* name, std::array<hsize_t, 2>* size) {
  const Hdf5Handle data(H5Dopen2(file, name, H5P_DEFAULT), H5Dclose);
  const Hdf5Handle space(H5Dget_space(data.id()), H5Sclose);
  H5Sget_simple_extent_dims(space.id(), size->data(), nullptr);
  std::vector<double> values((*size)[0] * (*size)[1]);
  H5Dread(data.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  return values;
}

TEST(StateSpaceFile, HoldsMatricesByRowsAndNames) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "system.h5").string();
  StateSpace system;
  system.A = Eigen::MatrixXd{{1, 2}, {3, 4}};
  system.B = Eigen::MatrixXd::Zero(2, 0);
  system.C = Eigen::MatrixXd{{5, 6}};
  system.D = Eigen::MatrixXd::Zero(1, 0);
  system.states = {"x", "speed"};
  system.outputs = {"signal.a"};
  write_state_space(system, "test", path);
  const Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  ASSERT_TRUE(file.valid());
  std::array<hsize_t, 2> size{};
  EXPECT_EQ(read_matrix(file.id(), "A", &size), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(read_matrix(file.id(), "C", &size), (std::vector<double>{5, 6}));
  EXPECT_EQ(size[0], 1U);
  const Hdf5Handle names(H5Dopen2(file.id(), "states", H5P_DEFAULT), H5Dclose);
  const Hdf5Handle type = make_hdf5_text(5);
  std::string texts(10, ' ');
  H5Dread(names.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, texts.data());
  EXPECT_EQ(texts, std::string("x\0\0\0\0speed", 10));
}

TEST(StateSpaceFile, ThatCannotBeWrittenIsToldSo) {
  EXPECT_THROW(write_state_space({}, "test", "/nowhere/at/all.h5"), RunError);
}

}  // namespace
}  // namespace haltere
