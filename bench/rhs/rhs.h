#pragma once

namespace haltere::bench {

void measure_chain();     // against the number of bodies, with and without AVX2
void measure_segments();  // against the number of wing plates, in both formulations

}  // namespace haltere::bench
