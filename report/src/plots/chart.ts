// A chart as SVG: figures, one channel over another, and what is saved of any pane.
import { middle, short, svg } from "../dom";
import { tick_labels, ticks, unit } from "../numbers";
import type { Palette } from "../theme";

export interface Curve {
  name: string;
  colour: string;
  dash?: string;
  x: ArrayLike<number | null | undefined>;
  y: ArrayLike<number | null | undefined>;
  line: boolean;
  points: boolean;
}
export interface Scale {
  label: string;
  unit: string;
  log?: boolean;
}
export interface ChartSpec {
  title: string;
  x: Scale;
  y: Scale;
  curves: Curve[];
  equal?: boolean;
  circle?: boolean;
  view?: { x: [number, number]; y: [number, number] } | null;
  legend: boolean;
}
export interface Chart {
  element: SVGElement;
  area: { left: number; top: number; width: number; height: number };
  view: { x: [number, number]; y: [number, number] };
  to_x(value: number): number;
  to_y(value: number): number;
  from_x(pixel: number): number;
  from_y(pixel: number): number;
}

function usable(value: number | null | undefined, log: boolean | undefined): value is number {
  return value !== null && value !== undefined && Number.isFinite(value) && (!log || value > 0);
}

function extent(
  lists: ArrayLike<number | null | undefined>[],
  log: boolean | undefined,
  margin: number,
): [number, number] {
  let low = Number.POSITIVE_INFINITY,
    high = Number.NEGATIVE_INFINITY;
  for (const list of lists) {
    for (let i = 0; i < list.length; ++i) {
      const value = list[i];
      if (!usable(value, log)) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  if (!(high >= low)) return log ? [0.1, 10] : [-1, 1];
  if (log) {
    const factor = high > low ? (high / low) ** margin : 2;
    return [low / factor, high * factor];
  }
  const extra = high > low ? margin * (high - low) : Math.max(Math.abs(high) * 0.1, 1e-12);
  return [low - extra, high + extra];
}

function power_of_ten(factor: number, decade: number): string {
  const power = [...String(decade)].map((c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(c)])).join("");
  return `${factor === 1 ? "" : `${factor}·`}10${power}`;
}

/// Decades; 1, 2, 5 or more of a decade where these would be fewer than two; round numbers where all would.
export function log_ticks(low: number, high: number): { at: number[]; text: string[] } {
  const first = Math.floor(Math.log10(low)),
    last = Math.ceil(Math.log10(high));
  const skip = Math.max(1, Math.ceil((last - first) / 9));
  const parts = [[1], [1, 2, 5], [1, 2, 3, 5, 7], [1, 2, 3, 4, 5, 6, 7, 8, 9]];
  for (const part of last - first <= 2 ? parts.slice(1) : parts) {
    const at: number[] = [],
      text: string[] = [];
    for (let decade = first; decade <= last; decade += skip) {
      for (const m of part) {
        const value = Number(`${m}e${decade}`);
        if (value < low * (1 - 1e-9) || value > high * (1 + 1e-9)) continue;
        at.push(value);
        text.push(power_of_ten(m, decade));
      }
    }
    if (at.length > 1) return { at, text };
  }
  let at: number[] = [];
  for (let about = 4; at.length < 2 && about < 64; about *= 2) at = ticks(low, high, about);
  return { at, text: tick_labels(at) };
}

export function draw_chart(spec: ChartSpec, width: number, height: number, palette: Palette): Chart {
  const left = 68,
    right = 16,
    bottom = 44;
  const { across } = legend_columns(spec, width - left);
  const legend_rows = spec.legend ? Math.ceil(spec.curves.length / across) : 0;
  const top = (spec.title ? 30 : 12) + 17 * Math.min(legend_rows, 8);
  const area = {
    left,
    top,
    width: Math.max(width - left - right, 20),
    height: Math.max(height - top - bottom, 20),
  };
  let x =
    spec.view?.x ??
    extent(
      spec.curves.map((curve) => curve.x),
      spec.x.log,
      0.04,
    );
  let y =
    spec.view?.y ??
    extent(
      spec.curves.map((curve) => curve.y),
      spec.y.log,
      0.06,
    );
  if (spec.circle && !spec.view) {
    x = [Math.min(x[0], -1.15), Math.max(x[1], 1.15)];
    y = [Math.min(y[0], -1.15), Math.max(y[1], 1.15)];
  }
  if (spec.equal && !spec.x.log && !spec.y.log) {
    const per_pixel = Math.max((x[1] - x[0]) / area.width, (y[1] - y[0]) / area.height);
    x = widen(x, per_pixel * area.width);
    y = widen(y, per_pixel * area.height);
  }
  const on = (value: number, range: [number, number], log?: boolean): number =>
    log
      ? Math.log(value / range[0]) / Math.log(range[1] / range[0])
      : (value - range[0]) / (range[1] - range[0]);
  const off = (s: number, range: [number, number], log?: boolean): number =>
    log ? range[0] * (range[1] / range[0]) ** s : range[0] + s * (range[1] - range[0]);
  const chart: Chart = {
    element: svg("svg", {
      xmlns: "http://www.w3.org/2000/svg",
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      "font-family": "system-ui, sans-serif",
      "font-size": 12,
      fill: palette.text,
    }),
    area,
    view: { x, y },
    to_x: (value) => left + area.width * on(value, x, spec.x.log),
    to_y: (value) => top + area.height * (1 - on(value, y, spec.y.log)),
    from_x: (pixel) => off((pixel - left) / area.width, x, spec.x.log),
    from_y: (pixel) => off(1 - (pixel - top) / area.height, y, spec.y.log),
  };
  const root = chart.element;
  root.append(svg("rect", { width, height, fill: palette.panel }));
  draw_axes(root, chart, spec, palette);
  const clip = `c${Math.random().toString(36).slice(2)}`;
  root.append(
    svg(
      "defs",
      {},
      svg("clipPath", { id: clip }, svg("rect", { x: left, y: top, width: area.width, height: area.height })),
    ),
  );
  const inside = svg("g", { "clip-path": `url(#${clip})` });
  if (spec.circle) {
    inside.append(
      svg("ellipse", {
        cx: chart.to_x(0),
        cy: chart.to_y(0),
        rx: chart.to_x(1) - chart.to_x(0),
        ry: chart.to_y(0) - chart.to_y(1),
        fill: "none",
        stroke: palette.muted,
        "stroke-dasharray": "5 4",
      }),
    );
  }
  for (const curve of spec.curves) draw_curve(inside, chart, curve, spec);
  root.append(inside);
  if (spec.title)
    root.append(
      svg(
        "text",
        { x: left, y: 19, "font-size": 14, "font-weight": 600 },
        short(spec.title, Math.floor(area.width / 7)),
      ),
    );
  if (spec.legend) draw_legend(root, spec, left, spec.title ? 38 : 16, width);
  return chart;
}

function widen(range: [number, number], span: number): [number, number] {
  const middle = (range[0] + range[1]) / 2;
  return [middle - span / 2, middle + span / 2];
}

function draw_axes(root: SVGElement, chart: Chart, spec: ChartSpec, palette: Palette): void {
  const { left, top, width, height } = chart.area;
  const marks = (scale: Scale, range: [number, number], about: number): { at: number[]; text: string[] } => {
    if (scale.log) return log_ticks(range[0], range[1]);
    const at = ticks(range[0], range[1], about);
    return { at, text: tick_labels(at) };
  };
  const on_x = marks(spec.x, chart.view.x, Math.max(2, width / 90)),
    on_y = marks(spec.y, chart.view.y, Math.max(2, height / 45));
  const lines = svg("g", { stroke: palette.line, "stroke-width": 1 }),
    labels = svg("g", { fill: palette.muted, "font-size": 11 });
  on_x.at.forEach((value, i) => {
    const p = chart.to_x(value);
    lines.append(svg("line", { x1: p, x2: p, y1: top, y2: top + height }));
    labels.append(svg("text", { x: p, y: top + height + 15, "text-anchor": "middle" }, on_x.text[i]));
  });
  on_y.at.forEach((value, i) => {
    const p = chart.to_y(value);
    lines.append(svg("line", { x1: left, x2: left + width, y1: p, y2: p }));
    labels.append(svg("text", { x: left - 6, y: p + 4, "text-anchor": "end" }, on_y.text[i]));
  });
  root.append(
    lines,
    svg("rect", {
      x: left,
      y: top,
      width,
      height,
      fill: "none",
      stroke: palette.muted,
      "stroke-opacity": 0.6,
    }),
    labels,
  );
  root.append(
    svg(
      "text",
      { x: left + width / 2, y: top + height + 34, "text-anchor": "middle" },
      axis_label(spec.x, width),
    ),
    svg(
      "text",
      { transform: `translate(14 ${top + height / 2}) rotate(-90)`, "text-anchor": "middle" },
      axis_label(spec.y, height),
    ),
  );
}

export function axis_label(scale: Scale, pixels = 600): string {
  const label = middle(scale.label, Math.max(8, Math.floor(pixels / 7)));
  return scale.unit ? `${label}${label ? " " : ""}[${unit(scale.unit)}]` : label;
}

function draw_curve(root: SVGElement, chart: Chart, curve: Curve, spec: ChartSpec): void {
  let path = "",
    pen = false,
    last_x = 0,
    last_y = 0;
  const dots = svg(
    "g",
    curve.dash ? { fill: "none", stroke: curve.colour, "stroke-width": 1.8 } : { fill: curve.colour },
  );
  const n = Math.min(curve.x.length, curve.y.length);
  for (let i = 0; i < n; ++i) {
    const vx = curve.x[i],
      vy = curve.y[i];
    if (vx === undefined || vy === undefined) continue;
    if (!usable(vx, spec.x.log) || !usable(vy, spec.y.log)) {
      pen = false;
      continue;
    }
    const px = chart.to_x(vx),
      py = chart.to_y(vy);
    if (curve.points)
      dots.append(
        svg("circle", { cx: px.toFixed(1), cy: py.toFixed(1), r: 4, "data-i": i, "pointer-events": "all" }),
      );
    // less than a third of a pixel is not seen
    if (pen && i < n - 1 && Math.abs(px - last_x) < 0.3 && Math.abs(py - last_y) < 0.3) continue;
    path += `${pen ? "L" : "M"}${px.toFixed(1)} ${py.toFixed(1)}`;
    pen = true;
    last_x = px;
    last_y = py;
  }
  if (curve.line && path) {
    root.append(
      svg("path", {
        d: path,
        fill: "none",
        stroke: curve.colour,
        "stroke-width": 1.6,
        "stroke-linejoin": "round",
        ...(curve.dash ? { "stroke-dasharray": curve.dash } : {}),
      }),
    );
  }
  if (curve.points) root.append(dots);
}

/// As wide as the longest name, as far as there is room.
function legend_columns(spec: ChartSpec, width: number): { across: number; step: number; letters: number } {
  const longest = Math.max(0, ...spec.curves.map((curve) => curve.name.length));
  const step = Math.min(Math.max(190, 36 + 6.5 * longest), Math.max(width, 190));
  return { across: Math.max(1, Math.floor(width / step)), step, letters: Math.floor((step - 36) / 6.2) };
}

function draw_legend(root: SVGElement, spec: ChartSpec, left: number, top: number, width: number): void {
  const { across, step, letters } = legend_columns(spec, width - left);
  spec.curves.slice(0, 8 * across).forEach((curve, i) => {
    const x = left + step * (i % across),
      y = top + 17 * Math.floor(i / across);
    root.append(
      svg("line", {
        x1: x,
        x2: x + 22,
        y1: y - 4,
        y2: y - 4,
        stroke: curve.colour,
        "stroke-width": 2.5,
        ...(curve.dash ? { "stroke-dasharray": curve.dash } : {}),
      }),
      svg("text", { x: x + 28, y, "font-size": 11 }, middle(curve.name, letters)),
    );
  });
}

/// Charts below each other as one drawing.
export function stack_charts(charts: Chart[]): SVGElement {
  if (charts.length === 1) return charts[0].element;
  const size = (chart: Chart, name: string): number => Number(chart.element.getAttribute(name));
  const width = Math.max(0, ...charts.map((chart) => size(chart, "width"))),
    height = charts.reduce((sum, chart) => sum + size(chart, "height"), 0);
  const root = svg("svg", {
    xmlns: "http://www.w3.org/2000/svg",
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
  });
  let y = 0;
  for (const chart of charts) {
    chart.element.setAttribute("y", String(y));
    y += size(chart, "height");
    root.append(chart.element);
  }
  return root;
}

/// A drawing as a file.
export function svg_text(drawing: SVGElement): string {
  return new XMLSerializer().serializeToString(drawing);
}

export async function png_of(drawing: SVGElement, scale = 2): Promise<Blob> {
  const width = Number(drawing.getAttribute("width")),
    height = Number(drawing.getAttribute("height"));
  const url = URL.createObjectURL(new Blob([svg_text(drawing)], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    await new Promise<void>((done, failed) => {
      image.onload = () => done();
      image.onerror = () => failed(new Error("the browser could not draw the picture"));
      image.src = url;
    });
    const canvas = document.createElement("canvas");
    canvas.width = width * scale;
    canvas.height = height * scale;
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise<Blob>((done, failed) =>
      canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error("no picture"))), "image/png"),
    );
  } finally {
    URL.revokeObjectURL(url);
  }
}
