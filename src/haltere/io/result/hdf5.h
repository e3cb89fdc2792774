#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <hdf5.h>

/// The little that is shared by what writes and what reads result files.
namespace haltere {

/// Owns an HDF5 identifier.
class Hdf5Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Hdf5Handle() = default;
  Hdf5Handle(hid_t id, Close close) : id_(id), close_(close) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept
      : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Hdf5Handle() {
    if (id_ >= 0) close_(id_);
  }
  hid_t id() const { return id_; }
  bool valid() const { return id_ >= 0; }

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

/// In a pose: rows of [p | R].
inline constexpr hsize_t kPoseNumbers = 12;

/// Our own messages instead of the library's traces on stderr.
inline void silence_hdf5() {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

/// Texts have fixed lengths, filled up with zeros: damage to a heap of texts of any length makes the library
/// loop.
inline Hdf5Handle make_hdf5_text(std::size_t size) {
  Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.id(), size);
  H5Tset_cset(type.id(), H5T_CSET_UTF8);
  H5Tset_strpad(type.id(), H5T_STR_NULLPAD);
  return type;
}

/// A record of a table, packed: members one after the other. Texts are `width` bytes long.
class Hdf5Record {
 public:
  explicit Hdf5Record(std::size_t width) : width_(width) {}

  void add_text(const char* name) { add(name, width_, make_hdf5_text(width_)); }
  void add_number(const char* name) { add(name, sizeof(double), {H5Tcopy(H5T_NATIVE_DOUBLE), H5Tclose}); }
  void add_count(const char* name) { add(name, sizeof(std::int64_t), {H5Tcopy(H5T_NATIVE_INT64), H5Tclose}); }

  std::size_t size() const { return size_; }
  std::size_t width() const { return width_; }
  Hdf5Handle make_type() const {
    Hdf5Handle type(H5Tcreate(H5T_COMPOUND, size_), H5Tclose);
    for (const Member& m : members_) H5Tinsert(type.id(), m.name, m.offset, m.type.id());
    return type;
  }

 private:
  struct Member {
    const char* name;
    std::size_t offset;
    Hdf5Handle type;
  };
  void add(const char* name, std::size_t bytes, Hdf5Handle type) {
    members_.push_back({name, size_, std::move(type)});
    size_ += bytes;
  }
  std::size_t width_, size_ = 0;
  std::vector<Member> members_;
};

/// /events: name, what, t, stop (0 or 1), energy_change.
inline Hdf5Record make_hdf5_event(std::size_t width) {
  Hdf5Record record(width);
  record.add_text("name");
  record.add_text("what");
  for (const char* number : {"t", "stop", "energy_change"}) record.add_number(number);
  return record;
}

/// /summary, one record: how the run ended, numbers of its work and its audit.
inline Hdf5Record make_hdf5_summary(std::size_t width) {
  Hdf5Record record(width);
  record.add_text("outcome");
  record.add_text("message");
  for (const char* number : {"t_end", "steps", "rejected", "evaluations", "energy_scale", "energy_balance",
                             "momentum_applies", "momentum_drift", "angular_momentum_drift"})
    record.add_number(number);
  return record;
}

/// /sheets: the surface; its frame, 1 for a wake, rows and columns of rings here, rows of the air from one here to the
/// next and in all, where its corners begin in /nodes and its rings in /rings.
inline Hdf5Record make_hdf5_sheet(std::size_t width) {
  Hdf5Record record(width);
  record.add_text("surface");
  for (const char* count :
       {"frame", "wake", "rows", "columns", "stride", "air_rows", "first_node", "first_ring"})
    record.add_count(count);
  return record;
}

/// /parameters: name, value.
inline Hdf5Record make_hdf5_parameter(std::size_t width) {
  Hdf5Record record(width);
  record.add_text("name");
  record.add_number("value");
  return record;
}

/// /measures: name, kind, formula and unit; period, value over the last whole one, how many there were.
inline Hdf5Record make_hdf5_measure(std::size_t width) {
  Hdf5Record record(width);
  for (const char* text : {"name", "kind", "of", "unit"}) record.add_text(text);
  for (const char* number : {"period", "value", "periods"}) record.add_number(number);
  return record;
}

/// /periods: name of the measure, end of the period, value over it.
inline Hdf5Record make_hdf5_period(std::size_t width) {
  Hdf5Record record(width);
  record.add_text("name");
  for (const char* number : {"t", "value"}) record.add_number(number);
  return record;
}

}  // namespace haltere
