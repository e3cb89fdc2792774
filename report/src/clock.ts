// The one time of the page: everything that shows time listens to it.

export const kSlowest = 1e-3;
export const kFastest = 10;

export class Clock {
  playing = false;
  loop = true;
  speed = 1;
  private t: number;
  private frame = 0;
  private last = 0;
  private readonly listeners: (() => void)[] = [];

  constructor(
    public start: number,
    public end: number,
  ) {
    this.t = start;
    this.speed = natural_speed(end - start);
  }

  get time(): number {
    return this.t;
  }
  /// Called after every change of time, speed, or play and pause.
  listen(listener: () => void): void {
    this.listeners.push(listener);
  }

  seek(t: number): void {
    if (!Number.isFinite(t)) return;
    this.t = Math.min(Math.max(t, this.start), this.end);
    this.tell();
  }

  play(): void {
    if (this.playing || !(this.end > this.start)) return;
    if (this.t >= this.end) this.t = this.start;
    this.playing = true;
    this.last = performance.now();
    this.frame = requestAnimationFrame(this.tick);
    this.tell();
  }

  pause(): void {
    if (!this.playing) return;
    this.playing = false;
    cancelAnimationFrame(this.frame);
    this.tell();
  }

  toggle(): void {
    this.playing ? this.pause() : this.play();
  }

  set_speed(speed: number): void {
    this.speed = Math.min(Math.max(speed, kSlowest), kFastest);
    this.tell();
  }

  set_loop(loop: boolean): void {
    this.loop = loop;
    this.tell();
  }

  private readonly tick = (now: number): void => {
    if (!this.playing) return;
    // a tab that slept does not jump
    const passed = Math.min(Math.max(now - this.last, 0), 100) / 1000;
    this.last = now;
    const span = this.end - this.start;
    let t = this.t + passed * this.speed;
    if (t > this.end) {
      if (this.loop) t = this.start + ((t - this.start) % span);
      else {
        t = this.end;
        this.playing = false;
      }
    }
    this.t = t;
    if (this.playing) this.frame = requestAnimationFrame(this.tick);
    this.tell();
  };

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}

/// Real time where that takes 2 s to 30 s to look at, else so that it takes about 8 s.
export function natural_speed(duration: number): number {
  if (!(duration > 0) || (duration >= 2 && duration <= 30)) return 1;
  const speed = duration / 8;
  const decade = 10 ** Math.floor(Math.log10(speed));
  const rounded =
    [1, 2, 5, 10].reduce((best, m) =>
      Math.abs(Math.log((m * decade) / speed)) < Math.abs(Math.log((best * decade) / speed)) ? m : best,
    ) * decade;
  return Math.min(Math.max(rounded, kSlowest), kFastest);
}
