// A chart in the page that is zoomed by dragging a box: figures, and channels over a channel.
import { el, svg } from "../dom";
import type { Theme } from "../theme";
import { draw_chart } from "./chart";
import type { Chart, ChartSpec } from "./chart";

export class XyView {
  readonly root = el("div", { class: "xy", role: "img" });
  chart: Chart | null = null;
  private view: ChartSpec["view"] = null;
  private width = 0;
  private markers: SVGElement[] = [];
  private readonly box = el("div", { class: "zoom-box", hidden: true });
  private readonly tip = el("div", { class: "tip", hidden: true });
  /// What to say of point i of curve c; "" for nothing.
  tip_of: (curve: number, i: number) => string = () => "";
  on_point: (curve: number, i: number) => void = () => {};

  constructor(
    private readonly spec: () => ChartSpec,
    private readonly theme: Theme,
    private readonly height: number,
  ) {
    this.root.style.height = `${height}px`;
    new ResizeObserver(() => {
      if (Math.abs(this.root.clientWidth - this.width) > 1) this.draw();
    }).observe(this.root);
    this.root.append(this.box, this.tip);
    this.listen();
  }

  draw(): void {
    this.width = this.root.clientWidth;
    if (this.width < 40) return;
    this.chart?.element.remove();
    const spec = this.spec();
    this.chart = draw_chart({ ...spec, view: this.view }, this.width, this.height, this.theme.palette);
    const name = spec.title || spec.curves.map((curve) => curve.name).join(", ");
    this.root.setAttribute("aria-label", `chart: ${name} over ${spec.x.label}`.slice(0, 300));
    this.root.prepend(this.chart.element);
    this.markers = [];
  }

  /// Rings at places that move with the time.
  mark(places: { x: number; y: number; colour: string }[]): void {
    const chart = this.chart;
    if (!chart) return;
    while (this.markers.length < places.length) {
      const ring = svg("circle", { r: 5, fill: "none", "stroke-width": 2.5 });
      chart.element.append(ring);
      this.markers.push(ring);
    }
    places.forEach(({ x, y, colour }, i) => {
      const px = chart.to_x(x),
        py = chart.to_y(y);
      const ring = this.markers[i];
      ring.setAttribute("visibility", Number.isFinite(px) && Number.isFinite(py) ? "visible" : "hidden");
      if (!Number.isFinite(px) || !Number.isFinite(py)) return;
      ring.setAttribute("cx", px.toFixed(1));
      ring.setAttribute("cy", py.toFixed(1));
      ring.setAttribute("stroke", colour);
    });
  }

  private place(event: PointerEvent | MouseEvent): { x: number; y: number } {
    const box = this.root.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  private listen(): void {
    let from: { x: number; y: number } | null = null;
    this.root.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || !this.chart) return;
      from = this.place(event);
    });
    this.root.addEventListener("pointermove", (event) => {
      const at = this.place(event);
      if (!from) return this.hover(at);
      const style = this.box.style;
      this.box.hidden = Math.hypot(at.x - from.x, at.y - from.y) < 5;
      style.left = `${Math.min(at.x, from.x)}px`;
      style.top = `${Math.min(at.y, from.y)}px`;
      style.width = `${Math.abs(at.x - from.x)}px`;
      style.height = `${Math.abs(at.y - from.y)}px`;
    });
    this.root.addEventListener("pointerleave", () => {
      this.tip.hidden = true;
    });
    window.addEventListener("pointerup", (event) => {
      if (!from || !this.chart) return;
      const start = from,
        at = this.place(event),
        chart = this.chart;
      from = null;
      this.box.hidden = true;
      if (Math.abs(at.x - start.x) < 5 || Math.abs(at.y - start.y) < 5) {
        const hit = this.nearest(start);
        if (hit && Math.hypot(at.x - start.x, at.y - start.y) < 5) this.on_point(hit.curve, hit.i);
        return;
      }
      const xs = [chart.from_x(start.x), chart.from_x(at.x)].sort((a, b) => a - b) as [number, number];
      const ys = [chart.from_y(start.y), chart.from_y(at.y)].sort((a, b) => a - b) as [number, number];
      this.view = { x: xs, y: ys };
      this.draw();
    });
    this.root.addEventListener("dblclick", () => {
      this.view = null;
      this.draw();
    });
  }

  private nearest(at: { x: number; y: number }): { curve: number; i: number; distance: number } | null {
    const chart = this.chart;
    if (!chart) return null;
    let best: { curve: number; i: number; distance: number } | null = null;
    this.spec().curves.forEach((curve, c) => {
      for (let i = 0; i < curve.x.length; ++i) {
        const x = curve.x[i],
          y = curve.y[i];
        if (x === null || y === null || x === undefined || y === undefined) continue;
        const distance = Math.hypot(chart.to_x(x) - at.x, chart.to_y(y) - at.y);
        if (distance < (best?.distance ?? 12)) best = { curve: c, i, distance };
      }
    });
    return best;
  }

  private hover(at: { x: number; y: number }): void {
    const hit = this.nearest(at),
      text = hit ? this.tip_of(hit.curve, hit.i) : "";
    this.tip.hidden = !text;
    if (!text) return;
    this.tip.textContent = text;
    this.tip.style.left = `${Math.min(at.x + 12, Math.max(this.width - 230, 0))}px`;
    this.tip.style.top = `${at.y + 12}px`;
  }
}
