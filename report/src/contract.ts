// What the data of a page are: docs/report-format.md, word for word. Everything SI.

export type ArrayType = "f64" | "f32" | "u8" | "i8" | "u16" | "i16" | "u32";
export interface ArrayRef {
  at: number;
  n: number;
  type: ArrayType;
  step?: number;
}
export type Triple = [number, number, number];

export interface RawPage {
  format: string;
  title: string;
  results: RawResult[];
  tables?: RawTable[];
  figures?: RawFigure[];
  dropped?: string[];
}

export interface RawTable {
  title: string;
  columns: { name: string; align?: "left" | "right" }[];
  rows: string[][];
  result?: number[];
}

export interface RawAxis {
  label: string;
  unit: string;
  log?: boolean;
}
export interface RawSeries {
  name: string;
  x: ArrayRef;
  y: ArrayRef;
  line?: boolean;
  points?: boolean;
  text?: string[];
  result?: number[];
}
export interface RawFigure {
  title: string;
  x: RawAxis;
  y: RawAxis;
  equal?: boolean;
  circle?: boolean;
  series: RawSeries[];
}

export interface RawChannel {
  name: string;
  unit: string;
  meaning: string;
  data: ArrayRef;
  time?: ArrayRef;
  valid_until?: number;
}
export interface RawShape {
  kind: "box" | "plate" | "cylinder" | "ellipsoid" | "sphere" | "rod" | "torus" | "disc";
  at: Triple;
  R: number[];
  size?: Triple;
  radii?: Triple;
  radius?: number;
  length?: number;
  tube?: number;
  axis?: Triple;
  guess?: boolean;
}
export interface RawBody {
  name: string;
  mass: number;
  com: Triple;
  shapes: RawShape[];
}
export interface RawJoint {
  name: string;
  kind: string;
  body: number;
  point: Triple;
  axis?: Triple;
}
export interface RawEnd {
  body: number;
  point: Triple;
}
export interface RawLink {
  name: string;
  kind: string;
  from: RawEnd;
  to: RawEnd;
}
export interface RawWheel {
  name: string;
  body: number;
  center: Triple;
  axis: Triple;
  radius: number;
  tube: number;
  plane: { point: Triple; normal: Triple; x: Triple };
  path?: { x: string; y: string };
}
export interface RawPlane {
  name: string;
  point: Triple;
  normal: Triple;
}
export interface RawSurface {
  name: string;
  body: number;
  columns: number;
  nodes: number[];
  load?: string[];
}
export interface RawArrow {
  name: string;
  kind: "force" | "torque";
  body: number;
  point: Triple;
  channels: [string, string, string];
}
export interface RawSheet {
  surface: string;
  kind: "lattice" | "wake" | "body";
  time: ArrayRef;
  rows: ArrayRef;
  columns: ArrayRef;
  first_node: ArrayRef;
  first_ring: ArrayRef;
  box: ArrayRef;
  nodes: ArrayRef;
  circulation: ArrayRef;
  circulation_scale: number;
  pressure?: ArrayRef;
  pressure_scale?: number;
}
export interface RawPane {
  title?: string;
  channels: string[];
  x?: string;
}
export interface RawPreset {
  title: string;
  panes: RawPane[];
}
export interface RawEvent {
  t: number;
  name: string;
  what: string;
  stop: boolean;
}
export interface RawProblem {
  line: number;
  column: number;
  text: string;
  severity: "error" | "warning";
}
export interface RawNode {
  body: string;
  parent: string;
  joint: string;
  kind: string;
  mass: number;
}
export interface RawMeasure {
  name: string;
  kind: string;
  of: string;
  unit: string;
  period: string | number;
  value: number | null;
}

export interface RawResult {
  name: string;
  model: string;
  case: string;
  reference: string;
  command: string;
  version: string;
  settings?: [string, string][];
  parameters?: [string, number, string][];
  outcome: "finished" | "stopped" | "failed" | "interrupted" | "running";
  message: string;
  counts?: [string, number][];
  audit?: { lines: string[]; ok: boolean };
  notes?: string[];
  events?: RawEvent[];
  measures?: RawMeasure[];
  model_text?: string;
  problems?: RawProblem[];
  tree?: RawNode[];
  loop?: number;
  time?: ArrayRef;
  channels?: RawChannel[];
  presets?: RawPreset[];
  gravity?: Triple;
  length?: number;
  bodies?: RawBody[];
  poses?: { time: ArrayRef; position: ArrayRef; orientation: ArrayRef };
  joints?: RawJoint[];
  links?: RawLink[];
  wheels?: RawWheel[];
  planes?: RawPlane[];
  surfaces?: RawSurface[];
  arrows?: RawArrow[];
  sheets?: RawSheet[];
}
