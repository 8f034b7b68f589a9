"""How a delimited file looked, byte for byte, so that it can be written back that way.

`of` finds encoding, delimiter and line ending; `records` reads the cells; `rewrite` puts new
texts into some cells and leaves every other byte alone.
"""

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from clgp.tables.errors import InputError

DELIMITERS = ",;\t|"
BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"))  # fmt: skip
FIELD_LIMIT = 2**31 - 1


@dataclass(frozen=True)
class Layout:
    """A delimited text with its dialect."""

    text: str = field(repr=False)
    delimiter: str = ","
    encoding: str = "utf-8"
    bom: bytes = b""
    gzipped: bool = False

    @classmethod
    def of(cls, raw: bytes, source: str, *, delimiter: str | None, gzipped: bool) -> "Layout":
        """The layout of a file's bytes."""
        text, encoding, bom = decoded(raw, source)
        return cls(text, delimiter or find_delimiter(text), encoding, bom, gzipped)

    @property
    def newline(self) -> str:
        """The line ending of the first line."""
        found = re.search(r"\r\n|\n|\r", self.text)
        return found[0] if found else "\n"

    def lines(self) -> Iterator[str]:
        """Lines with their ends, broken where the csv module breaks them."""
        return iter(io.StringIO(self.text, newline=""))

    def records(self) -> Iterator[tuple[int, list[str]]]:
        """Each record's last line number and its fields; lines without any are skipped.

        In a table of one column an empty line is an empty cell.
        """
        csv.field_size_limit(FIELD_LIMIT)
        reader = csv.reader(self.lines(), delimiter=self.delimiter)
        header = next((row for row in reader if row), None)
        if header is None:
            return
        yield reader.line_num, header
        single = len(header) == 1
        for row in reader:
            if row:
                yield reader.line_num, row
            elif single:
                yield reader.line_num, [""]

    def to_bytes(self, text: str) -> bytes:
        """Text in the file's own encoding; UTF-8 where that cannot write it."""
        try:
            return self.bom + text.encode(self.encoding)
        except UnicodeEncodeError:
            return text.encode("utf-8")

    def plain_lines(self) -> list[str]:
        """Lines without their ends, for a text without quotes."""
        text = (
            self.text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in self.text else self.text
        )
        lines = text.split("\n")
        return lines if lines[-1] else lines[:-1]

    def header_lines(self, lines: Sequence[str]) -> int:
        """How many lines come before the first record: the header and empty lines above it."""
        return next((i + 1 for i, line in enumerate(lines) if line.rstrip("\r\n")), 0)

    def rewrite(self, changes: Mapping[int, Mapping[int, str]]) -> bytes:
        """The file with new texts: changes[row][column], row 0 being the first after the header."""
        if not changes:
            return self.to_bytes(self.text)
        lines = list(self.lines())
        for n, (start, end) in enumerate(self._spans(lines)):
            if n in changes:
                lines[start] = self._record("".join(lines[start:end]), changes[n])
                lines[start + 1 : end] = [""] * (end - start - 1)
        return self.to_bytes("".join(lines))

    def _spans(self, lines: Sequence[str]) -> Iterator[tuple[int, int]]:
        """The lines that each record takes: from the first to before the last."""
        if '"' not in self.text:
            first = self.header_lines(lines)
            single = self.delimiter not in lines[first - 1]
            for i in range(first, len(lines)):
                if single or lines[i].rstrip("\r\n"):
                    yield i, i + 1
            return
        ends = [end for end, _ in self.records()]
        for done, end in pairwise(ends):
            start = done
            while start < end - 1 and not lines[start].strip("\r\n"):
                start += 1
            yield start, end

    def _record(self, raw: str, new: Mapping[int, str]) -> str:
        """One record with some fields replaced, the others' text as it was."""
        body = raw.rstrip("\r\n")
        parts = self._split(body)
        parts = [self.quoted(new[d]) if d in new else part for d, part in enumerate(parts)]
        return self.delimiter.join(parts) + raw[len(body) :]

    def _split(self, body: str) -> list[str]:
        """The fields of a record as they are written, quotes and all."""
        if '"' not in body:
            return body.split(self.delimiter)
        part = rf'"(?:[^"]|"")*"[^{re.escape(self.delimiter)}]*|[^{re.escape(self.delimiter)}]*'
        parts = re.findall(rf"(?:{part})(?:{re.escape(self.delimiter)}|$)", body, re.DOTALL)
        parts = [p.removesuffix(self.delimiter) for p in parts]
        fields = next(csv.reader(io.StringIO(body, newline=""), delimiter=self.delimiter), [""])
        parts = parts[: len(fields)]
        known = [
            next(iter(next(csv.reader([p], delimiter=self.delimiter), [""])), "") for p in parts
        ]
        return parts if known == fields else [self.quoted(text) for text in fields]

    def quoted(self, text: str) -> str:
        """A field's text, quoted where it must be."""
        if any(mark in text for mark in (self.delimiter, '"', "\n", "\r")):
            return '"' + text.replace('"', '""') + '"'
        return text

    def fresh(self, rows: Iterator[list[str]]) -> bytes:
        """A new file of the same dialect."""
        end = self.newline
        single = '""'
        lines = ((self.delimiter.join(map(self.quoted, row)) or single) + end for row in rows)
        return self.to_bytes("".join(lines))


def decoded(raw: bytes, source: str) -> tuple[str, str, bytes]:
    """A file's text, the encoding it is in, and its byte order mark."""
    for bom, encoding in BOMS:
        if raw.startswith(bom):
            try:
                return raw[len(bom) :].decode(encoding), encoding, bom
            except UnicodeDecodeError as error:
                raise InputError(
                    f"{source} begins as {encoding.upper()} but byte {error.start + len(bom):,} "
                    "is not; save it again as UTF-8."
                ) from None
    if b"\0" in raw:
        line = raw[: raw.index(b"\0")].count(b"\n") + 1
        raise InputError(
            f"{source} is not a text file: line {line} holds a NUL byte; "
            "save the table as CSV in UTF-8, or give the file its true ending."
        )
    try:
        return raw.decode("utf-8"), "utf-8", b""
    except UnicodeDecodeError as error:
        where = error.start
    controls = sum(raw.count(bytes([c])) for c in range(32) if c not in (9, 10, 12, 13))
    if controls > len(raw) * 0.01:
        raise InputError(
            f"{source} is not a text file: byte {where:,} is not UTF-8 and {controls:,} bytes are "
            "control characters; save the table as CSV in UTF-8, or give the file its true ending."
        )
    for encoding in ("cp1252", "latin-1"):
        try:
            return raw.decode(encoding), encoding, b""
        except UnicodeDecodeError:
            continue
    raise AssertionError("latin-1 decodes all bytes")


def find_delimiter(text: str) -> str:
    """The delimiter that splits the first records into equally many, and most, fields."""
    head = list(io.StringIO(text[:200_000], newline=""))[:50]
    best, delimiter = (0, 0.0), ","
    for candidate in DELIMITERS:
        csv.field_size_limit(FIELD_LIMIT)
        widths = [len(row) for row in csv.reader(head, delimiter=candidate) if row]
        if not widths or widths[0] < 2:
            continue
        agree = Counter(widths)[widths[0]] / len(widths)
        score = (int(agree >= 0.9), agree * widths[0])
        if score > best:
            best, delimiter = score, candidate
    return delimiter
