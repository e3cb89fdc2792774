// Numbers and units as people read them.

/// With so many digits, without an exponent where that is short.
export function number(value: number, digits = 6): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "–" : value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text =
    size >= 1e6 || size < 1e-4
      ? value
          .toExponential(Math.max(digits - 1, 0))
          .replace(/\.?0+e/, "e")
          .replace("e+", "e")
      : trim(value.toPrecision(digits));
  return text.replace(/-/g, "−");
}

function trim(text: string): string {
  if (text.includes("e")) return String(Number(text));
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

const kSuperscripts: Record<string, string> = {
  "0": "⁰",
  "1": "¹",
  "2": "²",
  "3": "³",
  "4": "⁴",
  "5": "⁵",
  "6": "⁶",
  "-": "⁻",
};
/// m/s2 as m/s², N m as N·m.
export function unit(text: string): string {
  if (/,|[a-z]{5,}/i.test(text)) return text; // words, not a unit
  return text
    .replace(
      /([A-Za-z°])(-?\d)/g,
      (_, letter: string, power: string) => letter + [...power].map((c) => kSuperscripts[c] ?? c).join(""),
    )
    .replace(/ /g, "·");
}

export function with_unit(value: number, name: string, digits = 5): string {
  return name ? `${number(value, digits)} ${unit(name)}` : number(value, digits);
}

/// A length or time with a prefix: 2 mm, 50 µs.
export function prefixed(value: number, name: string): string {
  if (value === 0) return `0 ${name}`;
  const prefixes: [number, string][] = [
    [1e3, "k"],
    [1, ""],
    [1e-3, "m"],
    [1e-6, "µ"],
    [1e-9, "n"],
  ];
  const [scale, prefix] =
    prefixes.find(([size]) => Math.abs(value) >= size * 0.9999) ?? prefixes[prefixes.length - 1];
  return `${number(value / scale, 4)} ${prefix}${name}`;
}

/// Radians become degrees where the reader wants them.
export function shown_unit(name: string, degrees: boolean): { unit: string; factor: number } {
  if (degrees && /^rad(?:$|\/s)/.test(name))
    return { unit: name.replace(/^rad/, "°"), factor: 180 / Math.PI };
  return { unit: name, factor: 1 };
}

/// 1, 2 or 5 times a power of ten, not less than the size.
export function round_up(size: number): number {
  const decade = 10 ** Math.floor(Math.log10(size));
  for (const m of [1, 2, 5, 10]) if (m * decade >= size * (1 - 1e-9)) return m * decade;
  return 10 * decade;
}

/// Round numbers that divide a range into about so many parts.
export function ticks(low: number, high: number, about: number): number[] {
  if (!(high > low)) return [low];
  const step = round_up((high - low) / Math.max(about, 1));
  const list: number[] = [];
  for (let k = Math.ceil(low / step - 1e-9); k <= high / step + 1e-9 && list.length < 200; ++k)
    list.push(k * step);
  return list;
}

/// Labels of ticks: as many decimals as their distance needs.
export function tick_labels(list: number[]): string[] {
  const step = list.length > 1 ? Math.abs(list[1] - list[0]) : Math.abs(list[0] ?? 1) || 1;
  const largest = Math.max(...list.map(Math.abs), 0);
  if (largest >= 1e5 || (largest < 1e-3 && largest > 0)) {
    let digits = Math.max(0, Math.min(8, Math.floor(Math.log10(largest / step) + 1e-9)));
    while (digits < 8 && list.some((v) => Math.abs(v - Number(v.toExponential(digits))) > 1e-3 * step))
      ++digits;
    return list.map((v) =>
      Math.abs(v) < step * 1e-6 ? "0" : v.toExponential(digits).replace("e+", "e").replace(/-/g, "−"),
    );
  }
  let decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  while (decimals < 12 && list.some((v) => Math.abs(v - Number(v.toFixed(decimals))) > 1e-3 * step))
    ++decimals; // 0.0025
  return list.map((v) =>
    (Math.abs(v) < step * 1e-6 ? 0 : v).toFixed(Math.min(decimals, 12)).replace(/-/g, "−"),
  );
}
