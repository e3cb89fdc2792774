#!/usr/bin/env python3
"""Attitude of the body as angles: exp098.csv -> exp098-body.csv, exp101.csv -> exp101-body.csv.

The tracker gives unit quaternions q = (w, x, y, z) from body to world; a prescribed joint takes three angles. With the
rotation matrix R(q) = Rz(yaw) Ry(pitch) Rx(roll), sequence zyx:

    yaw = atan2(R10, R00), pitch = asin(-R20), roll = atan2(R21, R22),

yaw and roll unwrapped, so that no frame jumps by a turn. Pitch is positive nose down; it stays between -50 and 5 deg, far
from 90. Quaternions are divided by their size (1 to six digits). Nothing is filtered here.
"""
import csv
import math
import pathlib


def calc_angles(w, x, y, z):
    n = w * w + x * x + y * y + z * z
    r00, r10, r20 = 1 - 2 * (y * y + z * z) / n, 2 * (x * y + w * z) / n, 2 * (x * z - w * y) / n
    r21, r22 = 2 * (y * z + w * x) / n, 1 - 2 * (x * x + y * y) / n
    return [math.atan2(r10, r00), math.asin(-r20), math.atan2(r21, r22)]


def unwrap(angle, before):
    return angle - 2 * math.pi * round((angle - before) / (2 * math.pi))


folder = pathlib.Path(__file__).parent
for name in ("exp098", "exp101"):
    lines = [f"# made of {name}.csv by euler.py", "t,yaw,pitch,roll"]
    last = None
    for row in csv.DictReader(open(folder / f"{name}.csv")):
        angles = calc_angles(*(float(row[k]) for k in ("qw", "qx", "qy", "qz")))
        if last:
            angles = [unwrap(a, b) for a, b in zip(angles, last)]
        last = angles
        lines.append(",".join([row["t"]] + [f"{a:.9g}" for a in angles]))
    (folder / f"{name}-body.csv").write_text("\n".join(lines) + "\n")
