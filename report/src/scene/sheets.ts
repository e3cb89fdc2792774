// Vortex lattices and wakes: rings of every frame, coloured by their circulation (or the pressure on them).
import * as THREE from "three";
import type { RawSheet } from "../contract";
import type { Data, Numbers } from "../decode";
import { upper_bound } from "../search";

export class Sheet {
  readonly group = new THREE.Group();
  readonly time: Float64Array;
  readonly largest: number; // of the circulation, for the colours
  readonly largest_pressure: number;
  private readonly rows: Numbers;
  private readonly columns: Numbers;
  private readonly first_node: Numbers;
  private readonly first_ring: Numbers;
  private readonly box: Numbers;
  private readonly nodes: Numbers;
  private readonly circulation: Numbers;
  private readonly pressure: Numbers | null;
  private readonly points: THREE.BufferAttribute;
  private readonly colours: THREE.BufferAttribute;
  private readonly channels: number; // of a colour: wakes have an opacity, too
  private readonly faces: THREE.BufferGeometry;
  private readonly edges: THREE.BufferGeometry;
  private shown = -1;
  private shown_scale = 0;
  private shown_part = 1;
  private shown_map: Float32Array | null = null;

  constructor(
    readonly raw: RawSheet,
    data: Data,
    ghost: string | null,
  ) {
    this.time = data.doubles(raw.time);
    this.rows = data.read(raw.rows);
    this.columns = data.read(raw.columns);
    this.first_node = data.read(raw.first_node);
    this.first_ring = data.read(raw.first_ring);
    this.box = data.read(raw.box);
    this.nodes = data.read(raw.nodes);
    this.circulation = data.read(raw.circulation);
    let most = 0;
    for (let i = 0; i < this.time.length; ++i) most = Math.max(most, this.rows[i] * this.columns[i]);
    this.pressure = raw.pressure ? data.read(raw.pressure) : null;
    this.largest = percentile(this.circulation, 0.99) * (raw.circulation_scale / 32767);
    this.largest_pressure = this.pressure
      ? percentile(this.pressure, 0.99) * ((raw.pressure_scale ?? 0) / 32767)
      : 0;

    this.points = new THREE.BufferAttribute(new Float32Array(12 * most), 3).setUsage(THREE.DynamicDrawUsage);
    this.channels = raw.kind === "wake" ? 4 : 3;
    this.colours = new THREE.BufferAttribute(
      new Float32Array(4 * this.channels * most),
      this.channels,
    ).setUsage(THREE.DynamicDrawUsage);
    const triangles = new Uint32Array(6 * most),
      lines = new Uint32Array(8 * most);
    for (let r = 0; r < most; ++r) {
      const k = 4 * r;
      triangles.set([k, k + 1, k + 2, k, k + 2, k + 3], 6 * r);
      lines.set([k, k + 1, k + 1, k + 2, k + 2, k + 3, k + 3, k], 8 * r);
    }
    this.faces = new THREE.BufferGeometry()
      .setAttribute("position", this.points)
      .setAttribute("color", this.colours)
      .setIndex(new THREE.BufferAttribute(triangles, 1));
    this.edges = new THREE.BufferGeometry()
      .setAttribute("position", this.points)
      .setAttribute("color", this.colours)
      .setIndex(new THREE.BufferAttribute(lines, 1));
    const wake = raw.kind === "wake";
    // what lies in many layers is thinner, so that the machine is seen in it
    const opacity = ghost
      ? 0.25
      : wake
        ? Math.min(Math.max(0.62 * (400 / Math.max(most, 1)) ** 0.3, 0.15), 0.62)
        : 1;
    const surface = wake
      ? new THREE.MeshBasicMaterial({
          vertexColors: true,
          transparent: true,
          opacity,
          side: THREE.DoubleSide,
          depthWrite: false,
        })
      : new THREE.MeshStandardMaterial({
          vertexColors: true,
          flatShading: true,
          roughness: 0.6,
          metalness: 0,
          side: THREE.DoubleSide,
          transparent: opacity < 1,
          opacity,
          polygonOffset: true,
          polygonOffsetFactor: 1,
          polygonOffsetUnits: 1,
        });
    if (ghost && "color" in surface) (surface as THREE.MeshBasicMaterial).color.set(ghost);
    const mesh = new THREE.Mesh(this.faces, surface);
    mesh.castShadow = !wake && !ghost;
    const line = new THREE.LineSegments(
      this.edges,
      wake
        ? new THREE.LineBasicMaterial({
            vertexColors: true,
            transparent: true,
            opacity: ghost ? 0.3 : opacity,
          })
        : new THREE.LineBasicMaterial({
            color: ghost ?? "#223",
            transparent: true,
            opacity: ghost ? 0.5 : 0.45,
          }),
    );
    for (const object of [mesh, line]) {
      object.frustumCulled = false; // their bounds change with every frame
      this.group.add(object);
    }
    if (wake) mesh.renderOrder = line.renderOrder = 2;
  }

  /// Of the sheet on a wing, which is shown instead of the wing's own surface.
  get is_wake(): boolean {
    return this.raw.kind === "wake";
  }

  /// The frame that is seen at t: the last one that is not later. Nothing before the first one.
  /// `newest`: the part of a wake that is shown, from where it is shed.
  update(t: number, circulation: number, pressure: number, map: Float32Array, newest = 1): void {
    const frame = upper_bound(this.time, t) - 1;
    // by pressure where that is asked for and known: not in wakes
    const by_pressure = pressure > 0 && this.pressure !== null,
      scale = by_pressure ? -pressure : circulation;
    if (
      frame === this.shown &&
      scale === this.shown_scale &&
      map === this.shown_map &&
      newest === this.shown_part
    )
      return;
    this.shown_part = newest;
    this.shown = frame;
    this.shown_scale = scale;
    this.shown_map = map;
    const shed = frame < 0 ? 0 : this.rows[frame],
      rows = this.is_wake ? Math.ceil(newest * shed) : shed,
      columns = frame < 0 ? 0 : this.columns[frame];
    if (frame >= 0) this.fill(frame, shed, rows, columns, scale, map);
    this.faces.setDrawRange(0, 6 * rows * columns);
    this.edges.setDrawRange(0, 8 * rows * columns);
  }

  private fill(
    frame: number,
    shed: number,
    rows: number,
    columns: number,
    scale: number,
    map: Float32Array,
  ): void {
    const b = 6 * frame,
      box = this.box,
      nodes = this.nodes;
    const sx = box[b + 3] / 65535,
      sy = box[b + 4] / 65535,
      sz = box[b + 5] / 65535;
    const first = this.first_node[frame],
      ring0 = this.first_ring[frame];
    const points = this.points.array,
      colours = this.colours.array;
    const by_pressure = scale < 0 && this.pressure !== null,
      values = by_pressure && this.pressure ? this.pressure : this.circulation;
    const full = (by_pressure ? (this.raw.pressure_scale ?? 0) : this.raw.circulation_scale) / 32767;
    const factor = scale !== 0 ? full / Math.abs(scale) : 0;
    const { channels } = this;
    let out = 0,
      tint = 0;
    for (let r = 0; r < rows; ++r) {
      const young = 0.12 + 0.88 * (1 - r / Math.max(shed, 1)) ** 1.4; // a wake fades with its age
      for (let c = 0; c < columns; ++c) {
        const value = values[ring0 + r * columns + c] * factor;
        const k = 3 * Math.min(Math.max(Math.round((value + 1) * 127.5), 0), 255);
        const red = map[k] ** 2.2,
          green = map[k + 1] ** 2.2,
          blue = map[k + 2] ** 2.2; // vertex colours are linear
        const alpha = young * (0.3 + 0.7 * Math.min(Math.abs(value), 1) ** 0.6);
        const a = first + r * (columns + 1) + c;
        for (let corner = 0; corner < 4; ++corner) {
          const n =
            3 * (corner === 0 ? a : corner === 1 ? a + 1 : corner === 2 ? a + columns + 2 : a + columns + 1);
          points[out] = box[b] + nodes[n] * sx;
          points[out + 1] = box[b + 1] + nodes[n + 1] * sy;
          points[out + 2] = box[b + 2] + nodes[n + 2] * sz;
          colours[tint] = red;
          colours[tint + 1] = green;
          colours[tint + 2] = blue;
          if (channels === 4) colours[tint + 3] = alpha;
          out += 3;
          tint += channels;
        }
      }
    }
    this.points.needsUpdate = true;
    this.colours.needsUpdate = true;
  }

  /// The box of what is seen at t, world axes.
  bounds_at(t: number): THREE.Box3 | null {
    const frame = upper_bound(this.time, t) - 1,
      b = 6 * frame;
    if (frame < 0 || !this.rows[frame]) return null;
    return new THREE.Box3()
      .makeEmpty()
      .expandByPoint(new THREE.Vector3(this.box[b], this.box[b + 1], this.box[b + 2]))
      .expandByPoint(
        new THREE.Vector3(
          this.box[b] + this.box[b + 3],
          this.box[b + 1] + this.box[b + 4],
          this.box[b + 2] + this.box[b + 5],
        ),
      );
  }
}

/// A few extreme rings (starting vortices) shall not bleach all others.
function percentile(values: Numbers, part: number): number {
  const n = values.length,
    stride = Math.max(1, Math.floor(n / 50_000));
  const sizes: number[] = [];
  for (let i = 0; i < n; i += stride) sizes.push(Math.abs(values[i]));
  sizes.sort((a, b) => a - b);
  return sizes.length ? sizes[Math.floor(part * (sizes.length - 1))] : 0;
}
