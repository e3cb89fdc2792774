"""A wing, or a pair that flaps, in PteraSoftware: the time of its solver and the lift.

    ptera_peer.py CASE.json
    ptera_peer.py threads      how many it takes where NUMBA_NUM_THREADS does not limit them

CASE  speed [m/s], alpha [deg], density, viscosity, step [s] and steps of the wake; sections of a wing, [y, x of the leading,
      x of the trailing edge] [m], with a column of panels between each two, and rows of panels; mirrored: there is its mirror
      image, too; period [s] and angles [rad] of the flap at equal times of a period (none: it is still); free: its wake, of which
      wake_rows are kept (none: all)

Prints the time of the processor and of the wall [s], threads, numba's threading layer; then the lift at each step [N]. A short
run before lets numba compile. What the program does before its solver (the mesh of each step) does not count, and it draws
nothing.
"""
import json
import sys
import time
import warnings

import numpy as np

warnings.simplefilter("ignore")
import numba
import pterasoftware as ps
from pterasoftware import movements
from pterasoftware.unsteady_ring_vortex_lattice_method import UnsteadyRingVortexLatticeMethodSolver as Solver


def make_law(angles):
    """Angle at the start and amplitude [deg], and what is left as a function of the phase that begins at 0: of harmonics."""
    n = len(angles)
    spectrum = np.fft.rfft(angles) / n
    orders = np.arange(1, n // 2)

    def series(phase):
        return spectrum[0].real + 2 * np.sum((spectrum[1 : n // 2] * np.exp(1j * orders * phase)).real)

    start = series(0)
    samples = [series(phase) for phase in np.linspace(0, 2 * np.pi, 401)]
    amplitude = (max(samples) - min(samples)) / 2
    return np.degrees(start), np.degrees(amplitude), lambda phase: float((series(phase) - start) / amplitude)


def make_wing(case, start, image):
    flat = ps.geometry.airfoil.Airfoil(name="naca0001")  # its mean line: 0000 is refused
    sections, inner = [], None
    for y, leading, trailing in case["sections"]:
        is_tip = y == case["sections"][-1][0]
        sections.append(ps.geometry.wing_cross_section.WingCrossSection(
            airfoil=flat, chord=trailing - leading, Lp_Wcsp_Lpp=(leading - inner[1], y - inner[0], 0) if inner else (0, 0, 0),
            num_spanwise_panels=None if is_tip else 1, spanwise_spacing=None if is_tip else "uniform"))
        inner = y, leading
    y, leading, _ = case["sections"][0]
    plane = {"mirror_only": True, "symmetryNormal_G": (0, 1, 0), "symmetryPoint_G_Cg": (0, 0, 0)} if image else {}
    return ps.geometry.wing.Wing(
        wing_cross_sections=sections, Ler_Gs_Cgs=(leading, y, 0), angles_Gs_to_Wn_ixyz=(start, 0, 0),
        num_chordwise_panels=case["rows"], chordwise_spacing="uniform", **plane)


def make_solver(case):
    start, amplitude, law = make_law(case["angles"]) if case["angles"] else (0, 0, None)
    flap = {"ampAngles_Gs_to_Wn_ixyz": (amplitude, 0, 0), "periodAngles_Gs_to_Wn_ixyz": (case["period"], 0, 0),
            "spacingAngles_Gs_to_Wn_ixyz": (law, "sine", "sine")} if law else {}
    wings = [make_wing(case, start, image) for image in ([False, True] if case["mirrored"] else [False])]
    motions = [movements.wing_movement.WingMovement(
        base_wing=wing, **flap, wing_cross_section_movements=[
            movements.wing_cross_section_movement.WingCrossSectionMovement(base_wing_cross_section=section)
            for section in wing.wing_cross_sections]) for wing in wings]
    machine = movements.airplane_movement.AirplaneMovement(
        base_airplane=ps.geometry.airplane.Airplane(wings=wings), wing_movements=motions)
    air = ps.operating_point.OperatingPoint(
        rho=case["density"], vCg__E=case["speed"], alpha=case["alpha"], nu=case["viscosity"])
    movement = movements.movement.Movement(
        airplane_movements=[machine], delta_time=case["step"], num_steps=case["steps"] + 1,
        max_wake_rows=case.get("wake_rows"), operating_point_movement=movements.operating_point_movement.OperatingPointMovement(base_operating_point=air))
    return Solver(unsteady_problem=ps.problems.UnsteadyProblem(movement=movement))


def run(case):
    solver = make_solver(case)
    processor, wall = time.process_time(), time.perf_counter()
    solver.run(prescribed_wake=not case["free"], calculate_streamlines=False, show_progress=False)
    return solver, time.process_time() - processor, time.perf_counter() - wall


def count_threads():
    """That its sums use at most: three quarters of what numba has."""
    return min(numba.get_num_threads(), max(3 * int(numba.config.NUMBA_NUM_THREADS) // 4, 1))


def main(file):
    if file == "threads":
        print(count_threads())
        return
    with open(file) as text:
        case = json.load(text)
    run({**case, "steps": 3})
    solver, processor, wall = run(case)
    print(f"{processor:.6f} {wall:.6f} {count_threads()} {numba.threading_layer()}")
    for problem in solver.unsteady_problem.steady_problems:
        print(f"{-problem.airplanes[0].forces_W[2]:.15g}")


main(*sys.argv[1:])
