#!/usr/bin/env python3
"""AVL's tapered wing as 24 horseshoe vortices, in NumPy: coefficients and their derivatives against roll and yaw.

What AVL does: legs leave the quarter chord along the body's axis, incidence turns the normals alone, bound legs are
loaded with the velocity there, legs along the chord only to the trailing edge and with the undisturbed velocity.
What haltere does (layout `quarter`, one row): the wing itself is turned, the wake leaves along the mean of the
undisturbed velocities at the ends of the rings, and legs are loaded with the whole velocity as far as the rings reach,
a quarter of a chord behind the trailing edge.

With AVL's choices all but two numbers are AVL's to its digits; what differs beside them is the choices. Needs numpy; not
part of the tests.
"""
import numpy as np

DEGREE = np.pi / 180
COLUMNS, AREA, CHORD, SPAN = 24, 30.0, 2.0, 15.0
REFERENCE = np.array([0.5, 0.0, 0.0])
y = 7.5 * (np.arange(COLUMNS + 1) / 12 - 1)
leading, chord = 0.4 * abs(y) / 7.5, 2.2 - 0.4 * abs(y) / 7.5


def segment(p, a, b):
    r1, r2 = p - a, p - b
    across = np.cross(r1, r2)
    n1, n2 = np.linalg.norm(r1), np.linalg.norm(r2)
    if across @ across < 1e-20 * (n1 * n2) ** 2:
        return np.zeros(3)
    return across * (n1 + n2) / (n1 * n2 * (n1 * n2 + r1 @ r2)) / (4 * np.pi)


def ray(p, a, u):
    r = p - a
    n, across = np.linalg.norm(r), np.cross(u, r)
    if across @ across < 1e-20 * n * n:
        return np.zeros(3)
    return across / (n * (n - r @ u)) / (4 * np.pi)


def calc(alpha, rotation, incidence, wake, reach, loads_whole_velocity):
    stream = np.array([np.cos(alpha), 0, np.sin(alpha)])
    normal = np.array([np.sin(incidence), 0, np.cos(incidence)])
    front = np.stack([leading + chord / 4, y, 0 * y], 1)
    back = np.stack([leading + reach * chord, y, 0 * y], 1)
    middle = np.stack([leading + 0.75 * chord, y, 0 * y], 1)
    points = (middle[1:] + middle[:-1]) / 2

    def horseshoe(p, j):
        return (segment(p, front[j], front[j + 1]) + segment(p, back[j], front[j]) + segment(p, front[j + 1], back[j + 1])
                - ray(p, back[j], u) + ray(p, back[j + 1], u))

    def onset(p):
        return stream - np.cross(rotation, p - REFERENCE)

    u = {"body": np.array([1.0, 0, 0]), "stream": stream, "flow": onset(back.mean(0))}[wake]
    u = u / np.linalg.norm(u)
    columns = range(COLUMNS)
    matrix = np.array([[horseshoe(p, j) @ normal for j in columns] for p in points])
    gamma = np.linalg.solve(matrix, [-onset(p) @ normal for p in points])

    def velocity(p):
        return onset(p) + sum(gamma[j] * horseshoe(p, j) for j in columns)

    force, moment = np.zeros(3), np.zeros(3)

    def add(circulation, a, b, flow):
        nonlocal force, moment
        f = circulation * np.cross(flow, b - a)
        force = force + f
        moment = moment + np.cross((a + b) / 2 - REFERENCE, f)

    for j in columns:
        add(gamma[j], front[j], front[j + 1], velocity((front[j] + front[j + 1]) / 2))
    padded = np.concatenate([[0], gamma, [0]])
    for j in range(COLUMNS + 1):
        place = (front[j] + back[j]) / 2
        add(padded[j] - padded[j + 1], front[j], back[j], velocity(place) if loads_whole_velocity else onset(place))
    lift = np.array([-np.sin(alpha), 0, np.cos(alpha)])
    return {"CL": force @ lift / (AREA / 2), "CD": force @ stream / (AREA / 2), "Cm": moment[1] / (AREA / 2 * CHORD),
            "Cl": -moment @ stream / (AREA / 2 * SPAN), "Cn": -moment @ lift / (AREA / 2 * SPAN)}


def show(name, alpha, *choices):
    h = 1e-4
    back, lift = np.array([np.cos(alpha), 0, np.sin(alpha)]), np.array([-np.sin(alpha), 0, np.cos(alpha)])
    still = calc(alpha, np.zeros(3), *choices)
    values = {key: still[key] for key in ("CL", "CD", "Cm")}
    for letter, axis in (("p", -back), ("r", -lift)):
        turn = axis * h * 2 / SPAN
        plus, minus = calc(alpha, turn, *choices), calc(alpha, -turn, *choices)
        values |= {f"{key}{letter}": (plus[key] - minus[key]) / (2 * h) for key in ("Cl", "Cn")}
    print(f"{name:32}", *(f"{key} {value:.6f}" for key, value in values.items()))


if __name__ == "__main__":
    print(f"{'AVL, as printed':32}", "CL 0.24324 CD 0.00243 Cm -0.02252 Clp -0.518725 Cnp -0.019846 Clr 0.064243 Cnr -0.000898")
    show("AVL's choices", 1 * DEGREE, 2 * DEGREE, "body", 1.0, False)
    show("the same, loads by all velocity", 1 * DEGREE, 2 * DEGREE, "body", 1.0, True)
    show("haltere's choices", 3 * DEGREE, 0.0, "flow", 1.25, True)
    show("its wake stays with the stream", 3 * DEGREE, 0.0, "stream", 1.25, True)
    show("its legs end with the wing", 3 * DEGREE, 0.0, "flow", 1.0, True)
