#include <cstddef>

#include <gtest/gtest.h>

#include "unit/integrate/problems.h"

#include "haltere/integrate/integrator.h"

// every allocation of the program is counted, that of C libraries and of Eigen too
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

namespace haltere {

namespace {

TEST(Allocation, IsCounted) {
  const long before = allocations;
  const Eigen::VectorXd vector = Eigen::VectorXd::Zero(100);
  EXPECT_GT(allocations, before + vector.norm());
}

TEST(Allocation, HappensInNoStep) {
  for (const IntegratorInfo& info : integrators()) {
    problems::FreeTop problem;
    const auto integrator =
        info.make(problem, {.step = info.adaptive ? 0 : 0.01, .tolerance = 1e-8, .until = 10});
    integrator->start(0, problem.calc_initial_state());
    integrator->step(10);  // CVODE sets itself up in its first step
    Eigen::VectorXd y = integrator->y();
    const long before = allocations;
    while (integrator->t() < 10) {
      const StepReport report = integrator->step(10);
      integrator->interpolate((report.t0 + report.t1) / 2, y);
    }
    EXPECT_EQ(allocations, before) << info.name;
  }
}

}  // namespace

}  // namespace haltere
