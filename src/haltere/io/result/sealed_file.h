#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "haltere/io/result/file_descriptor.h"
#include "haltere/io/result/seal.h"

/// Files of which no byte is believed that was not written so. The seal stands at the end of a finished file,
/// or beside an unfinished one (FILE.seal); docs/decisions/0017-sealed-results.md says why this survives a
/// kill at any moment.
namespace haltere {

/// What HDF5 takes for its file.
class ByteStore {
 public:
  virtual ~ByteStore() = default;
  virtual std::uint64_t size() const = 0;
  virtual bool read(std::uint64_t offset, std::span<char> bytes) = 0;  // zeros behind the end
  virtual bool write(std::uint64_t offset, std::string_view bytes) = 0;
  virtual bool resize(std::uint64_t size) = 0;
};

/// Collects what is written and brings it into the file in one piece, commit by commit: whoever reads the
/// file, whenever the writer dies, sees it as after one of the commits.
class SealedWriter : public ByteStore {
 public:
  /// The file is made beside `path`, and stands there once it is published.
  explicit SealedWriter(std::filesystem::path path);
  ~SealedWriter() override;
  bool valid() const { return file_.valid(); }

  std::uint64_t size() const override { return size_; }
  bool read(std::uint64_t offset, std::span<char> bytes) override;
  bool write(std::uint64_t offset, std::string_view bytes) override;
  bool resize(std::uint64_t size) override;

  std::size_t pending() const { return pending_; }  // bytes since the last commit
  // each says whether it could be done; what could not is tried again by the next one
  bool commit();
  bool publish();  // commits, and replaces an older file
  bool finish();   // commits, and puts the seal into the file

 private:
  bool update_seal();
  bool apply();
  bool append_seal();

  std::filesystem::path path_, unpublished_;
  FileDescriptor file_;
  Seal seal_;                    // of the last commit; its pieces are those since then
  std::uint64_t size_ = 0;       // with the pieces
  std::uint64_t disk_size_ = 0;  // of the file, without a seal at its end
  std::size_t pending_ = 0;
  bool is_published_ = false;
  bool has_seal_ = false;  // at its end
};

/// Reads a sealed file and hands out no byte that differs from what was written.
class SealedReader : public ByteStore {
 public:
  /// InputError for what is no whole file with a seal.
  explicit SealedReader(const std::filesystem::path& path);

  std::uint64_t size() const override { return seal_.size; }
  bool read(std::uint64_t offset, std::span<char> bytes) override;
  bool write(std::uint64_t, std::string_view) override { return false; }
  bool resize(std::uint64_t) override { return false; }

  /// Reads all of it; false where a byte is wrong.
  bool verify();
  /// What was found wrong while reading; "" for nothing.
  const std::string& damage() const { return damage_; }

 private:
  bool find_seal();
  bool load(std::uint64_t block);
  bool read_block(std::uint64_t block);

  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  std::filesystem::path path_;
  FileDescriptor file_;
  Seal seal_;
  std::vector<bool> verified_;  // blocks that were good; as long as the file has this stamp
  FileStamp stamp_;
  std::uint64_t loaded_ = kNone;  // the block that is in block_
  std::string block_;
  std::string damage_;
};

}  // namespace haltere
