"""`clgp score`: how probable the model finds each row."""

from clgp.cli import inputs, options, show


@options.verb("""\
$ clgp score wisconsin.clgp wisconsin -o scores.csv""")
@options.model
@options.table
@options.out("The table to write; `-` is standard output.", default="-")
@options.as_json
def command(model: str, table: str, delimiter: str | None, output: str, *, as_json: bool) -> None:
    """Log-probability in nats of the known cells of each row of TABLE.

    The answer is a table with the row (from 1), the number of its known cells, their joint
    log-probability and that a cell.
    """
    import numpy as np

    from clgp.tables import Table

    show.check_output(output, table=True)
    known = inputs.read_model(model)
    codes = known.codes(inputs.read_table(table, delimiter))
    nats = known.answers.log_prob(codes)
    cells = (codes >= 0).sum(1)
    scores = Table.of(
        {
            "row": list(range(1, len(codes) + 1)),
            "cells": cells.tolist(),
            "log_prob": nats.tolist(),
            "per_cell": (nats / np.maximum(cells, 1)).tolist(),
        }
    )
    mean = float(nats.sum() / max(1, cells.sum()))
    text = f"{len(codes):,} rows, {mean:.3f} nats a cell on average."
    show.finish(scores, output, text, as_json=as_json, mean_per_cell=mean)
