#include "haltere/io/result/hdf5_driver.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <memory>

#if __has_include(<H5FDdevelop.h>)  // from HDF5 1.14 on
#include <H5FDdevelop.h>
#endif

/// A driver of HDF5 (its "virtual file layer") is a table of C functions on a struct that starts with an
/// H5FD_t.
namespace haltere {
namespace {

struct OpenStore {
  H5FD_t head{};
  ByteStore* store = nullptr;
  haddr_t end_of_addresses = 0;  // what HDF5 has given out; the file may be shorter or longer
};

OpenStore* cast(H5FD_t* file) {
  return reinterpret_cast<OpenStore*>(file);
}
const OpenStore* cast(const H5FD_t* file) {
  return reinterpret_cast<const OpenStore*>(file);
}

/// No exception passes through the library.
herr_t guard(const auto& function) {
  try {
    return function() ? 0 : -1;
  } catch (const std::exception&) {
    return -1;
  }
}

H5FD_t* open(const char*, unsigned flags, hid_t properties, haddr_t) {
  const auto* store = static_cast<ByteStore* const*>(H5Pget_driver_info(properties));
  if (store == nullptr) return nullptr;
  auto file = std::make_unique<OpenStore>();
  file->store = *store;
  if ((flags & H5F_ACC_TRUNC) != 0 && !file->store->resize(0)) return nullptr;
  return reinterpret_cast<H5FD_t*>(file.release());
}

herr_t close(H5FD_t* file) {
  const std::unique_ptr<OpenStore> released(cast(file));
  return 0;
}

/// The features of the default driver, so that the library treats the file alike.
herr_t query(const H5FD_t*, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_SUPPORTS_SWMR_IO | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t get_eoa(const H5FD_t* file, H5FD_mem_t) {
  return cast(file)->end_of_addresses;
}

herr_t set_eoa(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  cast(file)->end_of_addresses = address;
  return 0;
}

haddr_t get_eof(const H5FD_t* file, H5FD_mem_t) {
  return cast(file)->store->size();
}

herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size, void* buffer) {
  return guard([&] { return cast(file)->store->read(address, {static_cast<char*>(buffer), size}); });
}

herr_t write(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size, const void* buffer) {
  return guard([&] { return cast(file)->store->write(address, {static_cast<const char*>(buffer), size}); });
}

herr_t truncate(H5FD_t* file, hid_t, hbool_t) {
  const OpenStore* open_store = cast(file);
  if (open_store->end_of_addresses == open_store->store->size()) return 0;
  return guard([&] { return open_store->store->resize(open_store->end_of_addresses); });
}

/// Nothing to lock; but only with a driver that has locks does the library note in the file that it is being
/// written.
herr_t lock(H5FD_t*, hbool_t) {
  return 0;
}
herr_t unlock(H5FD_t*) {
  return 0;
}

hid_t register_driver() {
  static H5FD_class_t driver{};
#ifdef H5FD_CLASS_VERSION
  driver.version = H5FD_CLASS_VERSION;
  driver.value = static_cast<H5FD_class_value_t>(513);  // of those that are free for everybody
#endif
  driver.name = "haltere";
  driver.maxaddr = (haddr_t{1} << 62U) - 1;
  driver.fc_degree = H5F_CLOSE_WEAK;
  driver.fapl_size = sizeof(ByteStore*);
  driver.open = open;
  driver.close = close;
  driver.query = query;
  driver.get_eoa = get_eoa;
  driver.set_eoa = set_eoa;
  driver.get_eof = get_eof;
  driver.read = read;
  driver.write = write;
  driver.truncate = truncate;
  driver.lock = lock;
  driver.unlock = unlock;
  constexpr H5FD_mem_t kKinds[] = H5FD_FLMAP_DICHOTOMY;  // free space of metadata and of data are kept apart
  std::copy(std::begin(kKinds), std::end(kKinds), std::begin(driver.fl_map));
  return H5FDregister(&driver);
}

}  // namespace

Hdf5Handle make_hdf5_access(ByteStore* store) {
  static const hid_t driver = register_driver();  // as long as the program runs
  Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  if (H5Pset_driver(access.id(), driver, &store) < 0) return {};
  return access;
}

}  // namespace haltere
