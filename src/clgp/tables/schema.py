"""The schema: for each column its kind, its levels in order and its missing codes.

`infer` guesses one from a table, `toml` writes it to a file to be edited, `codec` and `fill` go
between cells and codes with it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from clgp.levels import Levels
from clgp.tables.columns import Column
from clgp.tables.errors import InputError, close, listing, shown
from clgp.tables.kinds import KINDS
from clgp.typing import Bool


@dataclass(frozen=True, repr=False)
class Schema:
    """What the columns of a table mean.

    Example:
        >>> from clgp.tables import Nominal, Ordinal
        >>> schema = Schema({"pain": Ordinal(["none", "mild", "severe"]), "sex": Nominal("FM")})
        Traceback (most recent call last):
        clgp.tables.errors.InputError: 'levels' must be a list of texts; got the text 'FM'.
        >>> schema = Schema({"pain": Ordinal(["none", "mild"]), "sex": Nominal(["F", "M"])})
        >>> schema.set("pain", levels=["none", "mild", "severe"]).levels
        Levels(cards=(3, 2))
    """

    columns: Mapping[str, Column]

    def __post_init__(self) -> None:
        if not self.columns:
            raise InputError("A schema needs at least one column.")
        for name, column in self.columns.items():
            if not isinstance(column, Column):
                known = listing(kind.__name__ for kind in KINDS.values())
                raise InputError(
                    f"Column '{name}': expected one of {known}; got {type(column).__name__}."
                )

    @classmethod
    def infer(
        cls,
        table: Any,
        *,
        missing: Mapping[str, Sequence[Any]] | None = None,
        kinds: Mapping[str, str] | None = None,
    ) -> "Schema":
        """A guess of each column's kind, with the reason.

        Args:
            table: A table of any kind.
            missing: Codes that stand for a missing answer, by column.
            kinds: Kinds that are known, by column.

        Example:
            >>> Schema.infer([{"pain": p} for p in [1, 2, 3, 2, 1]])
            column  kind     levels   missing  why
            pain    ordinal  1, 2, 3           3 whole numbers
        """
        from clgp.tables.frames import as_table
        from clgp.tables.infer import infer

        return cls(infer(as_table(table), missing=missing or {}, kinds=kinds or {}))

    @classmethod
    def from_toml(cls, path_or_text: str | Path) -> "Schema":
        """The schema that a TOML file, or its text, holds."""
        from clgp.tables.toml import from_toml

        return from_toml(path_or_text)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Schema":
        """The schema that `to_json` told."""
        from clgp.tables.toml import from_json

        return from_json(data)

    def to_toml(self) -> str:
        """The schema as a TOML text to be edited."""
        from clgp.tables.toml import to_toml

        return to_toml(self)

    def to_json(self) -> dict[str, Any]:
        """The schema as plain data."""
        return {"columns": [{"name": n} | c.to_json() for n, c in self.columns.items()]}

    def write(self, path: str | Path) -> None:
        """Write the schema as a TOML file."""
        from clgp.tables.write import atomic

        with atomic(path) as beside:
            beside.write_text(self.to_toml(), encoding="utf-8")

    def __getitem__(self, column: str) -> Column:
        if column not in self.columns:
            raise InputError(
                f"No column '{shown(column)}' in the schema: {close(column, self.columns)}."
            )
        return self.columns[column]

    @cached_property
    def modelled(self) -> tuple[str, ...]:
        """Names of the columns that are modelled, in order."""
        return tuple(name for name, column in self.columns.items() if column.modelled)

    @cached_property
    def levels(self) -> Levels:
        """The flat axis of the modelled columns' levels."""
        return Levels(tuple(len(self.columns[name].levels) for name in self.modelled))

    @cached_property
    def ordinal(self) -> Bool[np.ndarray, " D"]:
        """Which modelled columns have ordered levels."""
        return np.array([self.columns[name].ordered for name in self.modelled], dtype=bool)

    @property
    def notes(self) -> list[str]:
        """What a user should know: columns left out, numbers cut, suspects of missing codes."""
        return [note for name, column in self.columns.items() for note in column.note(name)]

    def level_names(self, column: str) -> list[str]:
        """A column's levels as people call them, in order."""
        return list(self[column].names)

    def set(
        self,
        column: str,
        *,
        kind: str | None = None,
        levels: Sequence[Any] | None = None,
        missing: Sequence[Any] | None = None,
        edges: Sequence[float] | None = None,
        values: Sequence[Any] | None = None,
    ) -> "Schema":
        """A new schema with one column changed; what is not given stays.

        Example:
            >>> schema = Schema.infer([{"a": x} for x in ["lo", "hi", "mid", "?"]])
            >>> schema.set("a", kind="ordinal", levels=["lo", "mid", "hi"], missing=["?"])
            column  kind     levels       missing  why
            a       ordinal  lo, mid, hi  ?        set by hand
        """
        from clgp.tables.toml import column_of

        old = self[column]
        told: dict[str, Any] = {"kind": kind or old.kind, "type": old.type, "labels": old.labels}
        told["missing"] = list(old.missing if missing is None else missing)
        codes = set(map(str, told["missing"]))
        if told["kind"] == "numeric":
            told["edges"] = edges if edges is not None else getattr(old, "edges", None)
            told["values"] = values if values is not None else getattr(old, "values", None)
        elif told["kind"] != "ignored":
            kept = [k for k in old.levels if k not in codes]
            told["levels"] = levels if levels is not None else kept
            if kind is None and old.kind == "binary" and len(told["levels"]) > 2:
                told["kind"] = "nominal"
            if kind is None and old.kind == "ignored" and levels is not None:
                told["kind"] = "nominal"
        told = {k: v for k, v in told.items() if v is not None} | {"why": "set by hand"}
        return Schema(dict(self.columns) | {column: column_of(column, told)})

    def __repr__(self) -> str:
        lines = [("column", "kind", "levels", "missing", "why")]
        for name, column in self.columns.items():
            levels = shown(listing(column.names, most=6), 60)
            lines.append(
                (shown(name, 24), column.kind, levels, shown(listing(column.missing)), column.why)
            )
        wide = [max(map(len, part)) for part in zip(*lines, strict=True)]
        return "\n".join(
            "  ".join(t.ljust(w) for t, w in zip(line, wide, strict=True)).rstrip()
            for line in lines
        )
