"""Numbers of source `independent` in models/{double-pendulum,chain,cart-pole}/expected.yaml.

The equations are the textbook ones in absolute angles, typed here from scratch, integrated by SciPy's DOP853 at two
tolerances; digits that agree are printed. Needs numpy and scipy; not part of the tests.
"""
import numpy as np
from scipy.integrate import solve_ivp


def chain_rhs(lengths, coms, masses, inertias, g):
    """Links hanging from each other: theta_i is the absolute angle of link i from the vertical."""
    n = len(lengths)
    c = np.array([[lengths[i] if i < k else coms[k] if i == k else 0.0 for i in range(n)] for k in range(n)])
    a = np.einsum("k,ki,kj->ij", masses, c, c)
    weight = g * masses @ c

    def rhs(_, y):
        theta, rate = y[:n], y[n:]
        d = theta[:, None] - theta[None, :]
        mass = a * np.cos(d) + np.diag(inertias)
        force = -(a * np.sin(d)) @ rate**2 - weight * np.sin(theta)
        return np.concatenate([rate, np.linalg.solve(mass, force)])

    return rhs


def cart_pole_rhs(cart, mass, length, g):
    """x of the cart, theta of the pole from upright; point mass at the end."""

    def rhs(_, y):
        _, theta, v, w = y
        s, c = np.sin(theta), np.cos(theta)
        m = np.array([[cart + mass, mass * length * c], [mass * length * c, mass * length**2]])
        f = np.array([mass * length * w**2 * s, mass * g * length * s])
        return np.concatenate([[v, w], np.linalg.solve(m, f)])

    return rhs


def show(name, rhs, y0, times):
    runs = [solve_ivp(rhs, (0, times[-1]), y0, method="DOP853", rtol=tol, atol=tol, t_eval=times).y.T
            for tol in (1e-13, 3e-14)]
    for t, fine, coarse in zip(times, runs[1], runs[0]):
        print(name, t, " ".join(f"{x:.13g}" for x in fine), f"(agrees to {abs(fine - coarse).max():.1e})")


deg = np.pi / 180
show("double-pendulum", chain_rhs([1, 1], [1, 1], np.array([1.0, 1.0]), [0, 0], 9.81),
     [120 * deg, 110 * deg, 0, 0], [1, 2, 3, 5])
show("chain n=10", chain_rhs([0.1] * 10, [0.05] * 10, np.full(10, 0.1), [0.1 * 0.1**2 / 12] * 10, 9.81),
     [90 * deg] * 10 + [0] * 10, [0.3, 0.6, 1.0])
show("cart-pole", cart_pole_rhs(1, 0.1, 0.5, 9.81), [0, 0.1, 0, 0], [0.5, 1, 2, 5])
