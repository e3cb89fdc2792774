// One pane of plots: channels of the shown results over time (uPlot) or over another channel.
import uPlot from "uplot";
import type { Clock } from "../clock";
import { breakable, button, el, icon, save, short } from "../dom";
import { number, shown_unit, tick_labels, unit } from "../numbers";
import type { Channel, Result } from "../result";
import type { Theme } from "../theme";
import { draw_chart, png_of, stack_charts, svg_text } from "./chart";
import type { Chart, ChartSpec, Curve } from "./chart";
import { align } from "./thin";
import type { Aligned } from "./thin";
import { XyView } from "./xy";

export interface PaneState {
  title: string;
  channels: string[];
  x: string | null;
}

/// What all panes share.
export interface Shared {
  clock: Clock;
  theme: Theme;
  view: [number, number]; // of time
  degrees: boolean;
  hover: number | null; // time under the pointer, in any pane
  visible: Result[];
  zoom(view: [number, number] | null): void;
  hovered(): void;
  changed(): void; // the list of panes or channels
}

interface Line {
  channel: Channel;
  name: string;
  colour: string;
  dash: string;
  factor: number;
  unit: string;
  value: HTMLElement;
}

/// One plot of a pane: with an axis on each side, it has two units at most.
interface Panel {
  lines: Line[];
  units: string[];
  aligned: Aligned;
  now: HTMLElement;
  plot: uPlot | null;
  xy: XyView | null;
}

const kMostLines = 32;
const kDashes = ["", "7 4", "2 3", "10 3 2 3"];
const kHeight = 230;
const kXyHeight = kHeight + 60;
const kAxisWidth = 58;
const kAxisLabel = 18;

export class Pane {
  readonly root = el("section", { class: "pane", tabindex: "0" });
  private readonly chips = el("div", { class: "chips" });
  private readonly host = el("div", { class: "plot-host" });
  private readonly title = el("span", { class: "pane-title" });
  private readonly note = el("span", { class: "muted" });
  private lines: Line[] = [];
  private panels: Panel[] = [];
  private width = 0;

  constructor(
    readonly state: PaneState,
    private readonly shared: Shared,
    close: () => void,
  ) {
    const tool = (label: string, text: string, use: () => void): HTMLElement =>
      button(`${label} of this pane`, text, use, { class: "flat" });
    const head = el(
      "header",
      { class: "pane-head" },
      this.title,
      this.note,
      el("span", { class: "spacer" }),
      tool("picture (PNG)", "PNG", () => void this.save_png()),
      tool("drawing (SVG)", "SVG", () => this.save_svg()),
      tool("values (CSV)", "CSV", () => this.save_csv()),
      button("remove this pane", icon("M6 6l12 12M18 6L6 18"), close, { class: "flat" }),
    );
    this.host.style.height = `${kHeight}px`;
    this.root.append(head, this.chips, this.host);
    new ResizeObserver(() => {
      if (Math.abs(this.host.clientWidth - this.width) > 1) this.rebuild();
    }).observe(this.host);
  }

  get empty(): boolean {
    return !this.lines.length;
  }

  /// Lines, colours and units again; then the plot.
  rebuild(): void {
    this.width = this.host.clientWidth;
    this.collect();
    this.fill_head();
    for (const panel of this.panels) panel.plot?.destroy();
    this.panels = [];
    this.host.replaceChildren();
    this.host.style.height = `${kHeight}px`;
    if (this.width < 40) return;
    if (!this.lines.length) {
      this.host.append(el("p", { class: "empty" }, "Choose a channel from the list: it is drawn here."));
      return;
    }
    // over time the first two units share a plot; a third axis would have no side
    const units = [...new Set(this.lines.map((line) => line.unit))];
    const shared = this.state.x ? units.slice(0, 1) : units.slice(0, 2);
    this.panels = [shared, ...units.slice(shared.length).map((name) => [name])].map((own) => this.panel(own));
    this.host.style.height = `${this.panels.length * (this.state.x ? kXyHeight : kHeight)}px`;
    for (const panel of this.panels) this.state.x ? this.make_xy(panel) : this.make_plot(panel);
    this.tick();
  }

  private panel(units: string[]): Panel {
    const lines = this.lines.filter((line) => units.includes(line.unit));
    const now = el("div", { class: "now-line" });
    return { lines, units, aligned: { x: [], rows: [] }, now, plot: null, xy: null };
  }

  private collect(): void {
    const palette = this.shared.theme.palette,
      results = this.shared.visible;
    const names = this.state.channels;
    const by_result = names.length === 1 && results.length > 1;
    this.lines = [];
    results.forEach((result, r) => {
      names.forEach((name, n) => {
        const channel = result.by_name.get(name);
        if (!channel || this.lines.length >= kMostLines) return;
        const shown = shown_unit(channel.unit, this.shared.degrees);
        this.lines.push({
          channel,
          name: results.length > 1 ? `${name} · ${result.name}` : name,
          colour: palette.curves[(by_result ? result.index : n) % palette.curves.length],
          dash: by_result ? "" : kDashes[r % kDashes.length],
          factor: shown.factor,
          unit: shown.unit,
          value: el("output", {}),
        });
      });
    });
  }

  private fill_head(): void {
    const { title, x, channels } = this.state;
    this.title.textContent = short(title || (x ? `over ${x}` : ""), 200);
    const wanted = channels.length * this.shared.visible.length;
    this.note.textContent = wanted > kMostLines ? `${kMostLines} of ${wanted} curves` : "";
    this.root.setAttribute("aria-label", `plot of ${short(channels.join(", "), 300)}`);
    this.chips.replaceChildren(
      ...this.lines.map((line) => {
        const swatch = el("span", { class: "swatch" });
        swatch.style.background = line.dash
          ? `repeating-linear-gradient(to right, ${line.colour} 0 6px, transparent 6px 9px)`
          : line.colour;
        return el(
          "span",
          { class: "chip", title: short(`${line.name}: ${line.channel.meaning}`, 400) },
          swatch,
          el("span", { class: "chip-name" }, ...breakable(short(line.name))),
          line.value,
          button(
            `remove ${short(line.channel.name, 80)}`,
            "×",
            () => {
              this.state.channels = this.state.channels.filter((name) => name !== line.channel.name);
              this.shared.changed();
              this.rebuild();
            },
            { class: "flat close" },
          ),
        );
      }),
    );
  }

  // -- over time --------------------------------------------------------------------------------------------

  private make_plot(panel: Panel): void {
    const { lines, units } = panel,
      palette = this.shared.theme.palette;
    this.realign(panel);
    const font = "11px system-ui, sans-serif";
    const axis = (scale: string, side: number, label: string, grid: boolean): uPlot.Axis => ({
      scale,
      side,
      label,
      labelSize: kAxisLabel,
      labelFont: font,
      font,
      stroke: palette.muted,
      size: side === 2 ? 30 : kAxisWidth,
      grid: { show: grid, stroke: palette.line, width: 1 },
      ticks: { show: false },
      values: (_, list) => tick_labels(list),
    });
    const scales: uPlot.Scales = { x: { time: false, range: () => widened(this.shared.view) } };
    units.forEach((_, i) => {
      scales[`y${i}`] = { range: (_plot, low, high) => padded(low, high) };
    });
    const options: uPlot.Options = {
      width: this.width,
      height: kHeight,
      scales,
      legend: { show: false },
      // plots below each other have one width, so that their times do
      padding: [8, units.length > 1 ? 0 : this.panels.length > 1 ? kAxisWidth + kAxisLabel : 20, 0, 0],
      axes: [
        axis("x", 2, "time [s]", true),
        axis("y0", 3, unit_label(units[0]), true),
        ...(units.length > 1 ? [axis("y1", 1, unit_label(units[1]), false)] : []),
      ],
      series: [
        {},
        ...lines.map((line): uPlot.Series => ({
          label: line.name.slice(0, 100),
          scale: `y${units.indexOf(line.unit)}`,
          stroke: line.colour,
          width: 1.5,
          pxAlign: 0, // else points fall on whole pixels, and slow curves become stairs
          dash: line.dash ? line.dash.split(" ").map(Number) : undefined,
          points: { show: lines.length * panel.aligned.x.length < 60 },
        })),
      ],
      cursor: {
        drag: { x: true, y: false, setScale: false },
        sync: { key: "haltere" },
        y: false,
        points: { size: 7 },
        bind: {
          dblclick: () => () => {
            this.shared.zoom(null);
            return null;
          },
        },
      },
      hooks: {
        setSelect: [
          (u) => {
            if (u.select.width > 4)
              this.shared.zoom([
                u.posToVal(u.select.left, "x"),
                u.posToVal(u.select.left + u.select.width, "x"),
              ]);
            if (u.select.width > 0) u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          },
        ],
      },
    };
    panel.plot = new uPlot(options, data_of(panel), this.host);
    panel.plot.over.append(panel.now);
    this.listen(panel.plot);
  }

  private listen(plot: uPlot): void {
    let down = 0;
    const over = plot.over;
    const time_at = (event: PointerEvent): number =>
      plot.posToVal(event.clientX - over.getBoundingClientRect().left, "x");
    over.addEventListener("pointerdown", (event) => {
      down = event.clientX;
    });
    over.addEventListener("pointerup", (event) => {
      if (event.button === 0 && Math.abs(event.clientX - down) < 4) this.shared.clock.seek(time_at(event));
    });
    over.addEventListener("pointermove", (event) => {
      this.shared.hover = time_at(event);
      this.shared.hovered();
    });
    over.addEventListener("pointerleave", () => {
      this.shared.hover = null;
      this.shared.hovered();
    });
  }

  private realign(panel: Panel): void {
    const [from, to] = this.shared.view;
    panel.aligned = align(panel.lines, from, to, this.width);
  }

  /// The stretch of time has changed.
  zoomed(): void {
    for (const panel of this.panels) {
      if (!panel.plot) continue;
      this.realign(panel);
      panel.plot.setData(data_of(panel));
    }
  }

  /// The time has changed, or the pointer: no curve is drawn again.
  tick(): void {
    const t = this.shared.hover ?? this.shared.clock.time;
    for (const line of this.lines) {
      const value = line.channel.value(t) * line.factor;
      line.value.textContent = line.unit ? `${number(value, 6)} ${unit(line.unit)}` : number(value, 6);
      line.value.dataset.value = String(value);
    }
    const now = this.shared.clock.time;
    for (const panel of this.panels) {
      if (panel.plot) {
        const x = panel.plot.valToPos(now, "x");
        panel.now.style.transform = `translateX(${Math.round(2 * x) / 2}px)`;
      }
      panel.xy?.mark(this.marks(panel.lines, now));
    }
  }

  // -- over a channel ---------------------------------------------------------------------------------------

  private make_xy(panel: Panel): void {
    // its title stands in the head of the pane
    panel.xy = new XyView(() => this.over_channel(panel.lines), this.shared.theme, kXyHeight);
    this.host.append(panel.xy.root);
    panel.xy.draw();
  }

  private x_channel(line: Line): { channel: Channel; factor: number; unit: string } | null {
    const channel = line.channel.result.by_name.get(this.state.x ?? "");
    return channel ? { channel, ...shown_unit(channel.unit, this.shared.degrees) } : null;
  }

  private marks(lines: Line[], t: number): { x: number; y: number; colour: string }[] {
    return lines.flatMap((line) => {
      const x = this.x_channel(line);
      return x
        ? [{ x: x.channel.value(t) * x.factor, y: line.channel.value(t) * line.factor, colour: line.colour }]
        : [];
    });
  }

  /// Lines of one unit over time: what is saved of a plot.
  private over_time(lines: Line[]): ChartSpec {
    const [from, to] = this.shared.view;
    const aligned = align(lines, from, to, this.width);
    const curves = lines.map((line, i): Curve => ({
      ...line,
      x: aligned.x,
      y: aligned.rows[i],
      line: true,
      points: false,
    }));
    const view = extent_of(aligned, widened(this.shared.view));
    return { title: "", x: { label: "time", unit: "s" }, y: axis_of(lines), curves, legend: false, view };
  }

  private over_channel(lines: Line[]): ChartSpec {
    let x_unit = "";
    const curves = lines.flatMap((line): Curve[] => {
      const over = this.x_channel(line);
      if (!over) return [];
      x_unit = over.unit;
      const n = line.channel.valid_rows,
        x = new Float64Array(n),
        values = new Float64Array(n);
      const same = over.channel.time === line.channel.time;
      for (let i = 0; i < n; ++i) {
        x[i] = (same ? over.channel.data[i] : over.channel.value(line.channel.time[i])) * over.factor;
        values[i] = line.channel.data[i] * line.factor;
      }
      return [{ ...line, x, y: values, line: true, points: false }];
    });
    const x = { label: this.state.x ?? "", unit: x_unit };
    return { title: "", x, y: axis_of(lines), curves, legend: false };
  }

  // -- files ------------------------------------------------------------------------------------------------

  private file(extension: string): string {
    return `${short(this.state.title || this.state.channels.join("-"), 60)}.${extension}`;
  }
  /// A chart for each unit, below each other.
  private drawing(): SVGElement {
    const units = [...new Set(this.lines.map((line) => line.unit))];
    const charts = units.map((name, i): Chart => {
      const lines = this.lines.filter((line) => line.unit === name);
      const spec = this.state.x ? this.over_channel(lines) : this.over_time(lines);
      const title = i === 0 ? this.state.title : "";
      return draw_chart({ ...spec, title, legend: true }, 900, 480, this.shared.theme.palette);
    });
    return stack_charts(charts);
  }
  private save_svg(): void {
    save(new Blob([svg_text(this.drawing())], { type: "image/svg+xml" }), this.file("svg"));
  }
  private async save_png(): Promise<void> {
    save(await png_of(this.drawing()), this.file("png"));
  }
  private save_csv(): void {
    save(new Blob([this.csv()], { type: "text/csv" }), this.file("csv"));
  }

  /// All rows of the stretch that is seen, SI: a column of time wherever the times differ from those before.
  csv(): string {
    const [from, to] = this.shared.view,
      heads: string[] = [],
      columns: { values: ArrayLike<number>; first: number; end: number }[] = [];
    let last: Float64Array | null = null;
    for (const { channel, name } of this.lines) {
      const [first, end] = channel.pyramid.rows(from, to);
      if (channel.time !== last) {
        heads.push("time [s]");
        columns.push({ values: channel.time, first, end });
        last = channel.time;
      }
      heads.push(`${name}${channel.unit ? ` [${channel.unit}]` : ""}`);
      columns.push({ values: channel.data, first, end });
    }
    const rows = [heads.map((head) => `"${head.replace(/"/g, '""')}"`).join(",")];
    const n = Math.max(0, ...columns.map((column) => column.end - column.first));
    for (let i = 0; i < n; ++i) {
      rows.push(
        columns.map(({ values, first, end }) => (first + i < end ? String(values[first + i]) : "")).join(","),
      );
    }
    return `${rows.join("\n")}\n`;
  }
}

function data_of({ aligned }: Panel): uPlot.AlignedData {
  return [aligned.x, ...aligned.rows] as uPlot.AlignedData;
}

/// The vertical axis of lines of one unit.
function axis_of(lines: Line[]): ChartSpec["y"] {
  const names = new Set(lines.map((line) => line.channel.name));
  return { label: names.size === 1 ? [...names][0] : "", unit: lines[0]?.unit ?? "" };
}

/// A single instant needs some width to be seen.
function widened([from, to]: [number, number]): [number, number] {
  const around = Math.abs(from) || 1;
  return to > from ? [from, to] : [from - around, from + around];
}

function unit_label(name: string): string {
  return name ? `[${unit(name)}]` : "";
}

function padded(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return [-1, 1];
  const size = Math.max(Math.abs(low), Math.abs(high));
  // what differs by rounding only is a straight line, not noise over the whole pane
  if (high - low <= 4e-7 * size || high === low)
    return size > 0 ? [low - 0.1 * size, high + 0.1 * size] : [-1, 1];
  return [low - 0.06 * (high - low), high + 0.06 * (high - low)];
}

function extent_of(aligned: Aligned, x: [number, number]): ChartSpec["view"] {
  let low = Number.POSITIVE_INFINITY,
    high = Number.NEGATIVE_INFINITY;
  for (const row of aligned.rows) {
    for (const value of row) {
      if (value === null || value === undefined) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return { x, y: padded(Number.isFinite(low) ? low : null, Number.isFinite(high) ? high : null) };
}
