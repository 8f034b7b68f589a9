"""Learn a distribution from a table of categorical answers, and ask it about any row.

tables      files and frames in, levels and codes, the schema       read, Table, Schema, …
mixture     the one form of a fitted model, with its forest         passes, beliefs, levels
ask         every question about a row, on codes
model       the family of the paper: kernels, likelihoods, the cube
quadrature  the default engine (NumPy); variational: the paper's (JAX, an extra)
baselines   frequency models, Chow–Liu tree, latent classes
evaluate    held-out truth                                          evaluate
estimator   what users fit                                          CLGP, LGM, LatentClasses, …
fitted      what users keep and ask                                 Model, load
cli         the command `clgp`
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from clgp.version import __version__ as __version__

if TYPE_CHECKING:
    from clgp.estimator import CLGP as CLGP
    from clgp.estimator import LGM as LGM
    from clgp.estimator import Bigram as Bigram
    from clgp.estimator import ChowLiuTree as ChowLiuTree
    from clgp.estimator import LatentClasses as LatentClasses
    from clgp.estimator import Multinomial as Multinomial
    from clgp.estimator import Uniform as Uniform
    from clgp.estimator import Unigram as Unigram
    from clgp.fitted import Model as Model
    from clgp.fitted import load as load
    from clgp.questions import evaluate as evaluate
    from clgp.tables import Binary as Binary
    from clgp.tables import Ignored as Ignored
    from clgp.tables import InputError as InputError
    from clgp.tables import Nominal as Nominal
    from clgp.tables import Numeric as Numeric
    from clgp.tables import Ordinal as Ordinal
    from clgp.tables import Schema as Schema
    from clgp.tables import Table as Table
    from clgp.tables import UnseenLevelWarning as UnseenLevelWarning
    from clgp.tables import read as read

_HOME = {
    "clgp.estimator": (
        "CLGP", "LGM",
        "Bigram", "ChowLiuTree", "LatentClasses", "Multinomial", "Uniform", "Unigram",
    ),
    "clgp.fitted": ("Model", "load"),
    "clgp.questions": ("evaluate",),
    "clgp.tables": (
        "Binary", "Ignored", "InputError", "Nominal", "Numeric", "Ordinal", "Schema", "Table",
        "UnseenLevelWarning", "read",
    ),
}  # fmt: skip


def __getattr__(name: str) -> Any:
    """Public names come from their modules when they are first used: `import clgp` is light."""
    for home, names in _HOME.items():
        if name in names:
            return getattr(import_module(home), name)
    raise AttributeError(f"module 'clgp' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *(name for names in _HOME.values() for name in names)})
