// Windows over the page: the keys, and the export of the motion.
import { button, el, save, short } from "./dom";
import type { Frames } from "./frames";

function dialog(title: string, ...content: HTMLElement[]): HTMLDialogElement {
  const window = el(
    "dialog",
    { "aria-label": title },
    el(
      "header",
      {},
      el("h2", {}, title),
      button("close", "×", () => window.close(), { class: "flat close" }),
    ),
    ...content,
  );
  window.addEventListener("click", (event) => {
    if (event.target === window) window.close();
  });
  window.addEventListener("close", () => window.remove());
  document.body.append(window);
  window.showModal();
  return window;
}

const kKeys: [string, string][] = [
  ["Space", "play, pause"],
  ["← →", "one step back, forward (with Shift: a tenth of the time)"],
  ["Home End", "first, last time"],
  ["+ −", "faster, slower"],
  ["L", "play again and again"],
  ["1 2 3 4", "views: iso, front, side, top"],
  ["F", "follow the heaviest body, or nothing"],
  ["D", "light, dark"],
  ["?", "this list"],
  ["drag", "3-D: turn; plots: zoom in time; charts: zoom"],
  ["right drag, two fingers", "3-D: move"],
  ["wheel, pinch", "3-D: closer, farther"],
  ["click", "3-D: pick a body; plots: go to that time; figures: choose a point"],
  ["double click", "plots, charts: show all"],
];

export function show_help(): void {
  dialog(
    "Keys and pointer",
    el(
      "dl",
      { class: "facts keys" },
      ...kKeys.flatMap(([key, what]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, what)]),
    ),
    el(
      "p",
      { class: "muted" },
      "For scripts: window.haltere has seek(t), time(), value(channel), play(), pause(), exportFrames(n) and the promise ready.",
    ),
  );
}

export interface Export {
  frames(
    n: number,
    width: number,
    height: number,
    on_frame: (done: number, of: number) => boolean,
  ): Promise<Frames>;
  video:
    | ((
        n: number,
        rate: number,
        width: number,
        height: number,
        on_frame: (done: number, of: number) => boolean,
      ) => Promise<{ count: number; blob: Blob }>)
    | null;
  name: string;
}

export function show_export(make: Export): void {
  const field = (value: number, label: string): HTMLInputElement =>
    el("input", { type: "number", min: 1, value, "aria-label": label });
  const count = field(120, "frames"),
    width = field(1280, "width in pixels"),
    height = field(720, "height in pixels"),
    rate = field(30, "frames a second of the video");
  const status = el(
    "p",
    { role: "status", class: "muted" },
    "Every frame is computed by itself, however long it takes: n frames asked are n frames made.",
  );
  let stop = false;
  const run = async (
    work: (progress: (done: number, of: number) => boolean) => Promise<{ count: number; blob: Blob }>,
    extension: string,
  ): Promise<void> => {
    stop = false;
    for (const use of actions) use.disabled = true;
    try {
      const made = await work((done, of) => {
        status.textContent = `frame ${done} of ${of}`;
        return !stop;
      });
      status.textContent = `${made.count} frames, ${(made.blob.size / 1e6).toFixed(1)} MB`;
      if (!stop) save(made.blob, `${short(make.name, 60)}.${extension}`);
    } catch (error) {
      status.textContent = error instanceof Error ? error.message : String(error);
    } finally {
      for (const use of actions) use.disabled = false;
    }
  };
  const images = button(
    "images in one .tar",
    "images (.tar of PNG)",
    () =>
      void run(
        (progress) => make.frames(Number(count.value), Number(width.value), Number(height.value), progress),
        "tar",
      ),
  );
  const actions: HTMLButtonElement[] = [images];
  const { video } = make;
  if (video) {
    actions.push(
      button(
        "video",
        "video (.webm)",
        () =>
          void run(
            (progress) =>
              video(
                Number(count.value),
                Number(rate.value),
                Number(width.value),
                Number(height.value),
                progress,
              ),
            "webm",
          ),
      ),
    );
  }
  const window = dialog(
    "The motion as pictures",
    el(
      "div",
      { class: "form" },
      el("label", {}, "frames ", count),
      el("label", {}, "width ", width),
      el("label", {}, "height ", height),
      video ? el("label", {}, "frames a second ", rate) : null,
    ),
    el("div", { class: "row" }, ...actions),
    status,
  );
  window.addEventListener("close", () => {
    stop = true;
  });
}
