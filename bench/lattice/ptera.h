#pragma once

namespace haltere::bench {

/// PteraSoftware on a plate that is started at once, where both programs must agree, and on the flapping robot: time of a
/// step. False where the lifts differ by more than their conventions do, and where PteraSoftware could not be had.
bool compare_with_ptera();

}  // namespace haltere::bench
