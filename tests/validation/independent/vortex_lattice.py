"""Numbers of source `independent` in models/wing/expected.yaml: cases pitch, elliptic, swept, ground-effect.

    vortex_lattice.py          checks itself against vortex_lattice.json and prints the values of the four cases

The conventions of docs/theory.md ("Vortex lattice", layout `quarter`, free wake from the trailing edge), typed here from
scratch: rings of four legs each, none shared, summed one by one, a dense solve. Needs numpy; not part of the tests.
"""
import json
from pathlib import Path

import numpy as np

EDGE = 1e-12  # nearer to its own line (of its length) a segment induces nothing


def calc_induced(points, begins, ends, gammas, core):
    """Velocities at points (n, 3) by straight segments (m, 3)."""
    r0 = ends - begins
    length = np.linalg.norm(r0, axis=1)
    velocities = np.zeros_like(points)
    for k, p in enumerate(points):
        r1, r2 = p - begins, p - ends
        d1, d2 = np.linalg.norm(r1, axis=1), np.linalg.norm(r2, axis=1)
        across = np.cross(r1, r2)
        square = (across**2).sum(1)
        off = (d1 > EDGE * length) & (d2 > EDGE * length) & (square > (EDGE * length**2) ** 2)
        d1[~off] = d2[~off] = 1
        along = (r0 * r1).sum(1) / d1 - (r0 * r2).sum(1) / d2
        weight = np.where(off, gammas * along, 0) / np.where(off, square + core**2 * length**2, 1)
        velocities[k] = weight @ across / (4 * np.pi)
    return velocities


def list_legs(corners, gammas):
    """Begins, ends and circulations of the four legs of each ring of a grid of corners."""
    a, b, c, d = (x.reshape(-1, 3) for x in (corners[:-1, :-1], corners[:-1, 1:], corners[1:, 1:], corners[1:, :-1]))
    return np.concatenate([a, b, c, d]), np.concatenate([b, c, d, a]), np.tile(gammas.ravel(), 4)


def take_rings(x):
    """Corners of the rings, or their velocities: a quarter of a panel behind those of the panels."""
    last = x[-1] + 0.25 * (x[-1] - x[-2])
    return np.concatenate([x[:-1] + 0.25 * (x[1:] - x[:-1]), last[None]])


def take_targets(x):
    """Three quarters of each panel behind its leading edge, in the middle of its width."""
    sides = 0.25 * x[:-1] + 0.75 * x[1:]
    return (0.5 * (sides[:, :-1] + sides[:, 1:])).reshape(-1, 3)


class Lattice:
    """`move`: corners of the panels and their velocities at a time, (rows + 1, columns + 1, 3). `ground`: z of a plane."""

    def __init__(self, move, wind, step, core, ground=None, free=True):
        self.move, self.wind, self.step, self.core, self.ground, self.free = move, np.array(wind), step, core, ground, free
        self.k = 0
        self.place()
        shape = (self.corners.shape[0] - 1, self.corners.shape[1] - 1)
        self.before = [np.zeros(shape), np.zeros(shape)]  # circulations, one and two steps ago
        self.wake, self.wake_gammas = self.rings[-1:], np.zeros((0, shape[1]))
        self.solve()

    def place(self):
        self.corners, self.velocities = self.move(self.k * self.step)
        self.rings, self.ring_velocities = take_rings(self.corners), take_rings(self.velocities)
        p = self.corners
        normals = np.cross(p[1:, 1:] - p[:-1, :-1], p[:-1, 1:] - p[1:, :-1])
        double = np.linalg.norm(normals, axis=2, keepdims=True)
        self.normals, self.areas = normals / double, double / 2

    def calc_by(self, points, corners, gammas):
        legs = list_legs(corners, gammas)
        v = calc_induced(points, *legs, self.core)
        if self.ground is not None:  # what the image induces here is the image of what is induced at the image
            mirror = np.array([1, 1, -1])
            v += mirror * calc_induced(mirror * points + [0, 0, 2 * self.ground], *legs, self.core)
        return v

    def calc_air(self, points):
        v = self.wind + self.calc_by(points, self.wake, self.wake_gammas)
        return v + self.calc_by(points, self.rings, self.gammas)

    def solve(self):
        rows, columns = self.before[0].shape
        targets, n = take_targets(self.corners), self.normals.reshape(-1, 3)
        one = np.ones((1, 1))
        matrix = np.array([(self.calc_by(targets, self.rings[i : i + 2, j : j + 2], one) * n).sum(1)
                           for i in range(rows) for j in range(columns)]).T
        self.unbound = self.wind + self.calc_by(targets, self.wake, self.wake_gammas) - take_targets(self.velocities)
        self.gammas = np.linalg.solve(matrix, -(self.unbound * n).sum(1)).reshape(rows, columns)

    def advance(self):
        self.k += 1
        nodes = self.wake.reshape(-1, 3)
        v = self.calc_air(nodes) if self.free else self.wind
        carried = (nodes + self.step * v).reshape(self.wake.shape)
        self.before = [self.gammas, self.before[0]]
        self.place()
        self.wake = np.concatenate([self.rings[-1:], carried])
        self.wake_gammas = np.concatenate([self.gammas[-1:], self.wake_gammas])
        self.solve()

    def calc_loads(self, density):
        """(force, moment about the origin) of each formula."""
        r, u, g, n = self.rings, self.ring_velocities, self.gammas, self.normals
        rows, columns = g.shape
        ahead = np.concatenate([np.zeros((1, columns)), g])
        beside = np.concatenate([np.zeros((rows, 1)), g, np.zeros((rows, 1))], axis=1)

        def push(begin, end, ub, ue, net):
            """Joukowski's forces of segments, in their middles."""
            at = ((begin + end) / 2).reshape(-1, 3)
            v = self.calc_air(at) - ((ub + ue) / 2).reshape(-1, 3)
            return at, density * net.reshape(-1, 1) * np.cross(v, (end - begin).reshape(-1, 3))

        span = push(r[:-1, :-1], r[:-1, 1:], u[:-1, :-1], u[:-1, 1:], ahead[1:] - ahead[:-1])
        chord = push(r[:-1], r[1:], u[:-1], u[1:], beside[:, :-1] - beside[:, 1:])
        shed = self.wake_gammas[0] if len(self.wake_gammas) else np.zeros(columns)
        edge = push(r[-1, :-1], r[-1, 1:], u[-1, :-1], u[-1, 1:], shed - g[-1])

        p = self.corners
        middles = (p[:-1, :-1] + p[:-1, 1:] + p[1:, 1:] + p[1:, :-1]).reshape(-1, 3) / 4
        area = density * self.areas * n

        def press(at, jump):
            return at, (area * jump[..., None]).reshape(-1, 3)

        rate = (g - self.before[0]) / self.step
        mean = [(x + np.concatenate([np.zeros((1, columns)), x[:-1]])) / 2 for x in (g, *self.before)]
        rate_q = (3 * mean[0] - 4 * mean[1] + mean[2]) / (2 * self.step)
        dc = ((p[1:, :-1] - p[:-1, :-1]) + (p[1:, 1:] - p[:-1, 1:])) / 2
        ds = ((p[:-1, 1:] - p[:-1, :-1]) + (p[1:, 1:] - p[1:, :-1])) / 2
        gradient = (dc / (dc**2).sum(2, keepdims=True) * (ahead[1:] - ahead[:-1])[..., None] +
                    ds / (ds**2).sum(2, keepdims=True) * (beside[:, 2:] - beside[:, :-2])[..., None] / 2)
        flow = (self.unbound.reshape(n.shape) * gradient).sum(2)
        slopes = press(middles, rate)
        parts = {"j": [span, chord, slopes], "j-edge": [span, chord, slopes, edge],
                 "q": [span, chord, press(((r[:-1, :-1] + r[:-1, 1:]) / 2).reshape(-1, 3), rate_q)],
                 "bernoulli": [press(middles, flow + rate)]}
        return {word: (sum(f.sum(0) for _, f in list_), sum(np.cross(at, f).sum(0) for at, f in list_))
                for word, list_ in parts.items()}


def make_grid(rows, columns, leading, chord, span, cosine=False, root=0.0):
    """Corners in the plane z = 0; leading edge and chord are functions of s from 0 to the span, y = s - span/2."""
    part = np.arange(columns + 1) / columns
    s = span * ((1 - np.cos(np.pi * part)) / 2 if cosine else part)
    x = np.array([[root + leading(a) + chord(a) * i / rows for a in s] for i in range(rows + 1)])
    return np.stack([x, np.broadcast_to(s - span / 2, x.shape), np.zeros_like(x)], 2)


def turn(corners, angle, rate=0.0):
    """Nose up about the y axis, and how fast."""
    c, s = np.cos(angle), np.sin(angle)
    turned = np.stack([c * corners[..., 0], corners[..., 1], -s * corners[..., 0]], 2)
    return turned, np.cross([0, rate, 0], turned)


def make_cases():
    """The wing of models/wing at its 100 m/s, steps of chord/(16 U)."""
    U, alpha, step, core = 100.0, np.radians(5), 1 / 1600, 0.01
    stream = [U * np.cos(alpha), 0, U * np.sin(alpha)]
    none, one = lambda s: 0.0, lambda s: 1.0
    plate = make_grid(4, 13, none, one, 4)
    w = 2 * 0.5 * U  # reduced frequency 0.5

    def rests(grid):
        return lambda t: (grid, np.zeros_like(grid))

    quarter = make_grid(4, 13, none, one, 4, root=-0.25)
    ellipse = lambda s: np.sqrt(1.0001 - (2 * s / 8 - 1) ** 2)
    elliptic = make_grid(4, 40, lambda s: (1 - ellipse(s)) / 4, ellipse, 8, cosine=True)
    swept = make_grid(4, 24, lambda s: np.tan(np.radians(30)) * abs(s - 3), lambda s: 1.2 - 0.8 * abs(s / 6 - 0.5), 6)
    return {
        "pitch": Lattice(lambda t: turn(quarter, alpha * np.cos(w * t), -alpha * w * np.sin(w * t)), [U, 0, 0], step, core),
        "elliptic": Lattice(rests(elliptic), stream, step, core),
        "swept": Lattice(rests(swept), stream, step, core),
        "ground-effect": Lattice(rests(turn(plate, alpha)[0]), [U, 0, 0], step, core, ground=-0.5),
    }


def check():
    """Against snapshots of another implementation: the largest difference, relative."""
    cases = json.loads((Path(__file__).parent / "vortex_lattice.json").read_text())["cases"]
    alpha = np.radians(5)
    grid = make_grid(4, 13, lambda s: 0.0, lambda s: 1.0, 4)

    def heave(t):
        corners = turn(grid, -alpha)[0] + [0, 0, 0.1 * np.cos(t)]
        return corners, np.broadcast_to([0, 0, -0.1 * np.sin(t)], corners.shape)

    start = lambda free: Lattice(lambda t: (grid, 0 * grid), [np.cos(alpha), 0, np.sin(alpha)], 1 / 16, 0.01, free=free)
    worst = 0
    for name, lattice in (("sudden_start_AR4_free", start(True)), ("sudden_start_AR4_prescribed", start(False)),
                          ("heave_AR4_k0.5_free", Lattice(heave, [1, 0, 0], 1 / 16, 0.01))):
        for snapshot in cases[name]["snapshots"]:
            while lattice.k < snapshot["k"]:
                lattice.advance()
            loads = lattice.calc_loads(1.0)
            edge = loads["j-edge"][0] - loads["j"][0]
            pairs = [(loads["j"][0], "F_joukowski"), (loads["j"][1], "M_joukowski_about_origin"),
                     (loads["bernoulli"][0], "F_bernoulli"), (edge, "F_shed_edge"),
                     (lattice.gammas, "gamma"), (lattice.wake, "wake_nodes")]
            for ours, key in pairs:
                if key in snapshot:
                    theirs = np.array(snapshot[key][0])
                    worst = max(worst, np.abs(ours - theirs).max() / np.abs(theirs).max())
    return worst


def print_case(name, lattice):
    """Lines of expected.yaml; tolerances are parts of the force by `j` at that step, moments those of a lever of 1 m."""
    wanted = {"j": ["force.z"], "j-edge": ["force.x", "force.z"], "q": ["force.z", "moment.y"], "bernoulli": ["force.z"]}
    for k, part, reason in ((1, 1e-9, "machine: 1e-9 of the force, the same sums in another order"),
                            (10, 1e-9, "machine: 1e-9 of the force, the same sums in another order"),
                            (40, 1e-8, "machine: 1e-8 of the force, rounding grows in forty steps of a free wake")):
        while lattice.k < k:
            lattice.advance()
        loads = lattice.calc_loads(1.0)
        tolerance = part * np.linalg.norm(loads["j"][0])
        for word, quantities in wanted.items():
            channel = "surface.wing" if word == "j-edge" else f"surface.wing.load.{word}"
            for quantity in quantities:
                value = loads[word][quantity.startswith("moment")]["xyz".index(quantity[-1])]
                print(f"- {{case: {name}, channel: {channel}.{quantity}, at: {{t: {k * lattice.step:g}}}, value: {value:.12g}, "
                      f'tolerance: {{absolute: {tolerance:.1e}, reason: "{reason}"}}, '
                      'source: {kind: independent, place: "tests/validation/independent/vortex_lattice.py"}}')


def main():
    print(f"# largest relative difference from vortex_lattice.json: {check():.1e}")
    for name, lattice in make_cases().items():
        print_case(name, lattice)


if __name__ == "__main__":
    main()
