"""The file of verdicts that comes with the package: written again it is the same."""

import gzip
import json
from pathlib import Path

import pytest

from steelyard.measures.catalogue import catalogue
from steelyard.proofs import precomputed as shipped

PACKAGED = Path(shipped.__file__).parent / "decided.json.gz"


@pytest.fixture
def elsewhere(monkeypatch, tmp_path):
    """Whatever is written goes there."""
    file = tmp_path / "decided.json.gz"
    monkeypatch.setattr(shipped, "FILE", file)
    return file


def test_written_again_the_file_is_the_same(elsewhere, capsys):
    before = json.loads(gzip.decompress(PACKAGED.read_bytes()))
    made_of = {m.name: shipped.made_of(m) for m in catalogue(wide=True)}
    made_of = {name: one for name, one in made_of.items() if one is not None}
    assert set(made_of.values()) <= set(before), "run python -m steelyard.proofs.precomputed --missing"
    elsewhere.write_bytes(PACKAGED.read_bytes())
    shipped._decided.cache_clear()
    try:
        assert shipped.shipped(made_of["accuracy"], "p1") is not None
        shipped.main(reuse=True)
    finally:
        shipped._decided.cache_clear()
    assert capsys.readouterr().out == ""  # nothing was decided
    written = elsewhere.read_bytes()
    assert written[4:8] == bytes(4)  # no time of day in it (RFC 1952): the same verdicts are the same file
    expected = {key: before[key] for key in made_of.values()}
    assert json.loads(gzip.decompress(written)) == expected


def test_without_the_file_there_are_no_verdicts(elsewhere):
    shipped._decided.cache_clear()
    try:
        accuracy = shipped.made_of(catalogue()[0])
        assert shipped.shipped(accuracy, "p1") is None
        elsewhere.write_bytes(PACKAGED.read_bytes())
        shipped._decided.cache_clear()
        assert shipped.shipped(accuracy, "p1") is not None
    finally:
        shipped._decided.cache_clear()
