"""How a fit's time grows: `python -m benchmarks.growth`.

CPU seconds of one E-step and of one M-step of a member against the rows N, columns D, levels K,
dimensions Q and points S, each doubled three times with the others held, and the slope in log-log.
The E-step's rate is set against the machine's own matrix product of the same shape.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from threadpoolctl import threadpool_limits

from clgp.levels import Levels
from clgp.quadrature import member as gp
from clgp.quadrature.columns import Problem
from clgp.quadrature.settings import STARTS, Recipe


@dataclass(frozen=True)
class Size:
    """Of the table and the fit."""

    N: int = 20_000
    D: int = 50
    K: int = 4
    Q: int = 2
    S: int = 512


def seconds(work: Callable[[], object], repeats: int = 5) -> float:
    """The least CPU time of a few."""
    took = []
    for _ in range(repeats):
        begin = time.process_time()
        work()
        took.append(time.process_time() - begin)
    return min(took)


def started(size: Size) -> gp.Member:
    """A member after its first steps, on rows without structure."""
    key = np.random.default_rng(0)
    codes = key.integers(0, size.K, (size.N, size.D))
    levels = Levels((size.K,) * size.D)
    problem = Problem(codes, np.ones(size.N), levels, (False,) * size.D)
    recipe = Recipe("", size.Q, STARTS["rbf"](size.Q), size.S, 64)
    return gp.begin(problem, recipe, key, penalised=True)


def measure(size: Size) -> tuple[float, float]:
    """Seconds of an E-step and of an M-step."""
    member = started(size)
    everywhere = np.ones(size.S, bool)
    return (
        seconds(lambda: gp.expect(member, learn_weights=False)),
        seconds(lambda: gp.m_step(member, rate=0.01, active=everywhere)),
    )


def product_rate(size: Size) -> float:
    """Floating-point operations a second of the products that an E-step consists of."""
    key, L = np.random.default_rng(0), size.D * size.K
    Y = key.random((4096, L), np.float32)
    G = key.random((L, size.S), np.float32)
    return 2 * Y.shape[0] * L * size.S / seconds(lambda: Y @ G)


def main() -> None:
    base = Size()
    grids = {"N": (20_000, 40_000, 80_000, 160_000), "D": (25, 50, 100, 200), "K": (2, 4, 8, 16),
             "Q": (1, 2, 4, 8), "S": (256, 512, 1024, 2048)}  # fmt: skip
    with threadpool_limits(1, "blas"):
        for name, grid in grids.items():
            times = np.array([measure(replace(base, **{name: value})) for value in grid])
            slopes = np.polyfit(np.log(grid), np.log(times), 1)[0]
            for value, (e, m) in zip(grid, times, strict=True):
                print(f"{name} = {value:6}: E-step {e:7.3f} s   M-step {m:7.3f} s")
            print(f"{name}: slope of the E-step {slopes[0]:.2f}, of the M-step {slopes[1]:.2f}\n")
        L = base.D * base.K
        work = 4 * base.N * L * base.S / measure(base)[0]
        print(f"E-step at {work / product_rate(base):.0%} of this machine's matrix product")


if __name__ == "__main__":
    main()
