// The 3-D pane: results over each other, picking, following, layers, the legend of colours.
import * as THREE from "three";
import type { Clock } from "../clock";
import { breakable, button, el, icon, short } from "../dom";
import { number, prefixed, unit, with_unit } from "../numbers";
import type { Result } from "../result";
import { diverging, rgb } from "../theme";
import type { Theme } from "../theme";
import { Machine } from "./machine";
import type { ColourScales, Layers } from "./machine";
import { Stage } from "./stage";
import type { View } from "./stage";

const kLayers: [keyof Layers, string][] = [
  ["bodies", "bodies"],
  ["wings", "wings"],
  ["lattices", "lattices"],
  ["wakes", "wakes"],
  ["joints", "joints"],
  ["links", "springs, cables"],
  ["wheels", "wheels"],
  ["paths", "contact paths"],
  ["planes", "walls"],
];

export class SceneView {
  readonly root: HTMLElement;
  readonly stage: Stage;
  private readonly machines = new Map<Result, Machine>();
  private readonly layers: Layers = {
    bodies: true,
    wings: true,
    lattices: true,
    wakes: true,
    joints: true,
    links: true,
    wheels: true,
    paths: true,
    planes: true,
  };
  private readonly trails = new Set<number>();
  private readonly arrows = new Set<number>();
  private readonly card = el("aside", { class: "card", hidden: true, "aria-label": "picked body" });
  private readonly legend = el("div", { class: "legend", "aria-label": "colours" });
  private readonly hud = el("div", { class: "hud" });
  private readonly lost = el(
    "p",
    { class: "overlay-message", role: "status", hidden: true },
    "The graphics were lost and are coming back",
  );
  private readonly menu = el("div", { class: "menu", id: "show-menu", hidden: true });
  private readonly follow_select = el("select", {
    "aria-label": "body to follow",
    title: "body to follow",
    onchange: () => this.chose_follow(),
  });
  private map: Float32Array;
  private scales: ColourScales = { circulation: 0, pressure: 0, load: 0, load_unit: "", load_name: "load" };
  private focus: Result | null = null;
  private visible: Result[] = [];
  private followed = -1;
  private last_seen: THREE.Vector3 | null = null;
  private picked: { machine: Machine; body: number } | null = null;
  private shadows = true;
  private newest = 1; // part of the wakes that is shown
  private by_pressure = false; // lattices
  private signature = "";
  /// Asked for when a channel in the card of a body is clicked.
  on_channel: (name: string) => void = () => {};

  constructor(
    private readonly clock: Clock,
    private readonly theme: Theme,
    first: Result,
  ) {
    const canvas_host = el("div", { class: "canvas-host" });
    this.root = el("section", { class: "scene", "aria-label": "motion" }, canvas_host);
    this.stage = new Stage(canvas_host, first.raw.gravity, first.length);
    this.map = diverging(theme.palette);
    this.root.append(this.tools(), this.menu, this.legend, this.hud, this.card, this.lost);
    this.stage.before_picture = () => this.update();
    this.stage.after_picture = () => this.update_hud();
    this.stage.on_lost = (lost) => {
      this.lost.hidden = !lost;
    };
    this.listen_for_picks();
    clock.listen(() => this.stage.draw());
    theme.listen(() => {
      this.map = diverging(theme.palette);
      this.rebuild();
      this.stage.paint(theme.palette);
    });
    this.stage.paint(theme.palette);
  }

  /// Shows these results; the focus is solid and the others are ghosts of it.
  show(visible: Result[], focus: Result): void {
    const changed = focus !== this.focus;
    const first = !this.focus;
    this.visible = visible.filter((result) => result.has_motion);
    this.focus = focus;
    if (changed) this.fill_follow();
    this.rebuild();
    if (first) this.first_view();
    else if (changed) this.last_seen = null;
    this.stage.draw();
  }

  get machine(): Machine | null {
    return this.focus ? (this.machines.get(this.focus) ?? null) : null;
  }

  private rebuild(): void {
    for (const machine of this.machines.values()) machine.dispose();
    this.machines.clear();
    this.picked = null;
    this.card.hidden = true;
    for (const result of this.visible) {
      const ghost =
        result === this.focus
          ? null
          : this.theme.palette.ghosts[result.index % this.theme.palette.ghosts.length];
      const machine = new Machine(result, this.theme.palette, ghost);
      this.machines.set(result, machine);
      this.stage.root.add(machine.group);
      machine.show_layers(this.layers);
      for (const body of this.trails) machine.set_trail(body, true);
      for (const arrow of this.arrows) machine.set_arrow(arrow, true);
    }
    const all = [...this.machines.values()].map((machine) => machine.scales);
    const lead = this.machine?.scales;
    this.scales = {
      circulation: lead?.circulation || Math.max(0, ...all.map((s) => s.circulation)),
      pressure: this.by_pressure ? (lead?.pressure ?? 0) : 0,
      load: lead?.load || 0,
      load_unit: lead?.load_unit ?? "",
      load_name: lead?.load_name ?? "load",
    };
    this.signature = "";
    this.fill_menu();
    this.fill_legend();
  }

  private update(): void {
    const t = this.clock.time;
    for (const machine of this.machines.values()) machine.update(t, this.scales, this.map, this.newest);
    const seen = this.followed >= 0 ? this.machine?.bodies[this.followed] : undefined;
    if (seen) {
      const now = this.stage.to_view(seen.position.clone());
      if (this.last_seen) this.stage.shift(now.clone().sub(this.last_seen));
      this.last_seen = now;
    }
  }

  // -- views ------------------------------------------------------------------------------------------------

  /// The box that the first picture shows: the whole motion if that is not much wider than the machine.
  private boxes(): { machine: THREE.Box3; motion: THREE.Box3; travels: boolean } {
    const machine = this.machine;
    const own = new THREE.Box3().makeEmpty(),
      motion = new THREE.Box3().makeEmpty();
    if (!machine) return { machine: own, motion, travels: false };
    const result = machine.result,
      count = 60,
      heaviest = this.heaviest(),
      now = this.clock.time;
    own.union(machine.box(now));
    const size = length_of(own),
      there = (): THREE.Vector3 => machine.bodies[heaviest]?.position.clone() ?? new THREE.Vector3();
    const home = there(),
      near = own.clone(),
      way = new THREE.Box3().makeEmpty();
    for (let k = 0; k < count; ++k) {
      const box = machine.box(result.start + (k * (result.end - result.start)) / (count - 1)),
        at = there();
      way.expandByPoint(at);
      if (length_of(box) > 2.2 * size) continue; // a part flies off: it is let go
      motion.union(box);
      const back = home.clone().sub(at);
      box.min.add(back);
      box.max.add(back);
      near.union(box);
    }
    machine.place(now);
    if (motion.isEmpty()) motion.copy(own);
    // one that goes its way is followed, and seen as large as it gets
    if (length_of(way) > 2 * size) return { machine: near, motion, travels: true };
    // a wake belongs to the picture as long as it leaves the machine large enough
    const wake = machine.wake_box(result.end).union(motion);
    if (length_of(wake) < 2.2 * length_of(motion)) motion.copy(wake);
    return { machine: near, motion, travels: false };
  }

  private first_view(): void {
    const { machine, motion, travels } = this.boxes();
    if (motion.isEmpty()) return;
    this.ground_below(travels ? machine : motion, motion);
    if (travels) {
      this.follow(this.heaviest());
      this.stage.look("iso", machine, 1.12);
    } else {
      this.stage.look("iso", motion, 1.06);
    }
  }

  /// The grid lies on the ground of the model where it has one, else below everything that moves.
  private ground_below(machine: THREE.Box3, motion: THREE.Box3): void {
    const up = new THREE.Vector3(0, 0, 1).applyQuaternion(this.stage.root.quaternion.clone().invert());
    const grounds = [
      ...(this.focus?.raw.planes ?? []).map((plane) => ({ point: plane.point, normal: plane.normal })),
      ...(this.focus?.raw.wheels ?? []).map((wheel) => wheel.plane),
    ];
    for (const plane of grounds) {
      const normal = new THREE.Vector3().fromArray(plane.normal).normalize();
      if (Math.abs(normal.dot(up)) > 0.999) {
        this.stage.ground.set_height(
          new THREE.Vector3().fromArray(plane.point).dot(up) / this.stage.length - 0.001,
        );
        return;
      }
    }
    const lowest = (box: THREE.Box3): number => {
      let low = Number.POSITIVE_INFINITY;
      for (let k = 0; k < 8; ++k) {
        const corner = new THREE.Vector3(
          k & 1 ? box.max.x : box.min.x,
          k & 2 ? box.max.y : box.min.y,
          k & 4 ? box.max.z : box.min.z,
        );
        low = Math.min(low, corner.dot(up));
      }
      return low / this.stage.length;
    };
    const height = Math.max(lowest(motion), lowest(machine) - 3);
    this.stage.ground.set_height(height - 0.06);
  }

  look(view: View): void {
    const { machine, motion } = this.boxes();
    this.stage.look(view, this.followed >= 0 ? machine : motion, this.followed >= 0 ? 1.12 : 1.06);
    this.last_seen = null;
  }

  private heaviest(): number {
    const bodies = this.focus?.raw.bodies ?? [];
    return bodies.reduce(
      (best, body, i) => (body.mass > (bodies[best]?.mass ?? -1) ? i : best),
      bodies.length ? 0 : -1,
    );
  }

  follow(body: number): void {
    this.followed = body;
    this.last_seen = null;
    this.follow_select.value = String(body);
    this.stage.draw();
  }
  toggle_follow(): void {
    this.follow_select.value = String(this.followed >= 0 ? -1 : this.heaviest());
    this.chose_follow();
  }
  private chose_follow(): void {
    this.follow(Number(this.follow_select.value));
    const seen = this.followed >= 0 ? this.machine?.bodies[this.followed] : undefined;
    if (seen) this.stage.shift(this.stage.to_view(seen.position.clone()).sub(this.stage.target));
  }
  private fill_follow(): void {
    const bodies = this.focus?.raw.bodies ?? [];
    this.follow_select.replaceChildren(
      el("option", { value: "-1" }, "follow nothing"),
      ...bodies.map((body, i) => el("option", { value: i }, `follow ${short(body.name, 40)}`)),
    );
    if (this.followed >= bodies.length) this.followed = -1;
    this.follow_select.value = String(this.followed);
  }

  // -- controls ---------------------------------------------------------------------------------------------

  private tools(): HTMLElement {
    const view = (name: View, label: string): HTMLElement =>
      button(`view: ${label}`, label, () => this.look(name), { class: "flat" });
    const show = button(
      "what is shown",
      icon("M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12zm10-3a3 3 0 100 6 3 3 0 000-6z"),
      () => {
        this.menu.hidden = !this.menu.hidden;
        show.setAttribute("aria-expanded", String(!this.menu.hidden));
      },
      { class: "flat", "aria-expanded": "false", "aria-controls": "show-menu" },
    );
    return el(
      "div",
      { class: "scene-tools", role: "toolbar", "aria-label": "views" },
      view("iso", "iso"),
      view("front", "front"),
      view("side", "side"),
      view("top", "top"),
      this.follow_select,
      show,
    );
  }

  private check(label: string, checked: boolean, change: (on: boolean) => void): HTMLElement {
    const box = el("input", {
      type: "checkbox",
      onchange: () => {
        change(box.checked);
        this.stage.draw();
      },
    });
    box.checked = checked;
    return el("label", { class: "check", title: short(label, 200) }, box, el("span", {}, short(label)));
  }

  private fill_menu(): void {
    const raw = this.focus?.raw;
    const lattice = raw?.sheets?.some((sheet) => sheet.kind !== "wake");
    const present: Record<keyof Layers, boolean> = {
      bodies: !!raw?.bodies?.length,
      wings: !!raw?.surfaces?.length && !lattice,
      lattices: !!lattice,
      wakes: !!raw?.sheets?.some((sheet) => sheet.kind === "wake"),
      joints: !!raw?.joints?.length,
      links: !!raw?.links?.length,
      wheels: !!raw?.wheels?.length,
      paths: !!raw?.wheels?.some((wheel) => wheel.path),
      planes: !!raw?.planes?.length,
    };
    const items: HTMLElement[] = [el("h3", {}, "Show")];
    for (const [name, label] of kLayers) {
      if (!present[name]) continue;
      items.push(
        this.check(label, this.layers[name], (on) => {
          this.layers[name] = on;
          for (const machine of this.machines.values()) machine.show_layers(this.layers);
        }),
      );
    }
    if (present.wakes) {
      const part = el(
        "select",
        {
          "aria-label": "part of the wakes",
          onchange: () => {
            this.newest = Number(part.value);
            this.stage.draw();
          },
        },
        ...[
          [1, "all of the wakes"],
          [0.5, "newest half"],
          [0.25, "newest quarter"],
          [0.1, "newest tenth"],
        ].map(([value, label]) => el("option", { value }, String(label))),
      );
      part.value = String(this.newest);
      items.push(part);
    }
    if (raw?.sheets?.some((sheet) => sheet.pressure)) {
      items.push(
        this.check("pressure on lattices", this.by_pressure, (on) => {
          this.by_pressure = on;
          this.scales.pressure = on ? (this.machine?.scales.pressure ?? 0) : 0;
          this.fill_legend();
        }),
      );
    }
    items.push(
      this.check("shadows", this.shadows, (on) => {
        this.shadows = on;
        this.stage.ground.set_shadow(on);
      }),
    );
    const bodies = raw?.bodies ?? [];
    if (bodies.length) {
      items.push(el("h3", {}, "Trails"));
      bodies
        .slice(0, 60)
        .forEach((body, i) =>
          items.push(this.check(body.name, this.trails.has(i), (on) => this.set_trail(i, on))),
        );
    }
    const arrows = raw?.arrows ?? [];
    if (arrows.length) {
      items.push(el("h3", {}, "Forces and torques"));
      arrows.slice(0, 60).forEach((arrow, i) =>
        items.push(
          this.check(arrow.name, this.arrows.has(i), (on) => {
            on ? this.arrows.add(i) : this.arrows.delete(i);
            for (const machine of this.machines.values()) machine.set_arrow(i, on);
          }),
        ),
      );
    }
    this.menu.replaceChildren(...items);
  }

  private set_trail(body: number, on: boolean): void {
    on ? this.trails.add(body) : this.trails.delete(body);
    for (const machine of this.machines.values()) machine.set_trail(body, on);
    this.stage.draw();
  }

  private fill_legend(): void {
    const bars: HTMLElement[] = [];
    const bar = (title: string, size: number, name: string): void => {
      if (!(size > 0)) return;
      const { negative, zero, positive } = this.theme.palette;
      const strip = el("div", { class: "strip" });
      strip.style.background = `linear-gradient(to right, ${negative}, ${zero}, ${positive})`;
      const end = number(size, 3);
      bars.push(
        el(
          "div",
          { class: "bar" },
          el("div", { class: "bar-title" }, `${title}${name ? ` [${unit(name)}]` : ""}`),
          strip,
          el(
            "div",
            { class: "bar-ends" },
            el("span", {}, `−${end}`),
            el("span", {}, "0"),
            el("span", {}, `+${end}`),
          ),
        ),
      );
    };
    bar("circulation", this.scales.circulation, "m2/s");
    bar("pressure", this.scales.pressure, "Pa");
    bar(short(this.scales.load_name, 30), this.scales.load, this.scales.load_unit);
    this.legend.replaceChildren(...bars);
    this.legend.hidden = !bars.length;
  }

  private update_hud(): void {
    const text = `grid ${prefixed(this.stage.ground.shown_step * this.stage.length, "m")}`;
    if (text !== this.signature) {
      this.signature = text;
      this.hud.textContent = text;
    }
  }

  // -- picking ----------------------------------------------------------------------------------------------

  private listen_for_picks(): void {
    let down: { x: number; y: number } | null = null;
    this.stage.canvas.addEventListener("pointerdown", (event) => {
      down = { x: event.clientX, y: event.clientY };
    });
    this.stage.canvas.addEventListener("pointerup", (event) => {
      if (down && event.button === 0 && Math.hypot(event.clientX - down.x, event.clientY - down.y) < 4)
        this.pick(event.clientX, event.clientY);
      down = null;
    });
  }

  private pick(x: number, y: number): void {
    // the one in front of all, be it solid or a ghost
    const groups = [...this.machines.values()].map((machine) => machine.group);
    const hit = this.stage.pick(x, y, groups);
    const machine = hit && [...this.machines.values()].find((one) => contains(one.group, hit.object));
    this.select(machine && hit ? { machine, body: hit.object.userData.body as number } : null);
  }

  private select(picked: { machine: Machine; body: number } | null): void {
    if (this.picked) glow(this.picked.machine, this.picked.body, 0, this.theme.palette.curves[0]);
    this.picked = picked;
    this.card.hidden = !picked;
    if (picked) {
      glow(picked.machine, picked.body, 0.35, this.theme.palette.curves[0]);
      this.fill_card(picked.machine, picked.body);
    }
    this.stage.draw();
  }

  private fill_card(machine: Machine, index: number): void {
    const body = machine.result.raw.bodies?.[index];
    if (!body) {
      this.card.hidden = true;
      return;
    }
    const [r, g, b] = rgb(
      machine.ghost ?? this.theme.palette.bodies[index % this.theme.palette.bodies.length],
    );
    const dot = el("span", { class: "dot" });
    dot.style.background = `rgb(${255 * r} ${255 * g} ${255 * b})`;
    const own = machine.result.channels.filter((channel) => belongs(channel.name, body.name)).slice(0, 60);
    const list = el(
      "ul",
      { class: "channels" },
      ...own.map((channel) =>
        el(
          "li",
          {},
          button(
            `plot ${short(channel.name)}`,
            el("span", { class: "entry-name" }, ...breakable(short(channel.name))),
            () => this.on_channel(channel.name),
            { class: "flat" },
          ),
        ),
      ),
    );
    list.hidden = !own.length;
    this.card.replaceChildren(
      el(
        "header",
        {},
        dot,
        el("h3", { title: short(body.name) }, short(body.name)),
        button("close", "×", () => this.select(null), { class: "flat close" }),
      ),
      el(
        "p",
        {},
        `mass ${with_unit(body.mass, "kg")}${machine.ghost ? ` · ${short(machine.result.name, 60)}` : ""}`,
      ),
      el(
        "div",
        { class: "row" },
        button("follow this body", "follow", () => {
          this.follow_select.value = String(index);
          this.chose_follow();
        }),
        button("trail of this body", "trail", () => this.set_trail(index, !this.trails.has(index))),
      ),
      list,
    );
  }
}

/// body.NAME.…, joint.NAME.…: channels whose second word is the body.
function belongs(channel: string, body: string): boolean {
  return (
    channel.startsWith(`body.${body}.`) ||
    channel.startsWith(`joint.${body}.`) ||
    channel.startsWith(`surface.${body}.`)
  );
}

function length_of(box: THREE.Box3): number {
  return box.isEmpty() ? 0 : box.getSize(new THREE.Vector3()).length();
}

function contains(group: THREE.Object3D, object: THREE.Object3D): boolean {
  for (let o: THREE.Object3D | null = object; o; o = o.parent) if (o === group) return true;
  return false;
}

function glow(machine: Machine, body: number, strength: number, colour: string): void {
  machine.bodies[body]?.traverse((object) => {
    if (
      object instanceof THREE.Mesh &&
      object.material instanceof THREE.MeshStandardMaterial &&
      object.userData.pick
    ) {
      object.material.emissive.set(colour);
      object.material.emissiveIntensity = strength;
    }
  });
}
