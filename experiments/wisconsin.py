"""Breast Cancer Wisconsin (section 5.2.1): one hidden test result in each test row, six models."""

from dataclasses import replace

import numpy as np

from clgp.baselines import fit_bigram, fit_multinomial, fit_uniform, fit_unigram
from clgp.variational.scheme import BETTER, PAPER
from experiments.common import by_rows, compiled, fitted, main, scored, split, wisconsin

SPLITS, REPEATS, SHARE, ITERATIONS, M, T = 3, 3, 0.75, 500, 20, 20
BASELINES = {
    "uniform": (fit_uniform, {}, (8.68, 8.68, 8.85)),
    "multinomial": (fit_multinomial, {}, (4.41, float("inf"), 4.64)),
    "unigram Dirichlet": (fit_unigram, {"alpha": 0.01}, (4.41, 4.42, 4.64)),
    "bigram Dirichlet": (fit_bigram, {"alpha": 1.0}, (3.41, 3.49, 3.67)),
}
PUBLISHED = {"LGM": (3.57, 3.47, 12.13), "CLGP": (2.86, 3.36, 3.34)}


def run(given):
    codes, levels = wisconsin()
    splits, repeats, iterations, T_, rows = SPLITS, REPEATS, ITERATIONS, T, len(codes)
    if given.smoke:
        splits, repeats, iterations, T_, rows = 1, 1, 10, 4, 200
    scores = []
    for s in range(splits):
        task = split(codes[:rows], levels, SHARE, np.random.default_rng(100 + s))
        for name, (baseline, options, paper) in BASELINES.items():
            model = baseline(task.train, np.ones(len(task.train)), levels, **options)
            P = model.probabilities(task.asked)
            with np.errstate(divide="ignore"):
                scores.append(scored(name, s + 1, 0, task.score(P), paper[s]))
        for repeat in range(repeats):
            for name, paper in PUBLISHED.items():
                key = np.random.default_rng(repeat)
                scheme = PAPER.sized(M=M, T=T_, iterations=iterations)
                P = by_rows(fitted(name, task, scheme, key), task, key)
                scores.append(scored(name, s + 1, repeat, task.score(P), paper[s]))
            key = np.random.default_rng(repeat)
            scheme = replace(BETTER.sized(M=M, T=4, iterations=iterations), restarts=1)
            P = compiled(fitted("CLGP", task, scheme, key, own=False), task, key)
            nats = task.score(P.probabilities(task.asked))
            scores.append(scored("CLGP better", s + 1, repeat, nats))
    return scores


if __name__ == "__main__":
    main("wisconsin", run)
