#pragma once

#include <cstdlib>

#include <gtest/gtest.h>

/// Part of the precompiled header of every test. `HALTERE_TOLERANCE_SCALE=0 ./dev test` makes every
/// comparison fail that is not exact, and so prints the true residuals.
namespace haltere {

inline double tolerance_scale() {
  const char* text = std::getenv("HALTERE_TOLERANCE_SCALE");
  return text == nullptr ? 1 : std::strtod(text, nullptr);
}

}  // namespace haltere

#undef EXPECT_NEAR
#define EXPECT_NEAR(a, b, tolerance)                                       \
  EXPECT_PRED_FORMAT3(::testing::internal::DoubleNearPredFormat, (a), (b), \
                      (tolerance) * ::haltere::tolerance_scale())
