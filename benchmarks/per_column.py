"""The appendix's 20 lines in JAX, a column and a draw at a time, against the engine, in one run.

As there: the bound of one column, jitted per column, K_MM inverted anew, draws and columns in a
Python loop. Once with a function a gradient, as the appendix prints (`dLS_dm … # and others`), and
once kinder, with all gradients from one function. `python -m benchmarks.per_column`
"""

from functools import partial
from time import perf_counter, process_time

import numpy as np

from clgp.model.family import build
from clgp.variational.backend import jax, jnp
from clgp.variational.fit import Run, cells_of, chunk, supply
from clgp.variational.moves import rules_of, start_state
from clgp.variational.scheme import PAPER

CARDS, N, M, Q, T, ITERATIONS = (10,) * 9 + (2,), 683, 20, 2, 20, 3


def rbf(sf2, lengths, X, Z):
    apart = (X / lengths)[:, None] - (Z / lengths)[None]
    return sf2 * jnp.exp(-(apart**2).sum(-1) / 2)


def column_bound(numbers, Y, key, *, K):
    """One column's bound from one draw, with its part of KL(x) and its KL(u)."""
    m, log_s, mu, L, Z, log_sf2, log_lengths = numbers
    keys = jax.random.split(key, 3)
    X = m + jnp.exp(log_s) * jax.random.normal(keys[0], m.shape)
    U = mu + jnp.tril(L) @ jax.random.normal(keys[1], (M, K))
    sf2, lengths = jnp.exp(log_sf2), jnp.exp(log_lengths)
    Kmm = rbf(sf2, lengths, Z, Z) + 1e-4 * jnp.eye(M)
    Kmn = rbf(sf2, lengths, Z, X)
    KmmInv = jnp.linalg.inv(Kmm)
    A = KmmInv @ Kmn
    B = jnp.maximum(sf2 - (Kmn * A).sum(0), 1e-6)
    F = A.T @ U + jnp.sqrt(B)[:, None] * jax.random.normal(keys[2], (N, K))
    log_S = jax.nn.log_softmax(jnp.concatenate([jnp.zeros((N, 1)), F], axis=1))
    S = jnp.tril(L) @ jnp.tril(L).T
    log_det = jnp.linalg.slogdet(Kmm)[1] - jnp.linalg.slogdet(S + 1e-6 * jnp.eye(M))[1]
    kl_u = (K * (jnp.trace(KmmInv @ S) - M + log_det) + (mu * (KmmInv @ mu)).sum()) / 2
    kl_x = ((m**2 + jnp.exp(2 * log_s) - 1) / 2 - log_s).sum()
    return (Y * log_S).sum() - kl_u - kl_x / len(CARDS)


def of_place(at):
    """The gradient of one of the column's numbers: `dLS_dm` and the others."""

    def bound(number, numbers, Y, key, *, K):
        return column_bound((*numbers[:at], number, *numbers[at + 1 :]), Y, key, K=K)

    return jax.jit(jax.grad(bound), static_argnames="K")


ALL_AT_ONCE = jax.jit(jax.grad(column_bound), static_argnames="K")
ONE_BY_ONE = [of_place(at) for at in range(7)]
REST, OUTPUTS = (0, 1, 4, 5, 6), (2, 3)


def as_printed(numbers, Y, of_rest, of_outputs, K):
    """Both turns of the alternation, a function a gradient."""
    for places, key in ((REST, of_rest), (OUTPUTS, of_outputs)):
        found = [ONE_BY_ONE[at](numbers[at], numbers, Y, key, K=K) for at in places]
    return found


def kinder(numbers, Y, of_rest, of_outputs, K):
    """Both turns, each with every gradient from one function."""
    return [ALL_AT_ONCE(numbers, Y, key, K=K) for key in (of_rest, of_outputs)]


def per_column(codes, key, step):
    """Seconds and CPU seconds an iteration of D columns and T draws."""
    m, Z = key.normal(size=(N, Q)), key.normal(size=(M, Q))
    numbers = [
        tuple(
            jnp.asarray(a, jnp.float32)
            for a in (m, np.full((N, Q), -2.3), 0.01 * key.normal(size=(M, K - 1)),
                      0.1 * np.eye(M), Z, 0.0, np.full(Q, -2.3))
        )
        for K in CARDS
    ]  # fmt: skip
    Y = [jax.nn.one_hot(codes[:, d], K) for d, K in enumerate(CARDS)]

    keys = list(jax.random.split(jax.random.key(0), 2 * T))

    def iteration(i):
        found = [
            step(numbers[d], Y[d], keys[2 * t], keys[2 * t + 1], K - 1)
            for d, K in enumerate(CARDS)
            for t in range(T)
        ]
        jax.block_until_ready(found)

    return timed(iteration)


def engine(codes, key):
    """The same of the paper's configuration."""
    model, scheme = build("CLGP", CARDS, Q=Q), PAPER.sized(M=M, T=T, iterations=500)
    cells = cells_of(codes)
    start = scheme.start.params(model, cells, M=M, key=key)
    stacked = jax.tree.map(lambda a: jnp.asarray(a)[None], start)
    rules = rules_of(scheme.moves.optimiser, 500)
    state = [Run(stacked, jax.vmap(partial(start_state, rules))(stacked))]

    def iteration(i):
        given = supply(model, scheme, N, restarts=1, size=1, key=key)
        state[0], report = chunk(state[0], cells, given, model=model, scheme=scheme)
        jax.block_until_ready(report)

    return timed(iteration)


def timed(iteration):
    iteration(0)
    wall, cpu = perf_counter(), process_time()
    for i in range(1, 1 + ITERATIONS):
        iteration(i)
    return (perf_counter() - wall) / ITERATIONS, (process_time() - cpu) / ITERATIONS


def main():
    key = np.random.default_rng(0)
    codes = np.stack([key.integers(K, size=N) for K in CARDS], axis=1)
    ours = engine(codes, key)
    print(f"engine                {ours[0]:.3f} s an iteration, {ours[1]:.3f} s of CPU")
    for name, step in (("as the appendix", as_printed), ("all gradients at once", kinder)):
        theirs = per_column(codes, key, step)
        wall, cpu = theirs[0] / ours[0], theirs[1] / ours[1]
        print(f"{name:21} {theirs[0]:.3f} s an iteration, {theirs[1]:.3f} s of CPU", end="")
        print(f", {wall:.1f} × in wall clock, {cpu:.1f} × in CPU")


if __name__ == "__main__":
    main()
