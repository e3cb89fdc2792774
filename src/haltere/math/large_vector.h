#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace haltere {

/// Asks for huge pages where an array is large: passes over the arrays of 10,000 bodies otherwise wait for
/// the table of pages as long as for the data (docs/decisions/0008). A wish, which the system may ignore.
template <class T>
struct LargeAllocator {
  using value_type = T;
  static constexpr std::size_t kHugePage = std::size_t{1} << 21;

  LargeAllocator() = default;
  template <class U>
  LargeAllocator(const LargeAllocator<U>&) {}  // NOLINT(google-explicit-constructor): as allocators must

  T* allocate(std::size_t n) {
    const std::size_t bytes = round_up(n * sizeof(T));
    void* memory = ::operator new(bytes, alignment(bytes));
#ifdef __linux__
    if (bytes >= kHugePage) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t n) {
    ::operator delete(memory, alignment(round_up(n * sizeof(T))));
  }

  friend bool operator==(const LargeAllocator&, const LargeAllocator&) {
    return true;
  }

 private:
  /// To whole pages, from a quarter of one on.
  static std::size_t round_up(std::size_t bytes) {
    return bytes < kHugePage / 4 ? bytes : (bytes + kHugePage - 1) / kHugePage * kHugePage;
  }
  static std::align_val_t alignment(std::size_t bytes) {
    return std::align_val_t{std::max(bytes < kHugePage ? 64 : kHugePage, alignof(T))};
  }
};

template <class T>
using LargeVector = std::vector<T, LargeAllocator<T>>;

}  // namespace haltere
