// What a run says of itself: energy, drift, steps, notes, events, measures.
import type { Clock } from "../clock";
import { el, short } from "../dom";
import { number, unit } from "../numbers";
import type { Result } from "../result";
import { make_table } from "./tables";

const kBadge: Record<string, string> = {
  finished: "good",
  stopped: "fair",
  failed: "bad",
  interrupted: "fair",
  running: "fair",
};

export function audit_pane(result: Result, clock: Clock, dropped: string[]): HTMLElement {
  const raw = result.raw,
    parts: (HTMLElement | null)[] = [];
  parts.push(
    el(
      "header",
      { class: "result-head" },
      el("h2", {}, short(result.name)),
      el("span", { class: `badge ${kBadge[raw.outcome] ?? "fair"}` }, short(String(raw.outcome ?? ""), 40)),
      raw.audit
        ? el(
            "span",
            { class: `badge ${raw.audit.ok ? "good" : "bad"}` },
            raw.audit.ok ? "audit holds" : "audit does not hold",
          )
        : null,
    ),
  );
  if (raw.message)
    parts.push(
      el("p", { class: raw.outcome === "failed" ? "message bad" : "message" }, short(raw.message, 5000)),
    );
  if (raw.audit?.lines?.length)
    parts.push(
      el("h3", {}, "Audit"),
      el("pre", { class: "lines", tabindex: 0 }, raw.audit.lines.map((line) => short(line, 1000)).join("\n")),
    );
  if (!raw.audit && raw.outcome === "running")
    parts.push(el("p", { class: "muted message" }, "cut off: no audit was made"));
  if (raw.counts?.length) {
    parts.push(
      el("h3", {}, "Counts"),
      el(
        "dl",
        { class: "facts" },
        ...raw.counts.flatMap(([label, value]) => [
          el("dt", {}, short(label)),
          el("dd", {}, typeof value === "number" ? number(value, 8) : String(value)),
        ]),
      ),
    );
  }
  const notes = [...(raw.notes ?? []), ...dropped.map((text) => `left out of this page: ${text}`)];
  if (notes.length)
    parts.push(
      el("h3", {}, "Notes"),
      el("ul", { class: "notes" }, ...notes.map((text) => el("li", {}, short(text, 5000)))),
    );
  if (raw.events?.length) {
    const events = raw.events;
    parts.push(
      make_table({
        title: "Events",
        columns: [{ name: "time [s]", align: "right" }, { name: "event" }, { name: "what" }, { name: "end" }],
        rows: events.map((event) => [
          number(event.t, 8),
          event.name,
          event.what,
          event.stop ? "stops the run" : "",
        ]),
        on_row: (row) => clock.seek(events[row].t),
      }),
    );
  }
  if (raw.measures?.length) {
    parts.push(
      make_table({
        title: "Measures",
        columns: [
          { name: "measure" },
          { name: "kind" },
          { name: "of" },
          { name: "period" },
          { name: "value", align: "right" },
          { name: "unit" },
        ],
        rows: raw.measures.map((m) => [
          m.name,
          m.kind,
          m.of,
          typeof m.period === "number" ? number(m.period) : String(m.period ?? ""),
          m.value === null || m.value === undefined ? "–" : number(m.value, 8),
          unit(m.unit ?? ""),
        ]),
      }),
    );
  }
  return el("div", { class: "page-pane" }, ...parts);
}
