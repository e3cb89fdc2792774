#include "haltere/io/result/state_space_file.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "haltere/io/result/hdf5.h"
#include "haltere/model/problem.h"
#include "haltere/simulate/version.h"

namespace haltere {
namespace {

class Writer {
 public:
  explicit Writer(std::string path) : path_(std::move(path)) {
    silence_hdf5();
    const Hdf5Handle properties(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
    check(H5Pset_obj_track_times(properties.id(), false));  // equal systems give equal files
    file_ = {check(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, properties.id(), H5P_DEFAULT)), H5Fclose};
  }

  void write(const char* name, const Eigen::MatrixXd& matrix) {
    using ByRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const ByRows rows = matrix;
    const std::array<hsize_t, 2> size{static_cast<hsize_t>(rows.rows()), static_cast<hsize_t>(rows.cols())};
    write(name, H5T_NATIVE_DOUBLE, {H5Screate_simple(2, size.data(), nullptr), H5Sclose}, rows.data(),
          rows.size() == 0);
  }

  void write(const char* name, const std::vector<std::string>& texts) {
    std::size_t width = 1;
    for (const std::string& text : texts) width = std::max(width, text.size());
    std::string bytes;
    for (const std::string& text : texts) bytes.append(text).append(width - text.size(), '\0');
    const hsize_t size = texts.size();
    const Hdf5Handle type = make_hdf5_text(width);
    write(name, type.id(), {H5Screate_simple(1, &size, nullptr), H5Sclose}, bytes.data(), texts.empty());
  }

  void write_attribute(const char* name, const std::string& text) {
    const Hdf5Handle type = make_hdf5_text(std::max<std::size_t>(text.size(), 1));
    const Hdf5Handle space(check(H5Screate(H5S_SCALAR)), H5Sclose);
    const Hdf5Handle attribute(
        check(H5Acreate2(file_.id(), name, type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT)), H5Aclose);
    check(H5Awrite(attribute.id(), type.id(), text.data()));
  }

  void close() { check(H5Fflush(file_.id(), H5F_SCOPE_GLOBAL)); }

 private:
  template <class Result>
  Result check(Result result) const {
    if (result < 0) throw RunError(fmt::format("cannot write '{}'; is the disk full?", path_));
    return result;
  }

  void write(const char* name, hid_t type, const Hdf5Handle& space, const void* data, bool is_empty) {
    const Hdf5Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    check(H5Pset_obj_track_times(properties.id(), false));
    const Hdf5Handle dataset(check(H5Dcreate2(file_.id(), name, type, check(space.id()), H5P_DEFAULT,
                                              properties.id(), H5P_DEFAULT)),
                             H5Dclose);
    if (!is_empty) check(H5Dwrite(dataset.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data));
  }

  std::string path_;
  Hdf5Handle file_;
};

}  // namespace

void write_state_space(const StateSpace& system, const std::string& model, const std::string& file) {
  Writer writer(file);
  writer.write_attribute("haltere", std::string(version()));
  writer.write_attribute("model", model);
  writer.write_attribute("equations",
                         "dx/dt = A x + B u, y = C x + D u; SI units, deviations from the equilibrium");
  writer.write("A", system.A);
  writer.write("B", system.B);
  writer.write("C", system.C);
  writer.write("D", system.D);
  writer.write("states", system.states);
  writer.write("inputs", system.inputs);
  writer.write("outputs", system.outputs);
  writer.close();
}

}  // namespace haltere
