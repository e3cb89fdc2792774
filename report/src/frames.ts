// The motion as pictures: frame by frame, so that n frames asked are n frames made.
import type { Clock } from "./clock";
import type { Stage } from "./scene/stage";
import { Tar } from "./tar";

export interface FrameOptions {
  width?: number;
  height?: number;
  on_frame?: (done: number, of: number) => boolean;
}
export interface Frames {
  count: number;
  times: number[];
  blob: Blob;
}

/// PNG images from the first to the last time in one .tar, and their times. `on_frame` may stop it by false.
export async function export_frames(
  stage: Stage,
  clock: Clock,
  n: number,
  options: FrameOptions = {},
): Promise<Frames> {
  const count = Math.floor(n);
  if (!(count >= 1) || count > 100_000) throw new Error("ask for 1 to 100000 frames");
  const { width = 1280, height = 720 } = options;
  const tar = new Tar(),
    times: number[] = [],
    back = clock.time;
  clock.pause();
  const digits = Math.max(4, String(count).length);
  try {
    for (let i = 0; i < count; ++i) {
      const t = count === 1 ? back : clock.start + ((clock.end - clock.start) * i) / (count - 1);
      clock.seek(t);
      const image = await stage.picture(width, height, (canvas) => png(canvas));
      tar.add(`frame-${String(i + 1).padStart(digits, "0")}.png`, new Uint8Array(await image.arrayBuffer()));
      times.push(t);
      if (options.on_frame?.(i + 1, count) === false) break;
    }
  } finally {
    clock.seek(back);
  }
  tar.add(
    "times.csv",
    new TextEncoder().encode(`frame,time [s]\n${times.map((t, i) => `${i + 1},${t}`).join("\n")}\n`),
  );
  return { count: times.length, times, blob: tar.blob() };
}

export function png(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((done, failed) =>
    canvas.toBlob(
      (blob) => (blob ? done(blob) : failed(new Error("the browser gave no picture"))),
      "image/png",
    ),
  );
}
