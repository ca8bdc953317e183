"""Which model is better: end to end."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import steelyard as sy
from steelyard.cli import main
from steelyard.counts.joint import JointCounts
from steelyard.judgement.compare.estimates import Estimates
from steelyard.judgement.compare.judge import USUAL
from steelyard.judgement.compare.options import Options
from steelyard.judgement.compare.result import Comparison
from steelyard.measures.kinship import short_name
from steelyard.report.numbers import p_value, probability
from steelyard.report.terminal import plain_text
from steelyard.uncertainty.confidence_limits import moves
from steelyard.uncertainty.coverage_record import warning_for
from tests.judgement.compare.cases import RF, SVM, Y
from tests.schemas import BY_COMMAND, fits

pytestmark = pytest.mark.usefixtures("few_samples")


@pytest.fixture(scope="module")
def result() -> Comparison:
    return sy.compare({"rf": RF, "svm": SVM}, Y, draws=2000)


def test_values_by_hand(result: Comparison) -> None:
    """CBA of rf: (4690/5000 + 500/810 + 4/4) / 3; of svm: (1 + 500/503 + 1/4) / 3."""
    assert result.values["rf"]["class_balance_accuracy"].value == pytest.approx(
        (4690 / 5000 + 500 / 810 + 1) / 3
    )
    assert result.values["svm"]["class_balance_accuracy"].value == pytest.approx((1 + 500 / 503 + 1 / 4) / 3)
    difference = result.pair("rf", "svm")["CBA"]
    assert difference.value == pytest.approx((4690 / 5000 + 500 / 810 + 1) / 3 - (1 + 500 / 503 + 1 / 4) / 3)
    assert difference.low < difference.value < difference.high
    assert result.best["accuracy"] == ("svm",)
    assert result.best["class_balance_accuracy"] == ("rf",)
    assert [ranked.model for ranked in result.ranking] == ["rf", "svm"]
    assert sum(ranked.probability_best for ranked in result.ranking) == pytest.approx(1)


def test_why_the_measures_disagree(result: Comparison) -> None:
    (found,) = result.disagreements
    told = str(found)
    assert "CBA" in told
    assert "of 4 examples of class 'c1' it alone classifies 3 correctly, svm alone 0" in told
    assert (
        "prefer svm: of 5,000 examples of class 'maj' it alone classifies 310 correctly, rf alone 0" in told
    )
    assert "accuracy" in found.prefer_second
    assert {"class_balance_accuracy", "imbalance_accuracy", "balanced_accuracy", "auroc_ovo"} <= set(
        found.prefer_first
    )
    assert [(g.label, g.only_first, g.only_second) for g in result.pair("rf", "svm").gains] == [
        ("c1", 3, 0),
        ("maj", 0, 310),
        ("mid", 0, 0),
    ]
    assert {kin.measures for kin in result.kinships} == {
        ("balanced_accuracy", "auroc_ovo", "macro_recall"),
        ("class_balance_accuracy", "imbalance_accuracy"),
    }


def test_noise_is_told_from_disagreement() -> None:
    """With ten times the test set the same shares are beyond doubt; with one example of the rare class they are noise."""
    many = sy.compare(
        {"rf": np.repeat(RF, 10), "svm": np.repeat(SVM, 10)},
        np.repeat(Y, 10),
        measures=["accuracy", "balanced_accuracy"],
        draws=1000,
    )
    assert not many.disagreements[0].within_noise
    rare, y = np.array(["a"] * 50 + ["b"]), np.array(["a"] * 50 + ["b"])
    first, second = rare.copy(), rare.copy()
    first[:2], second[-1] = "b", "a"
    few = sy.compare(
        {"one": first, "two": second}, y, measures=["accuracy", "balanced_accuracy"], positive="b", draws=1000
    )
    assert few.disagreements[0].within_noise
    assert "within sampling noise" in str(few.disagreements[0])


def test_identical_predictors() -> None:
    found = sy.compare({"a": RF, "b": RF.copy()}, Y, rope=0.0, draws=500)
    for difference in found.pair("a", "b").differences.values():
        assert (difference.value, difference.low, difference.high, difference.probability_better) == (
            0,
            0,
            0,
            0.5,
        )
        assert difference.probability_equivalent == 1
        assert difference.p_value == 1
    assert found.disagreements == ()
    assert any(note.startswith("b predicts the same as a in every row") for note in found.notes)
    assert found.groups == (("a", "b"),)


def test_three_models_holm_and_groups() -> None:
    knn = SVM.copy()
    knn[0] = "mid"
    found = sy.compare({"rf": RF, "svm": SVM, "knn": knn}, Y, by="accuracy", measures=["CBA"], draws=1000)
    assert [m.name for m in found.measures] == ["accuracy", "class_balance_accuracy"]
    assert len(found.pairs) == 3
    for pair in found.pairs:
        for name, corrected in pair.holm_p_values.items():
            assert corrected is not None
            assert corrected >= (pair.differences[name].p_value or 0)
    assert found.groups == (("svm", "knn"),)
    assert [ranked.model for ranked in found.ranking] == ["svm", "knn", "rf"]


def test_the_headline_of_many_models_is_corrected_like_the_groups() -> None:
    """The first errs on 10 rows, each of 11 others on 24 rows of its own: z = 14 / sqrt(34) = 2.40, p = 0.016,
    significant for one pair and far from it for 66 (0.05 / 66 = 0.0008)."""
    truth = np.array(["rare", "usual"] * 500)
    other = np.array(["usual", "rare"] * 500)
    models = {f"m{k:02d}": truth.copy() for k in range(12)}
    for predictions, start in zip(models.values(), [0, *range(10, 274, 24)], strict=True):
        stop = start + (24 if start else 10)
        predictions[start:stop] = other[start:stop]
    result = sy.compare(models, truth, by="accuracy", positive="rare", draws=4000)
    pair = result.pair("m00", result.ranking[1].model)
    assert pair["accuracy"].is_clear
    assert not pair.is_significant(result.by, 0.95)
    assert len(result.groups[0]) == 12
    for text in (str(result), re.sub("<[^>]*>", "", result.to_html())):
        told = " ".join(text.split())
        assert "No significant difference between m00 and" in told
        assert "differ only without correction: over all 66 pairs" in told
        assert "is better than" not in told
        assert "significantly better" not in told.replace("to be significantly better", "")
    assert "beyond sampling noise" not in json.dumps(result.to_dict())
    two = sy.compare({name: models[name] for name in ("m00", "m01")}, truth, by="accuracy", draws=4000)
    assert "m00 is better than m01" in " ".join(str(two).split())


def test_folds_use_the_corrected_test() -> None:
    """Accuracy per fold by hand: a 1, 1, 1/2; b 1/2, 1, 1/2: differences 1/2, 0, 0, mean 1/6, variance 1/12, ratio 1/2."""
    y = ["x", "y", "x", "y", "x", "y"]
    a, b = ["x", "y", "x", "y", "x", "x"], ["x", "x", "x", "y", "x", "x"]
    found = sy.compare(
        {"a": a, "b": b}, y, by="accuracy", measures=["accuracy"], folds=[1, 1, 2, 2, 3, 3], draws=200
    )
    difference = found.pair("a", "b")["accuracy"]
    assert difference.value == pytest.approx(1 / 6)
    t2 = (1 / 36) / (1 / 12 * (1 / 3 + 1 / 2))
    assert difference.p_value == pytest.approx(1 - (t2 / (2 + t2)) ** 0.5, abs=1e-9)
    assert found.folds == 3
    assert any("corrected resampled t-test with test / training = 1/2" in note for note in found.notes)
    assert "cautious for stable learners" in found.assumed
    fixed = sy.compare(
        {"a": a, "b": b}, y, measures=["accuracy"], folds=[1, 1, 2, 2, 3, 3], test_to_train=0, draws=200
    )
    assert "treat folds as independent" in fixed.assumed
    # the ordinary t-test: t² = (1/36) / (1/12 / 3) = 1
    assert fixed.pair("a", "b")["accuracy"].p_value == pytest.approx(1 - (1 / 3) ** 0.5, abs=1e-9)


def test_results_do_not_change_from_run_to_run(result: Comparison) -> None:
    again = sy.compare({"rf": RF, "svm": SVM}, Y, draws=2000)
    assert again.to_dict() == result.to_dict()
    shuffled = np.random.default_rng(0).permutation(len(Y))
    assert (
        sy.compare({"rf": RF[shuffled], "svm": SVM[shuffled]}, Y[shuffled], draws=2000).to_dict()
        == result.to_dict()
    )


def test_plain_data(result: Comparison) -> None:
    data = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert data["schema"] == "steelyard/compare/1"
    (pair,) = data["pairs"]
    assert set(pair["measures"]) == {*USUAL, "macro_recall"}
    for row in pair["measures"].values():
        assert {"value", "low", "high", "probability_better"} <= set(row["difference"])
    assert data["ranking"][0]["model"] == "rf"
    assert "macro recall" in repr(result)


def test_truth_and_y_true_are_the_same() -> None:
    truth, models = ["a", "b", "a", "b"], {"m": ["a", "b", "a", "b"], "n": ["a", "b", "b", "b"]}
    named = sy.compare(models, truth=truth, draws=200)
    assert named.to_dict() == sy.compare(models, y_true=truth, draws=200).to_dict()
    with pytest.raises(sy.InputError, match="the true labels are given once"):
        sy.compare(models, truth, truth=truth)


def test_a_label_unknown_elsewhere_is_said() -> None:
    odd = RF.copy()
    odd[0] = "new"
    found = sy.compare({"odd": odd, "svm": SVM}, Y, draws=200)
    assert "odd predicts class 'new', of which there are no examples" in found.notes
    assert (
        found.values["odd"]["balanced_accuracy"].undefined_because
        == "there are no examples of class 'new', so nothing is known about it at other priors"
    )
    assert found.to_dict()["values"]["odd"]["balanced_accuracy"]["value"] is None


def test_two_class_measures_need_a_positive_class() -> None:
    found = sy.compare({"rf": RF, "svm": SVM}, Y, by="recall", positive="c1", draws=200)
    assert found.positive == "c1"
    assert found.values["svm"]["recall"].value == 0.25
    everything = sy.compare({"rf": RF, "svm": SVM}, Y, measures="all", draws=200)
    assert len(everything.measures) == len(sy.catalogue("multi-class"))
    with pytest.raises(sy.InputError, match="recall is a metric of two classes"):
        sy.compare({"rf": RF, "svm": SVM}, Y, by="recall")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"predictions": {"rf": RF}}, "a comparison needs models; found 1"),
        ({"predictions": [RF, SVM]}, "by model"),
        ({"predictions": {"rf": RF, "svm": SVM[:-1]}}, "differ in length"),
        ({"level": 1.5}, "the level is not a probability"),
        ({"rope": -1.0}, "rope"),
        ({"method": "magic"}, "method"),
        ({"by": "prevalence", "positive": "c1"}, "cannot rank"),
        ({"by": "nonsense"}, "there is no metric 'nonsense'"),
    ],
)
def test_bad_input(given: dict[str, object], told: str) -> None:
    arguments: dict[str, object] = {"predictions": {"rf": RF, "svm": SVM}, "y_true": Y, "draws": 200} | given
    with pytest.raises(sy.InputError, match=told):
        sy.compare(**arguments)  # type: ignore[arg-type]


def test_asking_for_a_pair(result: Comparison) -> None:
    assert result.pair("svm", "rf") is result.pair("rf", "svm")
    with pytest.raises(sy.InputError, match="itself"):
        result.pair("rf", "rf")
    with pytest.raises(sy.InputError, match="no model 'svn'; did you mean 'svm'"):
        result.pair("rf", "svn")


def test_many_models_are_shown_by_the_deciding_measure(capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 200)
    models = {
        f"m{k}": np.where(rng.random(200) < 0.5 + 0.08 * k, y, rng.integers(0, 3, 200)) for k in range(5)
    }
    compared = sy.compare(models, y, measures=["accuracy"], draws=300, rope=0.02)
    out = plain_text(compared.report(), "full")
    assert out.count(" − m") == 11  # ten pairs, and the title of the two best
    assert out.count("Difference m") == 1


def test_probabilities_are_never_shown_as_certain() -> None:
    assert [probability(p) for p in (0.0, 0.0004, 0.5, 0.9996, 1.0, None)] == [
        "< 0.001",
        "< 0.001",
        "0.500",
        "> 0.999",
        "> 0.999",
        "",
    ]


def test_bootstrap_says_what_it_is_worth() -> None:
    found = sy.compare({"rf": RF, "svm": SVM}, Y, by="balanced_accuracy", method="bootstrap", draws=300)
    short = warning_for(sy.measure("balanced_accuracy"), "percentile", 3, 4, "sample", "difference")
    assert any(note.endswith(short) for note in found.notes)
    assert found.prior is None


def test_an_error_is_raised_for_the_test_set_seen_only() -> None:
    """precision of 'c1' has a value here, but not in every drawn test set."""
    with pytest.raises(sy.UndefinedError, match="precision"):
        sy.compare(
            {"rf": np.where(Y == "c1", "mid", Y), "svm": SVM},
            Y,
            by="precision",
            positive="c1",
            undefined="raise",
            draws=300,
        )
    found = sy.compare(
        {"rf": RF, "svm": SVM},
        Y,
        by="precision",
        positive="c1",
        method="bootstrap",
        undefined="raise",
        draws=300,
    )
    assert found.pair("rf", "svm")["precision"].undefined_draws > 0


def test_errors_that_fall_elsewhere_are_told() -> None:
    """Both find 6 of class 'a'; the first sends its errors to 'b', where they hurt less than in the small class 'c'."""
    y = np.repeat(["a", "b", "c"], [10, 100, 3])
    one, two = y.copy(), y.copy()
    one[:4], two[:4] = "b", "c"
    two[12] = "a"
    one[20:23] = "c"
    found = sy.compare(
        {"one": one, "two": two}, y, by="accuracy", measures=["CBA", "macro_precision", "accuracy"], draws=200
    )
    text = " ".join(str(d) for d in found.disagreements)
    assert "it predicts class 'c' for 4 fewer examples of class 'a' than two" in text


def test_differences_that_the_study_found_too_sure_are_named(result: Comparison) -> None:
    """Those and no others: the smallest of the three classes has 4 examples."""
    told = " ".join(note for note in result.notes if note.startswith("intervals of differences of"))
    for m in result.measures:
        short = warning_for(m, "corrected", 3, 4, "sample", "difference")
        assert (
            (short_name(m) in told and short in told)
            if short
            else short_name(m) not in told.replace(",", " and").split(" and ")
        )


def test_a_p_value_that_no_draw_reached_is_shown_as_at_most() -> None:
    y = [0, 1] * 200
    found = sy.compare(
        {"good": y, "bad": [0] * 400}, y, by="accuracy", measures="accuracy", draws=500, positive=1
    )
    difference = found.pairs[0]["accuracy"]
    assert difference.p_value == pytest.approx(2 / 501)
    assert difference.p_value_is_floor
    assert [p_value(0.004, at_most=True), p_value(0.004), p_value(0.0002, at_most=True)] == [
        "≤ 0.004",
        "0.004",
        "< 0.001",
    ]


def test_groups_of_rows_are_drawn_together(tmp_path: Path) -> None:
    """Forty groups of ten equal rows know as much as forty rows: the interval is about sqrt(10) times as wide."""
    random = np.random.default_rng(3)
    truth = np.repeat(np.arange(40) % 2, 10)
    models = {
        name: np.where(np.repeat(random.random(40) < right, 10), truth, 1 - truth)
        for name, right in (("a", 0.8), ("b", 0.75))
    }
    groups = np.repeat(np.arange(40), 10)
    alone = sy.compare(models, truth, by="accuracy", measures=[], draws=1000)
    found = sy.compare(models, truth, by="accuracy", measures=[], cluster=groups, draws=1000)
    one, other = (c.pairs[0].differences["accuracy"] for c in (alone, found))
    assert 2.5 < (other.high - other.low) / (one.high - one.low) < 4.5
    assert other.p_value is not None
    assert one.p_value is not None
    assert other.p_value > one.p_value
    assert (other.p_value < 0.05) == other.is_clear
    assert found.clusters == 40
    # A model's own interval is the one that evaluate gives it.
    of_one = sy.evaluate(truth, models["a"], cluster=groups, draws=1000).intervals["accuracy"]
    mine = found.values["a"]["accuracy"]
    assert (mine.low, mine.high) == pytest.approx((of_one.low, of_one.high), abs=1e-12)
    assert found.folds is None
    fits(found.to_dict(), BY_COMMAND["compare"])
    path = tmp_path / "models.csv"
    pd.DataFrame({"y": truth, **models, "patient": groups}).to_csv(path, index=False)
    out = tmp_path / "found.json"
    arguments = ["compare", str(path), "--truth", "y", "--pred", "a", "--pred", "b", "--by", "accuracy"]
    assert main([*arguments, "--cluster", "patient", "--draws", "1000", "--json", str(out)]) == 0
    told = json.loads(out.read_text())["pairs"][0]["measures"]["accuracy"]["difference"]
    assert (told["low"], told["high"]) == pytest.approx((other.low, other.high))
    with pytest.raises(sy.InputError, match="over folds or over clusters"):
        sy.compare(models, truth, cluster=groups, folds=groups)


def test_identical_models_are_said_to_be_identical_on_this_set() -> None:
    found = sy.compare({"a": RF, "b": RF.copy()}, Y, measures=["accuracy"], draws=200)
    assert "identical on this test set" in found.pairs[0].differences["accuracy"].note


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_ranks_are_drawn_less_the_bias_of_the_level_asked_for(level: float) -> None:
    """Half of what both ends of an interval at this level are moved by."""
    random = np.random.default_rng(3)
    truth = np.repeat([0, 1], [300, 12])
    columns = {
        name: np.where(random.random(312) < rate, truth, 1 - truth) for name, rate in (("a", 0.9), ("b", 0.8))
    }
    precision = sy.measure("precision")
    joint = JointCounts.from_columns(truth, columns)
    work = Estimates(
        joint, [precision], Options(None, by="precision", level=level, draws=2000, positive=1), 1
    )
    assert work.centres is not None
    for drawn, centre, found in zip(
        work.paired["precision"], work.centres["precision"], work.unbiased(precision), strict=True
    ):
        at_low, at_high = moves(drawn, float(centre), level)
        assert found == pytest.approx(drawn - (at_low + at_high) / 2, rel=1e-12)
        assert sum(moves(drawn, float(centre), 0.8)) != at_low + at_high


@pytest.mark.all_samples  # from ten million cells on
def test_many_models_of_many_classes_have_the_intervals_that_each_has_alone() -> None:
    """Beyond ten million drawn cells models are drawn together; the bias of class balance accuracy is taken off as before."""
    random = np.random.default_rng(4)
    truth = np.repeat(np.arange(45), 20)
    columns = {
        name: np.where(random.random(900) < 0.985, truth, random.integers(0, 45, 900)) for name in "abc"
    }
    joint = JointCounts.from_columns(truth, columns)
    cba = sy.measure("CBA")
    work = Estimates(joint, [cba], Options(None, by="CBA"), None)
    assert work._alone(0) is None
    together = work.values()["a"][cba.name]
    alone = sy.interval(joint.matrix(0), "CBA")["CBA"]
    width = alone.high - alone.low
    assert (together.low, together.high) == pytest.approx((alone.low, alone.high), abs=0.1 * width)


def test_what_is_found_is_of_the_positive_class_though_it_is_not_the_rarer_one() -> None:
    truth = [1] * 6 + [0] * 4
    models = {"a": [1, 1, 1, 1, 1, 0, 1, 0, 0, 0], "b": [1, 1, 1, 1, 0, 0, 1, 1, 0, 0]}
    shown = repr(sy.compare(models, truth, by="precision"))
    # by hand: a calls 6, one of them wrongly, and finds 5 of 6; b calls 6, two wrongly, and finds 4
    assert 'Ranking by precision, positive class "1"' in shown
    assert re.search(r"^a +0\.833 .*5 of 6 +1 of 6", shown, re.MULTILINE)
    assert re.search(r"^b +0\.667 .*4 of 6 +2 of 6", shown, re.MULTILINE)


def test_the_first_screen_names_the_test_over_folds_and_one_pair_has_no_correction() -> None:
    """Holm's correction over one pair is none, so its page does not name it."""
    truth = ["a", "b", "b", "a", "b", "b"] * 20
    first = ["a", "b", "a", "a", "b", "b"] * 20
    second = ["b", "b", "b", "a", "b", "b", "a", "b", "b", "b", "b", "b"] * 10
    fold = [k // 24 for k in range(120)]
    models = {"first": first, "second": second}
    judged = sy.compare(models, truth, folds=fold)
    assert "Means over 5 folds; corrected resampled t-test, which is cautious" in str(judged)
    assert any("up to 17%" in note for note in judged.notes)
    fixed = sy.compare(models, truth, folds=fold, test_to_train=0)
    assert "Means over 5 folds, treated as independent." in str(fixed)
    assert "Means over" not in str(sy.compare(models, truth))
    assert "p (Holm)" not in sy.compare(models, truth).to_html()
    three = {**models, "third": second[::-1]}
    assert "p (Holm)" in sy.compare(three, truth).to_html()


def test_no_name_of_a_metric_or_a_class_hides_a_column_on_a_phone() -> None:
    truth = ["normal", "worn", "worn", "broken", "broken"] * 20
    models = {
        name: [*truth[:k], *truth[1:], truth[0]][: len(truth)]
        for name, k in (("a", 20), ("b", 30), ("c", 40))
    }
    page = sy.compare(models, truth, by="balanced_accuracy", draws=200).to_html()
    ranking = page.partition('id="ranking"')[2].partition("</table>")[0]
    # A phone leaves out what was detected, head and cells alike, and nothing else.
    assert '<th scope="col" class=" wide">normal detected</th>' in ranking
    assert '<th scope="col" class="">balanced accuracy</th>' in ranking
    assert ranking.count("wide") == 1 + len(models)


def test_models_of_a_file_have_names_of_their_own(tmp_path: Path) -> None:
    """`pred={"rf": "a"}` names models in a file as in a frame; a column may itself hold a sign of equality."""
    file = tmp_path / "m.csv"
    file.write_text("y,a,b=2\n1,1,0\n0,0,0\n1,0,1\n0,1,0\n1,1,1\n")
    of_file = sy.compare(file, truth="y", pred={"rf": "a", "b=2": "b=2"}, draws=200)
    of_frame = sy.compare(pd.read_csv(file), truth="y", pred={"rf": "a", "b=2": "b=2"}, draws=200)
    assert list(of_file.matrices) == ["rf", "b=2"]
    for model, matrix in of_frame.matrices.items():
        assert of_file.matrices[model].counts.tolist() == matrix.counts.tolist()
    for wrong in (["rf=a", "rf=b=2"], ["rf=", "a"], ["=a", "b=2"]):
        with pytest.raises(sy.InputError, match="this column is not understood"):
            sy.compare(file, truth="y", pred=wrong)


def test_two_classes_are_compared_by_the_same_metrics_with_and_without_a_named_positive_class():
    y = ["fraud"] * 10 + ["ok"] * 90
    models = {"few": ["fraud"] * 4 + ["ok"] * 96, "many": ["fraud"] * 30 + ["ok"] * 70}
    named, unnamed = (sy.compare(models, y_true=y, positive=label, draws=200) for label in ("fraud", None))
    assert [m.name for m in named.measures] == [m.name for m in unnamed.measures]
    assert {"recall", "precision"} <= {m.name for m in unnamed.measures}
    assert repr(named).splitlines()[:8] == repr(unnamed).splitlines()[:8]


@pytest.mark.parametrize("classes", [2, 3])
def test_fragility_where_a_class_has_one_row(classes: int) -> None:
    """One wrong label of two leaves a class without rows, and G-mean undefined; both put the other model ahead."""
    truth = list(range(classes))
    swapped = [1, 0, *truth[2:]]
    fragility = sy.compare({"a": truth, "b": swapped}, truth, draws=200).fragility
    assert (fragility.winner, fragility.reverses, fragility.exact) == ("a", 2, True)
