"""Every question about a row, answered from any `Answers`; numpy only, on codes."""

from clgp.ask import complete as complete
from clgp.ask import embed as embed
from clgp.ask import information as information
from clgp.ask import score as score
