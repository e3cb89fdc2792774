// Small machines with motions in closed form, as pages.
import { Encoder } from "./encode";
import type { Ref } from "./encode";

type V = [number, number, number];
type Q = [number, number, number, number];

const kIdentity = [1, 0, 0, 0, 1, 0, 0, 0, 1];

function about(axis: V, angle: number): Q {
  const s = Math.sin(angle / 2);
  return [Math.cos(angle / 2), s * axis[0], s * axis[1], s * axis[2]];
}
function times(a: Q, b: Q): Q {
  return [
    a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
    a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
    a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
    a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
  ];
}
function turn(q: Q, v: V): V {
  const [w, x, y, z] = q,
    r = times(times(q, [0, ...v]), [w, -x, -y, -z]);
  return [r[1], r[2], r[3]];
}
const plus = (a: V, b: V): V => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];

interface Channel {
  name: string;
  unit: string;
  meaning?: string;
  values: number[];
  own_time?: number[];
  valid_until?: number;
}
interface Pose {
  p: V;
  q: Q;
}

export function times_of(start: number, end: number, n: number): number[] {
  return Array.from({ length: n }, (_, i) => start + ((end - start) * i) / (n - 1));
}

function result(
  e: Encoder,
  time: number[],
  channels: Channel[],
  poses: Pose[][],
  rest: Record<string, unknown>,
): Record<string, unknown> {
  const position: number[] = [],
    orientation: number[] = [];
  for (const row of poses) {
    for (const { p, q } of row) {
      position.push(...p);
      orientation.push(...q.map((v) => Math.round(32767 * v)));
    }
  }
  const bodies = poses[0]?.length ?? 0;
  return {
    name: "fixture",
    model: "fixture",
    case: "",
    reference: "a motion in closed form",
    command: "haltere run models/fixture -o results/fixture",
    version: "0.1.0",
    outcome: "finished",
    message: "",
    settings: [
      ["formulation", "recursive"],
      ["integrator", "dop853"],
      ["tolerance", "1e-9"],
    ],
    parameters: [
      ["mass", 1.5, "kg"],
      ["stiffness", 240, "N m/rad"],
    ],
    counts: [
      ["steps", 1234],
      ["rejected", 5],
      ["evaluations", 15021],
    ],
    audit: { lines: ["energy balance   3.1e-12 of 4.2 J", "constraint drift 2.0e-15 m"], ok: true },
    notes: ["a note of the run"],
    events: [],
    measures: [],
    model_text: "bodies:\n  arm: {mass: 1.5 kg}\njoints:\n  shoulder: {kind: revolute}\n",
    problems: [],
    tree: [],
    time: e.array("f64", time),
    channels: channels.map((c) => ({
      name: c.name,
      unit: c.unit,
      meaning: c.meaning ?? "",
      data: e.array("f32", c.values),
      ...(c.own_time ? { time: e.array("f64", c.own_time) } : {}),
      ...(c.valid_until ? { valid_until: c.valid_until } : {}),
    })),
    presets: [],
    gravity: [0, 0, -9.81],
    length: 1,
    bodies: [],
    poses: {
      time: e.array("f64", bodies ? time : []),
      position: e.array("f32", position),
      orientation: e.array("i16", orientation, 4 * bodies || undefined),
    },
    joints: [],
    links: [],
    wheels: [],
    planes: [],
    surfaces: [],
    arrows: [],
    sheets: [],
    ...rest,
  };
}

/// A robot arm of three bodies with a spring; `lag` makes a second, different motion.
export function arm_result(
  e: Encoder,
  name: string,
  lag: number,
  names: string[] = ["turret", "upper-arm", "forearm"],
): Record<string, unknown> {
  const time = times_of(0, 6, 601);
  const yaw = (t: number): number => 0.8 * Math.sin(0.9 * (t - lag));
  const shoulder = (t: number): number => -0.5 + 0.55 * Math.sin(1.7 * (t - lag));
  const elbow = (t: number): number => 0.9 + 0.6 * Math.cos(2.3 * (t - lag));
  const poses = time.map((t): Pose[] => {
    const q0 = about([0, 0, 1], yaw(t)),
      p0: V = [0, 0, 0];
    const q1 = times(q0, about([0, 1, 0], shoulder(t))),
      p1 = plus(p0, turn(q0, [0, 0, 0.4]));
    const q2 = times(q1, about([0, 1, 0], elbow(t))),
      p2 = plus(p1, turn(q1, [0.7, 0, 0]));
    return [
      { p: p0, q: q0 },
      { p: p1, q: q1 },
      { p: p2, q: q2 },
    ];
  });
  const channel = (n: string, unit: string, f: (t: number) => number, meaning = ""): Channel => ({
    name: n,
    unit,
    meaning,
    values: time.map(f),
  });
  return result(
    e,
    time,
    [
      channel("joint.shoulder.angle", "rad", shoulder, "angle of the joint"),
      channel("joint.elbow.angle", "rad", elbow),
      channel("joint.yaw.angle", "rad", yaw),
      channel("joint.shoulder.rate", "rad/s", (t) => 0.55 * 1.7 * Math.cos(1.7 * (t - lag))),
      channel(`body.${names[2]}.position.x`, "m", (t) => Math.cos(t - lag)),
      channel(`body.${names[2]}.position.y`, "m", (t) => Math.sin(t - lag)),
      channel("energy.kinetic", "J", (t) => 1 + Math.sin(t - lag) ** 2),
      channel("energy.potential", "J", (t) => 3 - Math.sin(t - lag) ** 2),
      channel("energy.total", "J", () => 4),
      { ...channel("force.grip.x", "N", (t) => 4 * Math.sin(t)), valid_until: 3 },
      channel("force.grip.y", "N", (t) => 3 * Math.cos(t)),
      channel("force.grip.z", "N", () => 8),
    ],
    poses,
    {
      name,
      model: "arm",
      length: 1.4,
      presets: [
        {
          title: "Joints",
          panes: [
            { title: "Angles of the joints", channels: ["joint.*.angle"] },
            { title: "Energy", channels: ["energy.*"] },
          ],
        },
        {
          title: "Hand",
          panes: [
            {
              title: "Way of the hand",
              channels: [`body.${names[2]}.position.y`],
              x: `body.${names[2]}.position.x`,
            },
          ],
        },
      ],
      events: [
        { t: 1.5, name: "grasp", what: "the hand closes", stop: false },
        { t: 4.25, name: "release", what: "the hand opens", stop: false },
      ],
      measures: [
        { name: "period", kind: "period", of: "joint.elbow.angle", unit: "s", period: "", value: 2.7318 },
      ],
      problems: [{ line: 2, column: 9, text: "mass is 1.5 kg; the paper has 1.4 kg", severity: "warning" }],
      tree: [
        { body: names[0], parent: "", joint: "yaw", kind: "revolute", mass: 6 },
        { body: names[1], parent: names[0], joint: "shoulder", kind: "revolute", mass: 2.4 },
        { body: names[2], parent: names[1], joint: "elbow", kind: "revolute", mass: 1.1 },
      ],
      bodies: [
        {
          name: names[0],
          mass: 6,
          com: [0, 0, 0.2],
          shapes: [
            { kind: "cylinder", at: [0, 0, 0.17], R: kIdentity, radius: 0.16, length: 0.34, axis: [0, 0, 1] },
          ],
        },
        {
          name: names[1],
          mass: 2.4,
          com: [0.35, 0, 0],
          shapes: [{ kind: "box", at: [0.35, 0, 0], R: kIdentity, size: [0.74, 0.1, 0.12] }],
        },
        {
          name: names[2],
          mass: 1.1,
          com: [0.3, 0, 0],
          shapes: [
            { kind: "rod", at: [0.3, 0, 0], R: kIdentity, length: 0.6, axis: [1, 0, 0], radius: 0.035 },
            { kind: "sphere", at: [0.62, 0, 0], R: kIdentity, radius: 0.06 },
          ],
        },
      ],
      joints: [
        { name: "yaw", kind: "revolute", body: -1, point: [0, 0, 0.02], axis: [0, 0, 1] },
        { name: "shoulder", kind: "revolute", body: 0, point: [0, 0, 0.4], axis: [0, 1, 0] },
        { name: "elbow", kind: "revolute", body: 1, point: [0.7, 0, 0], axis: [0, 1, 0] },
      ],
      links: [
        {
          name: "spring",
          kind: "spring",
          from: { body: 0, point: [0.12, 0, 0.3] },
          to: { body: 1, point: [0.4, 0, -0.05] },
        },
        {
          name: "damper",
          kind: "damper",
          from: { body: 0, point: [-0.12, 0.1, 0.3] },
          to: { body: 1, point: [0.3, 0.06, 0.05] },
        },
      ],
      arrows: [
        {
          name: "grip",
          kind: "force",
          body: 2,
          point: [0.62, 0, 0],
          channels: ["force.grip.x", "force.grip.y", "force.grip.z"],
        },
      ],
    },
  );
}

/// A wing of 4 mm that flaps, with a lattice on it and a wake that grows.
export function wing_result(e: Encoder, name = "flapping wing"): Record<string, unknown> {
  const period = 0.005,
    time = times_of(0, 3 * period, 241),
    span = 3e-3,
    chord = 1e-3,
    columns = 10,
    rows = 4;
  const phi = (t: number): number => 0.9 * Math.sin((2 * Math.PI * t) / period),
    theta = (t: number): number => 0.7 * Math.cos((2 * Math.PI * t) / period);
  const flight = (t: number): V => [0.35 * t, 0, 0.05 * t];
  const attitude = (t: number, side: number): Q =>
    times(about([1, 0, 0], side * phi(t)), about([0, 1, 0], theta(t)));
  const poses = time.map((t): Pose[] => [
    { p: flight(t), q: [1, 0, 0, 0] },
    { p: plus(flight(t), [0, 2e-4, 0]), q: attitude(t, 1) },
    { p: plus(flight(t), [0, -2e-4, 0]), q: attitude(t, -1) },
  ]);
  const outline = (s: number): number =>
    chord * (0.45 + 0.55 * Math.sin(Math.PI * Math.min(s * 0.9 + 0.08, 1)));
  const node = (side: number, s: number, c: number): V => [outline(s) * (0.3 - c), side * s * span, 0];
  const sheets = [1, -1].flatMap((side) => [lattice(side), wake(side)]);

  function lattice(side: number): Record<string, unknown> {
    const frames = times_of(0, 3 * period, 121).map((t) => {
      const points: V[] = [],
        rings: number[] = [];
      for (let r = 0; r <= rows; ++r)
        for (let c = 0; c <= columns; ++c)
          points.push(
            plus(
              plus(flight(t), [0, side * 2e-4, 0]),
              turn(attitude(t, side), node(side, c / columns, r / rows)),
            ),
          );
      for (let r = 0; r < rows; ++r)
        for (let c = 0; c < columns; ++c)
          rings.push(
            (2e-4 *
              Math.cos((2 * Math.PI * t) / period) *
              Math.sin((Math.PI * (c + 0.5)) / columns) *
              (r + 1)) /
              rows,
          );
      return { t, rows, columns, points, rings };
    });
    return sheet(`wing${side > 0 ? "-left" : "-right"}`, "lattice", frames);
  }
  function wake(side: number): Record<string, unknown> {
    const all = times_of(0, 3 * period, 121);
    const frames = all.map((t, k) => {
      const points: V[] = [],
        rings: number[] = [],
        behind = Math.min(k, 60);
      for (let r = 0; r <= behind; ++r) {
        const shed = all[k - r],
          age = t - shed;
        for (let c = 0; c <= columns; ++c) {
          const place = plus(
            plus(flight(shed), [0, side * 2e-4, 0]),
            turn(attitude(shed, side), node(side, c / columns, 1)),
          );
          points.push(plus(place, [-0.02 * age, 2e-2 * age * Math.sin(900 * shed + c), -0.12 * age]));
        }
      }
      for (let r = 0; r < behind; ++r)
        for (let c = 0; c < columns; ++c)
          rings.push(
            2e-4 * Math.cos((2 * Math.PI * all[k - r]) / period) * Math.sin((Math.PI * (c + 0.5)) / columns),
          );
      return { t, rows: behind, columns, points, rings };
    });
    return sheet(`wing${side > 0 ? "-left" : "-right"}`, "wake", frames);
  }
  function sheet(
    surface: string,
    kind: string,
    frames: { t: number; rows: number; columns: number; points: V[]; rings: number[] }[],
  ): Record<string, unknown> {
    const box: number[] = [],
      nodes: number[] = [],
      rings: number[] = [],
      first_node: number[] = [],
      first_ring: number[] = [];
    const scale = Math.max(...frames.flatMap((f) => f.rings.map(Math.abs)), 1e-12);
    for (const frame of frames) {
      const low = [0, 1, 2].map((k) => Math.min(...frame.points.map((p) => p[k]))),
        size = [0, 1, 2].map((k) => Math.max(...frame.points.map((p) => p[k])) - low[k]);
      first_node.push(nodes.length / 3);
      first_ring.push(rings.length);
      box.push(...low, ...size);
      for (const p of frame.points)
        for (let k = 0; k < 3; ++k)
          nodes.push(size[k] > 0 ? Math.round((65535 * (p[k] - low[k])) / size[k]) : 0);
      for (const g of frame.rings) rings.push(Math.round((32767 * g) / scale));
    }
    return {
      surface,
      kind,
      time: e.array(
        "f64",
        frames.map((f) => f.t),
      ),
      rows: e.array(
        "u16",
        frames.map((f) => f.rows),
      ),
      columns: e.array(
        "u16",
        frames.map((f) => f.columns),
      ),
      first_node: e.array("u32", first_node),
      first_ring: e.array("u32", first_ring),
      box: e.array("f32", box),
      nodes: e.array("u16", nodes, 3),
      circulation: e.array("i16", rings, 1),
      circulation_scale: scale,
    };
  }
  return result(
    e,
    time,
    [
      { name: "joint.wing-left.angle", unit: "rad", values: time.map(phi) },
      {
        name: "surface.wing-left.force.z",
        unit: "N",
        values: time.map((t) => 1e-5 * Math.cos((2 * Math.PI * t) / period)),
      },
    ],
    poses,
    {
      name,
      model: "fly",
      length: 6e-3,
      sheets,
      bodies: [
        {
          name: "thorax",
          mass: 1e-6,
          com: [0, 0, 0],
          shapes: [{ kind: "ellipsoid", at: [0, 0, 0], R: kIdentity, radii: [1.1e-3, 3.5e-4, 3.5e-4] }],
        },
        {
          name: "wing-left",
          mass: 2e-9,
          com: [0, 1.5e-3, 0],
          shapes: [{ kind: "plate", at: [0, 1.5e-3, 0], R: kIdentity, size: [1e-3, 3e-3, 0], guess: true }],
        },
        {
          name: "wing-right",
          mass: 2e-9,
          com: [0, -1.5e-3, 0],
          shapes: [{ kind: "plate", at: [0, -1.5e-3, 0], R: kIdentity, size: [1e-3, 3e-3, 0], guess: true }],
        },
      ],
      surfaces: [1, -1].map((side) => ({
        name: side > 0 ? "wing-left" : "wing-right",
        body: side > 0 ? 1 : 2,
        columns,
        nodes: [0, 1].flatMap((row) =>
          Array.from({ length: columns + 1 }, (_, c) => node(side, c / columns, row)).flat(),
        ),
      })),
    },
  );
}

/// Blade elements: wings of 7 m without a lattice, coloured by load.
export function glider_result(e: Encoder): Record<string, unknown> {
  const time = times_of(0, 20, 401),
    columns = 12;
  const poses = time.map((t): Pose[] => [
    { p: [14 * t, 0, -30 - Math.sin(0.6 * t) * 2], q: about([1, 0, 0], 0.25 * Math.sin(0.5 * t)) },
  ]);
  const loads = Array.from({ length: columns }, (_, c): Channel => ({
    name: `surface.wing.element${c + 1}.normal`,
    unit: "N",
    values: time.map((t) => 30 * Math.sin(t - 0.3 * c)),
  }));
  return result(
    e,
    time,
    [
      ...loads,
      { name: "body.fuselage.position.z", unit: "m", values: time.map((t) => -30 - Math.sin(0.6 * t) * 2) },
    ],
    poses,
    {
      name: "glider",
      model: "glider",
      gravity: [0, 0, 9.81],
      length: 7,
      bodies: [
        {
          name: "fuselage",
          mass: 80,
          com: [0, 0, 0],
          shapes: [{ kind: "ellipsoid", at: [-0.6, 0, 0], R: kIdentity, radii: [2.2, 0.3, 0.35] }],
        },
      ],
      surfaces: [
        {
          name: "wing",
          body: 0,
          columns,
          load: loads.map((c) => c.name),
          nodes: [0, 1].flatMap((row) =>
            Array.from({ length: columns + 1 }, (_, c) => [
              0.3 - row * 0.8 * (1 - 0.5 * Math.abs(c / 6 - 1)),
              (c / 6 - 1) * 3.5,
              -Math.abs(c / 6 - 1) * 0.35,
            ]).flat(),
          ),
        },
      ],
    },
  );
}

/// A wheel that rolls on a circle.
export function wheel_result(e: Encoder): Record<string, unknown> {
  const time = times_of(0, 8, 401),
    R = 1.2,
    r = 0.33,
    lean = 0.25,
    rate = 1.1;
  const poses = time.map((t): Pose[] => {
    const heading = rate * t,
      q = times(
        times(about([0, 0, 1], heading), about([1, 0, 0], -lean)),
        about([0, 1, 0], (rate * R * t) / r),
      );
    return [
      {
        p: [
          R * Math.sin(heading) + r * Math.sin(lean) * -Math.sin(heading),
          -R * Math.cos(heading) + r * Math.sin(lean) * Math.cos(heading),
          r * Math.cos(lean),
        ],
        q,
      },
    ];
  });
  return result(
    e,
    time,
    [
      { name: "constraint.contact.x", unit: "m", values: time.map((t) => R * Math.sin(rate * t)) },
      { name: "constraint.contact.y", unit: "m", values: time.map((t) => -R * Math.cos(rate * t)) },
      { name: "body.wheel.position.z", unit: "m", values: time.map(() => r * Math.cos(lean)) },
    ],
    poses,
    {
      name: "wheel",
      model: "wheel",
      length: 0.7,
      bodies: [{ name: "wheel", mass: 2, com: [0, 0, 0], shapes: [] }],
      wheels: [
        {
          name: "wheel",
          body: 0,
          center: [0, 0, 0],
          axis: [0, 1, 0],
          radius: r,
          tube: 0.018,
          plane: { point: [0, 0, 0], normal: [0, 0, 1], x: [1, 0, 0] },
          path: { x: "constraint.contact.x", y: "constraint.contact.y" },
        },
      ],
      planes: [
        { name: "ground", point: [0, 0, 0], normal: [0, 0, 1] },
        { name: "wall", point: [0, 2.4, 0], normal: [0, -1, 0] },
      ],
    },
  );
}

export const kHostile = [
  `<img src=x onerror="window.hurt=1">`,
  `</script><script>window.hurt=2</script>`,
  `"'\`\${window.hurt=3}&lt;b&gt;`,
  "翼‮ret​\u0007 🪰 \\u0000",
  "x".repeat(100_000),
  "__proto__",
  "",
];

export type Built = { page: Record<string, unknown>; encoder: Encoder };
const page = (title: string, results: unknown[], more: object = {}): Record<string, unknown> => ({
  format: "haltere report 1",
  title,
  results,
  tables: [],
  figures: [],
  dropped: [],
  ...more,
});

export const fixtures: Record<string, () => Built> = {
  arm: () => {
    const encoder = new Encoder();
    return { encoder, page: page("arm", [arm_result(encoder, "dop853", 0)]) };
  },
  overlaid: () => {
    const encoder = new Encoder();
    return {
      encoder,
      page: page(
        "arm: two integrators",
        [arm_result(encoder, "intact", 0), arm_result(encoder, "damaged", 0.25)],
        { dropped: ["wake of wing: every second frame"] },
      ),
    };
  },
  wing: () => {
    const encoder = new Encoder();
    return { encoder, page: page("flapping wing with wake", [wing_result(encoder)]) };
  },
  glider: () => {
    const encoder = new Encoder();
    return { encoder, page: page("glider", [glider_result(encoder)]) };
  },
  wheel: () => {
    const encoder = new Encoder();
    return { encoder, page: page("rolling wheel", [wheel_result(encoder)]) };
  },
  figures: () => {
    const encoder = new Encoder();
    return { encoder, page: page("work and precision", [], figures(encoder, false)) };
  },
  modes: () => {
    const encoder = new Encoder();
    const results = [0, 1, 2].map((k) => ({ ...arm_result(encoder, `mode ${k + 1}`, k), loop: 6 }));
    return { encoder, page: page("modes", results, figures(encoder, true)) };
  },
  // four units in one pane, two over a channel; long names; a run that was cut off
  units: () => {
    const encoder = new Encoder();
    const arm = arm_result(encoder, "units", 0, ["turret", "upper-arm", "forearm-of-the-longest-name"]);
    const panes = [
      {
        title: "Four units",
        channels: ["joint.shoulder.angle", "joint.shoulder.rate", "energy.total", "force.grip.y"],
      },
      {
        title: "Way",
        channels: ["body.forearm-of-the-longest-name.position.y", "energy.kinetic"],
        x: "body.forearm-of-the-longest-name.position.x",
      },
    ];
    const cut_off = { outcome: "running", audit: undefined, counts: undefined };
    return { encoder, page: page("units", [{ ...arm, ...cut_off, presets: [{ title: "all", panes }] }]) };
  },
  // a shape of a mode has no audit, and is not cut off either
  shape: () => {
    const encoder = new Encoder();
    const rest = { loop: 6, audit: undefined, counts: undefined };
    return { encoder, page: page("shape", [{ ...arm_result(encoder, "mode 1", 0), ...rest }]) };
  },
  // a run of no time
  instant: () => {
    const encoder = new Encoder();
    return {
      encoder,
      page: page("instant", [
        result(
          encoder,
          [0],
          [{ name: "joint.a.angle", unit: "rad", values: [0.5] }],
          [[{ p: [0, 0, 0], q: [1, 0, 0, 0] }]],
          {
            length: 2,
            bodies: [
              {
                name: "beam",
                mass: 1,
                com: [0, 0, 0],
                shapes: [{ kind: "box", at: [0, 0, 0], R: kIdentity, size: [2, 0.1, 0.1] }],
              },
            ],
          },
        ),
      ]),
    };
  },
  // what validate writes: more columns than half a screen holds
  validation: () => {
    const encoder = new Encoder();
    const names = [
      "case",
      "quantity",
      "source",
      "where",
      "expected",
      "ours",
      "difference",
      "tolerance",
      "verdict",
    ];
    const right = ["expected", "ours", "difference", "tolerance"];
    const row = (quantity: string, ours: string, verdict: string): string[] => [
      "base-motion-damped",
      quantity,
      "analytic",
      "Jacobi elliptic functions, 40 digits, of the third chapter",
      "-0.3910487916",
      ours,
      "-3.4e-13",
      "1.0e-09",
      verdict,
    ];
    const table = {
      title: "arm",
      columns: names.map((name) => ({ name, ...(right.includes(name) ? { align: "right" } : {}) })),
      rows: [
        row("body.forearm.angular_velocity.x at 10 s", "-0.3910487916", "agrees"),
        row("min of signal.tip_height up to 30 s", "-2.636557639e-12", "differs: the geometry is not known"),
      ],
      result: [0, 0],
    };
    return { encoder, page: page("validation", [arm_result(encoder, "arm", 0)], { tables: [table] }) };
  },
  // figures over less than a decade
  narrow: () => {
    const e = new Encoder();
    const figure = (title: string, low: number, high: number): object => ({
      title,
      x: { label: "error", unit: "", log: true },
      y: { label: "time", unit: "s", log: true },
      series: [
        { name: "one", x: e.array("f64", [low, high]), y: e.array("f64", [low, high]), points: true },
      ],
    });
    const figures = [
      figure("part of a decade", 2.2e-3, 8.7e-3),
      figure("less than two", 2.1, 2.9),
      figure("one value", 3, 3),
      figure("eight decades", 1e-9, 0.7),
    ];
    return { encoder: e, page: page("narrow", [], { figures }) };
  },
  hostile: () => {
    const encoder = new Encoder(),
      [a, b, c, d, long] = kHostile;
    const base = arm_result(encoder, a, 0, [b, long, c]);
    const channels = (base.channels as { name: string; unit: string; meaning: string; data: Ref }[]).concat(
      kHostile.map((name) => ({
        name,
        unit: name.slice(0, 50),
        meaning: name,
        data: (base.channels as { data: Ref }[])[0].data,
      })),
    );
    return {
      encoder,
      page: page(
        b,
        [
          {
            ...base,
            model: b,
            case: d,
            message: a,
            command: long,
            reference: b,
            notes: kHostile,
            channels,
            model_text: kHostile.join("\n"),
            settings: kHostile.map((x) => [x, x]),
            parameters: kHostile.map((x) => [x, 1, x.slice(0, 99)]),
            counts: kHostile.map((x) => [x, 1]),
            audit: { lines: kHostile, ok: false },
            outcome: "failed",
            events: kHostile.map((x, i) => ({ t: i / 2, name: x, what: x, stop: false })),
            presets: [{ title: b, panes: [{ title: long, channels: [long, a] }] }],
            problems: kHostile.map((x, i) => ({ line: i + 1, column: 1, text: x, severity: "error" })),
          },
          arm_result(encoder, long, 1),
        ],
        {
          tables: [
            {
              title: a,
              columns: [{ name: b }, { name: long }],
              rows: [
                [a, long],
                [d, c],
              ],
            },
          ],
          dropped: [b],
        },
      ),
    };
  },
  empty: () => ({ encoder: new Encoder(), page: page("nothing", []) }),
  still: () => {
    const encoder = new Encoder(),
      time = times_of(0, 3, 31);
    return {
      encoder,
      page: page("no motion", [
        result(encoder, time, [{ name: "energy.total", unit: "J", values: time.map(Math.sin) }], [], {
          name: "plots only",
        }),
      ]),
    };
  },
  // 1e6 rows of 50 channels, thinned as the program does: two extremes of each of 50 000 stretches, at times
  // of their own
  large: () => {
    const encoder = new Encoder(),
      base = arm_result(encoder, "large", 0),
      n = 100_000,
      channels: unknown[] = [];
    for (let c = 0; c < 50; ++c) {
      const time = new Float64Array(n),
        data = new Float32Array(n);
      for (let i = 0; i < n; ++i) {
        time[i] = (6 * (i + 0.3 * Math.sin(i * (c + 1)))) / n;
        data[i] = Math.sin((c + 1) * time[i]) + 0.05 * Math.sin(12345.678 * i) + (i === 54_321 ? 5 : 0);
      }
      channels.push({
        name: `channel.${c + 1}`,
        unit: "m",
        meaning: "",
        data: encoder.array("f32", data),
        time: encoder.array("f64", time),
      });
    }
    return {
      encoder,
      page: page("large", [
        {
          ...base,
          channels,
          presets: [
            {
              title: "all",
              panes: [0, 1, 2, 3].map((k) => ({
                channels: Array.from({ length: 8 }, (_, i) => `channel.${8 * k + i + 1}`),
              })),
            },
          ],
        },
      ]),
    };
  },
};

function figures(e: Encoder, chosen: boolean): object {
  const x = [1e-3, 1e-4, 1e-5, 1e-6];
  const series = ["rk4", "dop853", "generalized-alpha"].map((name, k) => ({
    name,
    x: e.array(
      "f64",
      x.map((v) => v * (k + 1)),
    ),
    y: e.array(
      "f64",
      x.map((v, i) => 0.01 * 3 ** (i + k)),
    ),
    line: true,
    points: true,
    text: x.map((v) => `tolerance ${v}`),
  }));
  const angle = [0.4, -0.4, 2.1];
  return {
    figures: [
      {
        title: "Work and precision",
        x: { label: "error", unit: "", log: true },
        y: { label: "time", unit: "s", log: true },
        series,
      },
      {
        title: "Multipliers",
        x: { label: "real", unit: "" },
        y: { label: "imaginary", unit: "" },
        equal: true,
        circle: true,
        series: [
          {
            name: "multipliers",
            x: e.array("f64", angle.map(Math.cos)),
            y: e.array(
              "f64",
              angle.map((a) => 0.9 * Math.sin(a)),
            ),
            points: true,
            text: angle.map((_, i) => `mode ${i + 1}`),
            ...(chosen ? { result: [0, 1, 2] } : {}),
          },
        ],
      },
    ],
    tables: [
      {
        title: "Modes",
        columns: [
          { name: "mode" },
          { name: "frequency [Hz]", align: "right" },
          { name: "damping", align: "right" },
        ],
        rows: [
          ["1", "12.25", "0.012"],
          ["2", "3.5", "−0.2"],
          ["3", "101", "0.5"],
        ],
        ...(chosen ? { result: [0, 1, 2] } : {}),
      },
    ],
  };
}
