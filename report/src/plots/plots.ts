// The plots: panes, the list of channels with its filter, presets.
import type { Clock } from "../clock";
import type { RawPane } from "../contract";
import { breakable, button, el, short } from "../dom";
import { unit } from "../numbers";
import type { Channel, Result } from "../result";
import { name_filter } from "../search";
import type { Theme } from "../theme";
import { Pane } from "./pane";
import type { PaneState, Shared } from "./pane";

const kMostListed = 400;
const kMostOfAGlob = 16;

export class Plots implements Shared {
  readonly root = el("div", { class: "plots" });
  view: [number, number];
  degrees = true;
  hover: number | null = null;
  visible: Result[] = [];
  private focus: Result | null = null;
  private panes: Pane[] = [];
  private active: Pane | null = null;
  private pending = 0;
  private x_next: string | null = null;
  private readonly list = el("div", { class: "channel-list" });
  private readonly count = el("span", { class: "muted", role: "status" });
  private readonly filter = el("input", {
    type: "search",
    placeholder: "filter: part of a name, or *.angle",
    "aria-label": "filter of channels",
    spellcheck: "false",
    oninput: () => this.fill_list(),
  });
  private readonly presets = el("select", {
    "aria-label": "presets",
    title: "presets",
    onchange: () => this.chose_preset(),
  });
  private readonly over = el("select", {
    "aria-label": "horizontal axis of new panes",
    title: "horizontal axis of new panes",
    onchange: () => {
      this.x_next = this.over.value || null;
    },
  });
  private readonly stack = el("div", { class: "pane-stack" });
  private readonly reset = button("show all of the time", "whole time", () => this.zoom(null), {
    hidden: true,
  });

  constructor(
    readonly clock: Clock,
    readonly theme: Theme,
  ) {
    this.view = [clock.start, clock.end];
    const units = button(
      "angles in degrees or radians",
      "deg",
      () => {
        this.degrees = !this.degrees;
        units.textContent = this.degrees ? "deg" : "rad";
        this.rebuild();
      },
      { class: "toggle" },
    );
    const channels = el(
      "details",
      { class: "channels-box", open: true },
      el("summary", {}, "Channels"),
      this.filter,
      this.count,
      this.list,
    );
    this.root.append(
      el(
        "div",
        { class: "plot-tools", role: "toolbar", "aria-label": "plots" },
        this.presets,
        button("add an empty pane", "+ pane", () => this.add({ title: "", channels: [], x: this.x_next })),
        this.over,
        units,
        this.reset,
      ),
      el("div", { class: "plot-body" }, channels, this.stack),
    );
    if (matchMedia("(max-width: 700px)").matches) channels.open = false;
    clock.listen(() => this.tick());
    theme.listen(() => this.rebuild());
  }

  show(visible: Result[], focus: Result): void {
    const changed = focus !== this.focus;
    this.visible = [focus, ...visible.filter((result) => result !== focus)].filter(
      (result) => result.channels.length,
    );
    const first = !this.focus;
    this.focus = focus;
    if (changed) {
      this.fill_presets();
      this.fill_over();
      this.fill_list();
    }
    if (first) this.first_panes();
    else this.rebuild();
  }

  /// Draws a channel in the pane that was used last.
  add_channel(name: string): void {
    const pane = this.active ?? this.panes[0];
    if (!pane) return this.add({ title: "", channels: [name], x: this.x_next });
    const at = pane.state.channels.indexOf(name);
    if (at >= 0) pane.state.channels.splice(at, 1);
    else pane.state.channels.push(name);
    pane.rebuild();
    this.changed();
  }

  get states(): PaneState[] {
    return this.panes.map((pane) => pane.state);
  }

  changed(): void {
    this.mark_list();
  }

  zoom(view: [number, number] | null): void {
    const whole: [number, number] = [this.clock.start, this.clock.end];
    const next = view ?? whole;
    if (!(next[1] > next[0])) return;
    this.view = [Math.max(next[0], whole[0]), Math.min(next[1], whole[1])];
    this.reset.hidden = this.view[0] === whole[0] && this.view[1] === whole[1];
    for (const pane of this.panes) pane.zoomed();
    this.tick();
  }

  hovered(): void {
    this.tick();
  }

  private tick(): void {
    if (this.pending) return;
    this.pending = requestAnimationFrame(() => {
      this.pending = 0;
      if (this.root.offsetParent) for (const pane of this.panes) pane.tick();
    });
  }

  rebuild(): void {
    for (const pane of this.panes) pane.rebuild();
  }

  add(state: PaneState): void {
    const pane: Pane = new Pane(state, this, () => {
      this.panes = this.panes.filter((other) => other !== pane);
      pane.root.remove();
      if (this.active === pane) this.activate(this.panes[0] ?? null);
      this.changed();
    });
    pane.root.addEventListener("pointerdown", () => this.activate(pane));
    pane.root.addEventListener("focusin", () => this.activate(pane));
    this.panes.push(pane);
    this.stack.append(pane.root);
    pane.rebuild();
    this.activate(pane);
  }

  private activate(pane: Pane | null): void {
    this.active = pane;
    for (const other of this.panes) other.root.classList.toggle("active", other === pane);
    this.mark_list();
  }

  private clear(): void {
    for (const pane of this.panes) pane.root.remove();
    this.panes = [];
    this.active = null;
  }

  // -- presets ----------------------------------------------------------------------------------------------

  private fill_presets(): void {
    const presets = this.focus?.raw.presets ?? [];
    this.presets.hidden = !presets.length;
    this.presets.replaceChildren(
      ...presets.map((preset, i) => el("option", { value: i }, short(preset.title, 80))),
    );
  }

  private chose_preset(): void {
    const preset = this.focus?.raw.presets?.[Number(this.presets.value)];
    if (!preset) return;
    this.clear();
    for (const pane of preset.panes) this.add(this.state_of(pane));
    this.activate(this.panes[0] ?? null);
  }

  private state_of(pane: RawPane): PaneState {
    const names = pane.channels.flatMap((text) => {
      const found = this.focus?.find([text]) ?? [];
      return found.slice(0, kMostOfAGlob).map((channel) => channel.name);
    });
    return { title: pane.title ?? "", channels: [...new Set(names)], x: pane.x ?? null };
  }

  private first_panes(): void {
    if (this.focus?.raw.presets?.length) return this.chose_preset();
    const channels = this.focus?.channels ?? [];
    const energy = ["energy.kinetic", "energy.potential", "energy.total"].filter((name) =>
      this.focus?.by_name.has(name),
    );
    const of = (pattern: RegExp): Channel[] => channels.filter((channel) => pattern.test(channel.name));
    const first =
      [
        of(/^joint\..*\.(angle|position)$/),
        of(/^body\..*\.position\.[xyz]$/).slice(0, 3),
        energy.length ? [] : channels,
      ]
        .find((list) => list.length)
        ?.slice(0, 4) ?? [];
    if (first.length)
      this.add({
        title: "",
        channels: first.filter((c) => c.unit === first[0].unit).map((c) => c.name),
        x: null,
      });
    if (energy.length) this.add({ title: "Energy", channels: energy, x: null });
    this.activate(this.panes[0] ?? null);
  }

  // -- list of channels -------------------------------------------------------------------------------------

  private fill_over(): void {
    const channels = this.focus?.channels ?? [];
    this.over.replaceChildren(
      el("option", { value: "" }, "over time"),
      ...channels
        .slice(0, kMostListed)
        .map((channel) => el("option", { value: channel.name }, `over ${short(channel.name, 60)}`)),
    );
    this.x_next = null;
  }

  private fill_list(): void {
    const passes = name_filter(this.filter.value);
    const found = (this.focus?.channels ?? []).filter((channel) => passes(channel.name));
    this.count.textContent =
      found.length > kMostListed ? `first ${kMostListed} of ${found.length}` : `${found.length}`;
    // under the body or joint they belong to, since names are longer than the list is wide
    const groups = new Map<string, Channel[]>();
    for (const channel of found.slice(0, kMostListed)) {
      const [group] = split_name(channel.name);
      groups.set(group, [...(groups.get(group) ?? []), channel]);
    }
    this.list.replaceChildren(
      ...[...groups].map(([group, channels]) =>
        el(
          "section",
          { "aria-label": `channels ${short(group)}` },
          group ? el("h4", { title: short(group) }, ...breakable(short(group))) : null,
          el("ul", {}, ...channels.map((channel) => this.item(channel))),
        ),
      ),
    );
    this.mark_list();
  }

  private item(channel: Channel): HTMLElement {
    const of = channel.unit ? ` [${unit(channel.unit)}]` : "";
    const title = short(`${channel.name}${of}${channel.meaning ? `: ${channel.meaning}` : ""}`, 500);
    const use = el(
      "button",
      {
        type: "button",
        class: "flat",
        title,
        "aria-label": short(`${channel.name}${of}`, 300),
        "aria-pressed": "false",
        onclick: () => this.add_channel(channel.name),
      },
      el("span", { class: "entry-name" }, ...breakable(short(split_name(channel.name)[1]))),
      el("span", { class: "muted" }, unit(short(channel.unit, 20))),
    );
    const item = el("li", {}, use);
    item.dataset.index = String(this.focus?.channels.indexOf(channel));
    return item;
  }

  private mark_list(): void {
    const shown = new Set(this.active?.state.channels ?? []);
    for (const item of this.list.querySelectorAll("li")) {
      const name = this.focus?.channels[Number(item.dataset.index)]?.name ?? "";
      item.firstElementChild?.setAttribute("aria-pressed", String(shown.has(name)));
    }
  }
}

/// body.left and position.x; energy and total.
function split_name(name: string): [string, string] {
  const words = name.split("."),
    n = Math.min(2, words.length - 1);
  return [words.slice(0, n).join("."), words.slice(n).join(".")];
}
