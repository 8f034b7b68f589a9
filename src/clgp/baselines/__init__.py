"""The models that anything better has to beat, each a function from rows to `Answers`.

`frequency`: uniform, multinomial, unigram (one component, no edges). `bigram`: the paper's pairs.
`tree`: Chow–Liu (one component, a tree). `classes`: latent classes (many components, no edges).
All are called alike: `fit(codes, weights, levels, key=key)`; those that choose by held-back
cells draw them with the key.
"""

from collections.abc import Callable
from typing import Final

from clgp.answers import Answers
from clgp.baselines.bigram import Bigram as Bigram
from clgp.baselines.bigram import fit_bigram as fit_bigram
from clgp.baselines.classes import Settings as Settings
from clgp.baselines.classes import fit_lca as fit_lca
from clgp.baselines.frequency import fit_multinomial as fit_multinomial
from clgp.baselines.frequency import fit_uniform as fit_uniform
from clgp.baselines.frequency import fit_unigram as fit_unigram
from clgp.baselines.tree import fit_tree as fit_tree

BASELINES: Final[dict[str, Callable[..., Answers]]] = {
    "uniform": fit_uniform,
    "multinomial": fit_multinomial,
    "unigram": fit_unigram,
    "bigram": fit_bigram,
    "tree": fit_tree,
    "lca": fit_lca,
}
