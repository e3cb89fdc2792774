// The bar below: play, step, scrub, speed.
import { kFastest, kSlowest } from "./clock";
import type { Clock } from "./clock";
import { button, el, icon } from "./dom";
import { number, prefixed } from "./numbers";
import type { Result } from "./result";
import { lower_bound, upper_bound } from "./search";

const kPlay = "M7 4.5v15l13-7.5z";
const kPause = "M6 4.5h4v15H6zM14 4.5h4v15h-4z";

export class Timeline {
  readonly root: HTMLElement;
  private readonly play = button("play", icon(kPlay), () => this.clock.toggle(), { class: "play" });
  private readonly slider = el("input", {
    type: "range",
    min: 0,
    max: 10_000,
    step: "any",
    value: 0,
    class: "scrub",
    "aria-label": "time",
    oninput: () => this.scrub(),
  });
  private readonly marks = el("div", { class: "marks", "aria-hidden": "true" });
  private readonly time = el("output", { class: "time", "aria-label": "time" });
  private readonly speed = el("input", {
    type: "range",
    min: Math.log10(kSlowest),
    max: Math.log10(kFastest),
    step: 0.01,
    class: "speed",
    "aria-label": "speed",
    oninput: () => this.chose_speed(),
  });
  private readonly speed_text = el("output", { class: "speed-text" });
  private readonly loop = button(
    "play again and again",
    icon(
      "M17 2l4 4-4 4V7H7a3 3 0 00-3 3v1H2v-1a5 5 0 015-5h10zM7 22l-4-4 4-4v3h10a3 3 0 003-3v-1h2v1a5 5 0 01-5 5H7z",
    ),
    () => this.clock.set_loop(!this.clock.loop),
    { class: "toggle", "aria-pressed": "true" },
  );
  private focus: Result | null = null;
  private playing = false;
  private digits = 3;

  constructor(private readonly clock: Clock) {
    this.root = el(
      "footer",
      { class: "timeline", role: "toolbar", "aria-label": "time" },
      button("one step back", icon("M6 5h2v14H6zM20 5v14L9 12z"), () => this.step(-1), { class: "flat" }),
      this.play,
      button("one step forward", icon("M16 5h2v14h-2zM4 5v14l11-7z"), () => this.step(1), { class: "flat" }),
      this.loop,
      el("div", { class: "scrub-box" }, this.slider, this.marks),
      this.time,
      el("label", { class: "speed-box", title: "speed" }, this.speed, this.speed_text),
    );
    clock.listen(() => this.update());
  }

  show(focus: Result): void {
    this.focus = focus;
    const span = this.clock.end - this.clock.start;
    this.root.classList.toggle("still", !(span > 0));
    this.digits = span > 0 ? Math.min(Math.max(Math.ceil(3 - Math.log10(span)), 0), 9) : 3;
    this.marks.replaceChildren(
      ...(focus.raw.events ?? [])
        .slice(0, 200)
        .filter((event) => span > 0 && event.t >= this.clock.start && event.t <= this.clock.end)
        .map((event) => {
          const mark = el("i", {});
          mark.style.left = `${(100 * (event.t - this.clock.start)) / span}%`;
          return mark;
        }),
    );
    this.update();
  }

  /// To the next row of the poses (else of the channels).
  step(direction: 1 | -1): void {
    this.clock.pause();
    const rows = this.focus?.poses?.time ?? this.focus?.time ?? this.focus?.channels[0]?.time;
    const t = this.clock.time;
    const other =
      this.focus?.raw.sheets?.[0] && !this.focus.poses
        ? this.focus.source.doubles(this.focus.raw.sheets[0].time)
        : rows;
    if (!other?.length) return;
    const i = direction > 0 ? upper_bound(other, t) : lower_bound(other, t) - 1;
    this.clock.seek(other[Math.min(Math.max(i, 0), other.length - 1)]);
  }

  private scrub(): void {
    this.clock.pause();
    this.clock.seek(
      this.clock.start + (Number(this.slider.value) / 10_000) * (this.clock.end - this.clock.start),
    );
  }

  private chose_speed(): void {
    const exponent = Number(this.speed.value);
    // real time and round decades hold the slider a little
    const round = Math.round(exponent);
    this.clock.set_speed(10 ** (Math.abs(exponent - round) < 0.06 ? round : exponent));
  }

  faster(factor: number): void {
    this.clock.set_speed(this.clock.speed * factor);
  }

  private update(): void {
    const { clock } = this,
      span = clock.end - clock.start;
    this.slider.value = String(span > 0 ? (10_000 * (clock.time - clock.start)) / span : 0);
    const text = `${clock.time.toFixed(this.digits).replace("-", "−")} s`;
    this.time.textContent = text;
    this.slider.setAttribute("aria-valuetext", text);
    const speed = clock.speed >= 0.1 ? `${number(clock.speed, 3)}×` : `1/${number(1 / clock.speed, 3)}×`;
    if (this.speed_text.textContent !== speed) {
      this.speed_text.textContent = speed;
      this.speed.value = String(Math.log10(clock.speed));
      this.speed.setAttribute("aria-valuetext", `${speed}, one second shows ${prefixed(clock.speed, "s")}`);
    }
    if (clock.playing !== this.playing) {
      this.playing = clock.playing;
      this.play.replaceChildren(icon(clock.playing ? kPause : kPlay));
      const label = clock.playing ? "pause" : "play";
      this.play.setAttribute("aria-label", label);
      this.play.title = label;
    }
    this.loop.setAttribute("aria-pressed", String(clock.loop));
  }
}
