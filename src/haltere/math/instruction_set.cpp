#include "haltere/math/instruction_set.h"

#include <cstdlib>

namespace haltere {
namespace {

bool find_avx2() {
#if defined(__x86_64__)
  const char* wish = std::getenv("HALTERE_INSTRUCTION_SET");
  if (wish != nullptr && std::string_view(wish) == "baseline") return false;
  return __builtin_cpu_supports("avx2") != 0;
#else
  return false;
#endif
}

}  // namespace

bool uses_avx2() {
  static const bool found = find_avx2();
  return found;
}

std::string_view instruction_set() {
#if defined(__x86_64__)
  return uses_avx2() ? "x86-64+avx2" : "x86-64";
#elif defined(__aarch64__)
  return "aarch64";
#else
  return "other";
#endif
}

}  // namespace haltere
