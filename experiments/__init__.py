"""One short program for each table and figure of the paper; see `common` for what they share."""
