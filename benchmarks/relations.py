"""The paper's two relations with the default model: `python -m benchmarks.relations --seeds 10`.

Exclusive or: four triplets of 25 rows each, the last cells of four more to be filled in; perplexity
on these, 1 at best. Grammar: triplets of letters from 800 strings, one random cell hidden in each
triplet of 200 others; nats above the floor, which is the grammar's own conditional probability.
"""

import argparse
from itertools import product

import numpy as np

from clgp.levels import Levels
from clgp.quadrature import Settings, fit

LETTERS = "sabcdefgt"  # s and t are the start and end symbols
OUTER = {"a": 0.5, "b": 0.3, "c": 0.2}
INNER = {"d": 0.7, "e": 0.3}
LAST = {"f": 0.7, "g": 0.3}


def words() -> dict[str, float]:
    """Every string of the grammar and its probability."""
    long = {
        x + y + z: OUTER[x] * INNER[y] * OUTER[z] / 2 for x, y, z in product(OUTER, INNER, OUTER)
    }
    return {**long, **{x + y: OUTER[x] * LAST[y] / 2 for x, y in product(OUTER, LAST)}}


def triplets(word: str) -> list[list[int]]:
    """Consecutive letters, three at a time."""
    padded = f"ss{word}tt"
    return [[LETTERS.index(c) for c in padded[i : i + 3]] for i in range(len(padded) - 2)]


def exclusive_or(seed: int) -> float:
    """Perplexity of the four missing cells."""
    whole = np.array([[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]])
    asked = np.where([False, False, True], -1, whole)
    codes = np.concatenate([np.repeat(whole, 25, 0), asked])
    key = np.random.default_rng(seed)
    result = fit(
        codes, np.ones(len(codes)), Levels((2, 2, 2)), (False,) * 3, settings=Settings(), key=key
    )
    p = result.mixture.probabilities(asked)[np.arange(4), 4 + whole[:, 2]]
    return float(np.exp(-np.log(p).mean()))


def grammar(seed: int) -> tuple[float, float]:
    """Nats of the hidden cells, and the floor of this split."""
    key, all_words = np.random.default_rng(1000 + seed), words()
    drawn = key.choice(list(all_words), 1000, p=list(all_words.values()))
    train = np.array([t for word in drawn[:800] for t in triplets(word)])
    test = np.array([t for word in drawn[800:] for t in triplets(word)])
    row, column = np.arange(len(test)), key.integers(0, 3, len(test))
    hidden = test.copy()
    hidden[row, column] = -1
    axis = Levels((len(LETTERS),) * 3)
    key = np.random.default_rng(seed)
    result = fit(train, np.ones(len(train)), axis, (False,) * 3, settings=Settings(), key=key)
    place = axis.starts[column] + test[row, column]
    loss = -np.log(result.mixture.probabilities(hidden)[row, place]).mean()
    truth = np.zeros((len(LETTERS),) * 3)
    for word, p in all_words.items():
        np.add.at(truth, tuple(np.array(triplets(word)).T), p)
    margins = np.stack([truth.sum(d)[tuple(np.delete(test, d, 1).T)] for d in range(3)])
    floor = -np.log(truth[tuple(test.T)] / margins[column, row]).mean()
    return float(loss), float(floor)


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--seeds", type=int, default=10)
    for seed in range(ask.parse_args().seeds):
        loss, floor = grammar(seed)
        print(
            f"seed {seed}: exclusive or, perplexity {exclusive_or(seed):.4f}; grammar "
            f"{loss:.4f} nats, floor {floor:.4f}, {loss - floor:+.4f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
