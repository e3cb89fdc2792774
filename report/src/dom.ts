// Elements. Texts of the data enter the page only here, as text nodes.

type Child = Node | string | null | undefined | false;
type Props = Record<string, string | number | boolean | undefined | ((event: any) => void)>;

/// An element: `on…` are listeners, the rest attributes; strings become text.
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  add(element, children);
  return element;
}

export function add(parent: Node, children: Child[]): void {
  for (const child of children) {
    if (child) parent.appendChild(typeof child === "string" ? document.createTextNode(child) : child);
  }
}

const kSvg = "http://www.w3.org/2000/svg";
export function svg(
  tag: string,
  props: Record<string, string | number> = {},
  ...children: Child[]
): SVGElement {
  const element = document.createElementNS(kSvg, tag);
  for (const [key, value] of Object.entries(props)) element.setAttribute(key, String(value));
  add(element, children);
  return element;
}

/// A line drawing of 24 units: path data only, from this file's callers.
export function icon(path: string): SVGElement {
  return svg("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, svg("path", { d: path }));
}

export function button(
  label: string,
  content: Child,
  onclick: (event: MouseEvent) => void,
  props: Props = {},
): HTMLButtonElement {
  return el("button", { type: "button", "aria-label": label, title: label, onclick, ...props }, content);
}

/// Names may be 1e5 letters long: enough of them to recognise one.
export function short(text: string, most = 300): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/// The beginning and the end of a long text: of names the end tells most.
export function middle(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = Math.floor((most - 1) / 2);
  return `${text.slice(0, most - 1 - end)}…${end > 0 ? text.slice(-end) : ""}`;
}

/// A name that may go on in the next line after each of its dots and low lines.
export function breakable(text: string): Child[] {
  return text.split(/(?<=[._])(?=[^\s\d])/u).flatMap((part, i) => (i ? [el("wbr"), part] : [part]));
}

/// Lets a file be saved.
export function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = el("a", { href: url, download: file_name(name) });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

export function file_name(name: string): string {
  return (
    name
      .replace(/[^\p{L}\p{N}._-]+/gu, "-")
      .replace(/^[-.]+/, "")
      .slice(0, 120) || "haltere"
  );
}
