"""Is a planned test set large enough, and not much larger?"""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy.stats import beta, binom

import steelyard as sy
from steelyard.cli import main
from steelyard.judgement.plan.result import Plan

pytestmark = pytest.mark.usefixtures("few_samples")


def test_a_rate_needs_what_the_textbook_says() -> None:
    """A 95% interval of a rate p is about 2 x 1.96 sqrt(p (1 - p) / n) wide: p = 0.8, width 0.05 needs n = 983."""
    (design,) = sy.plan("recall", 0.05, rate=0.8, assurance=0.5).designs
    assert design.examples["positive"] == pytest.approx(983, rel=0.05)
    assert design.high - design.low <= 0.05


def test_a_planned_test_set_keeps_its_promise() -> None:
    pilot = sy.Confusion([[90, 10], [30, 870]], labels=["fraud", "ok"])
    plan = sy.plan("precision", 0.05, pilot=pilot, assurance=0.5)
    assert [design.name for design in plan.designs] == ["equal class sizes", "expected class distribution"]
    for design in plan.designs:
        found = sy.interval(design.matrix, ["precision"], positive="fraud")["precision"]
        assert found.high - found.low <= 0.05
        assert found.high - found.low > 0.045
    equal, shares = plan.designs
    assert equal.value == pytest.approx(0.9 / (0.9 + 1 / 30), abs=0.01)  # of fraud, in both designs
    assert shares.value == pytest.approx(0.75, abs=0.01)
    assert shares.examples["ok"] == pytest.approx(9 * shares.examples["fraud"], rel=0.01)


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "--measure", "gmean", "--width", "0.1", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["designs"][0]["of_class"]["positive"] == told["designs"][0]["of_class"]["negative"]
    assert main(["plan", "--measure", "gmean", "--width", "0.1", "--classes", "3"]) == 0
    assert '"c3"' in capsys.readouterr().out
    assert main(["plan", "--measure", "gmean", "--width", "-1"]) == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"width": 0}, "width= is out of range; found 0; allowed: a number above 0"),
        (
            {"width": 0.1, "rate": 1.2},
            "rate= is out of range; found 1.2; allowed: a number of at least 0 and at most 1",
        ),
        (
            {"width": 0.1, "classes": 1},
            "classes= is out of range; found 1; allowed: a whole number of at least 2",
        ),
        ({"width": 0.1, "pilot": [[0, 0], [1, 5]]}, "no examples of a class"),
        ({"width": 0.1, "shares": [1]}, "one for each class"),
        ({"width": 1e-6}, "no test set of a reasonable size"),
    ],
)
def test_what_is_refused(arguments: dict[str, object], words: str) -> None:
    with pytest.raises(sy.InputError, match=words):
        sy.plan("gmean", **arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize(("classes", "rate"), [(3, 0.8), (12, 0.95), (20, 0.8)])
def test_many_classes_need_what_the_textbook_says(classes: int, rate: float) -> None:
    """Rounding made a few examples of each class examples without an error: 30 were said to be enough. The
    formula is that of the expected width, which half of the test sets reach."""
    (design,) = sy.plan("accuracy", 0.05, classes=classes, rate=rate, draws=2_000, assurance=0.5).designs
    textbook = 4 * 1.96**2 * rate * (1 - rate) / 0.05**2
    assert textbook * 0.9 < int(design.matrix.total) < textbook * 1.15 + 2 * classes
    assert design.value == pytest.approx(rate, abs=0.01)
    assert len(set(design.examples.values())) == 1
    columns = design.matrix.predicted
    assert columns.max() - columns.min() <= 0.1 * columns.mean() + 2  # no class gets the errors of all


def test_whole_numbers_keep_what_a_pilot_never_confuses() -> None:
    pilot = [[40, 0, 0], [0, 30, 10], [5, 5, 30]]
    for design in sy.plan("macro_recall", 0.1, pilot=pilot, draws=1_000).designs:
        assert design.matrix.counts[0, 1:].tolist() == [0, 0]
        assert design.matrix.counts[1, 0] == 0


def test_a_table_of_many_classes_fits_and_a_long_wait_is_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    text = str(sy.plan("accuracy", 0.2, classes=40, draws=100))
    assert "fewest of a class" in text
    assert max(map(len, text.splitlines()[-2:])) <= 100
    monkeypatch.setattr("steelyard.judgement.waiting.LONG", 1e-6)
    with pytest.warns(UserWarning, match="planning for 3 classes takes about"):
        sy.plan("accuracy", 0.2, classes=3)


@pytest.mark.parametrize(
    ("measure", "width", "rate", "classes"), [("accuracy", 0.1, 0.9, 60), ("macro_recall", 0.05, 1.0, 30)]
)
def test_a_plan_for_many_classes_is_no_larger_than_it_must_be(
    measure: str, width: float, rate: float, classes: int
) -> None:
    """Fewer than ten of each class, and fewer than five, may be enough."""
    design = sy.plan(measure, width, rate=rate, classes=classes).designs[0]
    assert sum(design.examples.values()) < 5 * classes
    assert design.high - design.low <= width


def test_power_is_that_of_mcnemar() -> None:
    """Accuracy 0.80 and 0.85 on the same rows: with independent errors 0.29 of the rows are discordant, the
    variance of a row is 0.29 - 0.05^2, and (1.960 + 0.842)^2 x 0.2875 / 0.05^2 = 903 rows; with errors that
    agree as far as they can 0.05 are, and 149 rows are enough."""
    apart = sy.plan("accuracy", difference=0.05, agreement=0.0)
    alike = sy.plan("accuracy", difference=0.05, agreement=1.0)
    assert apart.rows == pytest.approx(903, rel=0.06)
    assert alike.rows == pytest.approx(149, rel=0.06)
    least = sy.plan("accuracy", rows=903, agreement=0.0)
    assert least.difference == pytest.approx(0.05, rel=0.04)
    assert least.smallest


def test_data_sets_for_a_difference() -> None:
    """(1.960 + 0.842)^2 x 0.03^2 / 0.02^2 = 17.7: 18 data sets where test sets are large."""
    assert sy.plan("gmean", difference=0.02, between=0.03).datasets == 18
    assert sy.plan("gmean", difference=0.02, between=0.03, rows=500).datasets > 18


def test_rows_of_clusters_by_the_design_effect() -> None:
    """Kish (1965): 20 rows a cluster with an intraclass correlation of 0.1 count as 1 / (1 + 19 * 0.1) rows."""
    alone = sy.plan("gmean", difference=0.03).rows
    clustered = sy.plan("gmean", difference=0.03, cluster_size=20, intraclass=0.1)
    assert 2.9 * (alone - 1) <= clustered.rows <= 2.9 * alone + 20
    assert clustered.rows == 20 * clustered.clusters
    assert sy.plan("gmean", difference=0.03, cluster_size=20, intraclass=0).rows - alone < 20
    shown = sy.plan("gmean", rows=1000, cluster_size=20, intraclass=0.1).difference
    # The standard error depends a little on the difference, too.
    assert shown == pytest.approx(math.sqrt(2.9) * sy.plan("gmean", rows=1000).difference, rel=0.05)


def test_seeds_for_a_difference() -> None:
    """z = 1.959964 + 0.841621. Of the variance (0.03 / z)^2 that a difference of 0.03 allows, 5,000 rows take
    N / 5,000, where N rows alone detect it; the seeds have the rest."""
    rest = (0.03 / 2.801585) ** 2 * (1 - sy.plan("gmean", difference=0.03).rows / 5000)
    planned = sy.plan("gmean", difference=0.03, rows=5000, between_seeds=0.02)
    assert planned.seeds == math.ceil(0.02**2 / rest)
    back = sy.plan("gmean", difference=0.03, between_seeds=0.02, seeds=planned.seeds)
    assert back.rows <= 5000
    assert sy.plan("gmean", difference=0.03, between_seeds=0.02, seeds=planned.seeds + 1).rows < back.rows
    with pytest.raises(sy.InputError, match="no number of seeds"):
        sy.plan("gmean", difference=0.03, rows=500, between_seeds=0.02)
    with pytest.raises(sy.InputError, match="no number of rows"):
        sy.plan("gmean", difference=0.03, between_seeds=0.2, seeds=2)


def test_prevalence_gives_rows() -> None:
    equal, sample = sy.plan("recall", 0.1, prevalence=0.05, assurance=0.5).designs
    assert sample.name == "expected class distribution"
    assert sample.total == pytest.approx(20 * sample.examples["positive"], rel=0.02)
    assert sample.examples["positive"] == pytest.approx(equal.examples["positive"], rel=0.1)


def test_the_width_is_reached_with_the_assurance_asked_for() -> None:
    """Widths of Wald's interval at simulated recalls: independent of how the plan simulates."""
    (design,) = sy.plan("recall", 0.05, rate=0.8).designs
    n = design.examples["positive"]
    rates = np.random.default_rng(1).binomial(n, 0.8, 2000) / n
    narrow = 2 * 1.96 * np.sqrt(rates * (1 - rates) / n) <= 0.05
    assert 0.7 < narrow.mean() < 0.97
    half = sy.plan("recall", 0.05, rate=0.8, assurance=0.5).designs[0].examples["positive"]
    assert n > half


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "nothing is asked of the test set"),
        (["--difference", "0.3"], "cannot be better by 0.3"),
        (["--difference", "0.02", "--rows", "100"], "rows are planned for a difference"),
        (["--between", "0.1", "--rows", "100"], "data sets are planned for a difference"),
        (["--rows", "500", "--power", "1"], "--power is out of range"),
        (["--rows", "500", "--agreement", "2"], "--agreement is out of range"),
        (["--width", "0.1", "--classes", "3", "--prevalence", "0.1"], "a prevalence is that of two classes"),
    ],
)
def test_power_refuses(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "--measure", "gmean", *arguments]) == 2
    assert words in capsys.readouterr().err


def test_the_class_may_stand_in_the_name_of_the_metric() -> None:
    """As in gate and sample: recall[b] is the recall with positive class b."""
    pilot = sy.Confusion([[90, 10], [30, 870]], labels=["a", "b"])
    named = sy.plan("recall[b]", 0.1, pilot=pilot)
    assert named.to_dict() == sy.plan("recall", 0.1, pilot=pilot, positive="b").to_dict()
    with pytest.raises(sy.InputError, match="two positive classes"):
        sy.plan("recall[b]", 0.1, pilot=pilot, positive="a")


@pytest.mark.parametrize(("rate", "width"), [(0.91, 0.2), (0.91, 0.1), (0.8, 0.1)])
def test_the_size_for_a_recall_is_that_of_a_binomial_calculation_for_every_seed(
    rate: float, width: float
) -> None:
    """The smallest number of positives of which Jeffreys' interval is narrow enough with a probability of 0.8: the binomial
    distribution and quantiles of Beta(hits + 1/2, misses + 1/2)."""

    def assured(number: int) -> float:
        hits = np.arange(number + 1)
        low, high = (beta.ppf(p, hits + 0.5, number - hits + 0.5) for p in (0.025, 0.975))
        return float(binom.pmf(hits, number, rate)[high - low <= width].sum())

    smallest = next(n for n in range(5, 1000) if assured(n) >= 0.8)
    pilot = [[round(1000 * rate), 1000 - round(1000 * rate)], [4190, 34810]]
    for seed in (0, 3, 5):
        plan = sy.plan("recall", width, matrix=pilot, labels=("fraud", "ok"), positive="fraud", seed=seed)
        assert isinstance(plan, Plan)
        for design in plan.designs:
            assert design.examples["fraud"] == pytest.approx(smallest, rel=0.1)
