"""Guessing what each column of a table means, and why.

Each rule looks at a column's distinct values and what the file said; the first that speaks wins.
No code is ever taken for missing here: suspects are only named.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from clgp.tables.cells import Cells
from clgp.tables.columns import MANY_LEVELS, Column
from clgp.tables.errors import InputError, close, listing, shown
from clgp.tables.kinds import KINDS, Binary, Ignored, Nominal, Numeric, Ordinal
from clgp.tables.suspects import suspects
from clgp.tables.table import Table
from clgp.tables.text import DATE, NUMBER, are_whole, as_numbers, canonical, natural_order
from clgp.typing import Float

MANY_NUMBERS = 20  # distinct whole numbers up to which each is a level of its own
MANY_DECIMALS = 10
BINS = 8
ROWS_A_LEVEL = 5
TINY = 20  # rows below which nearly distinct values say little about an identifier
NAMES_OF_IDS = {"id", "ids", "key", "uuid", "index", "rownames", "row", "nr", "no", "number"}


def infer(
    table: Table, *, missing: Mapping[str, Sequence[Any]], kinds: Mapping[str, str]
) -> dict[str, Column]:
    """A guess for each column."""
    for name in [*missing, *kinds]:
        if name not in table.cells:
            raise InputError(f"No column '{name}' in the table: {close(name, table.columns)}.")
    return {
        name: guess(name, cells, missing.get(name, ()), kinds.get(name))
        for name, cells in table.cells.items()
    }


def guess(name: str, cells: Cells, missing: Sequence[Any] = (), kind: str | None = None) -> Column:
    """The column's kind, by rules from the surest to the weakest."""
    if kind is not None and kind not in KINDS:
        raise InputError(f"Column '{name}': unknown kind {kind!r}; use one of {listing(KINDS)}.")
    codes = tuple(map(canonical, missing))
    cells = without(cells, codes)
    if kind == "ignored":
        return Ignored("set by hand", missing=codes)
    whole = cells.known.type == "number" and bool(are_whole(cells.numbers).all())
    told: dict[str, Any] = {"missing": codes, "type": "integer" if whole else cells.known.type}
    out = left_out(name, cells, given=kind is not None)
    if out is not None:
        return Ignored(out, **told)
    if kind == "numeric" or (kind is None and is_numeric(cells)):
        if np.isnan(cells.numbers).any():
            raise InputError(
                f"Column '{name}': cannot be numeric, since it holds "
                f"{listing(repr(t) for t in cells.texts if not NUMBER.fullmatch(t))}; "
                "list what stands for a missing answer under missing."
            )
        return numeric(cells, codes)
    column = by_levels(cells, told | {"labels": labels_of(cells)}, kind)
    return replace(column, suspects=suspects(cells))  # pyright: ignore[reportArgumentType]


def without(cells: Cells, missing: Sequence[str]) -> Cells:
    """The cells without missing codes, and without values that no row holds."""
    keep = cells.counts > 0
    if missing:
        numbers = [x for x in as_numbers(missing) if not np.isnan(x)]
        keep &= ~np.isin(cells.numbers, numbers)
        keep &= ~np.isin(np.array(cells.texts, dtype=object), list(missing))
    if keep.all():
        return cells
    to = np.append(np.where(keep, np.cumsum(keep) - 1, -1), -1).astype(np.int32)
    return Cells(to[cells.codes], cells.values[keep], cells.known, cells.reasons)


def left_out(name: str, cells: Cells, *, given: bool) -> str | None:
    """Why the column cannot be modelled, if so."""
    K, N = len(cells.values), int(cells.counts.sum())
    if K == 0:
        return "it has no answers"
    if K == 1:
        return f"every answer is '{shown(cells.texts[0])}'"
    if given:
        return None
    if is_date(cells) and K > MANY_NUMBERS:
        return f"it holds {K:,} dates"
    if cells.known.declared or cells.known.labels:
        return None
    if looks_like_id(name, cells):
        return f"it identifies rows ({K:,} distinct values in {N:,} rows)"
    if K > MANY_LEVELS and K * ROWS_A_LEVEL > N and not is_numeric(cells):
        return f"it has {K:,} levels in {N:,} rows, too few rows a level; group them to use it"
    return None


def is_date(cells: Cells) -> bool:
    """Whether the values are dates, typed or written."""
    if cells.known.type == "date":
        return True
    return cells.known.type == "text" and all(DATE.fullmatch(str(v)) for v in cells.values)


def looks_like_id(name: str, cells: Cells) -> bool:
    """Nearly one value a row, of text or whole numbers."""
    K, N = len(cells.values), int(cells.counts.sum())
    words = name.lower().replace("-", "_").replace(" ", "_").replace(".", "_").split("_")
    named = not NAMES_OF_IDS.isdisjoint(words) or name.endswith(("Id", "ID"))
    if N < TINY:
        return named and K == N >= 3
    whole = are_whole(cells.numbers)
    if whole.all():
        return K == N or (named and K >= 0.9 * N)
    return bool(np.isnan(cells.numbers).any()) and K >= 0.9 * N


def is_numeric(cells: Cells) -> bool:
    """Whether the values are numbers, and many."""
    K = len(cells.values)
    if K <= MANY_DECIMALS or np.isnan(cells.numbers).any():
        return False
    if cells.known.ordered or len(cells.known.labels) * 2 > K or cells.known.measure == "nominal":
        return False
    return K > MANY_NUMBERS or not are_whole(cells.numbers).all()


def numeric(cells: Cells, missing: tuple[str, ...]) -> Numeric | Ignored:
    """Levels between quantiles, with about as many rows each."""
    order = np.argsort(cells.numbers, kind="stable")
    x, rows = cells.numbers[order], cells.counts[order]
    if not np.isfinite(x).all():
        return Ignored("it holds infinite numbers", missing=missing)
    edges = quantile_edges(x, rows)
    places = np.searchsorted(edges, x, side="right")
    values = []
    for k in range(len(edges) + 1):
        inside = np.flatnonzero(places == k)
        below = np.cumsum(rows[inside])
        middle = inside[np.searchsorted(below, (below[-1] + 1) // 2)]
        values.append(canonical(cells.values[order[middle]]))
    return Numeric(
        edges.tolist(),
        values,
        missing,
        type="integer" if are_whole(x).all() else "number",
        why=f"{len(x):,} distinct numbers, cut into {len(edges) + 1} levels",
        suspects=suspects(cells),
        distinct=len(x),
    )


def quantile_edges(x: Float[np.ndarray, " K"], rows: np.ndarray) -> Float[np.ndarray, " E"]:
    """Edges among the distinct values x: each level begins at a value and none is empty."""
    share = np.cumsum(rows) / rows.sum()
    starts = np.searchsorted(share, np.arange(1, BINS) / BINS - 1e-12) + 1
    starts = np.unique(starts[(starts > 0) & (starts < len(x))])
    starts = starts if len(starts) else np.array([1])
    pairs = zip(x[starts - 1].tolist(), x[starts].tolist(), strict=True)
    return np.array([short_between(low, high) for low, high in pairs])


def short_between(low: float, high: float) -> float:
    """The shortest decimal e with low < e ≤ high; a whole number stays itself.

    Example:
        >>> short_between(0.1224, 0.1428), short_between(17.0, 18.0)
        (0.14, 18.0)
    """
    if float(high).is_integer():
        return float(high)
    tries = (float(f"{x:.{digits}g}") for digits in range(1, 17) for x in (high, (low + high) / 2))
    return next((e for e in tries if low < e <= high), float(high))


def labels_of(cells: Cells) -> dict[str, str]:
    """The file's value labels, without those of missing codes."""
    return {k: v for k, v in cells.known.labels.items() if k not in cells.known.absent}


def by_levels(cells: Cells, told: dict[str, Any], kind: str | None) -> Column:
    """Binary, ordinal or nominal, with the levels in their order."""
    levels, why = levels_of(cells, told["labels"])
    ordered, reason = is_ordered(cells)
    if kind is None:
        kind = "binary" if len(levels) == 2 else "ordinal" if ordered else "nominal"
    else:
        reason = "set by hand"
    if kind == "binary" and reason != "set by hand":
        reason = "two levels"
    classes = {"binary": Binary, "ordinal": Ordinal, "nominal": Nominal}
    return classes[kind](levels, why=f"{reason}{why}", **told)


def levels_of(cells: Cells, labels: Mapping[str, str]) -> tuple[list[str], str]:
    """All levels in order, with those that may occur but did not, and a word on those."""
    seen, known = cells.texts, cells.known
    if known.ordered:
        return [*known.declared, *(t for t in seen if t not in known.declared)], ""
    more = [*known.declared, *labels] if len(known.declared) <= MANY_LEVELS else []
    levels = natural_order(dict.fromkeys([*seen, *more]))
    between = gaps(cells) if not more else []
    if between:
        return natural_order(
            [*levels, *between]
        ), f"; {listing(map(repr, between))} lies between, unseen"
    return levels, ""


def gaps(cells: Cells) -> list[str]:
    """Whole numbers that no row holds though they lie between others; few, or none is named."""
    x = cells.numbers
    if len(x) < 4 or not are_whole(x).all() or len(x) > MANY_NUMBERS:
        return []
    inside = [str(n) for n in range(int(x.min()), int(x.min()) + 2 * MANY_NUMBERS) if n < x.max()]
    empty = [n for n in inside if float(n) not in set(x.tolist())]
    return empty if x.max() - x.min() < MANY_NUMBERS and len(empty) * 4 <= len(x) else []


def is_ordered(cells: Cells) -> tuple[bool, str]:
    """Whether the levels have an order, and who says so."""
    known, K = cells.known, len(cells.values)
    if known.ordered:
        return True, "an ordered dtype"
    if known.measure in {"ordinal", "nominal"}:
        return known.measure == "ordinal", f"the file says {known.measure}"
    if is_date(cells) and all(str(t)[:4].isdigit() for t in cells.texts):
        return True, f"{K} dates"
    if known.labels:
        return False, "labelled values"
    if np.isnan(cells.numbers).any():
        return False, f"{K} levels of text"
    whole = are_whole(cells.numbers).all()
    return True, f"{K} whole numbers" if whole else f"{K} numbers"
