// One pane of plots: channels of the shown results over time (uPlot) or over another channel.
import uPlot from "uplot";
import type { Clock } from "../clock";
import { button, el, icon, save, short } from "../dom";
import { number, shown_unit, tick_labels, unit } from "../numbers";
import type { Channel, Result } from "../result";
import type { Theme } from "../theme";
import { draw_chart, png_of, svg_text } from "./chart";
import type { ChartSpec, Curve } from "./chart";
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

const kMostLines = 32;
const kDashes = ["", "7 4", "2 3", "10 3 2 3"];
const kHeight = 230;

export class Pane {
  readonly root = el("section", { class: "pane", tabindex: "0" });
  private readonly chips = el("div", { class: "chips" });
  private readonly host = el("div", { class: "plot-host" });
  private readonly title = el("span", { class: "pane-title" });
  private readonly now = el("div", { class: "now-line" });
  private readonly note = el("span", { class: "muted" });
  private lines: Line[] = [];
  private plot: uPlot | null = null;
  private xy: XyView | null = null;
  private aligned: Aligned = { x: [], rows: [] };
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
    this.plot?.destroy();
    this.plot = null;
    this.xy = null;
    this.host.replaceChildren();
    if (this.width < 40) return;
    if (!this.lines.length) {
      this.host.append(el("p", { class: "empty" }, "Choose a channel from the list: it is drawn here."));
      return;
    }
    this.state.x ? this.make_xy() : this.make_plot();
    this.tick();
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
          el("span", { class: "chip-name" }, short(line.name)),
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

  private make_plot(): void {
    const { shared } = this,
      palette = shared.theme.palette;
    const units = [...new Set(this.lines.map((line) => line.unit))];
    this.realign();
    const font = "11px system-ui, sans-serif";
    const axis = (scale: string, side: number, label: string, grid: boolean): uPlot.Axis => ({
      scale,
      side,
      label,
      labelSize: 18,
      labelFont: font,
      font,
      stroke: palette.muted,
      size: side === 2 ? 30 : 58,
      grid: { show: grid, stroke: palette.line, width: 1 },
      ticks: { show: false },
      values: (_, list) => tick_labels(list),
    });
    const scales: uPlot.Scales = { x: { time: false, range: () => this.shared.view } };
    units.forEach((_, i) => {
      scales[`y${i}`] = { range: (_plot, low, high) => padded(low, high) };
    });
    const options: uPlot.Options = {
      width: this.width,
      height: kHeight,
      scales,
      legend: { show: false },
      padding: [8, units.length > 1 ? 0 : 20, 0, 0],
      axes: [
        axis("x", 2, "time [s]", true),
        axis("y0", 3, unit_label(units[0]), true),
        ...(units.length > 1 ? [axis("y1", 1, unit_label(units[1]), false)] : []),
      ],
      series: [
        {},
        ...this.lines.map((line): uPlot.Series => ({
          label: line.name.slice(0, 100),
          scale: `y${units.indexOf(line.unit)}`,
          stroke: line.colour,
          width: 1.5,
          dash: line.dash ? line.dash.split(" ").map(Number) : undefined,
          points: { show: this.lines.length * this.aligned.x.length < 60 },
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
    this.plot = new uPlot(options, this.data(), this.host);
    this.plot.over.append(this.now);
    this.listen(this.plot.over);
  }

  private listen(over: HTMLElement): void {
    let down = 0;
    const time_at = (event: PointerEvent): number | null => {
      const plot = this.plot;
      return plot ? plot.posToVal(event.clientX - over.getBoundingClientRect().left, "x") : null;
    };
    over.addEventListener("pointerdown", (event) => {
      down = event.clientX;
    });
    over.addEventListener("pointerup", (event) => {
      const t = time_at(event);
      if (event.button === 0 && t !== null && Math.abs(event.clientX - down) < 4) this.shared.clock.seek(t);
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

  private realign(): void {
    const [from, to] = this.shared.view;
    this.aligned = align(this.lines, from, to, this.width);
  }
  private data(): uPlot.AlignedData {
    return [this.aligned.x, ...this.aligned.rows] as uPlot.AlignedData;
  }

  /// The stretch of time has changed.
  zoomed(): void {
    if (!this.plot) return;
    this.realign();
    this.plot.setData(this.data());
  }

  /// The time has changed, or the pointer: no curve is drawn again.
  tick(): void {
    const t = this.shared.hover ?? this.shared.clock.time;
    for (const line of this.lines) {
      const value = line.channel.value(t) * line.factor;
      line.value.textContent = line.unit ? `${number(value, 6)} ${unit(line.unit)}` : number(value, 6);
      line.value.dataset.value = String(value);
    }
    if (this.plot) {
      const x = this.plot.valToPos(this.shared.clock.time, "x");
      this.now.style.transform = `translateX(${Math.round(2 * x) / 2}px)`;
    } else if (this.xy) {
      this.xy.mark(this.marks(this.shared.clock.time));
    }
  }

  // -- over a channel ---------------------------------------------------------------------------------------

  private make_xy(): void {
    this.xy = new XyView(() => this.spec(false), this.shared.theme, kHeight + 60);
    this.host.style.height = `${kHeight + 60}px`;
    this.host.append(this.xy.root);
    this.xy.draw();
  }

  private x_channel(line: Line): { channel: Channel; factor: number; unit: string } | null {
    const channel = line.channel.result.by_name.get(this.state.x ?? "");
    return channel ? { channel, ...shown_unit(channel.unit, this.shared.degrees) } : null;
  }

  private marks(t: number): { x: number; y: number; colour: string }[] {
    return this.lines.flatMap((line) => {
      const x = this.x_channel(line);
      return x
        ? [{ x: x.channel.value(t) * x.factor, y: line.channel.value(t) * line.factor, colour: line.colour }]
        : [];
    });
  }

  /// The pane as a chart: what is seen over a channel, and what is saved of any pane.
  private spec(legend: boolean): ChartSpec {
    const units = [...new Set(this.lines.map((line) => line.unit))];
    const label = this.state.channels.length === 1 ? this.state.channels[0] : "";
    const y = { label, unit: units.join(", ") };
    if (!this.state.x) {
      const curves = this.lines.map((line, i): Curve => ({
        ...line,
        x: this.aligned.x,
        y: this.aligned.rows[i],
        line: true,
        points: false,
      }));
      const view = extent_of(this.aligned, this.shared.view);
      return { title: this.state.title, x: { label: "time", unit: "s" }, y, curves, legend, view };
    }
    let x_unit = "";
    const curves = this.lines.flatMap((line): Curve[] => {
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
    return { title: this.state.title, x: { label: this.state.x, unit: x_unit }, y, curves, legend };
  }

  // -- files ------------------------------------------------------------------------------------------------

  private file(extension: string): string {
    return `${short(this.state.title || this.state.channels.join("-"), 60)}.${extension}`;
  }
  private chart(): ReturnType<typeof draw_chart> {
    return draw_chart(this.spec(true), 900, 480, this.shared.theme.palette);
  }
  private save_svg(): void {
    save(new Blob([svg_text(this.chart())], { type: "image/svg+xml" }), this.file("svg"));
  }
  private async save_png(): Promise<void> {
    save(await png_of(this.chart(), 900, 480), this.file("png"));
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

function extent_of(aligned: Aligned, view: [number, number]): ChartSpec["view"] {
  let low = Number.POSITIVE_INFINITY,
    high = Number.NEGATIVE_INFINITY;
  for (const row of aligned.rows) {
    for (const value of row) {
      if (value === null || value === undefined) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return { x: view, y: padded(Number.isFinite(low) ? low : null, Number.isFinite(high) ? high : null) };
}
