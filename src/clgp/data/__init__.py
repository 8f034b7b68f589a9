"""Two bundled tables to try things on; their sources and licence are in README.md beside."""

from importlib.resources import files
from pathlib import Path
from typing import Final

TABLES: Final = {
    "wisconsin": "breast_cancer_wisconsin.csv",
    "votes": "house_votes_84.csv",
}


def path(name: str) -> Path:
    """Where a bundled table lies."""
    return Path(str(files("clgp.data") / TABLES[name]))
