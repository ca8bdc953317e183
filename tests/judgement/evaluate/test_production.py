"""Performance in production without labels: by hand, by simulation with a known truth, and what is refused."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize

import steelyard as sy
from steelyard.counts.ties import Ties
from steelyard.judgement.evaluate.first_screen import headline_table
from steelyard.scores.dataset_shift import (
    RIDGE,
    STEP_RIDGE,
    _spline,
    calibrated,
    label_shift_p_value,
    scored_cells,
)
from tests.schemas import BY_COMMAND, fits

pytestmark = pytest.mark.usefixtures("few_samples")

MATRIX = sy.Confusion([[90, 10], [30, 870]], labels=["fraud", "ok"])


def chance(x, offset=-2.0):
    return 1 / (1 + np.exp(-(2 * x + offset)))


def world(random, rows, moved=0.0, share=None):
    """Scores that are too sure of themselves; moved by covariate shift, or with another prevalence."""
    x = random.normal(moved, 1, rows if share is None else 60 * rows)
    y = random.random(len(x)) < chance(x)
    if share is not None:
        positives = random.random(rows) < share
        x = np.where(positives, random.choice(x[y], rows), random.choice(x[~y], rows))
        y = positives
    score = 1 / (1 + np.exp(-1.3 * (2 * x - 2)))
    return pd.DataFrame({"y": np.where(y, "fraud", "ok"), "p": score})


def evaluated(labelled, production, **more):
    how = {"truth": "y", "score": "p", "threshold": 0.5, "positive": "fraud", "interval": None, **more}
    return sy.evaluate(labelled, production=production[["p"]], **how)


def test_labels_by_hand():
    """200 of 1,000 are predicted fraud. Label shift: (0.2 - 1/30) / (0.9 - 1/30) are; P(class | prediction)
    kept: 0.2 * 90/120 + 0.8 * 10/880 are, with a precision of 90/120."""
    found = sy.evaluate(
        MATRIX, positive="fraud", interval=None, production=["fraud"] * 200 + ["ok"] * 800
    ).production
    assert found.assumption == "label shift"
    share = (0.2 - 1 / 30) / (0.9 - 1 / 30)
    fraud = found.leads.classes[0]
    assert fraud.prevalence == pytest.approx(share)
    assert fraud.recall == pytest.approx(0.9)
    assert fraud.precision == pytest.approx(0.9 * share / 0.2)
    other = found.beside.classes[0]
    kept = 0.2 * 90 / 120 + 0.8 * 10 / 880
    assert other.prevalence == pytest.approx(kept)
    assert other.precision == pytest.approx(90 / 120)
    assert other.recall == pytest.approx(0.2 * 90 / 120 / kept)
    for one in (fraud, other):
        assert one.prevalence_low < one.prevalence < one.prevalence_high
        assert one.precision_low < one.precision < one.precision_high


def test_recall_is_defined_where_no_positive_is_expected():
    found = sy.evaluate(
        MATRIX, positive="fraud", interval=None, production=["fraud"] * 30 + ["ok"] * 970
    ).production
    rows = {row.measure.id: row.value for row in found.rows}
    assert found.leads.classes[0].prevalence == pytest.approx(0, abs=1e-8)
    assert rows["recall"] == pytest.approx(0.9)


def test_label_shift_leads_where_it_fits():
    """The interval of prevalence is that of `priors`, whose coverage is simulated in tests/scores."""
    random = np.random.default_rng(3)
    labelled, production = world(random, 2000), world(random, 5000, share=0.05)
    result = evaluated(labelled, production)
    found = result.production
    assert found.assumption == "label shift"
    assert found.beside.assumption == "covariate shift"
    assert found.rejected is None
    fraud = found.leads.classes[0]
    same = sy.priors(labelled, unlabelled=production[["p"]], truth="y", score="p", positive="fraud").best
    assert (fraud.prevalence_low, fraud.prevalence_high) == (same.low[0], same.high[0])
    assert "so it is shown first" in repr(result).replace("\n", " ")
    assert [row.id for row in found.leads.scores] == [
        "roc_auc",
        "average_precision",
        "brier",
        "calibration_error",
    ]
    fits(result.to_dict(), BY_COMMAND["evaluate"])


def test_what_was_rejected_is_not_shown():
    """Truth of the covariate shift by a million rows of the same world."""
    random = np.random.default_rng(4)
    production = world(random, 5000, moved=-0.7)
    result = evaluated(world(random, 2000), production)
    found = result.production
    assert found.assumption == "covariate shift"
    assert found.priors is None
    truth = world(random, 1_000_000, moved=-0.7)
    called, fraud = truth["p"] >= 0.5, truth["y"] == "fraud"
    estimate = found.leads.classes[0]
    assert estimate.prevalence_low < fraud.mean() < estimate.prevalence_high
    assert estimate.precision_low < fraud[called].mean() < estimate.precision_high
    assert estimate.recall_low < called[fraud].mean() < estimate.recall_high
    scores = {row.id: row for row in found.leads.scores}
    brier = ((truth["p"] - fraud) ** 2).mean()
    assert scores["brier"].low < brier < scores["brier"].high
    text = repr(result).replace("\n", " ")
    assert "not testable without labels. Label shift is rejected (p < 0.001)" in text
    assert "steelyard sample" in text
    answer = result.to_dict()["production"]
    rejected = answer.pop("rejected_label_shift")
    wrong = rejected["classes"][0]["prevalence"]
    assert wrong < 0.6 * fraud.mean()  # what label shift would have said
    assert f"{wrong:.6f}"[:7] not in json.dumps(answer)
    assert answer["priors"] is None
    page = result.to_html()
    assert "under label shift" not in page
    assert "under covariate shift" in page


def test_scores_outside_the_labelled_range_are_refused():
    random = np.random.default_rng(5)
    labelled, production = world(random, 2000), world(random, 5000, moved=0.5)
    result = evaluated(labelled[labelled["p"] < 0.7], production)
    assert result.production.leads is None
    assert result.production.rows == ()
    assert "outside the range of the labelled scores" in repr(result).replace("\n", " ")
    assert "in production" not in repr(result)


def test_size_and_power_of_the_test_of_label_shift():
    """60 sets each: more than 9 rejections of a true label shift have a probability below 0.2% at 5%."""
    random = np.random.default_rng(6)
    false = detected = 0
    for _ in range(60):
        labelled = world(random, 1000)
        counts = sy.ScoreCounts.from_scores((labelled["y"] == "fraud").astype(int), labelled["p"], 1)
        for moved, share in ((0.0, 0.1), (-1.0, None)):
            scores = world(random, 1500, moved, share)["p"].to_numpy()
            p = label_shift_p_value(scored_cells(counts, Ties.of(scores)).cells, ordered=True)
            if share is None:
                detected += p < 0.05
            else:
                false += p < 0.05
    assert false <= 9
    assert detected >= 50


def test_calibration_is_the_penalised_maximum_likelihood():
    """The same penalised likelihood, maximised by SciPy (1.17)."""
    random = np.random.default_rng(7)
    labelled = world(random, 800)
    counts = sy.ScoreCounts.from_scores((labelled["y"] == "fraud").astype(int), labelled["p"], 1)
    cells = scored_cells(counts, Ties.of(world(random, 500)["p"].to_numpy()), 0.5)
    features, table = _spline(cells), cells.cells.labelled
    penalty = np.array([0.0, 0.01, RIDGE, RIDGE, RIDGE, STEP_RIDGE])

    def loss(weights):
        z = features @ weights
        return float((table.sum(axis=0) * np.logaddexp(0, z) - table[0] * z).sum() + penalty @ weights**2 / 2)

    best = minimize(loss, np.zeros(6), method="BFGS", options={"gtol": 1e-8}).x
    expected = 1 / (1 + np.exp(-features @ best))
    assert calibrated(cells, table) == pytest.approx(expected, abs=1e-5)


def test_alerts_keep_the_labelled_precision_where_nothing_moved():
    """The class is certain on each side of the threshold, and no smooth curve says so: 40 of 50 alerts and 10
    of 950 other rows are fraud; with the same scores in production these stay, up to the penalty on the step
    (0.1 times its size, at most 10, over 50 rows)."""
    scores = np.concatenate([np.linspace(0.5, 0.6, 50), np.linspace(0.1, 0.499, 950)])
    truth = np.concatenate([np.arange(50) % 5 > 0, np.arange(950) % 95 == 40])
    labelled = pd.DataFrame({"y": np.where(truth, "fraud", "ok"), "p": scores})
    found = evaluated(labelled, labelled).production.beside.classes[0]
    assert found.precision == pytest.approx(0.8, abs=0.02)
    assert found.prevalence == pytest.approx(0.05, abs=0.001)


def test_intervals_allow_for_a_wrong_rejection():
    """A true label shift to 5% that the test rejects, as it does once in twenty times; the truth of precision
    and recall by a million rows of the same world."""
    random = np.random.default_rng(22)
    result = evaluated(world(random, 2000), world(random, 5000, share=0.05))
    found = result.production
    assert found.assumption == "covariate shift"
    assert 0.001 < found.test.p_value < 0.05
    truth = world(np.random.default_rng(0), 1_000_000)
    called, fraud = truth["p"] >= 0.5, truth["y"] == "fraud"
    recall, false_alarms = called[fraud].mean(), called[~fraud].mean()
    estimate = found.leads.classes[0]
    assert estimate.prevalence_low < 0.05 < estimate.prevalence_high
    assert estimate.recall_low < recall < estimate.recall_high
    precision = 0.05 * recall / (0.05 * recall + 0.95 * false_alarms)
    assert estimate.precision_low < precision < estimate.precision_high
    assert "though not beyond doubt" in repr(result).replace("\n", " ")


def test_the_former_name_is_accepted_with_a_note():
    with pytest.warns(DeprecationWarning, match="priors_from= is called production= now"):
        result = sy.evaluate(
            MATRIX, positive="fraud", interval=None, priors_from=["fraud"] * 200 + ["ok"] * 800
        )
    assert result.production.assumption == "label shift"


def test_slices_are_estimated_from_their_own_labelled_rows() -> None:
    """In slice "n" 40% of the positives and 10% of the negatives are alerts, in "s" 80% and 20%. In production 25% of the
    rows of "n" are alerts, 44% of "s": adjusted counting gives (0.25 - 0.1) / 0.3 = 50% and (0.44 - 0.2) / 0.6 = 40%."""

    def rows(slice_name: str, alerts: int, others: int, truth: str) -> list[dict[str, str]]:
        return [
            {"y": truth, "pred": "fraud" if k < alerts else "ok", "s": slice_name}
            for k in range(alerts + others)
        ]

    labelled = [
        *rows("n", 400, 600, "fraud"),
        *rows("n", 100, 900, "ok"),
        *rows("s", 800, 200, "fraud"),
        *rows("s", 200, 800, "ok"),
    ]
    there = [*rows("n", 500, 1500, "?"), *rows("s", 880, 1120, "?"), *rows("w", 10, 10, "?")]
    found = sy.evaluate(
        pd.DataFrame(labelled),
        truth="y",
        pred="pred",
        positive="fraud",
        slices=["s"],
        production=pd.DataFrame(there),
    ).production
    assert found is not None
    first, second = found.slices
    assert (first.slice, first.labelled_rows, first.production_rows) == ("s=n", 2000, 2000)
    shares = [one.leads.classes[0].prevalence for one in (first, second)]
    assert shares == pytest.approx([0.5, 0.4], abs=1e-9)
    assert [one.leads.classes[0].recall for one in (first, second)] == pytest.approx([0.4, 0.8], abs=1e-9)


def test_a_slice_without_production_rows_says_so() -> None:
    labelled = pd.DataFrame({"y": ["a", "b"] * 60, "pred": ["a", "b"] * 60, "s": ["n"] * 60 + ["s"] * 60})
    there = pd.DataFrame({"pred": ["a", "b"] * 50, "s": ["n"] * 100})
    found = sy.evaluate(labelled, truth="y", pred="pred", slices=["s"], production=there).production
    assert found is not None
    empty = next(one for one in found.slices if one.slice == "s=s")
    assert empty.leads is None
    assert "no unlabelled rows" in empty.refused


def test_a_slice_column_that_production_lacks_is_refused_with_the_place() -> None:
    labelled = pd.DataFrame({"y": ["a", "b"] * 60, "pred": ["a", "b"] * 60, "s": ["n"] * 60 + ["s"] * 60})
    with pytest.raises(sy.InputError, match="there is no column 's' in a pandas frame"):
        sy.evaluate(
            labelled, truth="y", pred="pred", slices=["s"], production=pd.DataFrame({"pred": ["a", "b"] * 50})
        )


def test_scores_beside_predictions_are_said_to_be_unused_in_production() -> None:
    random = np.random.default_rng(3)
    labelled, production = (
        world(random, 2000).assign(model=lambda rows: np.where(rows.p >= 0.5, "fraud", "ok"))
        for _ in range(2)
    )
    how = {"truth": "y", "score": "p", "positive": "fraud", "interval": None}
    result = sy.evaluate(labelled, pred="model", production=production[["p", "model"]], **how)
    unused = "In production (by the predicted labels alone; to use the scores, give a threshold"
    assert unused in str(result).replace("\n", " ")
    assert "by the predicted labels alone" not in str(evaluated(labelled, production))


def scored_classes(random, rows, priors):
    """Three classes with a column of probabilities each, and the class of the largest one."""
    y = random.choice(3, rows, p=priors)
    logits = random.normal(size=(rows, 3))
    logits[np.arange(rows), y] += 1.8
    chances = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    names = np.array(["a", "b", "c"])
    return pd.DataFrame(
        {f"p_{name}": chances[:, k] for k, name in enumerate(names)}
        | {"y": names[y], "pred": names[chances.argmax(axis=1)], "s": random.choice(["x", "w"], rows)}
    )


def test_a_column_of_scores_for_each_class_is_the_class_of_the_largest(tmp_path):
    random = np.random.default_rng(0)
    here, there = scored_classes(random, 3000, [0.6, 0.3, 0.1]), scored_classes(random, 5000, [0.3, 0.3, 0.4])
    unlabelled = there.drop(columns=["y", "pred"])
    labelled = here.drop(columns="pred")
    how = {"truth": "y", "slices": ["s"], "interval": None}
    by_scores = sy.evaluate(labelled, scores="p_*", production=unlabelled, **how).production
    by_labels = sy.evaluate(here, pred="pred", production=there[["pred", "s"]], **how).production
    assert by_scores.leads.classes == by_labels.leads.classes
    assert by_scores.slices == by_labels.slices
    for found, true in zip(by_scores.leads.classes, (0.3, 0.3, 0.4), strict=True):
        assert found.prevalence_low < true < found.prevalence_high
    labelled.to_csv(tmp_path / "a.csv", index=False)
    unlabelled.to_csv(tmp_path / "b.csv", index=False)
    of_files = sy.evaluate(tmp_path / "a.csv", scores="p_*", production=tmp_path / "b.csv", **how)
    assert of_files.production.leads.classes == by_scores.leads.classes
    assert "steelyard sample --pred --positive" in " ".join(repr(of_files).split())
    columns = ["p_a", "p_b", "p_c"]
    in_memory = sy.evaluate(
        here["y"], scores=here[columns].to_numpy(), labels=["a", "b", "c"],
        production=there[columns].to_numpy(), interval=None,
    )  # fmt: skip
    assert in_memory.production.leads.classes == by_scores.leads.classes


def test_scores_of_other_classes_in_production_are_refused():
    random = np.random.default_rng(1)
    here, there = (scored_classes(random, 300, [0.5, 0.3, 0.2]).drop(columns="pred") for _ in range(2))
    with pytest.raises(sy.InputError, match=r"a score for each class; found 2 columns of scores; allowed: 3"):
        sy.evaluate(here, truth="y", scores="p_*", production=there[["p_a", "p_b"]], interval=None)
    cost = "a>b=3, b>a=1, a>c=1, c>a=1, b>c=1, c>b=1"
    with pytest.raises(sy.InputError, match="takes the class with the largest score"):
        sy.evaluate(here, truth="y", scores="p_*", threshold="cheapest", cost=cost, production=there)
    there.loc[3, "p_a"] = np.nan
    with pytest.raises(sy.InputError, match="rows of production lack a score; found 1 rows"):
        sy.evaluate(here, truth="y", scores="p_*", production=there, interval=None)
    kept = sy.evaluate(here, truth="y", scores="p_*", production=there, interval=None, missing="drop")
    assert kept.production.production_rows == 299


def test_the_first_screen_has_the_interval_of_the_estimate_that_leads():
    random = np.random.default_rng(5)
    here, there = world(random, 3000), world(random, 3000, moved=-0.8)
    result = sy.evaluate(
        here, truth="y", score="p", threshold=0.45, positive="fraud", production=there[["p"]]
    )
    assert result.production.assumption == "covariate shift"
    (precision,) = (row for row in result.production.rows if row.measure.name == "precision")
    (line,) = (line for line in repr(result).splitlines() if line.startswith("precision "))
    written = [float(word) for word in line.split()[1:5] if word != "to"]
    assert written == pytest.approx([precision.value, precision.low, precision.high], abs=0.0006)
    assert "--score p --threshold 0.45 " in repr(result).replace("\\\n", "")
    # So has the plot of the page.
    (plot,) = (row[2].strip for row in headline_table(result).rows if row[0].words == "precision")
    assert plot.marks[-1] == ("value", precision.value, precision.low, precision.high)
