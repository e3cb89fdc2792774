#pragma once

#include <cstddef>

/// Counts every allocation of a test program, those of C libraries and of Eigen too. It defines malloc:
/// include it in one file of a program.
namespace {
volatile long allocations = 0;
}  // namespace

#if defined(__SANITIZE_ADDRESS__)
#define HALTERE_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HALTERE_ADDRESS_SANITIZER
#endif
#endif

#ifdef HALTERE_ADDRESS_SANITIZER
// the sanitizer brings its own malloc, and a hook in it
// NOLINTNEXTLINE(bugprone-reserved-identifier)
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void*, std::size_t),
                                                         void (*on_free)(const volatile void*));
namespace {
[[maybe_unused]] const int kInstalled = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, std::size_t) { allocations = allocations + 1; }, [](const volatile void*) {});
}  // namespace
#else
extern "C" void* __libc_malloc(std::size_t size);  // NOLINT(bugprone-reserved-identifier)
extern "C" void* malloc(std::size_t size) {
  allocations = allocations + 1;
  return __libc_malloc(size);
}
#endif
