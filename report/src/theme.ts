// Light and dark, and the colours that a stylesheet cannot give: curves, results, the map of circulation.

export interface Palette {
  dark: boolean;
  sky: [string, string]; // background of the 3-D view, top and bottom
  grid: string;
  text: string;
  muted: string;
  line: string;
  panel: string;
  bodies: string[];
  curves: string[];
  ghosts: string[];
  negative: string;
  zero: string;
  positive: string;
}

const kLight: Palette = {
  dark: false,
  sky: ["#e3ecf6", "#fbfcfd"],
  grid: "#6d7f92",
  text: "#1a2129",
  muted: "#5b6875",
  line: "#d7dee6",
  panel: "#ffffff",
  bodies: [
    "#7d93ab",
    "#d19a66",
    "#6fa98d",
    "#b184ab",
    "#c9ab4a",
    "#6f93cc",
    "#c67a76",
    "#64a7ad",
    "#94a25c",
    "#9384c2",
  ],
  curves: [
    "#1768c9",
    "#d2551f",
    "#178a5e",
    "#9b3fb5",
    "#b8860b",
    "#c2264f",
    "#0f8a9d",
    "#6a6f2b",
    "#5a52c9",
    "#8a5a3c",
  ],
  ghosts: ["#1768c9", "#d2551f", "#178a5e", "#9b3fb5", "#b8860b", "#c2264f", "#0f8a9d", "#6a6f2b"],
  negative: "#1f5fbf",
  zero: "#f0f0ee",
  positive: "#c23a2b",
};
const kDark: Palette = {
  dark: true,
  sky: ["#10161e", "#232d39"],
  grid: "#9fb2c6",
  text: "#e6ebf0",
  muted: "#98a5b3",
  line: "#2d3742",
  panel: "#171d24",
  bodies: [
    "#9fb4ca",
    "#e0ae7d",
    "#8bc4a8",
    "#c9a0c4",
    "#dcc26a",
    "#8fb0e2",
    "#dc9692",
    "#80c1c6",
    "#b0bd7b",
    "#afa2da",
  ],
  curves: [
    "#5aa9ff",
    "#ff8f5c",
    "#4fd29b",
    "#d08bea",
    "#f0c04a",
    "#ff7096",
    "#4fd0e3",
    "#bcc46a",
    "#a39dff",
    "#d3a283",
  ],
  ghosts: ["#5aa9ff", "#ff8f5c", "#4fd29b", "#d08bea", "#f0c04a", "#ff7096", "#4fd0e3", "#bcc46a"],
  negative: "#4d9bff",
  zero: "#3a424b",
  positive: "#ff6a54",
};

export class Theme {
  private readonly query = matchMedia("(prefers-color-scheme: dark)");
  private chosen: boolean | null = null;
  private readonly listeners: (() => void)[] = [];

  constructor() {
    this.query.addEventListener("change", () => this.tell());
    this.apply();
  }

  get palette(): Palette {
    return (this.chosen ?? this.query.matches) ? kDark : kLight;
  }
  listen(listener: () => void): void {
    this.listeners.push(listener);
  }

  toggle(): void {
    this.chosen = !this.palette.dark;
    this.tell();
  }

  private apply(): void {
    document.documentElement.dataset.theme = this.palette.dark ? "dark" : "light";
  }
  private tell(): void {
    this.apply();
    for (const listener of this.listeners) listener();
  }
}

/// Red, green and blue of 0 to 1, of a colour written #rrggbb.
export function rgb(colour: string): [number, number, number] {
  const n = Number.parseInt(colour.slice(1), 16);
  return [(n >> 16) / 255, ((n >> 8) & 255) / 255, (n & 255) / 255];
}

/// A map of -1 to 1 that is symmetric about zero, as a table of 256 colours (r g b of 0 to 1, in sRGB).
export function diverging(palette: Palette): Float32Array {
  const table = new Float32Array(3 * 256);
  const ends = [rgb(palette.negative), rgb(palette.zero), rgb(palette.positive)];
  for (let i = 0; i < 256; ++i) {
    const x = (i / 255) * 2 - 1;
    const end = x < 0 ? ends[0] : ends[2];
    const s = Math.abs(x) ** 0.8; // small values still differ from none
    for (let k = 0; k < 3; ++k) table[3 * i + k] = (1 - s) * ends[1][k] + s * end[k];
  }
  return table;
}
