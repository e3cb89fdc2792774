// Where the bodies of a result are at any time.
import { upper_bound } from "./search";

/// Positions linear, orientations spherical linear between two rows.
export class Poses {
  /// x y z of every body and w x y z of every body at the time last asked for.
  readonly position: Float64Array;
  readonly orientation: Float64Array;
  private last = Number.NaN;

  constructor(
    readonly time: Float64Array,
    private readonly positions: Float32Array,
    private readonly orientations: Int16Array,
    readonly bodies: number,
  ) {
    if (positions.length !== time.length * bodies * 3 || orientations.length !== time.length * bodies * 4) {
      throw new Error("the poses of this page do not fit to their bodies");
    }
    this.position = new Float64Array(3 * bodies);
    this.orientation = new Float64Array(4 * bodies);
  }

  update(t: number): void {
    if (t === this.last || !this.time.length) return;
    this.last = t;
    const i = Math.min(Math.max(upper_bound(this.time, t) - 1, 0), this.time.length - 1);
    const j = Math.min(i + 1, this.time.length - 1);
    const step = this.time[j] - this.time[i];
    const s = step > 0 ? Math.min(Math.max((t - this.time[i]) / step, 0), 1) : 0;
    const p = i * this.bodies * 3,
      r = j * this.bodies * 3;
    for (let k = 0; k < 3 * this.bodies; ++k) {
      this.position[k] = (1 - s) * this.positions[p + k] + s * this.positions[r + k];
    }
    for (let b = 0; b < this.bodies; ++b) {
      this.turn(4 * (i * this.bodies + b), 4 * (j * this.bodies + b), s, 4 * b);
    }
  }

  /// Position of a body in row i.
  place(i: number, body: number): [number, number, number] {
    const k = 3 * (i * this.bodies + body);
    return [this.positions[k], this.positions[k + 1], this.positions[k + 2]];
  }

  quaternion(i: number, body: number): [number, number, number, number] {
    const k = 4 * (i * this.bodies + body),
      q = this.orientations;
    const norm = Math.hypot(q[k], q[k + 1], q[k + 2], q[k + 3]) || 1;
    return [q[k] / norm, q[k + 1] / norm, q[k + 2] / norm, q[k + 3] / norm];
  }

  private turn(from: number, to: number, s: number, out: number): void {
    const q = this.orientations;
    let dot = 0,
      a = 0,
      b = 0;
    for (let k = 0; k < 4; ++k) {
      dot += q[from + k] * q[to + k];
      a += q[from + k] ** 2;
      b += q[to + k] ** 2;
    }
    const norm_a = Math.sqrt(a) || 1,
      norm_b = Math.sqrt(b) || 1;
    let cosine = dot / (norm_a * norm_b);
    const sign = cosine < 0 ? -1 : 1; // the shorter way, whatever was written
    cosine = Math.min(Math.abs(cosine), 1);
    const angle = Math.acos(cosine),
      sine = Math.sin(angle);
    // for small angles the two weights of slerp are those of a line
    const u = sine > 1e-6 ? Math.sin((1 - s) * angle) / sine : 1 - s;
    const v = (sine > 1e-6 ? Math.sin(s * angle) / sine : s) * sign;
    for (let k = 0; k < 4; ++k) {
      this.orientation[out + k] = (u * q[from + k]) / norm_a + (v * q[to + k]) / norm_b;
    }
  }
}
