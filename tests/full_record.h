#pragma once

#include <span>
#include <vector>

#include "haltere/simulate/run.h"

namespace haltere {

/// All rows, as whoever continues a run asks for them.
struct FullRecord : MemorySink {
  void row(std::span<const double> row) override {
    values.insert(values.end(), row.begin(), row.end());
    width = static_cast<long>(row.size());
    MemorySink::row(row);
  }
  std::vector<double> read_rows(long first, long count) const {
    return {values.begin() + first * width, values.begin() + (first + count) * width};
  }
  PastRun past_at(const Checkpoint& checkpoint) const {
    return {checkpoint, events(), [this](long first, long count) { return read_rows(first, count); }};
  }

  std::vector<double> values;
  long width = 0;
};

}  // namespace haltere
