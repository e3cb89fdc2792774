// One result in the 3-D view: bodies, wings, wakes, springs and wheels at a time.
import * as THREE from "three";
import type { RawPlane, RawShape, RawWheel, Triple } from "../contract";
import type { Result } from "../result";
import type { Palette } from "../theme";
import { make_body } from "./shapes";
import { Sheet } from "./sheets";
import { Surface } from "./surfaces";
import { Arrow, Link, make_joint, make_path, make_plane, make_wheel, Trace } from "./symbols";

export interface Layers {
  bodies: boolean;
  wings: boolean;
  lattices: boolean;
  wakes: boolean;
  joints: boolean;
  links: boolean;
  wheels: boolean;
  paths: boolean;
  planes: boolean;
}

/// What the colours of a result mean at their ends; 0 where nothing is coloured so.
export interface ColourScales {
  circulation: number;
  pressure: number;
  load: number;
  load_unit: string;
  load_name: string;
}

function is_ground(plane: RawPlane, gravity: Triple | undefined): boolean {
  const [x, y, z] = gravity && Math.hypot(...gravity) > 0 ? gravity : [0, 0, -1];
  const dot = plane.normal[0] * x + plane.normal[1] * y + plane.normal[2] * z;
  return Math.abs(dot) > 0.999 * Math.hypot(x, y, z) * Math.hypot(...plane.normal);
}

export class Machine {
  readonly group = new THREE.Group();
  readonly bodies: THREE.Group[] = [];
  readonly scales: ColourScales;
  private readonly layer: Record<keyof Layers, THREE.Group>;
  private readonly sheets: Sheet[] = [];
  private readonly surfaces: Surface[] = [];
  private readonly links: Link[] = [];
  private readonly traces: Trace[] = [];
  private readonly trails = new Map<number, Trace>();
  private readonly arrows = new Map<number, Arrow>();

  constructor(
    readonly result: Result,
    private readonly palette: Palette,
    readonly ghost: string | null,
  ) {
    const make = (): THREE.Group => {
      const group = new THREE.Group();
      this.group.add(group);
      return group;
    };
    this.layer = {
      bodies: make(),
      wings: make(),
      lattices: make(),
      wakes: make(),
      joints: make(),
      links: make(),
      wheels: make(),
      paths: make(),
      planes: make(),
    };
    for (const sheet of result.raw.sheets ?? []) this.sheets.push(new Sheet(sheet, result.source, ghost));
    this.make_bodies();
    this.make_wings();
    this.make_symbols();
    const sheets = this.sheets.filter((sheet) => sheet.largest > 0);
    const coloured = this.surfaces.find((s) => s.loads.length)?.loads[0];
    this.scales = {
      circulation: Math.max(0, ...sheets.map((sheet) => sheet.largest)),
      pressure: Math.max(0, ...this.sheets.map((sheet) => sheet.largest_pressure)),
      load: Math.max(0, ...this.surfaces.filter((s) => s.loads.length).map((s) => s.largest)),
      load_unit: coloured?.unit ?? "",
      load_name: coloured?.name.split(".").pop() ?? "load",
    };
  }

  private make_bodies(): void {
    const { raw, length } = this.result;
    const list = raw.bodies ?? [];
    list.forEach((body, index) => {
      const colour = this.ghost ?? this.palette.bodies[index % this.palette.bodies.length];
      const shapes = (body.shapes ?? []).filter((shape) => !this.is_shown_otherwise(shape, index));
      const group =
        body.shapes?.length && !shapes.length
          ? new THREE.Group()
          : make_body({ ...body, shapes }, index, length, {
              colour,
              edge: this.palette.dark ? "#dfe8f2" : "#22303d",
              ghost: this.ghost !== null,
              opacity: 0.3,
            });
      const frame = new THREE.Group();
      frame.add(group);
      this.bodies.push(frame);
      this.layer.bodies.add(frame);
    });
  }

  /// Where a wing, a lattice or a wheel is drawn, a guess or a thin plate at its place would only hide it.
  private is_shown_otherwise(shape: RawShape, body: number): boolean {
    const { wheels = [], surfaces = [] } = this.result.raw;
    const thin = shape.size ? Math.min(...shape.size) < 0.05 * Math.max(...shape.size) : false;
    if (surfaces.some((surface) => surface.body === body) && (shape.guess || thin)) return true;
    if (thin && this.is_in_a_lattice(shape, body)) return true;
    return !!shape.guess && wheels.some((wheel) => wheel.body === body);
  }

  private is_in_a_lattice(shape: RawShape, body: number): boolean {
    const poses = this.result.poses,
      middle = new THREE.Vector3();
    return this.sheets.some((sheet) => {
      const box = sheet.is_wake || !poses ? null : sheet.bounds_at(sheet.time[0]);
      if (!box || !poses) return false;
      poses.update(sheet.time[0]);
      const q = poses.orientation,
        k = 4 * body;
      middle
        .fromArray(shape.at)
        .applyQuaternion(new THREE.Quaternion(q[k + 1], q[k + 2], q[k + 3], q[k]))
        .add(new THREE.Vector3().fromArray(poses.position, 3 * body));
      const reach = 0.05 * box.getSize(new THREE.Vector3()).length();
      return (
        middle.x > box.min.x - reach &&
        middle.x < box.max.x + reach &&
        middle.y > box.min.y - reach &&
        middle.y < box.max.y + reach &&
        middle.z > box.min.z - reach &&
        middle.z < box.max.z + reach
      );
    });
  }

  /// The shape of a body that is a wheel already.
  private shape_of_wheel(wheel: RawWheel): RawShape | null {
    return (
      this.result.raw.bodies?.[wheel.body]?.shapes?.find(
        (shape) =>
          !shape.guess &&
          /cylinder|disc|torus/.test(shape.kind) &&
          (shape.radius ?? 0) > 0.8 * wheel.radius &&
          (shape.radius ?? 0) < 1.2 * (wheel.radius + wheel.tube),
      ) ?? null
    );
  }

  private make_wings(): void {
    const { raw } = this.result;
    for (const sheet of this.sheets)
      (sheet.is_wake ? this.layer.wakes : this.layer.lattices).add(sheet.group);
    const with_lattice = new Set(
      (raw.sheets ?? []).filter((sheet) => sheet.kind !== "wake").map((sheet) => sheet.surface),
    );
    for (const surface of raw.surfaces ?? []) {
      if (with_lattice.has(surface.name)) continue;
      const made = new Surface(surface, this.result, this.palette.dark ? "#b9cbe0" : "#a9bfd8", this.ghost);
      this.surfaces.push(made);
      this.on_body(surface.body, made.mesh, "wings");
    }
  }

  private make_symbols(): void {
    const { raw, length } = this.result;
    const dark = this.palette.dark,
      size = 0.009 * length;
    for (const joint of this.ghost ? [] : (raw.joints ?? [])) {
      const made = make_joint(joint, size, dark ? "#e8c468" : "#5d6b7a");
      if (made) this.on_body(joint.body, made, "joints");
    }
    for (const link of raw.links ?? []) {
      const made = new Link(link, size, this.ghost ?? (dark ? "#cfd8e2" : "#5b6774"), this.ghost ? 0.4 : 1);
      this.links.push(made);
      this.layer.links.add(made.object);
    }
    for (const wheel of raw.wheels ?? []) {
      this.on_body(
        wheel.body,
        make_wheel(
          wheel,
          length,
          this.ghost ?? (dark ? "#9aa6b4" : "#566270"),
          this.ghost !== null,
          this.shape_of_wheel(wheel),
        ),
        "wheels",
      );
      const path = make_path(
        wheel,
        this.result,
        0.002 * length,
        this.ghost ?? this.palette.curves[this.traces.length % 4],
      );
      if (path) {
        this.traces.push(path);
        this.layer.paths.add(path.group);
      }
    }
    for (const plane of this.ghost ? [] : (raw.planes ?? [])) {
      if (is_ground(plane, raw.gravity)) continue; // the grid lies there
      this.layer.planes.add(make_plane(plane, 8 * length, dark ? "#6d86a0" : "#8aa3bd"));
    }
  }

  /// Something that moves with a body (-1: the world), switched with its layer.
  private on_body(body: number, object: THREE.Object3D, layer: keyof Layers): void {
    object.userData.layer = layer;
    (this.bodies[body] ?? this.layer[layer]).add(object);
  }

  /// The bodies alone.
  place(t: number): void {
    const poses = this.result.poses;
    if (!poses) return;
    poses.update(this.result.local(t));
    this.bodies.forEach((body, i) => {
      body.position.fromArray(poses.position, 3 * i);
      const q = poses.orientation,
        k = 4 * i;
      body.quaternion.set(q[k + 1], q[k + 2], q[k + 3], q[k]);
    });
  }

  update(t: number, scales: ColourScales, map: Float32Array, newest = 1): void {
    const local = this.result.local(t);
    this.place(t);
    for (const sheet of this.sheets) sheet.update(local, scales.circulation, scales.pressure, map, newest);
    for (const surface of this.surfaces) surface.update(t, scales.load, map);
    for (const link of this.links) link.update(this.world);
    for (const trace of this.traces) trace.update(local);
    for (const trail of this.trails.values()) trail.update(local);
    for (const arrow of this.arrows.values()) arrow.update(t, this.world);
  }

  /// A point of a body in the world's axes.
  readonly world = (body: number, point: readonly number[], out: THREE.Vector3): void => {
    out.fromArray(point);
    const frame = this.bodies[body];
    if (frame) out.applyQuaternion(frame.quaternion).add(frame.position);
  };

  show_layers(layers: Layers): void {
    for (const name of Object.keys(layers) as (keyof Layers)[])
      this.layer[name].visible = layers[name] || name === "bodies";
    for (const body of this.bodies) {
      for (const child of body.children)
        child.visible = layers[(child.userData.layer as keyof Layers) ?? "bodies"];
    }
  }

  set_trail(body: number, on: boolean): void {
    const old = this.trails.get(body);
    if (on === !!old) return;
    if (old) {
      this.group.remove(old.group);
      this.trails.delete(body);
      return;
    }
    const poses = this.result.poses,
      raw = this.result.raw.bodies?.[body];
    if (!poses || !raw) return;
    const points = new Float32Array(3 * poses.time.length);
    const q = new THREE.Quaternion(),
      p = new THREE.Vector3();
    for (let i = 0; i < poses.time.length; ++i) {
      const [w, x, y, z] = poses.quaternion(i, body),
        [px, py, pz] = poses.place(i, body);
      p.fromArray(raw.com ?? [0, 0, 0]).applyQuaternion(q.set(x, y, z, w));
      points.set([p.x + px, p.y + py, p.z + pz], 3 * i);
    }
    const trail = new Trace(
      poses.time,
      points,
      this.ghost ?? this.palette.curves[(body + 1) % this.palette.curves.length],
    );
    this.trails.set(body, trail);
    this.group.add(trail.group);
  }
  has_trail(body: number): boolean {
    return this.trails.has(body);
  }

  set_arrow(index: number, on: boolean): void {
    const old = this.arrows.get(index),
      raw = this.result.raw.arrows?.[index];
    if (on === !!old || !raw) return;
    if (old) {
      this.group.remove(old.object);
      this.arrows.delete(index);
      return;
    }
    const arrow = new Arrow(
      raw,
      this.result,
      this.result.length,
      this.ghost ?? (raw.kind === "torque" ? this.palette.curves[3] : this.palette.curves[1]),
    );
    this.arrows.set(index, arrow);
    this.group.add(arrow.object);
  }

  /// The wakes at a time, world axes.
  wake_box(t: number): THREE.Box3 {
    return this.sheet_box(t, true);
  }

  private sheet_box(t: number, wakes: boolean): THREE.Box3 {
    const box = new THREE.Box3().makeEmpty();
    for (const sheet of this.sheets) {
      const own = sheet.is_wake === wakes ? sheet.bounds_at(this.result.local(t)) : null;
      // a span without end, as sections of a wing have it, is no measure of the picture
      if (own && own.getSize(new THREE.Vector3()).length() < 40 * this.result.length) box.union(own);
    }
    return box;
  }

  /// The machine without its wake at a time, world axes.
  box(t: number): THREE.Box3 {
    this.place(t);
    const box = new THREE.Box3().makeEmpty(),
      corner = new THREE.Vector3();
    for (const body of this.bodies) {
      body.traverse((object) => {
        if (!(object instanceof THREE.Mesh) || !object.geometry) return;
        object.geometry.computeBoundingBox();
        const own = object.geometry.boundingBox;
        if (!own || own.isEmpty()) return;
        for (let k = 0; k < 8; ++k) {
          corner.set(
            k & 1 ? own.max.x : own.min.x,
            k & 2 ? own.max.y : own.min.y,
            k & 4 ? own.max.z : own.min.z,
          );
          for (let o: THREE.Object3D = object; o !== this.group; o = o.parent as THREE.Object3D) {
            // parents may not have been drawn yet: their matrices are not up to date
            corner
              .set(corner.x * o.scale.x, corner.y * o.scale.y, corner.z * o.scale.z)
              .applyQuaternion(o.quaternion)
              .add(o.position);
            if (!o.parent) break;
          }
          box.expandByPoint(corner);
        }
      });
    }
    return box.union(this.sheet_box(t, false));
  }

  dispose(): void {
    this.group.traverse((object) => {
      if (object instanceof THREE.Mesh || object instanceof THREE.Line) {
        object.geometry.dispose();
        object.material.dispose();
      }
    });
    this.group.parent?.remove(this.group);
  }
}
