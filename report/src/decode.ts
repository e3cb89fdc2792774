// From the elements of the page to numbers: base64, gzip, arrays in byte planes.
import type { ArrayRef, RawPage } from "./contract";

export type Numbers =
  Float64Array | Float32Array | Uint8Array | Int8Array | Uint16Array | Int16Array | Uint32Array;

const kMagic = 0x52544c48; // "HLTR", little endian
const kVersion = 1;
const kArrays = {
  f64: Float64Array,
  f32: Float32Array,
  u8: Uint8Array,
  i8: Int8Array,
  u16: Uint16Array,
  i16: Int16Array,
  u32: Uint32Array,
};

/// The JSON of a page and the arrays beside it.
export class Data {
  constructor(
    readonly page: RawPage,
    private readonly blob: Uint8Array,
  ) {}

  read(ref: ArrayRef): Numbers {
    const Type = kArrays[ref?.type];
    if (!Type) throw new Error("the data of this page name an array of an unknown type");
    const size = Type.BYTES_PER_ELEMENT;
    if (!(ref.at >= 0 && ref.n >= 0 && ref.at + ref.n * size <= this.blob.length)) {
      throw new Error("the data of this page are cut: an array ends behind them");
    }
    const planes = this.blob.subarray(ref.at, ref.at + ref.n * size);
    const values = new Type(ref.n);
    join_planes(planes, values, size, ref.n);
    // wraps as it was stored
    if (ref.step) for (let i = ref.step; i < ref.n; ++i) values[i] += values[i - ref.step];
    return values;
  }

  doubles(ref: ArrayRef): Float64Array {
    const values = this.read(ref);
    return values instanceof Float64Array ? values : Float64Array.from(values);
  }
}

function join_planes(planes: Uint8Array, values: Numbers, size: number, n: number): void {
  const bytes = new Uint8Array(values.buffer);
  if (size === 1) {
    bytes.set(planes);
  } else if (size === 2) {
    for (let i = 0, k = 0; i < n; ++i, k += 2) {
      bytes[k] = planes[i];
      bytes[k + 1] = planes[n + i];
    }
  } else {
    const words = new Uint32Array(values.buffer);
    const stride = size / 4;
    for (let w = 0; w < stride; ++w) {
      const a = 4 * w * n,
        b = a + n,
        c = b + n,
        d = c + n;
      for (let i = 0, k = w; i < n; ++i, k += stride) {
        words[k] = planes[a + i] | (planes[b + i] << 8) | (planes[c + i] << 16) | (planes[d + i] << 24);
      }
    }
  }
}

/// Bytes of base64 texts that follow each other.
function from_base64(texts: string[]): Uint8Array {
  const native = (Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array }).fromBase64;
  const parts: Uint8Array[] = [];
  const piece = 1 << 22; // of whole groups of four; atob makes a string as long
  for (const text of texts) {
    if (native) {
      parts.push(native.call(Uint8Array, text));
      continue;
    }
    for (let at = 0; at < text.length; at += piece) {
      const raw = atob(text.slice(at, at + piece));
      const bytes = new Uint8Array(raw.length);
      for (let i = 0; i < raw.length; ++i) bytes[i] = raw.charCodeAt(i);
      parts.push(bytes);
    }
  }
  return joined(parts);
}

// One after the other.
export function joined(parts: Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0];
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

async function unzip(bytes: Uint8Array): Promise<Uint8Array> {
  if (typeof DecompressionStream === "undefined") {
    throw new Error("this browser is too old: it cannot unpack data (no DecompressionStream)");
  }
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/// Bytes behind the head: JSON and blob.
export function parse(bytes: Uint8Array): Data {
  const head = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 12 || head.getUint32(0, true) !== kMagic)
    throw new Error("the data of this page are not haltere's");
  const version = head.getUint32(4, true);
  if (version !== kVersion)
    throw new Error(`the data of this page have format ${version}; this viewer reads ${kVersion}`);
  const length = head.getUint32(8, true);
  if (12 + length > bytes.length) throw new Error("the data of this page are cut");
  const page = JSON.parse(new TextDecoder().decode(bytes.subarray(12, 12 + length))) as RawPage;
  const start = Math.ceil((12 + length) / 8) * 8;
  return new Data(page, bytes.subarray(Math.min(start, bytes.length)));
}

/// The data that stand in this document; their texts are let go.
export async function read_data(root: ParentNode): Promise<Data> {
  const elements = Array.from(root.querySelectorAll("script.haltere-data"));
  if (!elements.length)
    throw new Error("this page has no data: it is the bare viewer. `haltere report` writes pages with data");
  const texts = elements.map((element) => (element.textContent ?? "").trim());
  for (const element of elements) element.remove();
  let bytes: Uint8Array;
  try {
    bytes = await unzip(from_base64(texts));
  } catch (error) {
    if (error instanceof Error && error.message.includes("too old")) throw error;
    throw new Error("the data of this page are damaged: was the file saved or sent as a whole?");
  }
  return parse(bytes);
}
