"""The models that users fit, in scikit-learn's manner; they hold no maths.

`base` is what all share, `latent` has CLGP and LGM, `frequency` the baselines.
"""

from clgp.estimator.base import Estimator as Estimator
from clgp.estimator.frequency import Bigram as Bigram
from clgp.estimator.frequency import ChowLiuTree as ChowLiuTree
from clgp.estimator.frequency import LatentClasses as LatentClasses
from clgp.estimator.frequency import Multinomial as Multinomial
from clgp.estimator.frequency import Uniform as Uniform
from clgp.estimator.frequency import Unigram as Unigram
from clgp.estimator.latent import CLGP as CLGP
from clgp.estimator.latent import LGM as LGM

MODELS: dict[str, type[Estimator]] = {
    one.name: one
    for one in (CLGP, LGM, Uniform, Multinomial, Unigram, Bigram, ChowLiuTree, LatentClasses)
}
"""Every model by the name that the command line knows it by, the default first."""
