// Writes pages of docs/report-format.md without any code of the viewer or of the program: a second opinion of
// the contract.
import { gzipSync } from "node:zlib";

type Type = "f64" | "f32" | "u8" | "i8" | "u16" | "i16" | "u32";
const kBytes: Record<Type, number> = { f64: 8, f32: 4, u8: 1, i8: 1, u16: 2, i16: 2, u32: 4 };
export interface Ref {
  at: number;
  n: number;
  type: Type;
  step?: number;
}

export class Encoder {
  private readonly parts: Buffer[] = [];
  private size = 0;

  array(type: Type, values: ArrayLike<number>, step?: number): Ref {
    const bytes = kBytes[type],
      n = values.length,
      plain = Buffer.alloc(n * bytes);
    const modulus = 2 ** (8 * bytes);
    for (let i = 0; i < n; ++i) {
      const at = i * bytes;
      if (type === "f64") plain.writeDoubleLE(values[i], at);
      else if (type === "f32") plain.writeFloatLE(values[i], at);
      else {
        const before = step && i >= step ? values[i - step] : 0;
        const stored = (((values[i] - before) % modulus) + modulus) % modulus;
        plain.writeUIntLE(stored, at, bytes);
      }
    }
    const planes = Buffer.alloc(n * bytes);
    for (let p = 0; p < bytes; ++p) for (let i = 0; i < n; ++i) planes[p * n + i] = plain[i * bytes + p];
    const ref: Ref = { at: this.size, n, type, ...(step ? { step } : {}) };
    this.parts.push(planes, Buffer.alloc((8 - (planes.length % 8)) % 8));
    this.size += Math.ceil(planes.length / 8) * 8;
    return ref;
  }

  /// The elements for the page; `piece` characters each.
  elements(page: object, piece = 2 ** 26): string {
    const json = Buffer.from(JSON.stringify(page), "utf8");
    const head = Buffer.alloc(12);
    head.write("HLTR", 0, "latin1");
    head.writeUInt32LE(1, 4);
    head.writeUInt32LE(json.length, 8);
    const pad = Buffer.alloc((8 - ((12 + json.length) % 8)) % 8);
    const text = gzipSync(Buffer.concat([head, json, pad, ...this.parts])).toString("base64");
    const list: string[] = [];
    const whole = Math.floor(piece / 4) * 4;
    for (let at = 0; at < text.length; at += whole)
      list.push(
        `<script type="application/octet-stream" class="haltere-data">${text.slice(at, at + whole)}</script>`,
      );
    return list.join("\n");
  }
}

export function make_page(viewer: string, elements: string): string {
  const parts = viewer.split("<!-- haltere:data -->");
  if (parts.length !== 2) throw new Error("the viewer has no single place for data");
  return parts.join(elements);
}
