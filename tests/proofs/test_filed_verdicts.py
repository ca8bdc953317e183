"""The file of verdicts that comes with the package: written again it is the same."""

import gzip
import hashlib
import json
from pathlib import Path

import pytest

from steelyard.measures import measure as declarations
from steelyard.measures.catalogue import catalogue
from steelyard.proofs import body_check
from steelyard.proofs import precomputed as shipped
from steelyard.proofs.body_check import fingerprint

PACKAGED = Path(shipped.__file__).parent / "decided.json.gz"


def of_the_definitions():
    """SHA-256 of the names and texts of the files in which measures are defined, and of the one that reads them."""
    files = sorted(Path(declarations.__file__).parent.glob("*.py"))
    assert len(files) > 10
    every = [*files, Path(body_check.__file__)]
    return hashlib.sha256(b"".join(path.name.encode() + path.read_bytes() for path in every)).hexdigest()


@pytest.fixture
def elsewhere(monkeypatch, tmp_path):
    """Whatever is written goes there."""
    file = tmp_path / "decided.json.gz"
    monkeypatch.setattr(shipped, "FILE", file)
    return file


def test_written_again_the_file_is_the_same(elsewhere, capsys):
    before = json.loads(gzip.decompress(PACKAGED.read_bytes()))
    made_of = {m.name: fingerprint(m) for m in catalogue(wide=True)}
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
    expected["stamp"] = {"sources": of_the_definitions(), "fingerprints": made_of}
    assert json.loads(gzip.decompress(written)) == expected


def test_without_the_file_there_are_no_verdicts(elsewhere):
    shipped._decided.cache_clear()
    try:
        accuracy = fingerprint(catalogue()[0])
        assert shipped.shipped(accuracy, "p1") is None
        elsewhere.write_bytes(PACKAGED.read_bytes())
        shipped._decided.cache_clear()
        assert shipped.shipped(accuracy, "p1") is not None
    finally:
        shipped._decided.cache_clear()


def test_the_stamp_is_of_every_letter_of_the_definitions():
    shipped._sources.cache_clear()
    assert shipped._sources() == of_the_definitions()
