// Smallest and largest values of any stretch of a channel, so that a plot of a million rows loses none of its
// extremes.
import type { Numbers } from "./decode";
import { lower_bound, upper_bound } from "./search";

const kFactor = 32;

interface Level {
  low: Float32Array | Float64Array;
  high: Float32Array | Float64Array;
  span: number;
}

export class Pyramid {
  private readonly levels: Level[] = [];

  constructor(
    readonly time: Float64Array,
    readonly data: Numbers,
  ) {
    let low: Numbers = data,
      high: Numbers = data,
      span = 1;
    while (low.length > 4 * kFactor) {
      const n = Math.ceil(low.length / kFactor);
      const below: Numbers = low,
        above: Numbers = high;
      const next_low = new Float64Array(n),
        next_high = new Float64Array(n);
      for (let i = 0; i < n; ++i) {
        let a = Number.POSITIVE_INFINITY,
          b = Number.NEGATIVE_INFINITY;
        const end = Math.min((i + 1) * kFactor, below.length);
        for (let k = i * kFactor; k < end; ++k) {
          if (below[k] < a) a = below[k];
          if (above[k] > b) b = above[k];
        }
        next_low[i] = a;
        next_high[i] = b;
      }
      span *= kFactor;
      this.levels.push({ low: next_low, high: next_high, span });
      low = next_low;
      high = next_high;
    }
  }

  /// Smallest and largest value of rows [from, to).
  range(from: number, to: number): [number, number] {
    let low = Number.POSITIVE_INFINITY,
      high = Number.NEGATIVE_INFINITY;
    let i = from;
    while (i < to) {
      // the widest block that begins here and ends in the range
      let level = -1;
      while (
        level + 1 < this.levels.length &&
        i % this.levels[level + 1].span === 0 &&
        i + this.levels[level + 1].span <= to
      )
        ++level;
      if (level < 0) {
        const value = this.data[i++];
        if (value < low) low = value;
        if (value > high) high = value;
      } else {
        const { low: lows, high: highs, span } = this.levels[level],
          k = i / span;
        if (lows[k] < low) low = lows[k];
        if (highs[k] > high) high = highs[k];
        i += span;
      }
    }
    return [low, high];
  }

  /// Rows between two times, with one more at both sides so that lines reach the edge.
  rows(from: number, to: number): [number, number] {
    return [
      Math.max(lower_bound(this.time, from) - 1, 0),
      Math.min(upper_bound(this.time, to) + 1, this.time.length),
    ];
  }
}
