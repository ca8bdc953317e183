"""The verdicts that come with the package are those the engine gives, and their counterexamples are real."""

import pytest

from steelyard.measures.catalogue import catalogue
from steelyard.properties.body_check import fingerprint
from steelyard.properties.conditions import PROPERTIES
from steelyard.properties.shipped import decide_anew, shipped
from steelyard.properties.subject import Subject, is_nan
from tests.real_parts import needs

MEASURES = [m for m in catalogue() if m.kind != "scores"]
AGAIN = ("prior-invariance", "p2", "order-invariance")


@pytest.mark.parametrize("measure", MEASURES, ids=lambda m: m.name)
def test_every_measure_has_its_verdicts(measure):
    made_of = fingerprint(measure)
    found = [shipped(made_of, p.id) for p in PROPERTIES]
    assert None not in found, "run python -m steelyard.properties.shipped"
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
