"""The fruit fly without the equations of motion: what its wings do to the body follows from two conserved momenta. The
centre of mass falls on a parabola, and the angular momentum H about it is constant, so that with the locked inertia J(t)
about it and the angular momentum h(t) of the wings against the body, both in body axes,

    T1' = T1 skew(w),   w = J^-1 (T1^T H - h).

Three unknowns, Runge-Kutta 4 with 4000 steps a beat and the extrapolation of it with 2000. Prints the rows B and C of
fruit-fly.json (every eighth of a beat), and the means of the forces on the strips of the wings of a body that is held, by
sums over stations and times that share nothing with Gauss' points. Units: mm, mg, ms, rad."""
import json
from math import asin, atan2, cos, hypot, pi, sin, radians as deg

G, F = 9.81e-3, 0.218
W = 2 * pi * F
M = [0.931485, 0.00535376, 0.00535376]
CG = [[0, 0, 0], [-0.121, 1.35, 0], [-0.121, -1.35, 0]]
HINGE = [None, [0.6, 0.36, 0.15], [0.6, -0.36, 0.15]]
I_BODY = [[0.075537, 0, 0.031614], [0, 0.407692, 0], [0.031614, 0, 0.400759]]
I_LEFT = [[0.00182036, -8.21213e-5, 0], [-8.21213e-5, 0.000341471, 0], [0, 0, 0.00216182]]
I_RIGHT = [[0.00182036, 8.21213e-5, 0], [8.21213e-5, 0.000341471, 0], [0, 0, 0.00216182]]
ETA = deg(-45)


def mat(A, B):
    return [[sum(A[i][k] * B[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def vec(A, x):
    return [sum(A[i][k] * x[k] for k in range(3)) for i in range(3)]


def tr(A):
    return [list(column) for column in zip(*A)]


def add(*terms):
    return [sum(t) for t in zip(*terms)]


def scale(s, x):
    return [s * a for a in x]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def madd(A, B):
    return [[a + b for a, b in zip(r, s)] for r, s in zip(A, B)]


def solve(A, b):  # Cramer
    det = lambda X: sum(X[0][i] * (X[1][(i + 1) % 3] * X[2][(i + 2) % 3] - X[1][(i + 2) % 3] * X[2][(i + 1) % 3])
                        for i in range(3))
    d = det(A)
    return [det([[b[i] if j == k else A[i][j] for j in range(3)] for i in range(3)]) / d for k in range(3)]


def turn(k, a, derivative=False):
    """R_k(a), or dR_k/da."""
    c, s = (-sin(a), cos(a)) if derivative else (cos(a), sin(a))
    i, j = [(1, 2), (2, 0), (0, 1)][k - 1]
    R = [[0.0] * 3 for _ in range(3)]
    R[k - 1][k - 1] = 0.0 if derivative else 1.0
    R[i][i] = R[j][j] = c
    R[i][j], R[j][i] = -s, s
    return R


def harmonics(a0, a, b):
    def calc(t):
        x, dx = a0, 0.0
        for n, (p, q) in enumerate(zip(a, b), 1):
            x += p * cos(n * W * t) + q * sin(n * W * t)
            dx += n * W * (q * cos(n * W * t) - p * sin(n * W * t))
        return x, dx
    return calc


SIMPLE = [harmonics(deg(10), [deg(60)], [0]), harmonics(0, [0, deg(8)], [0, 0]), harmonics(0, [0], [deg(45)])]
FRY3 = [harmonics(0.227, [1.2402, 0.0361, -0.0036], [0.0888, -0.07, 0.0125]),
        harmonics(-0.16125, [-0.0675, -0.145, -0.0054], [-0.0367, -0.0684, 0.0339]),
        harmonics(0.00864, [0.0489, 0.02056, -0.19649], [1.17586, 0.01216, 0.1759])]


def wing(kinematics, t, factors):
    """C(t), and the angular velocity of the wing against the body, both in body axes."""
    angles = [tuple(f * x for x in law(t)) for law, f in zip(kinematics, factors)]
    C, w = turn(2, ETA), [0.0, 0.0, 0.0]
    for axis, (x, dx) in zip((1, 3, 2), angles):
        w = add(w, scale(dx, [C[i][axis - 1] for i in range(3)]))
        C = mat(C, turn(axis, x))
    return C, w


class Fly:
    def __init__(self, kinematics, left, right, angles, rates, velocity):
        self.wings = [None, (kinematics, left), (kinematics, right)]
        phi, theta, psi = angles
        self.T1 = mat(turn(2, phi), mat(turn(3, theta), turn(1, psi)))
        g = [[sin(theta), 0, 1], [cos(theta) * cos(psi), sin(psi), 0], [-cos(theta) * sin(psi), cos(psi), 0]]
        w = vec(g, rates)
        J, h, c, dc = self.inertia(0.0)
        self.H = vec(self.T1, add(vec(J, w), h))
        self.com0 = vec(self.T1, c)
        self.v0 = add(velocity, vec(self.T1, add(cross(w, c), dc)))
        self.mass = sum(M)

    def inertia(self, t):
        """J and h about the centre of mass, that and its rate, in body axes from the origin of the body."""
        parts = [([0.0] * 3, [0.0] * 3, I_BODY, [0.0] * 3)]  # centre, rate, inertia, angular velocity
        for k, I in ((1, I_LEFT), (2, I_RIGHT)):
            C, w = wing(self.wings[k][0], t, self.wings[k][1])
            arm = vec(C, CG[k])
            parts.append((add(HINGE[k], arm), cross(w, arm), mat(C, mat(I, tr(C))), w))
        m = sum(M)
        c, dc = ([sum(M[i] * parts[i][n][k] for i in range(3)) / m for k in range(3)] for n in (0, 1))
        J, h = [[0.0] * 3 for _ in range(3)], [0.0] * 3
        for i, (x, dx, I, w) in enumerate(parts):
            r, v = add(x, scale(-1, c)), add(dx, scale(-1, dc))
            r2 = sum(a * a for a in r)
            J = madd(J, madd(I, [[M[i] * ((r2 if a == b else 0) - r[a] * r[b]) for b in range(3)] for a in range(3)]))
            h = add(h, vec(I, w), scale(M[i], cross(r, v)))
        return J, h, c, dc

    def w(self, t, T1):
        J, h, _, _ = self.inertia(t)
        return solve(J, add(vec(tr(T1), self.H), scale(-1, h)))

    def rate(self, t, T1):
        w = self.w(t, T1)
        return mat(T1, [[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])

    def run(self, beats, steps):
        """T1 every eighth of a beat."""
        h, T1, rows = 1 / F / steps, self.T1, [self.T1]
        go = lambda A, s, K: [[a + s * k for a, k in zip(r, q)] for r, q in zip(A, K)]
        for n in range(beats * steps):
            t = n * h
            k1 = self.rate(t, T1)
            k2 = self.rate(t + h / 2, go(T1, h / 2, k1))
            k3 = self.rate(t + h / 2, go(T1, h / 2, k2))
            k4 = self.rate(t + h, go(T1, h, k3))
            T1 = [[T1[i][j] + h / 6 * (k1[i][j] + 2 * k2[i][j] + 2 * k3[i][j] + k4[i][j]) for j in range(3)]
                  for i in range(3)]
            if (n + 1) % (steps // 8) == 0:
                rows.append(T1)
        return rows

    def row(self, t, T1):
        J, h, c, dc = self.inertia(t)
        w = self.w(t, T1)
        com = [self.com0[k] + self.v0[k] * t - (G * t * t / 2 if k == 2 else 0) for k in range(3)]
        v = [self.v0[k] - (G * t if k == 2 else 0) for k in range(3)]
        position = add(com, scale(-1, vec(T1, c)))
        velocity = add(v, scale(-1, vec(T1, add(cross(w, c), dc))))
        angles = [atan2(-T1[2][0], T1[0][0]), asin(T1[1][0]), atan2(-T1[1][2], T1[1][1])]
        return {"t": t, "position": position, "angles": angles, "velocity": velocity, "angular_velocity": w}


def trajectory(fly, steps=4000):
    fine, coarse = fly.run(2, steps), fly.run(2, steps // 2)
    worst = max(abs(a - b) for P, Q in zip(fine, coarse) for r, s in zip(P, Q) for a, b in zip(r, s))
    best = [[[a + (a - b) / 15 for a, b in zip(r, s)] for r, s in zip(P, Q)] for P, Q in zip(fine, coarse)]
    return {"change_by_the_last_halving": worst,
            "rows": [fly.row(n / 8 / F, T1) for n, T1 in enumerate(best)]}


CHORD = [0, 0.419, 0.821, 1.178, 1.351, 1.416, 1.393, 1.331, 1.198, 0.889, 0]


def forces(stations=2000, times=400):
    """Mean vertical forces over the weight and mean power over the mass, of both wings of a body that is held nose up by 45
    degrees, KIN_FRY3; lift, drag and rotation of models/fruit-fly. (The mean of the added mass is 0: what it carries has
    after a beat the momentum that it had.)"""
    R, c_mean, rho, center, rotational, edge = 2.505, 0.699, 1.225e-3, 0.72, 0.03 * pi, 0.353
    T1 = turn(2, deg(-45))
    total = {"lift": 0.0, "drag": 0.0, "rotation": 0.0, "power": 0.0}
    for n in range(times):
        C, w = wing(FRY3, n / times / F, [1, 1, 1])
        own, up = vec(tr(C), w), [mat(T1, C)[2][k] for k in range(3)]  # of the wing: its turning; the vertical
        for i in range(stations):
            x = (i + 0.5) / stations
            k = min(int(10 * x), 9)
            c = c_mean * (CHORD[k] + (10 * x - k) * (CHORD[k + 1] - CHORD[k]))
            P = [(edge - center) * c, R * x, 0]
            v = cross(own, P)
            a, b = v[0], v[2]  # forward, and normal to the wing
            V, alpha = hypot(a, b), atan2(abs(b), a)
            CL = 0.225 + 1.58 * sin(2.13 * alpha - deg(7.2))
            CD = 1.92 - 1.55 * cos(2.04 * alpha - deg(9.82))
            q = rho / 2 * c * R / stations
            side = -1 if b > 0 else 1  # the lift is that part of the forward direction which is normal to V
            lift = [q * V * CL * abs(b), 0, q * V * CL * a * side]
            drag = [-q * V * CD * a, 0, -q * V * CD * b]
            # positive circulation lifts a wing that goes forward; nose up is -y of the wing
            g = -rho * rotational * c * c * own[1] * R / stations
            rotation = [-g * b, 0, g * a]
            for name, f in (("lift", lift), ("drag", drag), ("rotation", rotation)):
                total[name] += 2 * sum(f[j] * up[j] for j in range(3)) / times
                total["power"] += -2 * sum(f[j] * v[j] for j in range(3)) / times
    weight = sum(M) * G
    return {name: value / (sum(M) if name == "power" else weight) for name, value in total.items()}


def main():
    simple = Fly(SIMPLE, [1, 1, 1], [-1, -1, 1], [deg(-45), 0, 0], [0, 0, 0], [0, 0, 0])
    asymmetric = Fly(SIMPLE, [1, 1, 1], [-0.8, -1, 1.1], [deg(-45), deg(5), deg(3)], [0.01, 0.02, -0.01], [0.1, 0.02, 0.05])
    fry = Fly(FRY3, [1, 1, 1], [-1, -1, 1], [deg(-45), 0, 0], [0, 0, 0], [0, 0, 0])
    print(json.dumps({"A": trajectory(simple), "B_asymmetric": trajectory(asymmetric), "C_fry": trajectory(fry),
                      "forces": forces(), "forces_of_half_the_sums": forces(1000, 200)}))


if __name__ == "__main__":
    main()
