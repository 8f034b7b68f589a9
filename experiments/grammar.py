"""The grammar's triplets (section 5.1.2): one hidden letter in each test triplet; new strings."""

from collections import Counter
from dataclasses import replace

import numpy as np

from clgp.levels import Levels
from clgp.variational.scheme import BETTER, PAPER
from experiments.common import FIGURES, Task, by_rows, compiled, fitted, main, one_cell, scored

STRINGS, SPLITS, REPEATS, ITERATIONS, M, T = 1000, 3, 3, 500, 50, 20
LETTERS = "abcdefgsz"  # s begins a string, z ends it
START = {"a": 0.5, "b": 0.3, "c": 0.2}
MIDDLE, END = {"d": 0.7, "e": 0.3}, {"f": 0.7, "g": 0.3}
PUBLISHED = {"LGM": (7.898, 26.477, 6.748), "CLGP": (2.769, 2.958, 2.797)}


def strings():
    """Every string of the grammar with its probability."""
    found = {}
    for a, p in START.items():
        for c, q in END.items():
            found[a + c] = p * q / 2
        for b, q in MIDDLE.items():
            for z, r in START.items():
                found[a + b + z] = p * q * r / 2
    return {f"ss{word}zz": p for word, p in found.items()}


def triplets(words):
    """All runs of three letters, as codes."""
    return np.array(
        [[LETTERS.index(c) for c in w[i : i + 3]] for w in words for i in range(len(w) - 2)]
    )


def floor(task):
    """−log of the grammar's own conditional probability of each hidden cell, in the mean."""
    exact = Counter()
    for word, p in strings().items():
        for triple in triplets([word]):
            exact[tuple(triple)] += p
    losses = []
    for row, hidden in zip(task.test, task.hidden, strict=True):
        d = int(hidden.argmax())
        same = sum(exact[(*row[:d], k, *row[d + 1 :])] for k in range(9))
        losses.append(-np.log(exact[tuple(row)] / same))
    return float(np.mean(losses))


def generate(mixture, n, key):
    """Strings letter by letter, each conditioned on the two before it."""
    words = []
    for _ in range(n):
        word = "ss"
        while len(word) < 9 and not word.endswith("zz"):
            row = [[LETTERS.index(word[-2]), LETTERS.index(word[-1]), -1]]
            word += LETTERS[mixture.draw(np.array(row), key)[0, 2]]
        words.append(word[2:].rstrip("z"))
    return words


def run(given):
    n, splits, repeats, iterations, T_ = STRINGS, SPLITS, REPEATS, ITERATIONS, T
    if given.smoke:
        n, splits, repeats, iterations, T_ = 60, 1, 1, 20, 4
    scores, lines = [], []
    for s in range(splits):
        key = np.random.default_rng(200 + s)
        words = key.choice(list(strings()), size=n, p=list(strings().values()))
        test = triplets(words[: n // 5])
        task = Task(Levels((9,) * 3), triplets(words[n // 5 :]), test, one_cell(len(test), 3, key))
        scores.append(scored("floor", s + 1, 0, floor(task)))
        for repeat in range(repeats):
            for name, paper in PUBLISHED.items():
                key = np.random.default_rng(repeat)
                scheme = PAPER.sized(M=M, T=T_, iterations=iterations)
                P = by_rows(fitted(name, task, scheme, key), task, key)
                scores.append(scored(name, s + 1, repeat, task.score(P), paper[s]))
            key = np.random.default_rng(repeat)
            scheme = replace(BETTER.sized(M=M, T=8, iterations=iterations), restarts=1)
            mixture = compiled(fitted("CLGP", task, scheme, key, own=False), task, key)
            nats = task.score(mixture.probabilities(task.asked))
            scores.append(scored("CLGP better", s + 1, repeat, nats))
        drawn = Counter(generate(mixture, 20 if given.smoke else 200, key))
        right = sum(c for word, c in drawn.items() if f"ss{word}zz" in strings()) / drawn.total()
        lines.append(f"Split {s + 1}: {right:.0%} of the strings drawn are the grammar's: ")
        lines.append(", ".join(f"{word} × {count}" for word, count in drawn.most_common(12)))
    (FIGURES / "grammar_strings.txt").write_text("\n".join(lines) + "\n")
    return scores


if __name__ == "__main__":
    main("grammar", run)
