"""One member alone on a table of the harness: `python -m benchmarks.member TABLE [options]`.

For experiments with the engine: fits a single GP member to a split's training rows and prints its
loss on the hidden cells of both tasks, its bound a row and the CPU seconds of the fit.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np
from benchmarks.plugin import has_order
from threadpoolctl import threadpool_limits

from clgp.levels import Levels
from clgp.quadrature.canonical import column_order
from clgp.quadrature.columns import Problem, collapse
from clgp.quadrature.member import compiled, fit_member
from clgp.quadrature.settings import STARTS, Recipe


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("tables", nargs="+")
    ask.add_argument("--bench", type=Path, default=Path("../shared/bench"))
    ask.add_argument("--kernel", choices=sorted(STARTS), default="rbf")
    ask.add_argument("--n-latent", type=int, default=2)
    ask.add_argument("--points", type=int, default=512)
    ask.add_argument("--inducing", type=int, default=64)
    ask.add_argument("--passes", type=int, default=50)
    ask.add_argument("--split", type=int, nargs="+", default=[0])
    ask.add_argument("--seed", type=int, default=1)
    choice = ask.parse_args()
    sys.path.insert(0, str(choice.bench.resolve()))
    import harness  # type: ignore[import-not-found]

    Q = choice.n_latent
    recipe = Recipe("", Q, STARTS[choice.kernel](Q), choice.points, choice.inducing)
    for name in choice.tables:
        table = harness.load_table(name)
        cuts = harness.get_splits(table)
        for split in choice.split:
            tasks = [harness.problem(table, cuts, split, task) for task in ("one", "twenty")]
            axis = Levels(tuple(int(K) for K in table["card"]))
            ordinal = tuple(has_order(labels) for labels in table["levels"])
            train = tasks[0]["train"]
            weights = np.ones(len(train))
            order = column_order(train, weights, axis, ordinal)
            own = Levels(tuple(axis.cards[d] for d in order.tolist()))
            kinds = tuple(ordinal[d] for d in order.tolist())
            problem = Problem(*collapse(train[:, order], weights), own, kinds)
            begin = time.process_time()
            with threadpool_limits(1, "blas"):
                key = np.random.default_rng(choice.seed)
                member = fit_member(problem, recipe, n_passes=choice.passes, key=key)
            took = time.process_time() - begin
            mixture = compiled(member, np.random.default_rng(2))
            losses = []
            for task in tasks:
                P = mixture.probabilities(task["given"][:, order])
                blocks = [P[:, own.at(d)] for d in range(own.D)]
                truth, need = task["truth"][:, order], task["need"][:, order]
                losses.append(harness.scores(blocks, truth, need, 1e-3)["nats"])
            print(
                f"{name:24} split {split}: one {losses[0]:.4f}  twenty {losses[1]:.4f}  "
                f"bound {member.bound[-1] / problem.total:9.4f}  passes {len(member.bound) - 1}  "
                f"CPU {took:.2f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
