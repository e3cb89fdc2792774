// Curves of a view as uPlot wants them: one row of times and a row of values for each curve.
import type { Channel } from "../result";
import { lower_bound } from "../search";

export type Row = (number | null | undefined)[];
export interface Aligned {
  x: number[];
  rows: Row[];
}

export interface Wanted {
  channel: Channel;
  factor: number;
}

/// All rows where they are few, else the smallest and largest value of each of `width` stretches: no extreme
/// is lost.
export function align(list: Wanted[], from: number, to: number, width: number): Aligned {
  const ranges = list.map(({ channel }): [number, number] => {
    const [first, end] = channel.pyramid.rows(from, to),
      valid = channel.valid_rows;
    return [Math.min(first, valid), Math.min(end, valid)];
  });
  const few = ranges.every(([a, b]) => b - a <= 3 * width);
  return few ? as_written(list, ranges) : in_stretches(list, from, to, Math.max(Math.round(width), 50));
}

function as_written(list: Wanted[], ranges: [number, number][]): Aligned {
  const times = new Set(list.map(({ channel }) => channel.time));
  let x: number[];
  if (times.size === 1 && ranges.every(([a, b]) => a === ranges[0][0] && b === ranges[0][1])) {
    x = Array.from(list[0].channel.time.subarray(ranges[0][0], ranges[0][1]));
  } else {
    const all: number[] = [];
    list.forEach(({ channel }, i) => {
      for (let k = ranges[i][0]; k < ranges[i][1]; ++k) all.push(channel.time[k]);
    });
    all.sort((a, b) => a - b);
    x = all.filter((t, k) => k === 0 || t !== all[k - 1]);
  }
  const rows = list.map(({ channel, factor }, i): Row => {
    const row: Row = new Array(x.length); // undefined: another curve has a point here
    let at = 0;
    for (let k = ranges[i][0]; k < ranges[i][1]; ++k) {
      while (x[at] < channel.time[k]) ++at;
      row[at] = finite(channel.data[k] * factor);
    }
    return row;
  });
  return { x, rows };
}

function in_stretches(list: Wanted[], from: number, to: number, count: number): Aligned {
  const step = (to - from) / count,
    x: number[] = [];
  for (let k = -1; k <= count; ++k) x.push(from + (k + 0.25) * step, from + (k + 0.75) * step);
  const rows = list.map(({ channel, factor }): Row => {
    const row: Row = new Array(x.length);
    const valid = channel.valid_rows;
    let first = Math.min(lower_bound(channel.time, from - step), valid);
    for (let k = -1; k <= count; ++k) {
      const end = Math.min(
        k === count ? lower_bound(channel.time, to + step) : lower_bound(channel.time, from + (k + 1) * step),
        valid,
      );
      if (end > first) {
        const [low, high] = channel.pyramid.range(first, end);
        const rising = Math.abs(channel.data[first] - low) <= Math.abs(channel.data[first] - high);
        row[2 * k + 2] = finite((rising ? low : high) * factor);
        if (end - first > 1) row[2 * k + 3] = finite((rising ? high : low) * factor);
      }
      first = end;
    }
    return row;
  });
  return { x, rows };
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
