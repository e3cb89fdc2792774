// The motion as a video: every frame is drawn, encoded (WebCodecs) and counted by itself, never recorded as
// it plays.
import { joined } from "./decode";
import type { Clock } from "./clock";
import type { FrameOptions } from "./frames";
import type { Stage } from "./scene/stage";

export function has_video(): boolean {
  return typeof VideoEncoder !== "undefined" && typeof VideoFrame !== "undefined";
}

interface Packet {
  time: number;
  key: boolean;
  bytes: Uint8Array;
} // ms

export async function export_video(
  stage: Stage,
  clock: Clock,
  n: number,
  rate: number,
  options: FrameOptions = {},
): Promise<{ count: number; blob: Blob }> {
  const count = Math.floor(n);
  if (!has_video()) throw new Error("this browser cannot encode videos; take the images");
  if (!(count >= 1) || count > 100_000 || !(rate > 0) || rate > 240)
    throw new Error("ask for 1 to 100000 frames, up to 240 a second");
  const width = 2 * Math.round((options.width ?? 1280) / 2),
    height = 2 * Math.round((options.height ?? 720) / 2);
  const config = {
    codec: "vp8",
    width,
    height,
    bitrate: Math.round(width * height * rate * 0.12),
    framerate: rate,
  };
  if (!(await VideoEncoder.isConfigSupported(config)).supported)
    throw new Error("this browser cannot encode videos of this size; take the images");
  const packets: Packet[] = [];
  let failure: Error | null = null;
  const encoder = new VideoEncoder({
    output: (chunk) => {
      const bytes = new Uint8Array(chunk.byteLength);
      chunk.copyTo(bytes);
      packets.push({ time: Math.round(chunk.timestamp / 1000), key: chunk.type === "key", bytes });
    },
    error: (error) => {
      failure = error;
    },
  });
  encoder.configure(config);
  const back = clock.time;
  clock.pause();
  let done = 0;
  try {
    for (let i = 0; i < count && !failure; ++i) {
      clock.seek(count === 1 ? back : clock.start + ((clock.end - clock.start) * i) / (count - 1));
      const frame = stage.picture(
        width,
        height,
        (canvas) =>
          new VideoFrame(canvas, {
            timestamp: Math.round((i * 1e6) / rate),
            duration: Math.round(1e6 / rate),
          }),
      );
      encoder.encode(frame, { keyFrame: i % 60 === 0 });
      frame.close();
      done = i + 1;
      while (encoder.encodeQueueSize > 4) await new Promise((next) => setTimeout(next, 2));
      await new Promise((next) => setTimeout(next));
      if (options.on_frame?.(done, count) === false) break;
    }
    await encoder.flush();
  } finally {
    if (encoder.state !== "closed") encoder.close();
    clock.seek(back);
  }
  if (failure) throw failure;
  if (packets.length !== done)
    throw new Error(`the browser encoded ${packets.length} of ${done} frames; take the images`);
  return { count: packets.length, blob: webm(packets, width, height, rate) };
}

// -- WebM: a tree of elements of id, size and content -------------------------------------------------------

type Part = Uint8Array;

function big_endian(value: number, bytes: number): Part {
  return Uint8Array.from({ length: bytes }, (_, i) => Math.floor(value / 256 ** (bytes - 1 - i)) % 256);
}

function element(id: number, ...content: Part[]): Part {
  const body = joined(content),
    id_bytes = id > 0xffffff ? 4 : id > 0xffff ? 3 : id > 0xff ? 2 : 1;
  const size = big_endian(body.length, 8);
  size[0] = 1; // eight bytes of size
  return joined([big_endian(id, id_bytes), size, body]);
}

function whole(value: number): Part {
  return big_endian(value, 4);
}
function text(value: string): Part {
  return new TextEncoder().encode(value);
}
function real(value: number): Part {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return new Uint8Array(view.buffer);
}

function webm(packets: Packet[], width: number, height: number, rate: number): Blob {
  const head = element(
    0x1a45dfa3,
    element(0x4286, whole(1)),
    element(0x42f7, whole(1)),
    element(0x42f2, whole(4)),
    element(0x42f3, whole(8)),
    element(0x4282, text("webm")),
    element(0x4287, whole(2)),
    element(0x4285, whole(2)),
  );
  const info = element(
    0x1549a966,
    element(0x2ad7b1, whole(1_000_000)),
    element(0x4d80, text("haltere")),
    element(0x5741, text("haltere")),
    element(0x4489, real((packets.length * 1000) / rate)),
  );
  const track = element(
    0x1654ae6b,
    element(
      0xae,
      element(0xd7, whole(1)),
      element(0x73c5, whole(1)),
      element(0x83, whole(1)),
      element(0x86, text("V_VP8")),
      element(0xe0, element(0xb0, whole(width)), element(0xba, whole(height))),
    ),
  );
  const clusters: Part[] = [];
  for (let i = 0; i < packets.length;) {
    const start = packets[i].time,
      blocks: Part[] = [element(0xe7, big_endian(start, 6))];
    const first = i;
    // times in a cluster are 16 bits of milliseconds from its start
    for (; i < packets.length && packets[i].time - start < 30_000 && (i === first || !packets[i].key); ++i) {
      blocks.push(
        element(
          0xa3,
          Uint8Array.from([0x81]),
          big_endian(packets[i].time - start, 2),
          Uint8Array.from([packets[i].key ? 0x80 : 0]),
          packets[i].bytes,
        ),
      );
    }
    clusters.push(element(0x1f43b675, ...blocks));
  }
  return new Blob([head, element(0x18538067, info, track, ...clusters)] as BlobPart[], {
    type: "video/webm",
  });
}
