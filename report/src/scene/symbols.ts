// Joints, springs and cables, wheels, force arrows, lines that grow with time: what helps to read a machine.
import * as THREE from "three";
import type { RawArrow, RawJoint, RawLink, RawPlane, RawShape, RawWheel } from "../contract";
import type { Channel, Result } from "../result";
import { upper_bound } from "../search";

const kUp = new THREE.Vector3(0, 1, 0);

function solid(colour: string, opacity = 1): THREE.MeshStandardMaterial {
  return new THREE.MeshStandardMaterial({
    color: colour,
    roughness: 0.45,
    metalness: 0.25,
    transparent: opacity < 1,
    opacity,
  });
}

export function make_joint(joint: RawJoint, size: number, colour: string): THREE.Object3D | null {
  if (/^(free|weld|planar)/.test(joint.kind)) return null;
  const turns = /revolute|hinge|cylindrical|screw/.test(joint.kind),
    slides = /prismatic|slider/.test(joint.kind);
  const geometry = turns
    ? new THREE.CylinderGeometry(size, size, 3 * size, 20)
    : slides
      ? new THREE.BoxGeometry(1.4 * size, 3.4 * size, 1.4 * size)
      : new THREE.SphereGeometry(1.2 * size, 20, 14);
  const mesh = new THREE.Mesh(geometry, solid(colour));
  mesh.position.fromArray(joint.point);
  if (joint.axis && (turns || slides)) {
    const axis = new THREE.Vector3().fromArray(joint.axis);
    if (axis.lengthSq() > 0) mesh.quaternion.setFromUnitVectors(kUp, axis.normalize());
  }
  mesh.castShadow = true;
  return mesh;
}

/// A coil from 0 to `length` along y, with straight ends.
class Helix extends THREE.Curve {
  constructor(
    private readonly turns: number,
    private readonly radius: number,
    private readonly length: number,
  ) {
    super();
  }
  override getPoint(t: number, target = new THREE.Vector3()): THREE.Vector3 {
    const lead = 0.12,
      s = Math.min(Math.max((t - lead) / (1 - 2 * lead), 0), 1);
    const r = this.radius * Math.min(1, 12 * s, 12 * (1 - s));
    const angle = 2 * Math.PI * this.turns * s;
    return target.set(r * Math.cos(angle), t * this.length, r * Math.sin(angle));
  }
}

/// Between two points of bodies: a coil, a damper with its cylinder, or a bar.
export class Link {
  readonly object: THREE.Group;
  private readonly from = new THREE.Vector3();
  private readonly to = new THREE.Vector3();
  private readonly along = new THREE.Vector3();

  private made = 0; // length of the drawing

  constructor(
    readonly raw: RawLink,
    private readonly size: number,
    private readonly colour: string,
    private readonly opacity: number,
  ) {
    this.object = new THREE.Group();
  }

  /// At the first length that is seen: coils keep their number, and the wire is as thick along as across.
  private make(length: number): void {
    const { raw, size, object } = this,
      material = solid(this.colour, this.opacity);
    this.made = length;
    if (raw.kind === "spring") {
      const turns = Math.min(Math.max(Math.round(length / (2.2 * size)), 4), 40);
      object.add(
        new THREE.Mesh(
          new THREE.TubeGeometry(new Helix(turns, size, length), 14 * turns, 0.2 * size, 6, false),
          material,
        ),
      );
    } else {
      const radius = raw.kind === "cable" ? 0.18 * size : 0.32 * size;
      object.add(
        new THREE.Mesh(
          new THREE.CylinderGeometry(radius, radius, length, 12).translate(0, length / 2, 0),
          material,
        ),
      );
      if (raw.kind === "damper") {
        object.add(
          new THREE.Mesh(
            new THREE.CylinderGeometry(size, size, 0.45 * length, 18).translate(0, 0.45 * length, 0),
            material,
          ),
        );
      }
    }
    object.traverse((part) => {
      part.castShadow = this.opacity === 1;
    });
  }

  update(world: (body: number, point: readonly number[], out: THREE.Vector3) => void): void {
    world(this.raw.from.body, this.raw.from.point, this.from);
    world(this.raw.to.body, this.raw.to.point, this.to);
    this.along.subVectors(this.to, this.from);
    const length = this.along.length();
    this.object.visible = length > 0;
    if (!(length > 0)) return;
    if (!this.made) this.make(length);
    this.object.position.copy(this.from);
    this.object.quaternion.setFromUnitVectors(kUp, this.along.multiplyScalar(1 / length));
    this.object.scale.set(1, length / this.made, 1);
  }
}

/// A torus with spokes, on its body; where the body has the `shape` of a wheel, that is drawn and gets marks
/// that show how it turns.
export function make_wheel(
  wheel: RawWheel,
  length: number,
  colour: string,
  ghost: boolean,
  shape: RawShape | null,
): THREE.Group {
  const group = new THREE.Group();
  const tube = Math.max(wheel.tube, 0.006 * length, 0.02 * wheel.radius);
  const material = solid(colour, ghost ? 0.35 : 1);
  if (!shape) group.add(new THREE.Mesh(new THREE.TorusGeometry(wheel.radius, tube, 14, 64), material));
  const full = shape && shape.kind !== "torus" ? shape : null;
  for (let k = 0; k < 3; ++k) {
    const spoke = full
      ? new THREE.Mesh(
          new THREE.BoxGeometry(
            0.05 * wheel.radius,
            1.9 * (full.radius ?? wheel.radius),
            1.02 * (full.length ?? 0) + 0.008 * length,
          ),
          material,
        )
      : new THREE.Mesh(new THREE.CylinderGeometry(0.3 * tube, 0.3 * tube, 2 * wheel.radius, 8), material);
    spoke.quaternion.set(0, 0, Math.sin((k * Math.PI) / 6), Math.cos((k * Math.PI) / 6));
    group.add(spoke);
  }
  group.position.fromArray(wheel.center);
  const axis = new THREE.Vector3().fromArray(wheel.axis);
  if (axis.lengthSq() > 0) group.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), axis.normalize());
  group.traverse((object) => {
    object.userData = { body: wheel.body, pick: true, colour };
    object.castShadow = !ghost && !full;
  });
  return group;
}

/// A line of which the part until now is strong and the rest faint.
export class Trace {
  readonly group = new THREE.Group();
  private readonly past: THREE.BufferGeometry;

  constructor(
    private readonly time: ArrayLike<number>,
    points: Float32Array,
    colour: string,
    opacity = 1,
  ) {
    const attribute = new THREE.BufferAttribute(points, 3);
    this.past = new THREE.BufferGeometry().setAttribute("position", attribute);
    const all = new THREE.BufferGeometry().setAttribute("position", attribute);
    this.group.add(
      new THREE.Line(this.past, new THREE.LineBasicMaterial({ color: colour, transparent: true, opacity })),
      new THREE.Line(
        all,
        new THREE.LineBasicMaterial({ color: colour, transparent: true, opacity: 0.22 * opacity }),
      ),
    );
    for (const line of this.group.children) line.frustumCulled = false;
  }

  update(t: number): void {
    this.past.setDrawRange(0, Math.max(upper_bound(this.time, t), 1));
  }
}

/// The way of the contact point of a wheel over its plane.
export function make_path(wheel: RawWheel, result: Result, lift: number, colour: string): Trace | null {
  const x = wheel.path && result.by_name.get(wheel.path.x),
    y = wheel.path && result.by_name.get(wheel.path.y);
  if (!x || !y || !x.data.length) return null;
  const normal = new THREE.Vector3().fromArray(wheel.plane.normal).normalize();
  const ex = new THREE.Vector3().fromArray(wheel.plane.x).normalize();
  const ey = new THREE.Vector3().crossVectors(normal, ex);
  const origin = new THREE.Vector3().fromArray(wheel.plane.point).addScaledVector(normal, lift);
  const time: number[] = [],
    points: number[] = [],
    stride = Math.max(1, Math.ceil(x.data.length / 20_000));
  const point = new THREE.Vector3();
  for (let i = 0; i < x.data.length; i += stride) {
    const t = x.time[i],
      v = y.time === x.time ? y.data[i] : y.value(t);
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

  constructor(
    readonly raw: RawArrow,
    result: Result,
    private readonly size: number,
    colour: string,
  ) {
    this.channels = raw.channels.map((name) => result.by_name.get(name)).filter((c): c is Channel => !!c);
    this.largest = Math.hypot(
      ...this.channels.map((channel) => {
        const [low, high] = channel.pyramid.range(0, channel.data.length);
        return Math.max(Math.abs(low), Math.abs(high));
      }),
    );
    const material = new THREE.MeshStandardMaterial({
      color: colour,
      emissive: colour,
      emissiveIntensity: 0.35,
      roughness: 0.5,
    });
    const r = 0.016 * size;
    this.shaft = new THREE.Mesh(new THREE.CylinderGeometry(r, r, 1, 14).translate(0, 0.5, 0), material);
    this.head = new THREE.Mesh(
      new THREE.CylinderGeometry(0, 2.6 * r, 7 * r, 18).translate(0, 3.5 * r, 0),
      material,
    );
    this.object.add(this.shaft, this.head);
    if (raw.kind === "torque") {
      const second = new THREE.Mesh(this.head.geometry, material);
      second.position.set(0, -5 * r, 0);
      this.head.add(second); // two heads: a torque
    }
  }

  update(t: number, world: (body: number, point: readonly number[], out: THREE.Vector3) => void): void {
    if (this.channels.length !== 3 || !(this.largest > 0)) {
      this.object.visible = false;
      return;
    }
    this.along.set(this.channels[0].value(t), this.channels[1].value(t), this.channels[2].value(t));
    const value = this.along.length(),
      length = (value / this.largest) * 0.8 * this.size;
    this.object.visible = length > 1e-4 * this.size;
    if (!this.object.visible) return;
    world(this.raw.body, this.raw.point, this.at);
    this.object.position.copy(this.at);
    this.object.quaternion.setFromUnitVectors(kUp, this.along.multiplyScalar(1 / value));
    const head = 0.112 * this.size,
      shaft = Math.max(length - head, 0.02 * this.size);
    this.shaft.scale.set(1, shaft, 1);
    this.head.position.set(0, shaft, 0);
  }
}

/// A wall or a ground.
export function make_plane(plane: RawPlane, size: number, colour: string): THREE.Mesh {
  const mesh = new THREE.Mesh(
    new THREE.PlaneGeometry(size, size),
    new THREE.MeshStandardMaterial({
      color: colour,
      roughness: 0.95,
      transparent: true,
      opacity: 0.22,
      side: THREE.DoubleSide,
      depthWrite: false,
    }),
  );
  const normal = new THREE.Vector3().fromArray(plane.normal);
  if (normal.lengthSq() > 0)
    mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), normal.normalize());
  mesh.position.fromArray(plane.point);
  mesh.renderOrder = -1;
  return mesh;
}
