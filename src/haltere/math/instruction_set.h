#pragma once

#include <string_view>

/// One program for every x86-64 machine: the recursion is compiled twice, and the machine decides at run
/// time. Both copies give the same bits: lanes are rounded one by one, and nothing is fused.
namespace haltere {

#if defined(__x86_64__)
#define HALTERE_TARGET_AVX2 [[gnu::target("avx2")]]
#else
#define HALTERE_TARGET_AVX2
#endif

/// `x86-64+avx2`, `x86-64` or the name of another machine, as every result records it. The environment
/// variable HALTERE_INSTRUCTION_SET=baseline asks for the copy without AVX2.
std::string_view instruction_set();
bool uses_avx2();

}  // namespace haltere
