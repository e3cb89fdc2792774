// Tables that sort, also those of the audit and the model.
import type { RawTable } from "../contract";
import { breakable, el, short } from "../dom";

export interface TableSpec {
  title?: string;
  columns: { name: string; align?: "left" | "right" }[];
  rows: string[][];
  on_row?: (row: number) => void; // rows that can be chosen
  can_choose?: (row: number) => boolean;
}

const kMostRows = 2000;
/// Where a value is from stands behind what it is, so that a narrow pane shows the values and the verdict.
const kSlim = ["case", "verdict"];
const kLast = ["tolerance", "source", "where"];

function as_number(text: string): number {
  const plain = text.replace(/−/g, "-").replace(/[\s×]/g, "");
  return plain === "" ? Number.NaN : Number.parseFloat(plain);
}

export function make_table(spec: TableSpec): HTMLElement {
  const order = spec.rows.map((_, i) => i);
  const body = el("tbody", {});
  const shown = columns_in_order(spec);
  // long texts wrap, but not to a word in each line
  const kinds = spec.columns.map((column, c) => {
    if (column.align === "right") return "num";
    if (!spec.rows.some((row) => String(row[c] ?? "").length > 16)) return "";
    return kLast.includes(column.name) ? "text late" : kSlim.includes(column.name) ? "text slim" : "text";
  });
  const heads = spec.columns.map((column, c) => {
    const head = el(
      "th",
      { scope: "col", class: kinds[c], "aria-sort": "none" },
      el(
        "button",
        { type: "button", class: "flat", title: "sort by this column", onclick: () => sort(c) },
        short(column.name),
      ),
    );
    return head;
  });
  let sorted = -1,
    direction = 1;

  const fill = (): void => {
    body.replaceChildren(
      ...order.slice(0, kMostRows).map((r) => {
        const row = el(
          "tr",
          {},
          ...shown.map((c) => {
            const text = short(String(spec.rows[r][c] ?? ""), 2000);
            return el("td", { class: kinds[c] }, ...(kinds[c] === "num" ? [text] : breakable(text)));
          }),
        );
        if (spec.on_row && (spec.can_choose?.(r) ?? true)) {
          const choose = (): void => spec.on_row?.(r);
          row.classList.add("choose");
          row.tabIndex = 0;
          row.addEventListener("click", choose);
          row.addEventListener("keydown", (event) => {
            if (event.key === "Enter") choose();
          });
        }
        return row;
      }),
    );
  };
  const sort = (c: number): void => {
    direction = sorted === c ? -direction : 1;
    sorted = c;
    const numeric = spec.rows.every((row) => !row[c] || !Number.isNaN(as_number(row[c])) || row[c] === "–");
    order.sort((a, b) => {
      const x = spec.rows[a][c] ?? "",
        y = spec.rows[b][c] ?? "";
      if (!numeric) return direction * x.localeCompare(y, undefined, { numeric: true }) || a - b;
      const u = as_number(x),
        v = as_number(y);
      if (Number.isNaN(u) || Number.isNaN(v))
        return Number(Number.isNaN(u)) - Number(Number.isNaN(v)) || a - b; // empty ones last
      return direction * (u - v) || a - b;
    });
    heads.forEach((head, i) =>
      head.setAttribute("aria-sort", i === c ? (direction > 0 ? "ascending" : "descending") : "none"),
    );
    fill();
  };
  fill();
  const table = el(
    "table",
    {},
    spec.title ? el("caption", {}, short(spec.title)) : null,
    el("thead", {}, el("tr", {}, ...shown.map((c) => heads[c]))),
    body,
  );
  const rest = spec.rows.length - kMostRows;
  return el(
    "div",
    { class: "table-box", tabindex: 0, role: "region", "aria-label": short(spec.title ?? "table", 100) },
    table,
    rest > 0 ? el("p", { class: "muted" }, `and ${rest} more rows`) : null,
  );
}

/// Numbers of the columns as they are shown; a column of nothing is not.
function columns_in_order({ columns, rows }: TableSpec): number[] {
  const rank = (c: number): number => kLast.indexOf(columns[c].name);
  const full = (c: number): boolean => !rows.length || rows.some((row) => String(row[c] ?? "") !== "");
  return columns
    .map((_, c) => c)
    .filter(full)
    .sort((a, b) => rank(a) - rank(b) || a - b);
}

export function tables_pane(tables: RawTable[], select: (result: number) => void): HTMLElement {
  return el(
    "div",
    { class: "page-pane" },
    ...tables.map((table) =>
      make_table({
        title: table.title,
        columns: table.columns ?? [],
        rows: table.rows ?? [],
        on_row: table.result ? (row) => select(table.result?.[row] ?? -1) : undefined,
        can_choose: (row) => (table.result?.[row] ?? -1) >= 0,
      }),
    ),
  );
}
