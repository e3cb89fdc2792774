// Figures that an analysis wrote: work-precision, root loci, multipliers, convergence.
import type { RawFigure } from "../contract";
import type { Data } from "../decode";
import { button, el, save, short } from "../dom";
import { number, unit } from "../numbers";
import { draw_chart, png_of, svg_text } from "../plots/chart";
import type { ChartSpec } from "../plots/chart";
import { XyView } from "../plots/xy";
import type { Theme } from "../theme";

export function figures_pane(
  figures: RawFigure[],
  data: Data,
  theme: Theme,
  select: (result: number) => void,
): HTMLElement {
  const views: XyView[] = [];
  theme.listen(() => {
    for (const view of views) view.draw();
  });
  return el(
    "div",
    { class: "page-pane figures" },
    ...figures.map((figure) => {
      const arrays = figure.series.map((series) => ({
        x: data.doubles(series.x),
        y: data.doubles(series.y),
      }));
      const spec = (): ChartSpec => ({
        title: figure.title,
        x: figure.x,
        y: figure.y,
        equal: figure.equal,
        circle: figure.circle,
        legend: figure.series.length > 1,
        curves: figure.series.map((series, i) => ({
          name: series.name,
          colour: theme.palette.curves[i % theme.palette.curves.length],
          x: arrays[i].x,
          y: arrays[i].y,
          dash: ["", "7 4", "2 3"][Math.floor(i / theme.palette.curves.length) % 3], // where colours come again
          line: series.line ?? !series.points,
          points: series.points ?? false,
        })),
      });
      const view = new XyView(spec, theme, figure.equal ? 460 : 380);
      views.push(view);
      view.tip_of = (c, i) => {
        const series = figure.series[c];
        if (!series) return "";
        const place = `${number(arrays[c].x[i], 6)}${figure.x.unit ? ` ${unit(figure.x.unit)}` : ""}, ${number(arrays[c].y[i], 6)}${figure.y.unit ? ` ${unit(figure.y.unit)}` : ""}`;
        return short(`${series.name}${series.text?.[i] ? `: ${series.text[i]}` : ""} (${place})`, 400);
      };
      view.on_point = (c, i) => select(figure.series[c]?.result?.[i] ?? -1);
      const drawing = (): SVGElement =>
        draw_chart({ ...spec(), legend: true }, 900, 600, theme.palette).element;
      return el(
        "section",
        { class: "pane figure" },
        el(
          "header",
          { class: "pane-head" },
          el("span", { class: "spacer" }),
          button(
            "picture (PNG) of this figure",
            "PNG",
            () => void png_of(drawing()).then((blob) => save(blob, `${short(figure.title, 60)}.png`)),
            { class: "flat" },
          ),
          button(
            "drawing (SVG) of this figure",
            "SVG",
            () =>
              save(
                new Blob([svg_text(drawing())], { type: "image/svg+xml" }),
                `${short(figure.title, 60)}.svg`,
              ),
            { class: "flat" },
          ),
        ),
        view.root,
      );
    }),
  );
}
