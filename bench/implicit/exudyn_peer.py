"""The X-HALE and the chain in Exudyn: one run, its time and its motion.

    exudyn_peer.py MACHINE FORM METHOD STEPS UNTIL ROWS

MACHINE  x-hale, or chain:N for N links
FORM     redundant: coordinates of each body, joints as constraints
         merged:    the same, welded bodies as one
         tree:      coordinates of joints (ObjectKinematicTree), welded bodies as one
METHOD   generalized-alpha (index 3, spectral radius 0.9) or trapezoidal (index 2)
ROWS     of hinge angles, at equal times; 0 for a measurement

Prints the time that the processor spent in the solver [s], Newton's iterations, factorisations; then the rows.
"""
import os
import sys
import time
from dataclasses import dataclass, field

import numpy as np

answer = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # what Exudyn says is no part of the answer
sys.exudynFast = True  # its copy without range checks
import exudyn as exu
import exudyn.itemInterface as item
from exudyn.rigidBodyUtilities import RigidBodyInertia, RotationMatrixX

GRAVITY = [0, 0, -9.81]
FREE, WORLD = -1, -2  # instead of a parent
Z_TO_X = np.array([[0, 0, 1], [0, 1, 0], [-1, 0, 0]])  # joints of Exudyn turn about their z


@dataclass
class Body:
    """Hinged to its parent about `axis` (1 or -1 times x), or welded; axes are parallel at angle 0. Points are in the
    axes of their body, from its centre of mass."""
    mass: float
    inertia: np.ndarray
    parent: int = FREE
    on_parent: np.ndarray = field(default_factory=lambda: np.zeros(3))
    on_child: np.ndarray = field(default_factory=lambda: np.zeros(3))
    axis: int = 0  # 0: welded
    angle: float = 0  # at the start
    stiffness: float = 0
    R: np.ndarray = None  # at the start
    p: np.ndarray = None


def vec(*x):
    return np.array(x, dtype=float)


def make_x_hale():
    """models/x-hale, case free; hinges in the order 12 23 34 45 56 67."""
    L, h, R = 1, 0.5, 0.05
    wing = np.diag([1, 1, 2]) / 12
    gear = np.diag([h * h, L * L + h * h, L * L]) / 12
    motor = 0.1 * np.diag([R * R / 2, (3 * R * R + L * L) / 12, (3 * R * R + L * L) / 12])
    bodies = [Body(0.1, 0.1 / 6 * np.eye(3)), Body(1, wing, 0, vec(0, 0, L / 2))]
    index = {4: 1}
    for k, inner in ((5, 4), (6, 5), (7, 6), (3, 4), (2, 3), (1, 2)):
        side = 1 if k > inner else -1
        index[k] = len(bodies)
        bodies.append(Body(1, wing, index[inner], vec(0, side * L / 2, 0), vec(0, -side * L / 2, 0), side, np.radians(5), 100))
    for k in (2, 3, 5, 6):
        bodies.append(Body(1, gear, index[k], vec(0, 0, -h / 2)))
        bodies.append(Body(0.1, motor, index[k], vec(0, 0, R)))
    springs = []
    for sx in (-1, 1):
        for sy in (-1, 1):
            corner = vec(sx * L / 2, sy * L / 2, -L / 2)
            springs += [(corner, corner + 10 * vec(*e)) for e in ((sx, 0, 0), (0, sy, 0), (0, 0, -1))]
    return bodies, springs, [index[k] for k in (1, 2, 3, 5, 6, 7)]


def make_chain(n):
    """chain.yaml, turned by a quarter about z: its hinges turn about x."""
    L, b = 1, 0.1
    bar = np.diag([L * L + b * b, L * L + b * b, 2 * b * b]) / 12
    bodies = [Body(1, bar, i - 1, vec(0, 0, -L / 2), vec(0, 0, L / 2), 1) for i in range(n)]
    bodies[0].parent, bodies[0].on_parent, bodies[0].angle = WORLD, np.zeros(3), np.radians(30)
    return bodies, [], list(range(n))


def place(bodies):
    for body in bodies:
        R, p = (bodies[body.parent].R, bodies[body.parent].p) if body.parent >= 0 else (np.eye(3), np.zeros(3))
        body.R = R @ RotationMatrixX(body.axis * body.angle)
        body.p = p + R @ body.on_parent - body.R @ body.on_child


def merge(bodies, springs, hinges):
    """Welded bodies as one, with its origin in the centre of mass."""
    root = []
    for i, body in enumerate(bodies):
        root.append(root[body.parent] if body.axis == 0 and body.parent >= 0 else i)
    com, merged, new = {}, [], {}
    for r in sorted(set(root)):
        parts = [b for b, q in zip(bodies, root) if q == r]
        R, p = bodies[r].R, bodies[r].p
        points = [R.T @ (b.p - p) for b in parts]
        mass = sum(b.mass for b in parts)
        com[r] = sum(b.mass * x for b, x in zip(parts, points)) / mass
        inertia = sum(b.inertia + b.mass * ((x - com[r]) @ (x - com[r]) * np.eye(3) - np.outer(x - com[r], x - com[r]))
                      for b, x in zip(parts, points))
        new[r] = len(merged)
        merged.append(Body(mass, inertia, R=R, p=p + R @ com[r]))
        old, body = bodies[r], merged[-1]
        body.axis, body.angle, body.stiffness = old.axis, old.angle, old.stiffness
        body.on_child = old.on_child - com[r]
        body.parent, body.on_parent = old.parent, old.on_parent
        if old.parent >= 0:
            at = root[old.parent]
            body.parent = new[at]
            body.on_parent = bodies[at].R.T @ (bodies[old.parent].p - bodies[at].p) + old.on_parent - com[at]
        elif old.parent == FREE:
            body.on_parent, body.on_child = np.zeros(3), np.zeros(3)
    shift = com[0]
    return merged, [(point - shift, anchor) for point, anchor in springs], [new[root[i]] for i in hinges]


def add_stand(mbs, springs, marker_at):
    ground = mbs.AddObject(item.ObjectGround())
    for point, anchor in springs:
        a = mbs.AddMarker(item.MarkerBodyPosition(bodyNumber=ground, localPosition=anchor))
        mbs.AddObject(item.ObjectConnectorSpringDamper(markerNumbers=[a, marker_at(point)], referenceLength=10, stiffness=100, damping=0.1))


def build_redundant(mbs, bodies, springs):
    ground = mbs.AddObject(item.ObjectGround())
    objects = []
    for body in bodies:
        objects.append(mbs.CreateRigidBody(
            referencePosition=body.p, referenceRotationMatrix=body.R, inertia=RigidBodyInertia(body.mass, body.inertia),
            gravity=GRAVITY))
        if body.parent == FREE:
            continue
        parent = objects[body.parent] if body.parent >= 0 else ground
        markers = [mbs.AddMarker(item.MarkerBodyRigid(bodyNumber=parent, localPosition=body.on_parent)),
                   mbs.AddMarker(item.MarkerBodyRigid(bodyNumber=objects[-1], localPosition=body.on_child))]
        if body.axis == 0:
            mbs.AddObject(item.ObjectJointGeneric(markerNumbers=markers))
            continue
        frames = {"rotationMarker0": Z_TO_X, "rotationMarker1": Z_TO_X}
        mbs.AddObject(item.ObjectJointRevoluteZ(markerNumbers=markers, **frames))
        if body.stiffness:
            mbs.AddObject(item.ObjectConnectorTorsionalSpringDamper(markerNumbers=markers, stiffness=body.stiffness, **frames))
    add_stand(mbs, springs, lambda p: mbs.AddMarker(item.MarkerBodyPosition(bodyNumber=objects[0], localPosition=p)))

    def add_sensors():
        return [mbs.AddSensor(item.SensorBody(bodyNumber=o, storeInternal=True, outputVariableType=exu.OutputVariableType.RotationMatrix))
                for o in objects]

    def read_angles(sensors, hinges):
        R = [mbs.GetSensorStoredData(s)[:, 1:].reshape(-1, 3, 3) for s in sensors]
        columns = []
        for i in hinges:
            above = R[bodies[i].parent] if bodies[i].parent >= 0 else np.broadcast_to(np.eye(3), R[i].shape)
            turn = np.einsum("kji,kjl->kil", above, R[i])
            columns.append(bodies[i].axis * np.arctan2(turn[:, 2, 1], turn[:, 1, 1]))
        return np.array(columns).T

    return add_sensors, read_angles


def build_tree(mbs, bodies, springs):
    """A link's frame is that of its joint; the free body hangs on three sliders and three hinges without mass."""
    Type = exu.JointType
    types, parents, offsets, masses, coms, inertias, start, stiffness, link_of = [], [], [], [], [], [], [], [], []

    def add(kind, parent, offset, mass=0, com=np.zeros(3), inertia=np.zeros((3, 3)), q=0, k=0):
        for column, x in zip((types, parents, offsets, masses, coms, inertias, start, stiffness), (kind, parent, offset, mass, com, inertia, q, k)):
            column.append(x)

    for body in bodies:
        if body.parent == FREE:
            for i, kind in enumerate((Type.PrismaticX, Type.PrismaticY, Type.PrismaticZ, Type.RevoluteX, Type.RevoluteY)):
                add(kind, i - 1, body.p if i == 0 else np.zeros(3))
            add(Type.RevoluteZ, 4, np.zeros(3), body.mass, np.zeros(3), body.inertia)
        else:
            parent, offset = -1, body.on_parent
            if body.parent >= 0:
                above = bodies[body.parent]
                parent = link_of[body.parent]
                offset = body.on_parent - (0 if above.parent == FREE else above.on_child)
            add(Type.RevoluteX, parent, offset, body.mass, -body.on_child, body.inertia, body.axis * body.angle, body.stiffness)
        link_of.append(len(types) - 1)
    n = len(types)
    zeros = np.zeros(n)
    node = mbs.AddNode(item.NodeGenericODE2(
        referenceCoordinates=zeros, initialCoordinates=start, initialCoordinates_t=zeros, numberOfODE2Coordinates=n))
    control = {"jointPControlVector": stiffness, "jointDControlVector": zeros, "jointPositionOffsetVector": zeros,
               "jointVelocityOffsetVector": zeros} if any(stiffness) else {}
    tree = mbs.AddObject(item.ObjectKinematicTree(
        nodeNumber=node, gravity=GRAVITY, jointTypes=types, linkParents=parents,
        jointTransformations=exu.Matrix3DList([np.eye(3)] * n), jointOffsets=exu.Vector3DList(offsets), linkInertiasCOM=exu.Matrix3DList(inertias),
        linkCOMs=exu.Vector3DList(coms), linkMasses=masses, **control))
    add_stand(mbs, springs, lambda p: mbs.AddMarker(item.MarkerKinematicTreeRigid(objectNumber=tree, linkNumber=link_of[0], localPosition=p)))

    def add_sensors():
        return mbs.AddSensor(item.SensorNode(nodeNumber=node, storeInternal=True, outputVariableType=exu.OutputVariableType.Coordinates))

    def read_angles(sensor, hinges):
        q = mbs.GetSensorStoredData(sensor)[:, 1:]
        return np.array([bodies[i].axis * q[:, link_of[i]] for i in hinges]).T

    return add_sensors, read_angles


def make_settings(form, steps, until, rows):
    settings = exu.SimulationSettings()
    run = settings.timeIntegration
    run.numberOfSteps, run.endTime = steps, until
    run.adaptiveStep = False
    run.verboseMode = 0
    run.generalizedAlpha.spectralRadius = 0.9
    run.newton.useModifiedNewton = True
    settings.solution.file.write = False
    settings.solution.sensors.active = rows > 0
    settings.solution.sensors.writePeriod = until / max(rows, 1)
    settings.linearSolver.solverType = SOLVER[form]
    settings.linearSolver.reuseAnalyzedPattern = form != "tree"
    settings.parallel.numberOfThreads = 1
    return settings


SOLVER = {"redundant": exu.LinearSolverType.EigenSparse, "merged": exu.LinearSolverType.EigenSparse, "tree": exu.LinearSolverType.EigenDense}
METHOD = {"generalized-alpha": exu.DynamicSolverType.GeneralizedAlpha, "trapezoidal": exu.DynamicSolverType.TrapezoidalIndex2}


def main(machine, form, method, steps, until, rows):
    steps, until, rows = int(steps), float(until), int(rows)
    bodies, springs, hinges = make_x_hale() if machine == "x-hale" else make_chain(int(machine.split(":")[1]))
    place(bodies)
    if form != "redundant":
        bodies, springs, hinges = merge(bodies, springs, hinges)
    mbs = exu.SystemContainer().AddSystem()
    add_sensors, read_angles = (build_tree if form == "tree" else build_redundant)(mbs, bodies, springs)
    sensors = add_sensors() if rows else None
    mbs.Assemble()
    mbs.SolveDynamic(make_settings(form, 2, 2 * until / steps, 0), solverType=METHOD[method])  # to warm up
    settings = make_settings(form, steps, until, rows)
    start = time.process_time()
    mbs.SolveDynamic(settings, solverType=METHOD[method], storeSolver=True)
    seconds = time.process_time() - start
    it = mbs.sys["dynamicSolver"].it
    print(f"{seconds:.6f} {it.newtonStepsCount} {it.newtonJacobiCount}", file=answer)
    if rows:
        for row in read_angles(sensors, hinges):
            print(" ".join(f"{x:.15g}" for x in row), file=answer)


main(*sys.argv[1:])
