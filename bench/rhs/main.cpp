#include "rhs.h"

int main() {
  haltere::bench::measure_chain();
  haltere::bench::measure_segments();
  haltere::bench::measure_loops();
  haltere::bench::measure_wheels();
  haltere::bench::measure_wings();
  haltere::bench::measure_insect();
}
