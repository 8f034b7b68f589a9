"""A schema as a TOML file that people edit, and as JSON in a model file's header."""

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

from clgp.tables.cells import Type
from clgp.tables.columns import Column
from clgp.tables.errors import InputError, close, listing
from clgp.tables.kinds import KINDS
from clgp.tables.schema import Schema

LISTS = {"levels", "missing", "suspects", "edges", "values"}
WORDS: dict[str, tuple[str, type]] = {
    "labels": ("a table of labels", dict),
    "type": ("a text", str),
    "why": ("a text", str),
    "distinct": ("a number", int),
}
FIELDS = {
    "nominal": {"levels", "missing", "labels", "type", "why", "suspects"},
    "numeric": {"edges", "values", "missing", "labels", "type", "why", "suspects", "distinct"},
    "ignored": {"missing", "labels", "type", "why", "suspects"},
}
HEADER = """\
# Schema of a table. Edit freely: kinds are nominal, ordinal, binary, numeric and ignored;
# levels of an ordinal column stand from lowest to highest; codes under `missing` count as holes.
"""


def to_toml(schema: Schema) -> str:
    """The schema's text."""
    parts = [HEADER]
    for name, column in schema.columns.items():
        lines = [f"{key} = {_value(value)}" for key, value in column.to_json().items()]
        parts.append("\n".join([f"[columns.{_string(name)}]", *lines, ""]))
    return "\n".join(parts)


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")


def _value(value: Any) -> str:
    match value:
        case str():
            return _string(value)
        case Mapping():
            return "{ " + ", ".join(f"{_string(k)} = {_value(v)}" for k, v in value.items()) + " }"
        case list() | tuple():
            return "[" + ", ".join(map(_value, value)) + "]"
    return repr(value)


def from_toml(path_or_text: str | Path) -> Schema:
    """The schema that a file or a text holds."""
    text, source = _text_of(path_or_text)
    try:
        told = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{source} is not valid TOML: {error}.") from None
    columns = told.get("columns")
    if not isinstance(columns, dict) or not columns:
        raise InputError(
            f'{source} names no column; expected parts such as [columns."age"] with a kind.'
        )
    return Schema({name: column_of(name, column) for name, column in columns.items()})


def _text_of(path_or_text: str | Path) -> tuple[str, str]:
    if isinstance(path_or_text, str) and ("\n" in path_or_text or "=" in path_or_text):
        return path_or_text, "The schema's text"
    path = Path(path_or_text)
    if path.is_dir():
        raise InputError(f"'{path}' is a folder; give the path of a schema file in it.")
    try:
        return path.read_text(encoding="utf-8-sig"), f"Schema file '{path.name}'"
    except FileNotFoundError:
        raise InputError(f"There is no schema file '{path}'; check the path.") from None
    except UnicodeDecodeError:
        raise InputError(f"Schema file '{path}' is not UTF-8 text; save it as UTF-8.") from None
    except OSError as error:
        raise InputError(f"Cannot read '{path}': {error.strerror}; check its rights.") from None


def from_json(data: Mapping[str, Any]) -> Schema:
    """The schema that `Schema.to_json` told."""
    try:
        columns = {told["name"]: dict(told) for told in data["columns"]}
    except (KeyError, TypeError) as error:
        raise InputError(f"The schema's data lacks {error}; it is damaged.") from None
    return Schema({name: column_of(name, told) for name, told in columns.items()})


def column_of(name: str, told: Any) -> Column:
    """One column from plain data."""
    if not isinstance(told, Mapping):
        raise InputError(f"Column '{name}': expected a table with a kind; got {told!r}.")
    kind = told.get("kind")
    if kind not in KINDS:
        raise InputError(f"Column '{name}': unknown kind {kind!r}; use one of {listing(KINDS)}.")
    rest = {k: v for k, v in told.items() if k not in ("kind", "name")}
    known = FIELDS.get(kind, FIELDS["nominal"])
    for key, value in rest.items():
        if key not in known:
            raise InputError(
                f"Column '{name}': a {kind} column has no '{key}'; {close(key, sorted(known))}."
            )
        expected, kinds = ("a list", (list, tuple)) if key in LISTS else WORDS[key]
        if not isinstance(value, kinds):
            raise InputError(f"Column '{name}': '{key}' must be {expected}; got {value!r}.")
    if rest.get("type", "text") not in get_args(Type):
        raise InputError(f"Column '{name}': 'type' must be one of {listing(get_args(Type))}.")
    if not all(isinstance(e, int | float) for e in rest.get("edges", ())):
        raise InputError(f"Column '{name}': 'edges' must be numbers; got {rest['edges']!r}.")
    needed = {"numeric": ("edges", "values"), "ignored": ()}.get(kind, ("levels",))
    lacking = [key for key in needed if key not in rest]
    if lacking:
        raise InputError(f"Column '{name}': a {kind} column needs {listing(map(repr, lacking))}.")
    try:
        return KINDS[kind](**rest)
    except InputError as error:
        raise InputError(f"Column '{name}': {error}") from None
    except (TypeError, ValueError, AttributeError) as error:
        raise InputError(f"Column '{name}': {error}.") from None
