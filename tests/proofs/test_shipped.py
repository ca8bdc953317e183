"""The verdicts that come with the package are those the engine gives, and their counterexamples are real."""

from dataclasses import replace

import pytest

from steelyard.measures.catalogue import catalogue
from steelyard.proofs import precomputed as shipped_file
from steelyard.proofs.body_check import fingerprint
from steelyard.proofs.precomputed import decide_anew, made_of, shipped
from steelyard.proofs.prover.subject import Subject, is_nan
from steelyard.proofs.questions.conditions import PROPERTIES
from tests.real_parts import needs

MEASURES = [m for m in catalogue() if m.kind != "scores"]
AGAIN = ("prior-invariance", "p2", "order-invariance")


@pytest.mark.parametrize("measure", MEASURES, ids=lambda m: m.name)
def test_every_measure_has_its_verdicts(measure):
    made_of = fingerprint(measure)
    found = [shipped(made_of, p.id) for p in PROPERTIES]
    assert None not in found, "run python -m steelyard.proofs.precomputed"
    assert all(v.subject == measure.name for v in found)
    subject = Subject(measure)
    for verdict in found:
        example = verdict.counterexample
        if example is None:
            assert verdict.grade != "refuted" or verdict.question == "same-bounds"
            continue
        for matrix, value in zip(example.matrices, example.values, strict=False):
            again = subject.value(matrix)
            assert (is_nan(again) and is_nan(value)) or not subject.differ(again, value)


@pytest.mark.parametrize("measure", MEASURES, ids=lambda m: m.name)
def test_a_part_is_decided_again(measure):
    needs("flint")
    for property_id in AGAIN:
        before, now = shipped(fingerprint(measure), property_id), decide_anew(measure, property_id)
        assert (before.grade, before.classes, before.conditions) == (now.grade, now.classes, now.conditions)


def test_another_definition_has_none():
    assert shipped(None, "p1") is None
    assert shipped(fingerprint(MEASURES[0].named(id="mine")), "p1") is None


def test_filed_fingerprints_are_those_of_the_bodies():
    """One hash of the definitions stands for the fingerprint of each; a measure that is not the catalogue's own is read."""
    for measure in MEASURES:
        assert made_of(measure) == fingerprint(measure)
    other = replace(MEASURES[0], body=MEASURES[1].body)
    assert made_of(other) == fingerprint(other) != made_of(MEASURES[0])


def test_a_changed_definition_has_no_filed_fingerprint(monkeypatch):
    filed = {
        **shipped_file._decided(),
        "stamp": {"sources": "of another day", "fingerprints": {MEASURES[0].name: "x"}},
    }
    monkeypatch.setattr(shipped_file, "_decided", lambda: filed)
    assert made_of(MEASURES[0]) == fingerprint(MEASURES[0])
