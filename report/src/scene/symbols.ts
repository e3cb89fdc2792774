// Joints, springs and cables, wheels, force arrows, lines that grow with time: what helps to read a machine.
import * as THREE from "three";
import type { RawArrow, RawJoint, RawLink, RawPlane, RawWheel } from "../contract";
import type { Channel, Result } from "../result";
import { upper_bound } from "../search";

const kUp = new THREE.Vector3(0, 1, 0);

function solid(colour: string, opacity = 1): THREE.MeshStandardMaterial {
  return new THREE.MeshStandardMaterial({ color: colour, roughness: 0.45, metalness: 0.25, transparent: opacity < 1, opacity });
}

export function make_joint(joint: RawJoint, size: number, colour: string): THREE.Object3D | null {
  if (joint.kind === "free" || joint.kind === "planar-free") return null;
  const turns = /revolute|hinge|cylindrical|screw/.test(joint.kind), slides = /prismatic|slider/.test(joint.kind);
  const geometry = turns ? new THREE.CylinderGeometry(size, size, 3 * size, 20)
    : slides ? new THREE.BoxGeometry(1.4 * size, 3.4 * size, 1.4 * size) : new THREE.SphereGeometry(1.2 * size, 20, 14);
  const mesh = new THREE.Mesh(geometry, solid(colour));
  mesh.position.fromArray(joint.point);
  if (joint.axis && (turns || slides)) {
    const axis = new THREE.Vector3().fromArray(joint.axis);
    if (axis.lengthSq() > 0) mesh.quaternion.setFromUnitVectors(kUp, axis.normalize());
  }
  mesh.castShadow = true;
  return mesh;
}

class Helix extends THREE.Curve {
  constructor(private readonly turns: number, private readonly radius: number) { super(); }
  override getPoint(t: number, target = new THREE.Vector3()): THREE.Vector3 {
    const lead = 0.12, s = Math.min(Math.max((t - lead) / (1 - 2 * lead), 0), 1);
    const r = this.radius * Math.min(1, 12 * s, 12 * (1 - s));
    const angle = 2 * Math.PI * this.turns * s;
    return target.set(r * Math.cos(angle), t, r * Math.sin(angle));
  }
}

/// Between two points of bodies: a coil, a damper with its cylinder, or a bar.
export class Link {
  readonly object: THREE.Object3D;
  private readonly from = new THREE.Vector3();
  private readonly to = new THREE.Vector3();
  private readonly along = new THREE.Vector3();

  constructor(readonly raw: RawLink, size: number, colour: string, opacity: number) {
    const group = new THREE.Group(), material = solid(colour, opacity);
    if (raw.kind === "spring") {
      group.add(new THREE.Mesh(new THREE.TubeGeometry(new Helix(8, 1.6 * size), 160, 0.28 * size, 6, false), material));
    } else {
      const radius = raw.kind === "cable" ? 0.22 * size : 0.4 * size;
      group.add(new THREE.Mesh(new THREE.CylinderGeometry(radius, radius, 1, 12).translate(0, 0.5, 0), material));
      if (raw.kind === "damper") {
        group.add(new THREE.Mesh(new THREE.CylinderGeometry(1.3 * size, 1.3 * size, 0.45, 18).translate(0, 0.45, 0), material));
      }
    }
    group.traverse((object) => { object.castShadow = opacity === 1; });
    this.object = group;
  }

  update(world: (body: number, point: readonly number[], out: THREE.Vector3) => void): void {
    world(this.raw.from.body, this.raw.from.point, this.from);
    world(this.raw.to.body, this.raw.to.point, this.to);
    this.along.subVectors(this.to, this.from);
    const length = this.along.length();
    this.object.visible = length > 0;
    if (!(length > 0)) return;
    this.object.position.copy(this.from);
    this.object.quaternion.setFromUnitVectors(kUp, this.along.multiplyScalar(1 / length));
    this.object.scale.set(1, length, 1);
  }
}

/// A torus with spokes, on its body.
export function make_wheel(wheel: RawWheel, length: number, colour: string, ghost: boolean): THREE.Group {
  const group = new THREE.Group();
  const tube = Math.max(wheel.tube, 0.006 * length, 0.02 * wheel.radius);
  const material = solid(colour, ghost ? 0.35 : 1);
  const tyre = new THREE.Mesh(new THREE.TorusGeometry(wheel.radius, tube, 14, 64), material);
  tyre.castShadow = !ghost;
  group.add(tyre);
  for (let k = 0; k < 6; ++k) {
    const spoke = new THREE.Mesh(new THREE.CylinderGeometry(0.3 * tube, 0.3 * tube, wheel.radius, 8).translate(0, wheel.radius / 2, 0), material);
    spoke.quaternion.set(0, 0, Math.sin((k * Math.PI) / 6), Math.cos((k * Math.PI) / 6));
    group.add(spoke);
  }
  group.position.fromArray(wheel.center);
  const axis = new THREE.Vector3().fromArray(wheel.axis);
  if (axis.lengthSq() > 0) group.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), axis.normalize());
  group.traverse((object) => { object.userData = { body: wheel.body, pick: true, colour }; });
  return group;
}

/// A line of which the part until now is strong and the rest faint.
export class Trace {
  readonly group = new THREE.Group();
  private readonly past: THREE.BufferGeometry;

  constructor(private readonly time: ArrayLike<number>, points: Float32Array, colour: string, opacity = 1) {
    const attribute = new THREE.BufferAttribute(points, 3);
    this.past = new THREE.BufferGeometry().setAttribute("position", attribute);
    const all = new THREE.BufferGeometry().setAttribute("position", attribute);
    this.group.add(new THREE.Line(this.past, new THREE.LineBasicMaterial({ color: colour, transparent: true, opacity })),
                   new THREE.Line(all, new THREE.LineBasicMaterial({ color: colour, transparent: true, opacity: 0.22 * opacity })));
    for (const line of this.group.children) line.frustumCulled = false;
  }

  update(t: number): void { this.past.setDrawRange(0, Math.max(upper_bound(this.time, t), 1)); }
}

/// The way of the contact point of a wheel over its plane.
export function make_path(wheel: RawWheel, result: Result, lift: number, colour: string): Trace | null {
  const x = wheel.path && result.by_name.get(wheel.path.x), y = wheel.path && result.by_name.get(wheel.path.y);
  if (!x || !y || !x.data.length) return null;
  const normal = new THREE.Vector3().fromArray(wheel.plane.normal).normalize();
  const ex = new THREE.Vector3().fromArray(wheel.plane.x).normalize();
  const ey = new THREE.Vector3().crossVectors(normal, ex);
  const origin = new THREE.Vector3().fromArray(wheel.plane.point).addScaledVector(normal, lift);
  const time: number[] = [], points: number[] = [], stride = Math.max(1, Math.ceil(x.data.length / 20_000));
  const point = new THREE.Vector3();
  for (let i = 0; i < x.data.length; i += stride) {
    const t = x.time[i], v = y.time === x.time ? y.data[i] : y.value(t);
    point.copy(origin).addScaledVector(ex, x.data[i]).addScaledVector(ey, v);
    time.push(t);
    points.push(point.x, point.y, point.z);
  }
  return new Trace(time, Float32Array.from(points), colour);
}

/// A force or torque of the machine: three channels in world axes at a point of a body.
export class Arrow {
  readonly object = new THREE.Group();
  readonly channels: Channel[];
  private readonly shaft: THREE.Mesh;
  private readonly head: THREE.Mesh;
  private readonly largest: number;
  private readonly at = new THREE.Vector3();
  private readonly along = new THREE.Vector3();

  constructor(readonly raw: RawArrow, result: Result, private readonly size: number, colour: string) {
    this.channels = raw.channels.map((name) => result.by_name.get(name)).filter((c): c is Channel => !!c);
    this.largest = Math.hypot(...this.channels.map((channel) => {
      const [low, high] = channel.pyramid.range(0, channel.data.length);
      return Math.max(Math.abs(low), Math.abs(high));
    }));
    const material = new THREE.MeshStandardMaterial({ color: colour, emissive: colour, emissiveIntensity: 0.35, roughness: 0.5 });
    const r = 0.016 * size;
    this.shaft = new THREE.Mesh(new THREE.CylinderGeometry(r, r, 1, 14).translate(0, 0.5, 0), material);
    this.head = new THREE.Mesh(new THREE.CylinderGeometry(0, 2.6 * r, 7 * r, 18).translate(0, 3.5 * r, 0), material);
    this.object.add(this.shaft, this.head);
    if (raw.kind === "torque") {
      const second = new THREE.Mesh(this.head.geometry, material);
      second.position.set(0, -5 * r, 0);
      this.head.add(second); // two heads: a torque
    }
  }

  update(t: number, world: (body: number, point: readonly number[], out: THREE.Vector3) => void): void {
    if (this.channels.length !== 3 || !(this.largest > 0)) { this.object.visible = false; return; }
    this.along.set(this.channels[0].value(t), this.channels[1].value(t), this.channels[2].value(t));
    const value = this.along.length(), length = (value / this.largest) * 0.8 * this.size;
    this.object.visible = length > 1e-4 * this.size;
    if (!this.object.visible) return;
    world(this.raw.body, this.raw.point, this.at);
    this.object.position.copy(this.at);
    this.object.quaternion.setFromUnitVectors(kUp, this.along.multiplyScalar(1 / value));
    const head = 0.112 * this.size, shaft = Math.max(length - head, 0.02 * this.size);
    this.shaft.scale.set(1, shaft, 1);
    this.head.position.set(0, shaft, 0);
  }
}

/// A wall or a ground.
export function make_plane(plane: RawPlane, size: number, colour: string): THREE.Mesh {
  const mesh = new THREE.Mesh(new THREE.PlaneGeometry(size, size), new THREE.MeshStandardMaterial({
    color: colour, roughness: 0.95, transparent: true, opacity: 0.22, side: THREE.DoubleSide, depthWrite: false,
  }));
  const normal = new THREE.Vector3().fromArray(plane.normal);
  if (normal.lengthSq() > 0) mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), normal.normalize());
  mesh.position.fromArray(plane.point);
  mesh.renderOrder = -1;
  return mesh;
}
