"""Every verb of the command line, the module that holds it, and a line of help; imports nothing."""

DEFAULT_MODEL = "clgp"
MODEL_NAMES = ("clgp", "lgm", "uniform", "multinomial", "unigram", "bigram", "tree", "lca")
"""The names in `estimator.MODELS`, for the help page."""

VERBS = {
    "inspect": ("clgp.cli.inspect", "Show what the columns of a table mean, and write a schema."),
    "fit": ("clgp.cli.fit", "Learn a model from a table and save it."),
    "complete": ("clgp.cli.complete", "Fill the holes of a table, where sure enough."),
    "impute": ("clgp.cli.impute", "Fill the holes of a table many times with joint draws."),
    "next": ("clgp.cli.next", "Rank what to ask for next."),
    "score": ("clgp.cli.score", "Log-probability of every row of a table."),
    "unusual": ("clgp.cli.unusual", "The least probable rows, with the cells to blame."),
    "sample": ("clgp.cli.sample", "Draw new rows, given some answers if any."),
    "embed": ("clgp.cli.embed", "Where each row lies on the model's map."),
    "evaluate": ("clgp.cli.evaluate", "Hide cells of a table, predict them, and say how well."),
    "info": ("clgp.cli.info", "What a model file holds and how good the model is."),
    "demo": ("clgp.cli.demo", "The whole way on a bundled table, in a folder of your choice."),
}


def overview() -> str:
    """The help of `clgp` itself."""
    lines = [f"  {verb:<9} {text}" for verb, (_, text) in VERBS.items()]
    return "\n".join(
        [
            "Usage: clgp VERB …    (clgp VERB --help for more)",
            "",
            "Learn a distribution from a small table of categories with holes, and ask it about",
            "any row: what fills a hole, how sure that is, what to ask for next.",
            "",
            *lines,
            "",
            "Tables are files ending in .csv, .tsv, .parquet, .arrow, .xlsx, .sav or .dta, `-` for",
            "standard input, or one of the bundled tables `wisconsin` and `votes`.",
            "Every verb takes --json. Start with: clgp demo",
        ]
    )
