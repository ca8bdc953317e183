"""The first screens of ten kinds of test sets are kept, were read, and say what is true.

The kept texts are compared without the ends of intervals and probabilities, which come from draws. What the
sentences say is counted again from the rows. Few test sets are drawn, but for texts in which a number that comes from
draws is compared: an interval in percent, or the smallest difference that a test set of this size shows.
"""

import re
from collections import Counter
from contextlib import nullcontext

import pytest

import steelyard as sy
from steelyard.report.class_names import short, short_names
from tests.few_samples import drawing_few_samples
from tests.judgement.first_screens.cases import CASES, path_of
from tests.judgement.first_screens.screens import screen

DRAWN = re.compile(r"(?<![\d.])[+-]?\d\.\d+ to [+-]?\d\.\d+|[<>] 0\.\d+|(?<= )0\.\d{3}(?= +\d+ of )")


@pytest.fixture(scope="module", params=CASES)
def name(request):
    return request.param


@pytest.fixture(scope="module")
def case(name):
    return CASES[name]()


@pytest.fixture(scope="module")
def evaluated(name, case):
    return _drawn(name, case, "evaluate")


def _drawn(name, case, command):
    kept = path_of(name, command).read_text(encoding="utf-8")
    with nullcontext() if re.search(r"\d% to|\sor\s+more", kept) else drawing_few_samples():
        return screen(case, command)


@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_the_first_screen_is_the_one_that_was_read(name, case, command, evaluated):
    shown = evaluated if command == "evaluate" else _drawn(name, case, command)
    lines = shown.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    assert _without_draws(shown) == _without_draws(path_of(name, command).read_text(encoding="utf-8"))


def _without_draws(text: str) -> str:
    return " ".join(DRAWN.sub("drawn", text).split())


def test_what_is_said_is_what_the_rows_say(case, evaluated):
    said = " ".join(evaluated.split())
    model = next(iter(case.models.values()))
    sizes, called = Counter(case.truth), Counter(model)
    hits = Counter(t for t, p in zip(case.truth, model, strict=True) if t == p)
    names = dict(zip(sorted(sizes), short_names(sorted(sizes)), strict=True))
    most = max(sizes.values())
    assert any(f'Always predicting "{names[label]}"' in said for label, n in sizes.items() if n == most)
    if case.positive is None:
        assert f"{sum(hits.values()):,} of {len(model):,} correct" in said
        worst = sorted((hits[c] / n, n, c) for c, n in sizes.items() if hits[c] < n)[:3]
        for _, n, label in worst:
            name = f'"{names[label]}"' if names[label][:1].isdigit() else names[label]
            assert f"{name} ({hits[label]:,} of {n:,})" in said
        return
    found, of, alerts = hits[case.positive], sizes[case.positive], called[case.positive]
    if not alerts:
        assert f'Never predicts "{case.positive}": all {of} are missed (recall 0%).' in said
    else:
        assert f"Detects {found} of {of} {case.positive} cases" in said
        false = alerts - found
        words = (
            f"{false} of its {alerts} alerts are false" if false else f"none of its {alerts} alerts is false"
        )
        assert words in said


def test_the_cause_of_a_gap_is_the_class_that_makes_it():
    """Two thinned digits are found badly: they, not the largest class, make accuracy fall on balanced classes.

    By hand: accuracy less macro recall is the sum over classes of (share - 1/10) times recall."""
    case = CASES["thinned digits"]()
    model = case.models["first"]
    sizes = Counter(case.truth)
    recall = {
        c: sum(t == p == c for t, p in zip(case.truth, model, strict=True)) / n for c, n in sizes.items()
    }
    parts = {c: (sizes[c] / len(model) - 0.1) * recall[c] for c in sizes}
    mean = sum(recall.values()) / 10
    gap = sum(parts.values())
    shifts = {shift.measure.id: shift for shift in sy.evaluate(case.truth, model).shifts}
    accuracy = shifts["accuracy"]
    assert accuracy.observed - accuracy.balanced == pytest.approx(gap, abs=1e-12)
    assert sum(part.contribution for part in accuracy.causes) == pytest.approx(gap, abs=1e-9)
    # A class helps the gap by what it takes from the mean of the others, so the two thinned ones lead.
    assert {part.label for part in accuracy.causes[:2]} == {"3", "8"}, (accuracy.causes, mean)


def test_long_names_are_cut_so_that_they_still_differ():
    names = [f"family of the order Passeriformes, number {n:02d} of the northern list" for n in range(25)]
    assert len(set(short_names(names))) == 25
    assert all(len(shown) <= 24 for shown in short_names(names))
    assert short_names(["a", "b"]) == ["a", "b"]
    both = ["x" * 40 + str(n) * 40 + "y" * 40 for n in range(3)]
    assert len(set(short_names(both))) == 3
    assert short("  ") == "(blank)"
