// A result of the page: its channels and poses, unpacked when they are first asked for.
import type { RawChannel, RawResult } from "./contract";
import type { Data, Numbers } from "./decode";
import { Poses } from "./poses";
import { Pyramid } from "./pyramid";
import { glob, upper_bound, value_at } from "./search";

export class Channel {
  private data_: Numbers | null = null;
  private time_: Float64Array | null = null;
  private pyramid_: Pyramid | null = null;

  constructor(
    readonly result: Result,
    private readonly raw: RawChannel,
    private readonly source: Data,
  ) {}

  get name(): string {
    return this.raw.name;
  }
  get unit(): string {
    return this.raw.unit;
  }
  get meaning(): string {
    return this.raw.meaning ?? "";
  }
  get valid_until(): number {
    return this.raw.valid_until ?? Number.POSITIVE_INFINITY;
  }
  get time(): Float64Array {
    return (this.time_ ??= this.raw.time ? this.source.doubles(this.raw.time) : this.result.time);
  }
  get data(): Numbers {
    return (this.data_ ??= this.source.read(this.raw.data));
  }
  get pyramid(): Pyramid {
    return (this.pyramid_ ??= new Pyramid(this.time, this.data));
  }

  /// Between the rows straight; NaN from when on an event has taken away what the channel belongs to.
  value(t: number): number {
    const local = this.result.local(t);
    return local > this.valid_until ? Number.NaN : value_at(this.time, this.data, local);
  }
  /// Rows that mean something.
  get valid_rows(): number {
    return this.valid_until < this.time[this.time.length - 1]
      ? upper_bound(this.time, this.valid_until)
      : this.time.length;
  }
}

export class Result {
  readonly name: string;
  readonly channels: Channel[];
  readonly by_name: Map<string, Channel>;
  readonly poses: Poses | null;
  readonly start: number;
  readonly end: number;
  private time_: Float64Array | null = null;

  constructor(
    readonly index: number,
    readonly raw: RawResult,
    readonly source: Data,
  ) {
    this.name = String(raw.name ?? `result ${index + 1}`);
    this.channels = (raw.channels ?? []).map((channel) => new Channel(this, channel, source));
    this.by_name = new Map(this.channels.map((channel) => [channel.name, channel]));
    const bodies = raw.bodies?.length ?? 0;
    this.poses =
      raw.poses && raw.poses.time.n > 0 && bodies
        ? new Poses(
            source.doubles(raw.poses.time),
            source.read(raw.poses.position) as Float32Array,
            source.read(raw.poses.orientation) as Int16Array,
            bodies,
          )
        : null;
    const spans = [this.time, this.poses?.time].filter((time): time is Float64Array => !!time?.length);
    for (const channel of raw.channels ?? []) {
      if (channel.time && !spans.length) spans.push(source.doubles(channel.time));
    }
    this.start = spans.length ? Math.min(...spans.map((time) => time[0])) : 0;
    const last = spans.length ? Math.max(...spans.map((time) => time[time.length - 1])) : 0;
    this.end = raw.loop && raw.loop > 0 ? this.start + raw.loop : last;
  }

  get time(): Float64Array {
    return (this.time_ ??= this.raw.time ? this.source.doubles(this.raw.time) : new Float64Array());
  }
  get has_motion(): boolean {
    return this.poses !== null || !!this.raw.sheets?.length;
  }
  get length(): number {
    const length = this.raw.length ?? 1;
    return length > 0 && Number.isFinite(length) ? length : 1;
  }

  /// The time of this result at a time of the page: what moves in a circle begins again.
  local(t: number): number {
    const loop = this.raw.loop;
    if (!loop || !(loop > 0)) return t;
    const s = (t - this.start) % loop;
    // the end itself is shown as the end, not as the start
    return this.start + (s < 0 ? s + loop : s === 0 && t > this.start ? loop : s);
  }

  /// Channels of names or globs, each once, in the order of the globs.
  find(globs: string[]): Channel[] {
    const found = new Set<Channel>();
    for (const text of globs) {
      const exact = this.by_name.get(text);
      if (exact) found.add(exact);
      else if (/[*?]/.test(text)) {
        const pattern = glob(text);
        for (const channel of this.channels) if (pattern.test(channel.name)) found.add(channel);
      }
    }
    return [...found];
  }
}
