#!/usr/bin/env python3
"""models/trebuchet without joints: Lagrange's equations of the absolute angles of arm, counterweight and sling, then a
parabola for the stone. Knows nothing of haltere; prints the numbers of models/trebuchet/expected.yaml."""
from math import cos, radians, sin, sqrt

G, AXLE, LONG, SHORT = 9.81, 1.5, 2.0, 0.5
ARM, WEIGHT, SLING_MASS, STONE = 10.0, 150.0, 0.2, 2.0
HANGER, R_WEIGHT, SLING, R_STONE = 0.4, 0.25, 1.8, 0.05
START, FIRE, OPEN = radians(150), 0.1, radians(-30)
FIRST, SECOND = 0.6, 2.6  # times to show


def along(a):  # arm and sling
    return (cos(a), -sin(a))


def d_along(a):
    return (-sin(a), -cos(a))


def dd_along(a):
    return (-cos(a), sin(a))


def d_down(a):  # of the hanger (-sin a, -cos a)
    return (-cos(a), sin(a))


def dd_down(a):
    return (sin(a), cos(a))


def det(a):
    return (a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1])
            - a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0])
            + a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]))


class Machine:
    """Points are sums of a coefficient times the direction of each of the three angles."""

    def __init__(self, with_stone):
        self.points = [(ARM, ((LONG - SHORT) / 2, 0, 0)), (WEIGHT, (-SHORT, HANGER, 0)),
                       (SLING_MASS, (LONG, 0, SLING / 2))]
        self.inertia = [ARM * (LONG + SHORT) ** 2 / 12, WEIGHT * R_WEIGHT ** 2, SLING_MASS * SLING ** 2 / 12]
        if with_stone:
            self.points.append((STONE, (LONG, 0, SLING)))
            self.inertia[2] += 0.4 * STONE * R_STONE ** 2

    def accelerations(self, q, v):
        d = [d_along(q[0]), d_down(q[1]), d_along(q[2])]
        dd = [dd_along(q[0]), dd_down(q[1]), dd_along(q[2])]
        m = [[self.inertia[i] if i == j else 0.0 for j in range(3)] for i in range(3)]
        f = [0.0, 0.0, 0.0]
        for mass, c in self.points:
            J = [(c[k] * d[k][0], c[k] * d[k][1]) for k in range(3)]
            bias = [sum(c[k] * dd[k][x] * v[k] ** 2 for k in range(3)) for x in (0, 1)]
            for i in range(3):
                for j in range(3):
                    m[i][j] += mass * (J[i][0] * J[j][0] + J[i][1] * J[j][1])
                f[i] -= mass * (J[i][0] * bias[0] + J[i][1] * (bias[1] + G))
        return [det([[f[i] if j == k else m[i][j] for j in range(3)] for i in range(3)]) / det(m)
                for k in range(3)]

    def step(self, y, dt):
        def rates(x):
            return x[3:] + self.accelerations(x[:3], x[3:])

        def add(x, k, s):
            return [a + s * b for a, b in zip(x, k)]

        k1 = rates(y)
        k2 = rates(add(y, k1, dt / 2))
        k3 = rates(add(y, k2, dt / 2))
        k4 = rates(add(y, k3, dt))
        return [y[i] + dt / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]) for i in range(6)]


def show(t, y):
    print(f"t={t}: axle {y[0]!r} rate {y[3]!r}, knot {y[2] - y[0]!r}, hanger {y[1] - y[0]!r}")


def main(dt=1e-4):
    machine, y, n = Machine(True), [START, 0.0, 0.0, 0.0, 0.0, 0.0], 0
    while True:
        t, following = FIRE + n * dt, machine.step(y, dt)
        if t < FIRST - dt / 2 <= t + dt:
            show(FIRST, machine.step(y, FIRST - t))
        if following[2] - following[0] >= OPEN:
            break
        y, n = following, n + 1
    low, high = 0.0, dt
    for _ in range(60):
        middle = (low + high) / 2
        z = machine.step(y, middle)
        low, high = (low, middle) if z[2] - z[0] >= OPEN else (middle, high)
    y, t = machine.step(y, high), t + high
    a, b, da, db = along(y[0]), along(y[2]), d_along(y[0]), d_along(y[2])
    p = (LONG * a[0] + SLING * b[0], AXLE + LONG * a[1] + SLING * b[1])
    v = (LONG * da[0] * y[3] + SLING * db[0] * y[5], LONG * da[1] * y[3] + SLING * db[1] * y[5])
    flight = (v[1] + sqrt(v[1] ** 2 + 2 * G * p[1])) / G
    print(f"opens t={t!r}, lands t={t + flight!r} x={p[0] + v[0] * flight!r}")
    left = SECOND - t
    print(f"t={SECOND}: stone x {p[0] + v[0] * left!r} z {p[1] + v[1] * left - G / 2 * left ** 2!r}"
          f" vx {v[0]!r} spin {y[5]!r}")
    machine, n = Machine(False), int(left / dt) + 1
    for _ in range(n):
        y = machine.step(y, left / n)
    show(SECOND, y)


main()
