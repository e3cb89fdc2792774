// Rigid wings (blade elements): a strip of quadrilaterals on a body, coloured by the load of each column.
import * as THREE from "three";
import type { RawSurface } from "../contract";
import type { Channel, Result } from "../result";

export class Surface {
  readonly mesh: THREE.Mesh;
  readonly loads: Channel[];
  readonly largest: number;
  private readonly colours: THREE.BufferAttribute;
  private readonly plain: THREE.Color;

  constructor(
    readonly raw: RawSurface,
    result: Result,
    colour: string,
    ghost: string | null,
  ) {
    const columns = Math.max(0, Math.min(raw.columns, Math.floor(raw.nodes.length / 6) - 1));
    const points = new Float32Array(12 * columns),
      index: number[] = [];
    const row = 3 * (columns + 1);
    for (let c = 0; c < columns; ++c) {
      const corners = [3 * c, 3 * (c + 1), row + 3 * (c + 1), row + 3 * c];
      corners.forEach((from, k) => points.set(raw.nodes.slice(from, from + 3), 12 * c + 3 * k));
      index.push(4 * c, 4 * c + 1, 4 * c + 2, 4 * c, 4 * c + 2, 4 * c + 3);
    }
    this.colours = new THREE.BufferAttribute(new Float32Array(12 * columns), 3).setUsage(
      THREE.DynamicDrawUsage,
    );
    const geometry = new THREE.BufferGeometry()
      .setAttribute("position", new THREE.BufferAttribute(points, 3))
      .setAttribute("color", this.colours)
      .setIndex(index);
    geometry.computeVertexNormals();
    const opacity = ghost ? 0.3 : 0.94;
    this.mesh = new THREE.Mesh(
      geometry,
      new THREE.MeshStandardMaterial({
        vertexColors: true,
        side: THREE.DoubleSide,
        roughness: 0.5,
        metalness: 0.02,
        transparent: true,
        opacity,
        polygonOffset: true,
        polygonOffsetFactor: 1,
        polygonOffsetUnits: 1,
      }),
    );
    this.mesh.castShadow = !ghost;
    this.mesh.userData = { body: raw.body, pick: true };
    const edges = new THREE.LineSegments(
      new THREE.EdgesGeometry(geometry, 10),
      new THREE.LineBasicMaterial({ color: ghost ?? "#334", transparent: true, opacity: 0.5 }),
    );
    this.mesh.add(edges);
    this.plain = new THREE.Color(ghost ?? colour);
    this.loads = (raw.load ?? [])
      .map((name) => result.by_name.get(name))
      .filter((c): c is Channel => !!c)
      .slice(0, columns);
    this.largest = this.loads.reduce((most, channel) => {
      const [low, high] = channel.pyramid.range(0, channel.data.length);
      return Math.max(most, Math.abs(low), Math.abs(high));
    }, 0);
    if (ghost) this.loads = [];
    const c = this.plain;
    for (let k = 0; k < 4 * columns; ++k) this.colours.array.set([c.r, c.g, c.b], 3 * k);
  }

  update(t: number, scale: number, map: Float32Array): void {
    if (!this.loads.length || !(scale > 0)) return;
    this.loads.forEach((channel, c) => {
      const value = (channel.value(t) || 0) / scale; // 0 where it is not valid any more
      const k = 3 * Math.min(Math.max(Math.round((value + 1) * 127.5), 0), 255);
      for (let corner = 0; corner < 4; ++corner) {
        for (let i = 0; i < 3; ++i) this.colours.array[12 * c + 3 * corner + i] = map[k + i] ** 2.2;
      }
    });
    this.colours.needsUpdate = true;
  }
}
