"""Importing `clgp.tables` brings in none of the heavy packages."""

import subprocess
import sys

HEAVY = "{'pandas', 'pyarrow', 'polars', 'sklearn', 'jax', 'pyreadstat', 'fastexcel', 'scipy'}"
READS = """
import pathlib, tempfile
from clgp.tables import Schema, encode, fill, read, rows
path = pathlib.Path(tempfile.mkdtemp()) / "t.csv"
path.write_text("a,b\\nx,1\\n,2\\ny,\\n")
table = read(path)
schema = Schema.infer(table)
codes = encode(table, schema)
fill(table, schema, codes * 0, codes < 0).write(path)
rows(schema, codes * 0, kind="dicts")
assert path.read_text() == "a,b\\nx,1\\nx,2\\ny,1\\n"
"""


def test_import_and_a_round_of_csv_are_light():
    code = f"import sys\n{READS}\nassert not {HEAVY} & set(sys.modules), {HEAVY} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
