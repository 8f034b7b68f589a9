"""The appendix's 20 lines in JAX, a column and a draw at a time, against the engine, in one run.

As there: the bound of one column, jitted per column, K_MM inverted anew; its gradient summed over
T draws and D columns in Python. `python -m benchmarks.per_column`
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


@partial(jax.jit, static_argnames="K")
@partial(jax.value_and_grad, argnums=0)
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


def per_column(codes, key):
    """Seconds and CPU seconds an iteration: both turns of the alternation, as the engine does."""
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

    def iteration(i):
        for d, K in enumerate(CARDS):
            for t in range(2 * T):
                found = column_bound(numbers[d], Y[d], jax.random.key(i * 1000 + t), K=K - 1)
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
    ours, theirs = engine(codes, key), per_column(codes, key)
    print(f"engine      {ours[0]:.3f} s an iteration, {ours[1]:.3f} s of CPU")
    print(f"per column  {theirs[0]:.3f} s an iteration, {theirs[1]:.3f} s of CPU")
    print(f"ratio       {theirs[0] / ours[0]:.1f} in wall clock, {theirs[1] / ours[1]:.1f} in CPU")


if __name__ == "__main__":
    main()
