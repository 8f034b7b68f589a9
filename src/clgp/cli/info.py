"""`clgp info`: what a model file holds."""

from clgp.cli import inputs, options, show
from clgp.cli.fit import about


@options.verb("""\
$ clgp info wisconsin.clgp""")
@options.model
@options.as_json
def command(model: str, *, as_json: bool) -> None:
    """What MODEL was fitted to, how good it is, its columns, its notes and where it comes from."""
    known = inputs.read_model(model)
    if as_json:
        show.print_json(about(known) | {"schema": known.schema.to_json()})
        return
    show.print_text(known)
    show.print_text(f"\n{known.schema}\n")
    for name, value in known.origin.items():
        show.print_text(f"{name:<13} {_words(value)}")


def _words(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{k} {v}" for k, v in value.items())
    return f"{value:.4g}" if isinstance(value, float) else str(value)
