// Searching in rows of time.

/// The first index whose value is greater than t.
export function upper_bound(values: ArrayLike<number>, t: number): number {
  let low = 0,
    high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] <= t) low = middle + 1;
    else high = middle;
  }
  return low;
}

/// The first index whose value is not less than t.
export function lower_bound(values: ArrayLike<number>, t: number): number {
  let low = 0,
    high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < t) low = middle + 1;
    else high = middle;
  }
  return low;
}

/// The value at t of a curve through the rows, straight between them; outside its ends the end.
export function value_at(time: ArrayLike<number>, values: ArrayLike<number>, t: number): number {
  const n = Math.min(time.length, values.length);
  if (!n) return Number.NaN;
  const j = upper_bound(time, t);
  if (j <= 0) return values[0];
  if (j >= n) return values[n - 1];
  const i = j - 1,
    step = time[j] - time[i];
  if (t === time[i] || !(step > 0)) return values[i];
  const s = (t - time[i]) / step;
  return (1 - s) * values[i] + s * values[j];
}

/// A filter of names: a glob where it has * or ?, else a part of the name; case does not matter.
export function name_filter(text: string): (name: string) => boolean {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return () => true;
  if (!/[*?]/.test(wanted)) return (name) => name.toLowerCase().includes(wanted);
  const pattern = glob(wanted);
  return (name) => pattern.test(name.toLowerCase());
}

/// The whole name: * is anything, ? one letter.
export function glob(text: string): RegExp {
  const escaped = text.replace(/[.+^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${escaped.replace(/\*+/g, ".*").replace(/\?/g, ".")}$`, "su");
}
