"""Is a measured value set against its target the right way round?"""

from __future__ import annotations

import pytest

from benchmarks import growth
from benchmarks.finding import Finding, Target, table, tally


@pytest.mark.parametrize(
    ("sense", "value", "verdict"),
    [
        ("at least", 19.9, "missed"),
        ("at least", 20.0, "met"),
        ("at least", 20.1, "met"),
        ("at most", 19.9, "met"),
        ("at most", 20.0, "met"),
        ("at most", 20.1, "missed"),
        ("below", 19.9, "met"),
        ("below", 20.0, "missed"),
    ],
)
def test_verdict(sense, value, verdict):
    assert Finding("counting", value, "x", Target(sense, 20)).verdict == verdict


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
def test_the_exponent_of_growth_is_found_above_a_fixed_cost(power):
    sizes = (1, 100, 1_000, 10_000)
    costs = [0.3 + 0.1 * (size**power if size > 1 else 0) for size in sizes]
    assert growth.exponent(sizes, costs, 0.001) == pytest.approx(power)


def test_what_stays_below_noise_does_not_grow():
    assert growth.exponent((1, 10, 100), [0.2, 0.21, 0.25], 0.02) is None


def test_a_value_without_a_target_has_no_verdict():
    finding = Finding("counting", 3.0, "x")
    assert finding.verdict == ""
    assert str(finding).split() == ["counting", "3x"]


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (2345.6, "x", "2,346x"),
        (5.4567, "x", "5.46x"),
        (20, "x", "20x"),
        (-69.34, "ms", "-69.3 ms"),
        (0.27, "x", "0.27x"),
    ],
)
def test_amount(value, unit, text):
    assert Finding("counting", value, unit).amount(value) == text


def test_a_line_shows_value_target_and_verdict():
    line = str(Finding("faster than a peer", 1999.4, "x", Target("at least", 2000)))
    assert line.split("  ")[-1].strip().endswith("missed")
    assert "1,999x" in line
    assert "at least 2,000x" in line


def test_tally_counts_only_findings_with_a_target():
    target = Target("at most", 1)
    assert (
        tally(
            [
                Finding("a", 0.5, "x", target),
                Finding("b", 2, "x", target),
                Finding("c", 0.5, "x", target),
                Finding("d", 9, "x"),
            ]
        )
        == "2 met, 1 missed"
    )


def test_a_table_shows_every_value_with_its_topic():
    found = {"scores": [Finding("a", 0.5, "x", Target("at most", 1)), Finding("b", 2e-5, "")]}
    assert table(found).splitlines()[2:] == [
        "| scores: a | 0.5x | at most 1x | met |",
        "| scores: b | 2e-05 |  | for information |",
    ]
