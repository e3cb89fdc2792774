#!/usr/bin/env python3
"""Numbers of source `independent` in models/wing/expected.yaml that stand there as `equilibrium`: the cases pitch, elliptic,
swept and ground-effect in settled air; and what becomes of AVL's tapered wing with more rows.

    settled_lattice.py         checks itself against OpenAeroStruct's rectangular wing, prints both

The conventions of docs/theory.md ("Settled air", layout `quarter`, load `j`), typed here from scratch: rings of four legs each
summed one by one, the last row with two rays to infinity in place of its wake, a dense solve. Needs numpy; not part of
the tests.
"""
import numpy as np

from vortex_lattice import list_legs, make_grid, take_rings, take_targets, turn

TURN = 1e-4  # of angles and of rates without dimension, central differences
ON_LINE = 1e-20  # square of the sine of the angle at which a point is on its line


def induce_by_segments(points, begins, ends, core):
    """Velocities (points, segments, 3) of circulation one."""
    r1, r2 = points[:, None] - begins, points[:, None] - ends
    r0 = ends - begins
    d1, d2 = np.linalg.norm(r1, axis=2), np.linalg.norm(r2, axis=2)
    across, square0 = np.cross(r1, r2), (r0**2).sum(1)
    square = (across**2).sum(2)
    off = square > ON_LINE * square0 * np.maximum(d1, d2) ** 2
    along = np.where(off, (r0 * r1).sum(2) * d2 - (r0 * r2).sum(2) * d1, 0) / np.where(off, d1 * d2, 1)
    weight = along / np.where(off, square + core**2 * square0, 1) / (4 * np.pi)
    return across * weight[..., None]


def induce_by_rays(points, begins, way, core):
    """The same of lines without an end along `way`."""
    r = points[:, None] - begins
    d = np.linalg.norm(r, axis=2)
    across = np.cross(way, r)
    square = (across**2).sum(2)
    off = square > ON_LINE * d**2
    weight = np.where(off, (1 + (r @ way) / np.where(off, d, 1)) / np.where(off, square + core**2, 1), 0) / (4 * np.pi)
    return across * weight[..., None]


class Settled:
    """A wing in a stream with the velocities of its corners; `ground`: z of a plane; `ends_at_edge`: the last rings do."""

    def __init__(self, corners, velocities, stream, core=0.0, ground=None, ends_at_edge=False):
        self.corners, self.stream, self.core, self.ground = corners, np.array(stream), core, ground
        self.rings, self.ring_velocities = take_rings(corners), take_rings(velocities)
        if ends_at_edge:
            self.rings[-1] = corners[-1]
        self.rows, self.columns = corners.shape[0] - 1, corners.shape[1] - 1
        p = corners
        normals = np.cross(p[1:, 1:] - p[:-1, :-1], p[:-1, 1:] - p[1:, :-1])
        double = np.linalg.norm(normals, axis=2)
        self.normals, self.area = (normals / double[..., None]).reshape(-1, 3), double.sum() / 2
        behind = (self.stream - self.ring_velocities[-1]).mean(0)
        self.way = behind / np.linalg.norm(behind)
        points = take_targets(corners)
        matrix = np.einsum("pjk,pk->pj", self.induce(points), self.normals)
        onset = self.stream - take_targets(velocities)
        self.gammas = np.linalg.solve(matrix, -(onset * self.normals).sum(1)).reshape(self.rows, self.columns)

    def induce(self, points):
        """Velocities (points, panels, 3) of rings of circulation one, those of the last row with their wakes."""
        v = self.induce_here(points)
        if self.ground is not None:
            mirror = np.array([1, 1, -1])
            v = v + mirror * self.induce_here(mirror * points + [0, 0, 2 * self.ground])
        return v

    def induce_here(self, points):
        begins, ends, _ = list_legs(self.rings, np.zeros((self.rows, self.columns)))
        n = self.rows * self.columns
        legs = induce_by_segments(points, begins, ends, self.core).reshape(len(points), 4, n, 3)
        v = legs.sum(1)
        edge = self.rings[-1]
        rays = induce_by_rays(points, edge, self.way, self.core)
        last = slice(n - self.columns, n)
        v[:, last] += rays[:, 1:] - rays[:, :-1] - legs[:, 2, last]  # its own closing leg is the wake's as well
        return v

    def calc_air(self, points):
        return self.stream + np.einsum("pjk,j->pk", self.induce(points), self.gammas.ravel())

    def list_forces(self, legs_end_with_wing=False):
        """Points and forces, unit density. `legs_end_with_wing`: nothing behind the trailing edge is loaded."""
        r, g, u = self.rings, self.gammas, self.ring_velocities
        ahead = np.concatenate([np.zeros((1, self.columns)), g[:-1]])
        beside = np.concatenate([np.zeros((self.rows, 1)), g, np.zeros((self.rows, 1))], axis=1)
        ends, end_velocities = r[1:].copy(), u[1:].copy()
        if legs_end_with_wing:
            ends[-1] = self.corners[-1]
        at, force = [], []
        for begin, end, ub, ue, net in ((r[:-1, :-1], r[:-1, 1:], u[:-1, :-1], u[:-1, 1:], g - ahead),
                                        (r[:-1], ends, u[:-1], end_velocities, beside[:, :-1] - beside[:, 1:])):
            middle = ((begin + end) / 2).reshape(-1, 3)
            v = self.calc_air(middle) - ((ub + ue) / 2).reshape(-1, 3)
            at.append(middle)
            force.append(net.reshape(-1, 1) * np.cross(v, (end - begin).reshape(-1, 3)))
        return np.concatenate(at), np.concatenate(force)

    def calc_far_drag(self):
        """Half of what the straight wake induces across itself acts at the edge."""
        edge, d, net = self.rings[-1], self.way, np.concatenate([[0], self.gammas[-1], [0]])

        def flow(points):
            rel = points[:, None] - edge
            rel = rel - (rel @ d)[..., None] * d
            across, square = np.cross(d, rel), (rel**2).sum(2)
            size = np.linalg.norm(edge[-1] - edge[0])
            weight = np.where(square > ON_LINE * size**2, 1 / np.maximum(square + self.core**2, 1e-300), 0) / (2 * np.pi)
            return np.einsum("pj,pjk->pk", weight * (net[:-1] - net[1:]), across)

        middle, l = (edge[:-1] + edge[1:]) / 2, edge[1:] - edge[:-1]
        v = flow(middle)
        if self.ground is not None:
            mirror = np.array([1, 1, -1])
            v = v + mirror * flow(mirror * middle + [0, 0, 2 * self.ground])
        return (self.gammas[-1] / 2 * (np.cross(v, l) @ d)).sum()


def calc_axes(stream):
    back = stream / np.linalg.norm(stream)
    lift = np.array([0, 0, 1]) - back[2] * back
    lift /= np.linalg.norm(lift)
    return back, lift, np.cross(lift, back)


def calc_coefficients(wing, stream, reference, span, legs_end_with_wing):
    back, lift, right = calc_axes(stream)
    at, f = wing.list_forces(legs_end_with_wing)
    force, moment = f.sum(0), np.cross(at - reference, f).sum(0)
    q = 0.5 * (stream @ stream) * wing.area
    chord = wing.area / span
    return {"CL": force @ lift / q, "CD": force @ back / q, "CY": force @ right / q, "Cl": -moment @ back / (q * span),
            "Cm": moment @ right / (q * chord), "Cn": -moment @ lift / (q * span)}


def read_tunnel(corners, stream, reference, core=0.0, ground=None, legs_end_with_wing=False, rates="abpqr"):
    """Coefficients and derivatives as `haltere equilibrium` names them."""
    stream, reference = np.array(stream, float), np.array(reference, float)
    speed = np.linalg.norm(stream)
    back, lift, right = calc_axes(stream)
    y = corners @ right
    span = y.max() - y.min()
    still = Settled(corners, 0 * corners, stream, core, ground)
    values = calc_coefficients(still, stream, reference, span, legs_end_with_wing)
    values["CD_far"] = still.calc_far_drag() / (0.5 * speed**2 * still.area)
    chord = still.area / span

    def at(letter, h):
        seen, rate = stream, np.zeros(3)
        if letter == "a":
            seen = speed * (np.cos(h) * back + np.sin(h) * lift)
        elif letter == "b":
            seen = speed * (np.cos(h) * back - np.sin(h) * right)
        elif letter == "p":
            rate = -h * 2 * speed / span * back
        elif letter == "q":
            rate = h * 2 * speed / chord * right
        else:
            rate = -h * 2 * speed / span * lift
        velocities = stream - seen + np.cross(rate, corners - reference)
        return calc_coefficients(Settled(corners, velocities, stream, core, ground), seen, reference, span,
                                 legs_end_with_wing)

    for letter in rates:
        word = {"a": "alpha", "b": "beta"}.get(letter, letter)
        plus, minus = at(letter, TURN), at(letter, -TURN)
        values |= {f"{key}_{word}": (plus[key] - minus[key]) / (2 * TURN) for key in plus}
    return values


def make_cases():
    """The wing of models/wing: corners, stream, place of its body, ground."""
    alpha = np.radians(5)
    none, one = lambda s: 0.0, lambda s: 1.0
    stream = [100 * np.cos(alpha), 0, 100 * np.sin(alpha)]
    ellipse = lambda s: np.sqrt(1.0001 - (2 * s / 8 - 1) ** 2)
    tan = np.tan(np.radians(30))
    return {
        "pitch": (turn(make_grid(4, 13, none, one, 4, root=-0.25), alpha)[0], [100, 0, 0], None),
        "elliptic": (make_grid(4, 40, lambda s: (1 - ellipse(s)) / 4, ellipse, 8, cosine=True), stream, None),
        "swept": (make_grid(4, 24, lambda s: tan * abs(s - 3), lambda s: 1.2 - 0.8 * abs(s / 6 - 0.5), 6), stream, None),
        "ground-effect": (turn(make_grid(4, 13, none, one, 4), alpha)[0], [100, 0, 0], -0.5),
    }


WANTED = {"pitch": ["CL", "CD", "CD_far", "Cm", "CL_alpha"],
          "elliptic": ["CL", "CD", "CD_far", "CL_alpha", "Cl_p"],
          "swept": ["CL", "CD", "CD_far", "Cm", "CL_alpha", "Cm_alpha", "Cl_beta", "CY_beta", "Cn_beta", "Cl_p", "Cn_p", "Cm_q",
                    "Cl_r", "Cn_r"],
          "ground-effect": ["CL", "CD", "CD_far", "Cm"]}


def print_cases():
    for name, (corners, stream, ground) in make_cases().items():
        values = read_tunnel(corners, stream, [0, 0, 0], 0.01, ground)
        for key in WANTED[name]:
            is_slope = "_" in key and key != "CD_far"
            tolerance = 1e-7 if is_slope else 1e-8
            reason = ("differences over 1e-4 of numbers with ten digits" if is_slope else
                      "settled wakes are 1e5 sizes long: ten digits")
            print(f"- {{case: {name}, equilibrium: {key}, value: {values[key]:.12g}, "
                  f'tolerance: {{absolute: {tolerance:.0e}, reason: "{reason}"}}, '
                  'source: {kind: independent, place: "tests/validation/independent/settled_lattice.py"}}')


def check():
    """Against OpenAeroStruct: a rectangular wing of 1 x 4 panels whose last rings end with it, legs across alone loaded."""
    alpha, grid = np.radians(5), make_grid(1, 4, lambda s: 0.0, lambda s: 1.0, 10)
    stream = np.array([np.cos(alpha), 0, np.sin(alpha)])
    at, f = (x[:4] for x in Settled(grid, 0 * grid, stream, ends_at_edge=True).list_forces())
    lift = f.sum(0) @ [-np.sin(alpha), 0, np.cos(alpha)] / 5
    return lift - 0.4615561217697067, np.cross(at, f).sum(0)[1] / 5 + 0.11507021674483686


def print_rows():
    """AVL's wing, 24 columns: its derivatives with more and more rows."""
    print("# AVL, one row: Cl_p -0.518725 Cn_p -0.019846 Cl_r 0.064243 Cn_r -0.000898")
    for ends in (False, True):
        for rows in (1, 2, 4, 8, 16):
            grid = make_grid(rows, 24, lambda s: 0.4 * abs(s - 7.5) / 7.5, lambda s: 2.2 - 0.4 * abs(s - 7.5) / 7.5, 15)
            grid = turn(grid, np.radians(3))[0]
            reference = turn(np.full((1, 1, 3), [0.5, 0, 0]), np.radians(3))[0][0, 0]
            v = read_tunnel(grid, [1, 0, 0], reference, legs_end_with_wing=ends, rates="pr")
            print(f"# {rows:2} rows, legs {'end with the wing' if ends else 'as haltere loads them'}: ",
                  *(f"{key} {v[key]:.6f}" for key in ("CL", "CD", "CD_far", "Cl_p", "Cn_p", "Cl_r", "Cn_r")))


if __name__ == "__main__":
    print("# CL and CM less those of OpenAeroStruct: {:.1e} {:.1e}".format(*check()))
    print_rows()
    print_cases()
