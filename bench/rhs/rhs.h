#pragma once

namespace haltere::bench {

void measure_chain();     // against the number of bodies, with and without AVX2
void measure_segments();  // against the number of wing plates, in both formulations
void measure_wings();     // of the hawkmoth, against the number of sections; a period of flapping
void measure_wheels();    // of the kick-scooter, against the dense system of its thesis
void measure_loops();     // of four-bars in a row, against their number, in both formulations
void measure_insect();    // of a body with two wings, in all three formulations

}  // namespace haltere::bench
