"""Lean and steer of the benchmark bicycle after a small push, from its linearised equations [meijaard2007]:
M q" + v C1 q' + (g K0 + v^2 K2) q = 0, q = (lean, steer). The matrices are computed from the parameters (appendix A there)
and agree with the printed ones; the solution is a matrix exponential. Prints expected values for models/bicycle."""
from math import cos, pi, sin

w, c, lam, g = 1.02, 0.08, pi / 10, 9.81
rR, mR, IRxx, IRyy = 0.3, 2, 0.0603, 0.12
xB, zB, mB, IBxx, IBxz, IByy, IBzz = 0.3, -0.9, 85, 9.2, 2.4, 11, 2.8
xH, zH, mH, IHxx, IHxz, IHyy, IHzz = 0.9, -0.7, 4, 0.05892, -0.00756, 0.06, 0.00708
rF, mF, IFxx, IFyy = 0.35, 3, 0.1405, 0.28
IRzz, IFzz = IRxx, IFxx

mT = mR + mB + mH + mF
xT = (xB * mB + xH * mH + w * mF) / mT
zT = (-rR * mR + zB * mB + zH * mH - rF * mF) / mT
ITxx = IRxx + IBxx + IHxx + IFxx + mR * rR**2 + mB * zB**2 + mH * zH**2 + mF * rF**2
ITxz = IBxz + IHxz - mB * xB * zB - mH * xH * zH + mF * w * rF
ITzz = IRzz + IBzz + IHzz + IFzz + mB * xB**2 + mH * xH**2 + mF * w**2
mA = mH + mF
xA = (xH * mH + w * mF) / mA
zA = (zH * mH - rF * mF) / mA
IAxx = IHxx + IFxx + mH * (zH - zA) ** 2 + mF * (rF + zA) ** 2
IAxz = IHxz - mH * (xH - xA) * (zH - zA) + mF * (w - xA) * (rF + zA)
IAzz = IHzz + IFzz + mH * (xH - xA) ** 2 + mF * (w - xA) ** 2
uA = (xA - w - c) * cos(lam) - zA * sin(lam)
IAll = mA * uA**2 + IAxx * sin(lam) ** 2 + 2 * IAxz * sin(lam) * cos(lam) + IAzz * cos(lam) ** 2
IAlx = -mA * uA * zA + IAxx * sin(lam) + IAxz * cos(lam)
IAlz = mA * uA * xA + IAxz * sin(lam) + IAzz * cos(lam)
mu = c / w * cos(lam)
SR, SF = IRyy / rR, IFyy / rF
ST, SA = SR + SF, mA * uA + mu * mT * xT
M = [[ITxx, IAlx + mu * ITxz], [IAlx + mu * ITxz, IAll + 2 * mu * IAlz + mu**2 * ITzz]]
K0 = [[mT * zT, -SA], [-SA, -SA * sin(lam)]]
K2 = [[0, (ST - mT * zT) / w * cos(lam)], [0, (SA + SF * sin(lam)) / w * cos(lam)]]
C1 = [[0, mu * ST + SF * cos(lam) + ITxz / w * cos(lam) - mu * mT * zT],
      [-(mu * ST + SF * cos(lam)), IAlz / w * cos(lam) + mu * (SA + ITzz / w * cos(lam))]]
for ours, printed in [(M, [[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]]),
                      (K0, [[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]]),
                      (K2, [[0, 76.59734589573222], [0, 2.65431523794604]]),
                      (C1, [[0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]])]:
    assert all(abs(a - b) < 1e-11 for p, q in zip(ours, printed) for a, b in zip(p, q))


def solve(a, b):
    det = a[0][0] * a[1][1] - a[0][1] * a[1][0]
    return [(a[1][1] * b[0] - a[0][1] * b[1]) / det, (a[0][0] * b[1] - a[1][0] * b[0]) / det]


def rate(x, v):
    q, u = x[:2], x[2:]
    load = [-sum(v * C1[i][j] * u[j] + (g * K0[i][j] + v * v * K2[i][j]) * q[j] for j in range(2)) for i in range(2)]
    return u + solve(M, load)


def advance(x, v, t, parts=256):
    """exp(A t) x, by the series over short parts."""
    h = t / parts
    for _ in range(parts):
        term, total = x, x
        for k in range(1, 24):
            term = [h / k * a for a in rate(term, v)]
            total = [a + b for a, b in zip(total, term)]
        x = total
    return x


if __name__ == "__main__":
    v, push = 5, 1e-4
    for t in (0.5, 1, 2):
        x = advance([0, 0, push, 0], v, t)
        for channel, value in zip(("body.frame.euler.1", "joint.steer.angle", "", "joint.steer.rate"), x):
            if channel:
                print(f'- {{case: small, channel: {channel}, at: {{t: {t}}}, value: {value!r}, tolerance: '
                      f'{{absolute: 1e-11, reason: "solver; third order in a lean of 4e-5 is 1e-13"}}, source: '
                      f'{{kind: independent, place: "tests/validation/independent/bicycle.py: linearised equations"}}}}')
