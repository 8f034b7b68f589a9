"""The baselines as estimators: the paper's frequency models, the tree, latent classes."""

from typing import final

import numpy as np

from clgp.answers import Answers
from clgp.baselines import BASELINES, fit_lca
from clgp.estimator.base import Estimator, Fit, Task
from clgp.levels import Levels
from clgp.typing import Codes, Float


class Baseline(Estimator):
    """One of the models that anything better has to beat."""

    def __init__(self, *, random_state: int | None = None, verbose: bool = True) -> None:
        self.random_state = random_state
        self.verbose = verbose

    def _fit(self, task: Task) -> Fit:
        levels, seen = task.schema.levels, ~task.out
        task.progress(0.0, f"{self.name}, without the rows kept out")
        trial = self._learn(task.codes[seen], task.weights[seen], levels, task.key)
        task.progress(0.5, f"{self.name}, on all rows")
        return Fit(trial, self._learn(task.codes, task.weights, levels, task.key))

    def _learn(
        self,
        codes: Codes,
        weights: Float[np.ndarray, " N"],
        levels: Levels,
        key: np.random.Generator,
    ) -> Answers:
        return BASELINES[self.name](codes, weights, levels, key=key)


@final
class Uniform(Baseline):
    """Every level of a column equally likely."""

    name = "uniform"


@final
class Multinomial(Baseline):
    """Each column's own frequencies; a level never seen has probability zero."""

    name = "multinomial"


@final
class Unigram(Baseline):
    """Dirichlet-multinomial of each column, α = 0.01."""

    name = "unigram"


@final
class Bigram(Baseline):
    """Dirichlet-multinomial of pairs of columns, α = 1, averaged over what is known."""

    name = "bigram"


@final
class ChowLiuTree(Baseline):
    """The best tree of direct effects between columns."""

    name = "tree"


@final
class LatentClasses(Baseline):
    """Latent class analysis: ten restarts averaged, the number of classes by held-back cells."""

    name = "lca"

    def __init__(
        self,
        *,
        n_classes: int | None = None,
        random_state: int | None = None,
        verbose: bool = True,
    ) -> None:
        super().__init__(random_state=random_state, verbose=verbose)
        self.n_classes = n_classes

    def _learn(
        self,
        codes: Codes,
        weights: Float[np.ndarray, " N"],
        levels: Levels,
        key: np.random.Generator,
    ) -> Answers:
        return fit_lca(codes, weights, levels, n_classes=self.n_classes, key=key)
