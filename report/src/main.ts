// The page: reads its data and puts the panes together.
import { Clock } from "./clock";
import type { RawPage } from "./contract";
import { read_data } from "./decode";
import type { Data } from "./decode";
import { show_export, show_help } from "./dialogs";
import { button, el, icon, short } from "./dom";
import { export_frames } from "./frames";
import type { FrameOptions, Frames } from "./frames";
import { audit_pane } from "./panes/audit";
import { figures_pane } from "./panes/figures";
import { model_pane } from "./panes/model";
import { tables_pane } from "./panes/tables";
import { Plots } from "./plots/plots";
import { Result } from "./result";
import { SceneView } from "./scene/view";
import { Theme } from "./theme";
import { Timeline } from "./timeline";
import { export_video, has_video } from "./video";

/// For tests and scripts: `window.haltere`. Times in seconds of the page, values in SI.
export interface Automation {
  /// Settles once the page is drawn; fails with the message that the page shows.
  ready: Promise<void>;
  results(): string[];
  channels(result?: string): string[];
  seek(t: number): void;
  time(): number;
  span(): [number, number];
  play(): void;
  pause(): void;
  speed(factor?: number): number;
  /// Of a channel at the time of the page, straight between rows; of the result in focus where none is named.
  value(channel: string, result?: string): number;
  /// Puts a result in focus by its name.
  select(result: string): void;
  /// Pictures from the first to the last time, in one .tar.
  exportFrames(n: number, options?: FrameOptions): Promise<Frames>;
  /// A video of so many frames (WebM), where the browser can encode.
  exportVideo(n: number, rate?: number, options?: FrameOptions): Promise<{ count: number; blob: Blob }>;
}

const kMostShown = 6; // of several results when the page opens

class Page {
  readonly results: Result[];
  readonly clock: Clock;
  private readonly theme = new Theme();
  private readonly scene: SceneView | null = null;
  private readonly plots: Plots | null = null;
  private readonly timeline: Timeline;
  private readonly tabs = new Map<string, { tab: HTMLElement; panel: HTMLElement }>();
  private readonly tab_list = el("div", { class: "tabs", role: "tablist", "aria-label": "panes" });
  private readonly panels = el("div", { class: "panels" });
  private readonly chips = el("div", { class: "results", role: "group", "aria-label": "results" });
  private readonly visible = new Set<Result>();
  private focus: Result | null = null;
  private readonly one_at_a_time: boolean; // results are the points of a figure or the rows of a table

  constructor(
    private readonly data: Data,
    private readonly app: HTMLElement,
  ) {
    const raw = data.page;
    this.results = (raw.results ?? []).map((result, i) => new Result(i, result, data));
    this.one_at_a_time = refers(raw);
    document.title = short(String(raw.title || "haltere"), 200);
    this.clock = new Clock(0, 0);
    this.timeline = new Timeline(this.clock);

    const moving = this.results.find((result) => result.has_motion);
    const left = el("div", { class: "left" });
    if (moving) {
      try {
        this.scene = new SceneView(this.clock, this.theme, moving);
        this.scene.on_channel = (name) => {
          this.open("plots");
          this.plots?.add_channel(name);
        };
        left.append(this.scene.root);
      } catch (error) {
        left.append(
          el(
            "div",
            { class: "no-webgl", role: "alert" },
            el("h2", {}, "No 3-D here"),
            el(
              "p",
              {},
              "This browser gives no WebGL, which draws the motion: it may be switched off, or the graphics driver is missing. Plots, audit and model work all the same.",
            ),
            el("p", { class: "muted" }, error instanceof Error ? short(error.message, 300) : ""),
          ),
        );
      }
    }
    if (this.results.some((result) => result.channels.length)) this.plots = new Plots(this.clock, this.theme);

    const right = el("div", { class: "right" }, this.tab_list, this.panels);
    const main = el(
      "main",
      { class: moving ? "" : "single" },
      moving ? left : null,
      moving ? this.splitter(raw.tables?.length ? 46 : 54) : null, // tables are wide
      right,
    );
    app.replaceChildren(this.header(raw), main);
    this.make_tabs(raw);
    if (this.results.length) {
      for (const result of this.one_at_a_time ? this.results.slice(0, 1) : this.results.slice(0, kMostShown))
        this.visible.add(result);
      this.select(this.results[0]);
    }
    if (this.clock.end > this.clock.start) app.append(this.timeline.root);
    document.addEventListener("keydown", (event) => this.key(event));
  }

  // -- results ----------------------------------------------------------------------------------------------

  select(result: Result): void {
    if (this.one_at_a_time && this.focus && this.focus !== result) this.visible.delete(this.focus);
    this.visible.add(result);
    this.focus = result;
    this.show();
  }

  private toggle(result: Result, on: boolean): void {
    if (on) this.visible.add(result);
    else this.visible.delete(result);
    if (!this.visible.size) this.visible.add(result);
    if (!this.focus || !this.visible.has(this.focus)) this.focus = [...this.visible][0];
    this.show();
  }

  private show(): void {
    const focus = this.focus;
    if (!focus) return;
    const shown = this.results.filter((result) => this.visible.has(result));
    const start = Math.min(...shown.map((result) => result.start)),
      end = Math.max(...shown.map((result) => result.end));
    const { clock } = this;
    if (start !== clock.start || end !== clock.end) {
      const fresh = new Clock(start, end); // for its speed
      if (clock.end === clock.start) clock.speed = fresh.speed;
      else if (this.one_at_a_time) clock.speed = fresh.speed;
      clock.start = start;
      clock.end = end;
      clock.seek(clock.time);
      this.plots?.zoom(null);
    }
    this.fill_chips();
    this.scene?.show(shown, focus);
    this.plots?.show(shown, focus);
    this.timeline.show(focus);
    this.fill("audit", () => audit_pane(focus, clock, this.data.page.dropped ?? []));
    this.fill("model", () => model_pane(focus));
  }

  private fill_chips(): void {
    if (this.results.length < 2) return;
    const colours = this.theme.palette.ghosts;
    this.chips.replaceChildren(
      ...this.results.slice(0, 500).map((result) => {
        const box = el("input", {
          type: "checkbox",
          "aria-label": `show ${short(result.name, 100)}`,
          onchange: () => this.toggle(result, box.checked),
        });
        box.checked = this.visible.has(result);
        const dot = el("span", { class: "dot" });
        dot.style.background = colours[result.index % colours.length];
        return el(
          "span",
          { class: result === this.focus ? "result focus" : "result" },
          box,
          button(
            `put ${short(result.name, 100)} in front`,
            el("span", {}, short(result.name)),
            () => this.select(result),
            { class: "flat", "aria-pressed": String(result === this.focus) },
          ),
          dot,
        );
      }),
    );
  }

  // -- layout -----------------------------------------------------------------------------------------------

  private header(raw: RawPage): HTMLElement {
    const pictures = this.scene
      ? button(
          "the motion as pictures",
          icon(
            "M4 5h3l2-2h6l2 2h3a1 1 0 011 1v13a1 1 0 01-1 1H4a1 1 0 01-1-1V6a1 1 0 011-1zm8 3.5a4.5 4.5 0 100 9 4.5 4.5 0 000-9z",
          ),
          () => this.export_dialog(),
          { class: "flat" },
        )
      : null;
    this.theme.listen(() => this.fill_chips());
    return el(
      "header",
      { class: "top" },
      el("h1", { title: short(raw.title ?? "", 500) }, short(String(raw.title || "haltere"), 300)),
      this.chips,
      el("span", { class: "spacer" }),
      pictures,
      button(
        "light or dark",
        icon("M12 3a9 9 0 109 9c0-.5 0-1-.1-1.4A6 6 0 0112 3z"),
        () => this.theme.toggle(),
        { class: "flat" },
      ),
      button("keys", "?", show_help, { class: "flat" }),
    );
  }

  private splitter(part: number): HTMLElement {
    const bar = el("div", {
      class: "splitter",
      role: "separator",
      "aria-orientation": "vertical",
      "aria-label": "width of the 3-D view",
      tabindex: 0,
    });
    const set = (part: number): void => {
      this.app.style.setProperty("--split", `${Math.min(Math.max(part, 15), 85)}%`);
      bar.setAttribute("aria-valuenow", part.toFixed(0));
    };
    set(part);
    bar.addEventListener("pointerdown", (event) => bar.setPointerCapture(event.pointerId));
    bar.addEventListener("pointermove", (event) => {
      if (bar.hasPointerCapture(event.pointerId)) set((part = (100 * event.clientX) / this.app.clientWidth));
    });
    bar.addEventListener("keydown", (event) => {
      if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
      event.stopPropagation();
      set((part += event.key === "ArrowLeft" ? -3 : 3));
    });
    return bar;
  }

  private make_tabs(raw: RawPage): void {
    const by_index = (i: number): void => {
      const result = this.results[i];
      if (result) this.select(result);
    };
    const front: string[] = [];
    if (raw.figures?.length) {
      this.add_tab("figures", "Figures", figures_pane(raw.figures, this.data, this.theme, by_index));
      front.push("figures");
    }
    if (raw.tables?.length) {
      this.add_tab("tables", "Tables", tables_pane(raw.tables, by_index));
      front.push("tables");
    }
    if (this.plots) {
      this.add_tab("plots", "Plots", this.plots.root);
      front.push("plots");
    }
    if (this.results.length) {
      this.add_tab("audit", "Audit", el("div", {}));
      this.add_tab("model", "Model", el("div", {}));
      front.push("audit");
    }
    if (!front.length) {
      this.panels.append(
        el("p", { class: "empty" }, "This page has data, but no result, table or figure in them."),
      );
      return;
    }
    this.open(front[0]);
  }

  private add_tab(id: string, label: string, content: HTMLElement): void {
    const tab = el(
      "button",
      {
        type: "button",
        role: "tab",
        id: `tab-${id}`,
        "aria-controls": `panel-${id}`,
        "aria-selected": "false",
        tabindex: -1,
        onclick: () => this.open(id),
      },
      label,
    );
    tab.addEventListener("keydown", (event) => {
      if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
      event.stopPropagation();
      const ids = [...this.tabs.keys()],
        next = ids[(ids.indexOf(id) + (event.key === "ArrowRight" ? 1 : ids.length - 1)) % ids.length];
      this.open(next);
      this.tabs.get(next)?.tab.focus();
    });
    const panel = el(
      "div",
      { role: "tabpanel", id: `panel-${id}`, "aria-labelledby": `tab-${id}`, class: "panel", hidden: true },
      content,
    );
    this.tab_list.append(tab);
    this.panels.append(panel);
    this.tabs.set(id, { tab, panel });
  }

  private fill(id: string, make: () => HTMLElement): void {
    this.tabs.get(id)?.panel.replaceChildren(make());
  }

  private open(id: string): void {
    for (const [other, { tab, panel }] of this.tabs) {
      tab.setAttribute("aria-selected", String(other === id));
      tab.tabIndex = other === id ? 0 : -1;
      panel.hidden = other !== id;
    }
  }

  private export_dialog(): void {
    const stage = this.scene?.stage;
    if (!stage) return;
    show_export({
      name: this.data.page.title || "haltere",
      frames: (n, width, height, on_frame) =>
        export_frames(stage, this.clock, n, { width, height, on_frame }),
      video: has_video()
        ? (n, rate, width, height, on_frame) =>
            export_video(stage, this.clock, n, rate, { width, height, on_frame })
        : null,
    });
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement | null;
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (target?.matches("input:not([type=range]):not([type=checkbox]), select, textarea")) return;
    if (event.key === " " && target?.matches("button, summary, input")) {
      // a control that was reached by the keyboard is pressed; one that was clicked before lets go
      if (target.isConnected && target.offsetParent && target.matches(":focus-visible")) return;
      target.blur();
    }
    if (target?.matches("input[type=range]") && event.key.startsWith("Arrow")) return;
    const { clock } = this,
      tenth = (clock.end - clock.start) / 10;
    const keys: Record<string, () => void> = {
      " ": () => clock.toggle(),
      ArrowLeft: () => (event.shiftKey ? clock.seek(clock.time - tenth) : this.timeline.step(-1)),
      ArrowRight: () => (event.shiftKey ? clock.seek(clock.time + tenth) : this.timeline.step(1)),
      Home: () => clock.seek(clock.start),
      End: () => clock.seek(clock.end),
      "+": () => this.timeline.faster(1.25),
      "=": () => this.timeline.faster(1.25),
      "-": () => this.timeline.faster(0.8),
      l: () => clock.set_loop(!clock.loop),
      d: () => this.theme.toggle(),
      "?": show_help,
      "1": () => this.scene?.look("iso"),
      "2": () => this.scene?.look("front"),
      "3": () => this.scene?.look("side"),
      "4": () => this.scene?.look("top"),
      f: () => this.scene?.toggle_follow(),
    };
    const use = keys[event.key];
    if (!use) return;
    event.preventDefault();
    use();
  }

  // -- automation -------------------------------------------------------------------------------------------

  automation(ready: Promise<void>): Automation {
    const { clock } = this;
    const named = (name?: string): Result => {
      const found = name === undefined ? this.focus : this.results.find((result) => result.name === name);
      if (!found) throw new Error(`there is no result ${name ?? ""}`);
      return found;
    };
    const stage = (): SceneView["stage"] => {
      if (!this.scene) throw new Error("this page has no 3-D view");
      return this.scene.stage;
    };
    return {
      ready,
      results: () => this.results.map((result) => result.name),
      channels: (result) => named(result).channels.map((channel) => channel.name),
      seek: (t) => clock.seek(t),
      time: () => clock.time,
      span: () => [clock.start, clock.end],
      play: () => clock.play(),
      pause: () => clock.pause(),
      speed: (factor) => {
        if (factor !== undefined) clock.set_speed(factor);
        return clock.speed;
      },
      value: (name, result) => {
        const channel = named(result).by_name.get(name);
        if (!channel) throw new Error(`there is no channel ${name}`);
        return channel.value(clock.time);
      },
      select: (name) => this.select(named(name)),
      exportFrames: async (n, options) => export_frames(stage(), clock, n, options),
      exportVideo: async (n, rate, options) => export_video(stage(), clock, n, rate ?? 30, options),
    };
  }
}

/// Whether tables or figures choose among the results.
function refers(raw: RawPage): boolean {
  const any = (list?: number[]): boolean => !!list?.some((i) => i >= 0);
  return (
    !!raw.tables?.some((table) => any(table.result)) ||
    !!raw.figures?.some((figure) => figure.series.some((series) => any(series.result)))
  );
}

async function start(app: HTMLElement): Promise<Page> {
  const data = await read_data(document);
  return new Page(data, app);
}

const app = document.getElementById("app");
if (app) {
  let page: Page | null = null;
  const ready = start(app).then((made) => {
    page = made;
    Object.assign(automation, made.automation(ready));
    return new Promise<void>((done) =>
      requestAnimationFrame(() =>
        setTimeout(() => {
          performance.mark("haltere-shown");
          done();
        }),
      ),
    );
  });
  const not_yet = (): never => {
    throw new Error("the page is not ready: wait for haltere.ready");
  };
  const automation: Automation = {
    ready,
    results: not_yet,
    channels: not_yet,
    seek: not_yet,
    time: not_yet,
    span: not_yet,
    play: not_yet,
    pause: not_yet,
    speed: not_yet,
    value: not_yet,
    select: not_yet,
    exportFrames: not_yet,
    exportVideo: not_yet,
  };
  (window as unknown as { haltere: Automation }).haltere = automation;
  ready.catch((error: unknown) => {
    if (page) return;
    app.replaceChildren(
      el(
        "div",
        { class: "failure", role: "alert" },
        el("h1", {}, "This report cannot be shown"),
        el("p", {}, short(error instanceof Error ? error.message : String(error), 1000)),
      ),
    );
  });
}
