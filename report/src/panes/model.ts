// What was computed: bodies and joints, the text of the model with its problems, settings, how to run it
// again.
import type { RawNode, RawProblem } from "../contract";
import { button, el, short } from "../dom";
import { number, unit, with_unit } from "../numbers";
import type { Result } from "../result";
import { make_table } from "./tables";

export function model_pane(result: Result): HTMLElement {
  const raw = result.raw,
    parts: (HTMLElement | null)[] = [];
  parts.push(
    el(
      "header",
      { class: "result-head" },
      el("h2", {}, short([raw.model, raw.case].filter(Boolean).join(" · ") || result.name)),
    ),
  );
  if (raw.reference) parts.push(el("p", { class: "muted" }, short(raw.reference, 2000)));
  if (raw.command) parts.push(el("h3", {}, "Run it again"), command(raw.command));
  const facts = [
    ...(raw.settings ?? []),
    ...(raw.version ? [["haltere", raw.version] as [string, string]] : []),
  ];
  if (facts.length) {
    parts.push(
      el("h3", {}, "Settings"),
      el(
        "dl",
        { class: "facts" },
        ...facts.flatMap(([label, text]) => [
          el("dt", {}, short(label)),
          el("dd", {}, short(String(text), 1000)),
        ]),
      ),
    );
  }
  if (raw.tree?.length) parts.push(el("h3", {}, "Bodies and joints"), tree(raw.tree));
  if (raw.parameters?.length) {
    parts.push(
      make_table({
        title: "Parameters",
        columns: [{ name: "parameter" }, { name: "value", align: "right" }, { name: "unit" }],
        rows: raw.parameters.map(([name, value, of]) => [name, number(value, 8), unit(of ?? "")]),
      }),
    );
  }
  if (raw.model_text) parts.push(el("h3", {}, "Model"), source(raw.model_text, raw.problems ?? []));
  return el("div", { class: "page-pane" }, ...parts);
}

function command(text: string): HTMLElement {
  const copy = button("copy the command", "copy", () => {
    // the clipboard may be denied to a file: what is selected can be copied by hand
    navigator.clipboard?.writeText(text).then(
      () => {
        copy.textContent = "copied";
      },
      () => getSelection()?.selectAllChildren(code),
    );
  });
  const code = el("code", {}, short(text, 5000));
  return el("div", { class: "command" }, code, copy);
}

function tree(nodes: RawNode[]): HTMLElement {
  const children = new Map<string, RawNode[]>();
  for (const node of nodes) children.set(node.parent, [...(children.get(node.parent) ?? []), node]);
  const seen = new Set<string>();
  const branch = (parent: string, depth: number): HTMLElement | null => {
    const list = (children.get(parent) ?? []).filter((node) => !seen.has(node.body));
    if (!list.length || depth > 200) return null;
    for (const node of list) seen.add(node.body);
    return el(
      "ul",
      {},
      ...list.map((node) =>
        el(
          "li",
          {},
          el(
            "span",
            { class: "node" },
            el("b", {}, short(node.body)),
            el(
              "span",
              { class: "muted" },
              short(
                [
                  node.kind,
                  node.joint && node.joint !== node.body ? `“${node.joint}”` : "",
                  with_unit(node.mass, "kg", 4),
                ]
                  .filter(Boolean)
                  .join(" · "),
                400,
              ),
            ),
          ),
          branch(node.body, depth + 1),
        ),
      ),
    );
  };
  return el("div", { class: "tree" }, branch("", 0) ?? el("p", {}, "no bodies"));
}

function source(text: string, problems: RawProblem[]): HTMLElement {
  const by_line = new Map<number, RawProblem[]>();
  for (const problem of problems) by_line.set(problem.line, [...(by_line.get(problem.line) ?? []), problem]);
  const most = 20_000,
    lines = text.split("\n", most + 1);
  const rows: HTMLElement[] = [];
  lines.slice(0, most).forEach((line, i) => {
    const own = by_line.get(i + 1);
    rows.push(
      el(
        "div",
        { class: own ? `line ${own.some((p) => p.severity === "error") ? "bad" : "fair"}` : "line" },
        el("span", { class: "line-number", "aria-hidden": "true" }, String(i + 1)),
        el("span", { class: "line-text" }, short(line, 5000) || " "),
      ),
    );
    for (const problem of own ?? []) {
      rows.push(
        el(
          "div",
          { class: `line-problem ${problem.severity === "error" ? "bad" : "fair"}` },
          `${problem.severity}, column ${problem.column}: ${short(problem.text, 2000)}`,
        ),
      );
    }
  });
  return el(
    "div",
    { class: "source", tabindex: 0, role: "region", "aria-label": "text of the model" },
    ...rows,
  );
}
