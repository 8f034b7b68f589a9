"""`clgp inspect`: the schema that a table suggests, with reasons, to be looked at and edited."""

import click

from clgp.cli import inputs, options, show


@options.verb("""\
$ clgp inspect wisconsin --missing-code class=unknown -o schema.toml""")
@options.table
@options.out("Write the schema as a TOML file to edit and to give to `clgp fit --schema`.")
@options.missing_code
@options.kind
@options.as_json
def command(
    table: str,
    delimiter: str | None,
    output: str | None,
    missing_code: tuple[str, ...],
    kind: tuple[str, ...],
    *,
    as_json: bool,
) -> None:
    """Show what each column of TABLE seems to be, why, and what deserves a look.

    No code is silently taken for a missing answer: suspects such as 99 or '?' are named in the
    notes, and count as missing once --missing-code or an edited schema says so.
    """
    show.check_streams(output, as_json=as_json)
    show.check_output(output)
    read = inputs.read_table(table, delimiter)
    schema = inputs.schema_of(read, missing=missing_code, kinds=kind)
    if output == "-":
        click.echo(schema.to_toml(), nl=False)
        return
    if output is not None:
        schema.write(output)
    if as_json:
        told = {"rows": len(read), "columns": schema.to_json()["columns"], "notes": schema.notes}
        show.print_json(told | ({"output": output} if output else {}))
        return
    show.print_text(f"{read.source}: {len(read):,} rows × {len(read.columns)} columns\n")
    show.print_text(schema)
    for note in schema.notes:
        show.print_text(f"Note: {note}")
    if output is not None:
        show.print_text(f"\n{output}: the schema; edit it and give it to clgp fit --schema.")
