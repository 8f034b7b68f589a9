"""Packages of the extra `clgp[files]`, imported only where a file needs them."""

import importlib
from typing import Any

from clgp.tables.errors import InputError


def needed(package: str, what: str) -> Any:
    """The package, or a sentence saying how to install it."""
    try:
        return importlib.import_module(package)
    except ImportError:
        raise InputError(
            f"{what} needs the package {package}; install it with: pip install 'clgp[files]'."
        ) from None
