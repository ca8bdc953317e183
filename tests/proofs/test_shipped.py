"""The verdicts that come with the package are those the engine gives, and their counterexamples are real."""

from dataclasses import replace

import pytest

from steelyard.measures.catalogue import catalogue
from steelyard.proofs.precomputed import decide_anew, made_of, shipped
from steelyard.proofs.prover.subject import Subject, is_nan
from steelyard.proofs.questions.conditions import PROPERTIES
from tests.real_parts import needs

MEASURES = [m for m in catalogue() if m.kind != "scores"]
AGAIN = ("prior-invariance", "p2", "order-invariance")


@pytest.mark.parametrize("measure", MEASURES, ids=lambda m: m.name)
def test_every_measure_has_its_verdicts(measure):
    known = made_of(measure)
    found = [shipped(known, p.id) for p in PROPERTIES]
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


SLOW = ("maurpc_ova", "weighted_f_beta", "weighted_precision")
"""Measures that take as long as all others together."""


@pytest.mark.parametrize(
    "measure",
    [pytest.param(m, marks=pytest.mark.whole) if m.name in SLOW else m for m in MEASURES],
    ids=lambda m: m.name,
)
def test_a_part_is_decided_again(measure):
    needs("flint")
    for property_id in AGAIN:
        before, now = shipped(made_of(measure), property_id), decide_anew(measure, property_id)
        assert (before.grade, before.classes, before.conditions) == (now.grade, now.classes, now.conditions)


def test_another_definition_has_none():
    assert shipped(None, "p1") is None
    assert shipped(made_of(MEASURES[0].named(id="mine")), "p1") is None


def test_a_fingerprint_is_of_the_graph_and_of_what_is_declared():
    other = replace(MEASURES[0], graph=MEASURES[1].graph)
    assert made_of(other) not in (made_of(MEASURES[0]), made_of(MEASURES[1]), None)
    assert made_of(replace(MEASURES[0], title="Another title")) == made_of(MEASURES[0])
    assert made_of(replace(MEASURES[0], better="neither")) != made_of(MEASURES[0])
