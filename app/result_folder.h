#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

/// Folders of results: their names, who may write into them, and what stood there before.
namespace haltere {

/// LABEL, and what --set changed: "pendulum-g=1.62,l=2". Letters that do not belong into a name become `_`,
/// and a long name is cut; a digest then keeps different settings apart.
std::string name_result(const std::string& label, const std::vector<std::string>& set);

/// The right to write into a folder, which exists. The kernel takes it back from a process that dies.
class FolderLock {
 public:
  /// InputError with who has it, if somebody else has. `command`: what to tell others.
  FolderLock(const std::filesystem::path& folder, const std::string& command);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  std::filesystem::path file_;
  int descriptor_ = -1;
};

inline constexpr const char* kLockFile = ".haltere-lock";

/// The result that a new one replaces, and its checkpoint: kept beside until it is known that the new one is
/// one.
class EarlierResult {
 public:
  /// Of a folder that is locked. What a run that was killed had set aside, and not replaced, is put back.
  explicit EarlierResult(std::filesystem::path folder);
  ~EarlierResult();
  EarlierResult(const EarlierResult&) = delete;
  EarlierResult& operator=(const EarlierResult&) = delete;

  /// "the result of haltere run pendulum"; "" where there is none.
  const std::string& what() const { return what_; }
  void set_aside();
  void restore();
  void forget();

 private:
  void put_back();
  std::filesystem::path folder_;
  std::string what_;
  bool is_aside_ = false;
};

}  // namespace haltere
