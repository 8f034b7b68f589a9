"""`clgp embed`: where each row lies on the map that the model draws."""

from clgp.cli import inputs, options, show


@options.verb("""\
$ clgp embed wisconsin.clgp wisconsin -o map.csv""")
@options.model
@options.table
@options.out("The table to write; `-` is standard output.", default="-")
@options.as_json
def command(model: str, table: str, delimiter: str | None, output: str, *, as_json: bool) -> None:
    """Each row's place in two dimensions, x and y, with their standard deviations.

    Rows that lie close answer alike. Only models with a two-dimensional latent part have a map.
    """
    show.check_output(output, table=True)
    known = inputs.read_model(model)
    read = inputs.read_table(table, delimiter)
    places = known.embed(read)
    show.finish(places, output, f"{len(read):,} rows on the map.", as_json=as_json)
