"""Tasks side by side, until they are done, time is up or somebody stops them.

One task at a time runs here, the others in worker processes (loky's, which need no guard in the
caller's script and stay for the next fit), each with one BLAS thread. Threads would not do: the
interpreter's lock made two of them slower than one on small tables.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from threading import Event
from time import monotonic
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

Over = Callable[[], bool]
Task = Callable[[Over], Any]


@dataclass(frozen=True)
class Deadline:
    """Whether time is up; the same clock in every process of a machine."""

    at: float

    def __call__(self) -> bool:
        return monotonic() > self.at


@dataclass(frozen=True)
class Watch:
    """Tells the fits when to stop: a deadline, or somebody's wish."""

    max_seconds: float | None
    start: float = field(default_factory=monotonic)
    stop: Event = field(default_factory=Event)

    @property
    def deadline(self) -> Deadline:
        """When time is up."""
        return Deadline(np.inf if self.max_seconds is None else self.start + self.max_seconds)

    def part(self, share: float) -> "Watch":
        """The same watch for a first share of the time."""
        return (
            self
            if self.max_seconds is None
            else replace(self, max_seconds=share * self.max_seconds)
        )

    def over(self) -> bool:
        """Whether to stop."""
        return self.stop.is_set() or self.deadline()

    def seconds(self) -> float:
        """Since the start."""
        return monotonic() - self.start


def cores() -> int:
    """Cores that this process may use."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed else os.cpu_count() or 1


def _elsewhere(task: Task, over: Deadline) -> Any:
    with threadpool_limits(1, "blas"):
        return task(over)


def in_parallel(
    tasks: Sequence[Task], *, n_jobs: int, watch: Watch, arrived: Callable[[int, Any], None]
) -> list[Any]:
    """Results in the order of the tasks, None where one was given up after an interrupt.

    `arrived` hears of each result as it comes, on the caller's thread.
    """
    results: list[Any] = [None] * len(tasks)
    queue, running = list(range(len(tasks))), dict[Future[Any], int]()
    n_workers = min(n_jobs, len(tasks)) - 1
    workers = _workers(n_workers) if n_workers > 0 else None
    with ThreadPoolExecutor(1) as here:
        local: Future[Any] | None = None
        while queue or running:
            try:
                if queue and local not in running:
                    i = queue.pop(0)
                    local = here.submit(tasks[i], watch.over)
                    running[local] = i
                while workers and queue and len(running) <= n_workers:
                    i = queue.pop(0)
                    running[workers.submit(_elsewhere, tasks[i], watch.deadline)] = i
                for future in wait(running, timeout=0.2, return_when=FIRST_COMPLETED).done:
                    i = running.pop(future)
                    results[i] = future.result()
                    arrived(i, results[i])
            except KeyboardInterrupt:
                watch.stop.set()
                queue, running = [], {f: i for f, i in running.items() if f is local}
                if workers:
                    workers.shutdown(wait=False, kill_workers=True)
            except BaseException:
                watch.stop.set()  # the other tasks need not finish
                raise
    return results


def _workers(count: int) -> Any:
    # joblib comes with scikit-learn; imported here because small fits do without
    from joblib.externals.loky import get_reusable_executor

    return get_reusable_executor(max_workers=count, timeout=300)
