"""Every example in the docstrings of `clgp.tables` runs and says what it says."""

import doctest
import importlib
import pkgutil

import numpy as np
import pytest

import clgp.tables

MODULES = [m.name for m in pkgutil.iter_modules(clgp.tables.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    module = importlib.import_module(f"clgp.tables.{name}")
    flags = doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL
    assert doctest.testmod(module, extraglobs={"np": np}, optionflags=flags).failed == 0
