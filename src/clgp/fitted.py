"""A fitted model: the schema, the answers, how good they are, and where they come from.

What `fit` makes and `clgp.load` reads. It needs numpy alone; the questions it takes are in
`questions`.
"""

import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from clgp import store
from clgp.answers import Answers
from clgp.ask.embed import Map
from clgp.evaluate import Scores
from clgp.questions import Questions
from clgp.tables import Schema
from clgp.typing import Float
from clgp.version import __version__


@dataclass(frozen=True)
class HeldOut:
    """How well the kind of model predicts cells of rows that its fit did not see, and baselines."""

    share: float
    scores: Mapping[str, Scores]

    def __str__(self) -> str:
        first = next(iter(self.scores.values()))
        lines = [
            f"Held out: {first.cells:,} cells of {first.rows:,} rows, a fit to the others",
            f"{'':<16}{'nats a cell':>18}{'perplexity':>12}{'accuracy':>10}{'ece':>8}",
        ]
        best = min(self.scores, key=lambda name: self.scores[name].nats.value)
        for name, s in self.scores.items():
            lines.append(
                f"{name:<16}{s.nats!s:>18}{s.perplexity.value:>12.3f}{s.accuracy.value:>10.3f}"
                f"{s.ece.value:>8.3f}{'  best' if name == best else ''}"
            )
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        scores = {name: one.to_json() for name, one in self.scores.items()}
        return {"share": self.share, "scores": scores}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "HeldOut":
        """What `to_json` told."""
        scores = {name: Scores.from_json(one) for name, one in data["scores"].items()}
        return cls(data["share"], scores)


@dataclass(frozen=True, repr=False)
class Model(Questions):
    """A distribution over the rows of a table, ready to be asked."""

    name: str
    schema: Schema
    answers: Answers
    held_out: HeldOut | None
    map: Map | None = None
    notes: tuple[str, ...] = ()
    origin: Mapping[str, Any] = field(default_factory=dict)
    usual: Float[np.ndarray, " _"] = field(default_factory=lambda: np.zeros(0))

    @property
    def fitted(self) -> "Model":
        return self

    def __repr__(self) -> str:
        rows = self.origin.get("rows", 0)
        lines = [f"{self.name} of {rows:,} rows × {self.answers.levels.D} modelled columns"]
        lines += [str(self.held_out)] if self.held_out else []
        lines += [f"Note: {note}" for note in self.notes]
        return "\n".join(lines)

    def save(self, path: str | Path) -> None:
        """Write the model to one data-only file."""
        about = {
            "name": self.name,
            "schema": self.schema.to_json(),
            "held_out": self.held_out.to_json() if self.held_out else None,
            "notes": list(self.notes),
            "origin": dict(self.origin),
            "usual": self.usual.tolist(),
        }
        store.write(path, self.answers, self.map, about)


def load(path: str | Path) -> Model:
    """The model in a file that `save` wrote; runs no code of the file's.

    Example:
        >>> load("nowhere.clgp")
        Traceback (most recent call last):
        clgp.tables.errors.InputError: There is no model file 'nowhere.clgp'; check the name.
    """
    answers, drawn, about = store.read(path)
    return Model(
        name=about["name"],
        schema=Schema.from_json(about["schema"]),
        answers=answers,
        held_out=HeldOut.from_json(about["held_out"]) if about["held_out"] else None,
        map=drawn,
        notes=tuple(about["notes"]),
        origin=about["origin"],
        usual=np.asarray(about["usual"], float),
    )


def versions() -> dict[str, str]:
    """Versions of what made a model."""
    return {"clgp": __version__, "numpy": np.__version__, "python": platform.python_version()}
