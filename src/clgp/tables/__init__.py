"""Tables: reading and writing files, what columns mean, and cells as codes and back."""

from clgp.tables.cells import Cells as Cells
from clgp.tables.codec import encode as encode
from clgp.tables.codec import encode_case as encode_case
from clgp.tables.codec import holes as holes
from clgp.tables.columns import Column as Column
from clgp.tables.errors import InputError as InputError
from clgp.tables.errors import UnseenLevelWarning as UnseenLevelWarning
from clgp.tables.fill import fill as fill
from clgp.tables.fill import rows as rows
from clgp.tables.frames import as_table as as_table
from clgp.tables.kinds import Binary as Binary
from clgp.tables.kinds import Ignored as Ignored
from clgp.tables.kinds import Nominal as Nominal
from clgp.tables.kinds import Numeric as Numeric
from clgp.tables.kinds import Ordinal as Ordinal
from clgp.tables.like import like as like
from clgp.tables.like import row_names as row_names
from clgp.tables.read import read as read
from clgp.tables.schema import Schema as Schema
from clgp.tables.split import collapse as collapse
from clgp.tables.split import held_back as held_back
from clgp.tables.split import hide as hide
from clgp.tables.table import Table as Table
from clgp.tables.write import atomic as atomic
