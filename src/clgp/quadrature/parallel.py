"""Tasks side by side in threads, until they are done, time is up or somebody stops them.

Threads, not processes: the time goes to array operations, which let other threads run, and a
thread starts at once, shares memory and needs no guard in the caller's script.
"""

import os
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from threading import Event
from time import monotonic
from typing import Any

import numpy as np


class Watch:
    """Tells the fits when to stop: a deadline, or somebody's wish."""

    def __init__(self, max_seconds: float | None):
        self.start = monotonic()
        self.deadline = np.inf if max_seconds is None else self.start + max_seconds
        self.stop = Event()

    def over(self) -> bool:
        """Whether to stop."""
        return self.stop.is_set() or monotonic() > self.deadline

    def seconds(self) -> float:
        """Since the start."""
        return monotonic() - self.start


def cores() -> int:
    """Cores that this process may use."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed else os.cpu_count() or 1


def in_parallel(
    tasks: list[Callable[[], Any]],
    *,
    n_jobs: int | None,
    watch: Watch,
    arrived: Callable[[int, Any], None],
) -> list[Any]:
    """Results in the order of the tasks; `arrived` hears of each as it comes, on this thread."""
    with ThreadPoolExecutor(n_jobs or cores()) as pool:
        futures: dict[Future[Any], int] = {pool.submit(task): i for i, task in enumerate(tasks)}
        waiting = set(futures)
        while waiting:
            try:
                done, waiting = wait(waiting, timeout=0.5, return_when=FIRST_COMPLETED)
                for future in sorted(done, key=futures.__getitem__):
                    arrived(futures[future], future.result())
            except KeyboardInterrupt:
                watch.stop.set()
            except BaseException:
                watch.stop.set()  # the other tasks need not finish
                raise
    return [future.result() for future in futures]
