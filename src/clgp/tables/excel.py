"""Excel workbooks: the first sheet is the table. Read by fastexcel, written by hand.

Excel keeps every number as a decimal; whole ones read back as whole numbers.
"""

import datetime
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from clgp.tables.cells import Cells, Known
from clgp.tables.delimited import checked_header
from clgp.tables.errors import InputError, shown
from clgp.tables.extra import needed
from clgp.tables.frames import as_table
from clgp.tables.table import Table
from clgp.tables.text import are_whole, is_missing

MOST_ROWS = 1_048_576
EPOCH = datetime.datetime(1899, 12, 30)
TYPES = (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?><Types xmlns="http://schemas.'
    'openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType='
    '"application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" '
    'ContentType="application/xml"/>{}</Types>'
)
OVERRIDE = (
    '<Override PartName="/xl/{}.xml" ContentType="application/vnd.openxmlformats-officedocument.'
    'spreadsheetml.{}+xml"/>'
)
RELATIONS = (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?><Relationships xmlns="http://schemas.'
    'openxmlformats.org/package/2006/relationships">{}</Relationships>'
)
RELATION = (
    '<Relationship Id="rId{}" Type="http://schemas.openxmlformats.org/officeDocument/2006/'
    'relationships/{}" Target="{}"/>'
)
MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
LINKS = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
STYLES = (
    f'<styleSheet {MAIN}><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill '
    'patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/>'
    '<bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>'
    '<cellXfs count="3"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/>'
    '<xf numFmtId="22" applyNumberFormat="1"/></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>'
    "</styleSheet>"
)
WORKBOOK = (
    f'<workbook {MAIN} {LINKS}><sheets><sheet name="table" sheetId="1" r:id="rId1"/></sheets>'
    "</workbook>"
)


def read_excel(path: Path) -> Table:
    """A table from the first sheet of a workbook."""
    fastexcel = needed("fastexcel", "Reading an Excel file")
    try:
        book = fastexcel.read_excel(path)
        head = book.load_sheet(0, header_row=None, n_rows=1, dtypes="string").to_arrow()
        body = book.load_sheet(0, schema_sample_rows=None).to_arrow()
    except (fastexcel.FastExcelError, OSError) as error:
        first = str(error).splitlines()[0].removeprefix("calamine error: ")
        raise InputError(
            f"{path.name} is not a whole Excel workbook ({first}); save it again as .xlsx."
        ) from None
    row = next(iter(head.to_pylist()), {})
    if not row:
        raise InputError(f"{path.name}: the first sheet is empty; expected a header row.")
    names = checked_header(["" if v is None else v for v in row.values()], path.name)
    if not body.num_rows:
        raise InputError(f"{path.name} has a header but no rows; expected at least one row.")
    pa = needed("pyarrow", "Reading an Excel file")
    table = as_table(pa.Table.from_batches([body]).rename_columns(names))
    return Table({n: _whole(c) for n, c in table.cells.items()}, source=path.name)


def _whole(cells: Cells) -> Cells:
    """Decimals that are all whole as whole numbers."""
    if cells.known.type != "number" or not are_whole(cells.numbers).all():
        return cells
    return Cells(cells.codes, cells.values.astype("int64"), Known("integer", cells.known.dtype))


def write_excel(table: Table, path: Path) -> None:
    """Write a table as the only sheet of a workbook."""
    if len(table) >= MOST_ROWS:
        raise InputError(
            f"An Excel sheet holds {MOST_ROWS - 1:,} rows below its header, the table has "
            f"{len(table):,}; write .csv or .parquet instead."
        )
    parts = {
        "[Content_Types].xml": TYPES.format(
            OVERRIDE.format("workbook", "sheet.main")
            + OVERRIDE.format("worksheets/sheet1", "worksheet")
            + OVERRIDE.format("styles", "styles")
        ),
        "_rels/.rels": RELATIONS.format(RELATION.format(1, "officeDocument", "xl/workbook.xml")),
        "xl/_rels/workbook.xml.rels": RELATIONS.format(
            RELATION.format(1, "worksheet", "worksheets/sheet1.xml")
            + RELATION.format(2, "styles", "styles.xml")
        ),
        "xl/workbook.xml": WORKBOOK,
        "xl/styles.xml": STYLES,
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        for name, text in parts.items():
            book.writestr(name, text)
        with book.open("xl/worksheets/sheet1.xml", "w") as sheet:
            for piece in _sheet(table):
                sheet.write(piece.encode())


def _sheet(table: Table) -> Iterator[str]:
    yield f"<worksheet {MAIN}><sheetData>"
    yield f"<row>{''.join(map(_cell, table.columns))}</row>"
    columns = [cells.python() for cells in table.cells.values()]
    for row in zip(*columns, strict=True):
        yield f"<row>{''.join(map(_cell, row))}</row>"
    yield "</sheetData></worksheet>"


def _cell(value: Any) -> str:
    match value:
        case _ if is_missing(value):
            return "<c/>"
        case bool():
            return f'<c t="b"><v>{int(value)}</v></c>'
        case int() | float():
            return f"<c><v>{value!r}</v></c>"
        case datetime.datetime():
            days = (value.replace(tzinfo=None) - EPOCH) / datetime.timedelta(days=1)
            return f'<c s="2"><v>{days!r}</v></c>'
        case datetime.date():
            days = (datetime.datetime(value.year, value.month, value.day) - EPOCH).days
            return f'<c s="1"><v>{days}</v></c>'
    text = "".join(c for c in str(value) if c >= " " or c in "\t\n\r")
    if len(text) > 32_767:
        raise InputError(f"An Excel cell holds 32,767 characters; '{shown(text)}' has more.")
    return f'<c t="inlineStr"><is><t xml:space="preserve">{escape(text)}</t></is></c>'
