"""The model file: what goes in comes out, and no damaged byte goes unnoticed."""

import json

import numpy as np
import pytest

import clgp
from clgp import store
from clgp.data import path
from clgp.estimator import MODELS

FAST = ["multinomial", "bigram", "tree", "lca"]


@pytest.fixture(scope="module")
def votes():
    return clgp.read(path("votes"))


@pytest.mark.parametrize("name", FAST)
def test_a_model_read_back_answers_the_same(name, votes, tmp_path):
    model = MODELS[name](random_state=0, verbose=False).fit(votes).fitted
    file = tmp_path / "m.clgp"
    model.save(file)
    back = clgp.load(file)
    np.testing.assert_array_equal(back.score_samples(votes), model.score_samples(votes))
    assert repr(back) == repr(model)
    assert back.schema.to_json() == model.schema.to_json()
    assert back.origin["table_sha256"] == model.origin["table_sha256"]
    assert file.stat().st_size < 500_000


@pytest.fixture(scope="module")
def small(votes, tmp_path_factory):
    model = MODELS["multinomial"](random_state=0, verbose=False).fit(votes).fitted
    model.save(tmp_path_factory.mktemp("small") / "m.clgp")
    return model


@pytest.fixture
def file(small, tmp_path):
    small.save(tmp_path / "m.clgp")
    return tmp_path / "m.clgp"


def test_a_changed_byte_anywhere_is_met_by_a_sentence(file):
    data = bytearray(file.read_bytes())
    for at in np.random.default_rng(0).integers(len(data), size=300).tolist() + [0, 8, 9]:
        changed = data.copy()
        changed[at] ^= 1 << (at % 8)
        file.write_bytes(changed)
        with pytest.raises(clgp.InputError, match="damaged|newer"):
            clgp.load(file)


@pytest.mark.parametrize("length", [0, 5, 100, 0.5, -1])
def test_a_cut_file_is_met_by_a_sentence(length, file):
    data = file.read_bytes()
    cut = int(length * len(data)) if isinstance(length, float) else length
    file.write_bytes(data[:cut])
    with pytest.raises(clgp.InputError, match="damaged"):
        clgp.load(file)


def test_a_newer_format_asks_for_a_newer_program(small, file, monkeypatch):
    monkeypatch.setattr(store, "FORMAT", 99)
    small.save(file)
    monkeypatch.undo()
    with pytest.raises(clgp.InputError, match="newer clgp"):
        clgp.load(file)


def test_other_files_and_folders_are_told_from_models(tmp_path):
    (tmp_path / "a.clgp").write_bytes(b"\x05\0\0\0\0\0\0\0" + json.dumps([1]).encode())
    for name in ("a.clgp", "none.clgp", "."):
        with pytest.raises(clgp.InputError):
            clgp.load(tmp_path / name)
