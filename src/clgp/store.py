"""One data-only file for a fitted model: safetensors, with the rest as JSON in its header.

Loading runs no code. A SHA-256 over every byte of the file (its own place zeroed) stands in the
header, so a damaged file is told from a good one before anything is read from it.
"""

import hashlib
import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from clgp.answers import Answers
from clgp.ask.embed import Map
from clgp.baselines.bigram import Bigram
from clgp.levels import Levels
from clgp.mixture import Mixture
from clgp.tables import InputError, atomic

FORMAT: Final = 1
DIGEST = re.compile(rb'(\\"sha256\\": ?\\")([0-9a-f]{64})')
ZEROS = b"0" * 64
KINDS: Final[dict[str, type[Answers]]] = {one.kind: one for one in (Mixture, Bigram)}


def write(path: str | Path, answers: Answers, drawn: Map | None, about: Mapping[str, Any]) -> None:
    """Write a model's arrays and what is known of it; the file appears whole or not at all."""
    from safetensors.numpy import save

    head = {"format": FORMAT, "sha256": ZEROS.decode(), "kind": answers.kind, **about}
    arrays = {"cards": np.asarray(answers.levels.cards, np.int64), **answers.arrays()}
    if drawn is not None:
        arrays["map.points"] = drawn.points
        arrays |= {f"map.{name}": array for name, array in drawn.mixture.arrays().items()}
    plain = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    data = save(plain, metadata={"clgp": json.dumps(head)})
    digest = hashlib.sha256(data).hexdigest().encode()
    data = DIGEST.sub(lambda found: found[1] + digest, data, count=1)
    with atomic(path) as beside:
        beside.write_bytes(data)


def read(path: str | Path) -> tuple[Answers, Map | None, dict[str, Any]]:
    """What `write` wrote, or an InputError that says what is wrong with the file."""
    data = _bytes(path)
    about = _checked(path, data)
    from safetensors.numpy import load

    arrays = load(data)
    levels = Levels(tuple(int(K) for K in arrays["cards"]))
    answers = KINDS[about["kind"]].of_arrays(levels, arrays)
    of_map = {name[4:]: array for name, array in arrays.items() if name.startswith("map.")}
    drawn = Map(of_map["points"], Mixture.of_arrays(levels, of_map)) if of_map else None
    return answers, drawn, about


def _bytes(path: str | Path) -> bytes:
    try:
        return sys.stdin.buffer.read() if str(path) == "-" else Path(path).read_bytes()
    except FileNotFoundError:
        raise InputError(f"There is no model file '{path}'; check the name.") from None
    except IsADirectoryError:
        raise InputError(f"'{path}' is a folder; give the model file in it.") from None
    except OSError as error:
        raise InputError(f"Cannot read the model file '{path}': {error.strerror}.") from None


def _checked(path: str | Path, data: bytes) -> dict[str, Any]:
    """The header of a file that is whole, ours and of a format that we know."""
    try:
        size = int.from_bytes(data[:8], "little")
        head = json.loads(data[8 : 8 + size])["__metadata__"]["clgp"]
        about = json.loads(head)
    except (ValueError, KeyError, TypeError, RecursionError):
        raise InputError(
            f"'{path}' is not a clgp model, or its beginning is damaged; "
            "make the model again with `clgp fit` or take it from a backup."
        ) from None
    if (
        isinstance(about, dict)
        and isinstance(about.get("format"), int)
        and about["format"] > FORMAT
    ):
        raise InputError(
            f"'{path}' is of format {about['format']}, which a newer clgp wrote; this one reads "
            f"up to {FORMAT}: install a newer clgp."
        )
    found = DIGEST.search(data)
    zeroed = DIGEST.sub(lambda m: m[1] + ZEROS, data, count=1)
    if not found or found[2] != hashlib.sha256(zeroed).hexdigest().encode():
        raise InputError(
            f"'{path}' is damaged: its {len(data):,} bytes are not those that were written; "
            "take it from a backup or make the model again."
        )
    return about
