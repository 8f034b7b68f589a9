"""Learn a distribution from a table of categorical answers, and ask it about any row."""

__version__ = "0.1.0.dev0"
