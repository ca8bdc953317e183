"""Models over many data sets: Demsar's printed example, autorank and baycomp, every form of input."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import steelyard as sy
from steelyard.cli import main
from steelyard.judgement.compare.result import json_schema
from steelyard.uncertainty.rank_tests import (
    critical_difference,
    expected_difference,
    friedman,
    nemenyi_p_values,
    ranks_of,
    signed_rank_posteriors,
    wilcoxon_p_value,
)
from tests.judgement.compare.record_datasets import differences, table
from tests.schemas import fits

PEERS = json.loads(Path(__file__).with_name("datasets_peers.json").read_text())
MODELS = ("C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf")
# AUC of four classifiers, Demsar (2006), table 6. The paper ranks cf before m+cf on voting, both printed
# 0.975; the fourth digit keeps its order.
DEMSAR = {
    "adult (sample)": (0.763, 0.768, 0.771, 0.798),
    "breast cancer": (0.599, 0.591, 0.590, 0.569),
    "breast cancer wisconsin": (0.954, 0.971, 0.968, 0.967),
    "cmc": (0.628, 0.661, 0.654, 0.657),
    "ionosphere": (0.882, 0.888, 0.886, 0.898),
    "iris": (0.936, 0.931, 0.916, 0.931),
    "liver disorders": (0.661, 0.668, 0.609, 0.685),
    "lung cancer": (0.583, 0.583, 0.563, 0.625),
    "lymphography": (0.775, 0.838, 0.866, 0.875),
    "mushroom": (1.000, 1.000, 1.000, 1.000),
    "primary tumor": (0.940, 0.962, 0.965, 0.962),
    "rheum": (0.619, 0.666, 0.614, 0.669),
    "voting": (0.972, 0.981, 0.9754, 0.975),
    "wine": (0.957, 0.978, 0.946, 0.970),
}


@pytest.fixture(scope="module")
def demsar():
    return sy.compare({name: dict(zip(MODELS, row, strict=True)) for name, row in DEMSAR.items()})


def test_the_printed_example_of_demsar(demsar):
    """Mean ranks 3.143, 2.000, 2.893, 1.964, printed in table 6; chi-square 9.28 and F 3.69 below it (without
    the correction for ties, which is divided out here); CD 1.25 at 0.10's 2.291 and 0.05's 2.569."""
    ranks = demsar.primary.mean_ranks
    assert [round(ranks[model], 3) for model in MODELS] == [3.143, 2.000, 2.893, 1.964]
    values = np.array(list(DEMSAR.values()))
    each = ranks_of(values)
    ties = sum(count**3 - count for row in each for count in np.unique(row, return_counts=True)[1].tolist())
    uncorrected = demsar.primary.friedman.chi_square * (1 - ties / (14 * 4 * (16 - 1)))
    assert uncorrected == pytest.approx(9.28, abs=0.005)
    assert 13 * uncorrected / (14 * 3 - uncorrected) == pytest.approx(3.69, abs=0.005)
    assert demsar.primary.critical_difference == pytest.approx(1.25, abs=0.005)
    assert critical_difference(4, 14, 0.90) == pytest.approx(2.291 * math.sqrt(4 * 5 / (6 * 14)), abs=5e-4)


def test_the_printed_signed_ranks_of_demsar():
    """Table 2: C4.5 against C4.5+m, R+ = 93 and R- = 12, zeros split; z = -2.54, so p = 0.011."""
    values = np.array(list(DEMSAR.values()))
    gaps = values[:, 1] - values[:, 0]
    from scipy.stats import wilcoxon

    assert wilcoxon(gaps.round(3), zero_method="zsplit").statistic == 12
    assert wilcoxon_p_value(gaps.round(3)) == pytest.approx(0.011, abs=0.0015)


@pytest.mark.parametrize("step", [20, pytest.param(1, marks=pytest.mark.whole)])
def test_a_thousand_tables_are_those_of_autorank(step):
    """autorank 1.3.0: p-value of Friedman, critical difference, mean ranks."""
    assert PEERS["versions"]["autorank"] == "1.3.0"
    for seed in range(0, len(PEERS["friedman"]), step):
        p_value, cd, *ranks = PEERS["friedman"][seed]
        values = table(seed)
        assert ranks_of(values).mean(axis=0) == pytest.approx(ranks, abs=1e-8)
        assert friedman(values).p_value == pytest.approx(p_value, abs=1e-8)
        # autorank reads the studentized range from a fit with four digits
        assert critical_difference(values.shape[1], len(values), 0.95) == pytest.approx(cd, rel=1e-3)


def test_the_bayesian_signed_rank_test_is_that_of_baycomp():
    """baycomp 1.0.3 gives P(first better), P(equal), P(second better) of x and y; 20,000 draws there and 5,000
    here: four standard errors are at most 0.03."""
    for seed, (left, rope, right) in enumerate(PEERS["signed_rank"]):
        gaps = differences(seed)
        found = signed_rank_posteriors(gaps[None], 0.01, 0)[0]
        wanted = (left, rope, right)
        assert (found.probability_better, found.probability_equal, found.probability_worse) == pytest.approx(
            wanted, abs=0.032
        )


@pytest.mark.parametrize("seed", range(60))
def test_rank_tests_are_those_of_scipy(seed):
    """SciPy 1.17, with and without ties and differences of 0, on both sides of the exact distribution."""
    from scipy import stats

    random = np.random.default_rng(seed)
    models = int(random.integers(3, 12))
    values = random.normal(size=(int(random.integers(4, 70)), models)).round(random.choice([1, 6]))
    chi_square, p_value = stats.friedmanchisquare(*values.T)
    test = friedman(values)
    assert (test.chi_square, test.p_value) == pytest.approx((chi_square, p_value), rel=1e-9)
    degrees = models - 1, (models - 1) * (len(values) - 1)
    assert test.iman_davenport_p_value == pytest.approx(stats.f.sf(test.iman_davenport_f, *degrees), rel=1e-9)
    gaps = values[:, 0] - values[:, 1]
    if seed % 3 == 0:
        gaps[0] = 0.0
    assert wilcoxon_p_value(gaps) == pytest.approx(
        stats.wilcoxon(gaps, zero_method="zsplit").pvalue, abs=1e-12
    )
    distances = random.uniform(0, models - 1, 5)
    scale = np.sqrt(models * (models + 1) / (6 * len(values)))
    tails = stats.studentized_range.sf(distances / scale * np.sqrt(2), models, np.inf)
    assert nemenyi_p_values(distances, models, len(values)) == pytest.approx(tails, abs=1e-10)


@pytest.mark.parametrize("rope", [0.0, 0.01])
@pytest.mark.parametrize("number", [3, 8, 21])
def test_the_bayesian_signed_rank_test_is_its_definition(number, rope):
    """All sums of two differences, weighed by Dirichlet draws; a sum at the limit counts half. 5,000 draws on
    each side: four standard errors are at most 0.04."""
    random = np.random.default_rng(number)
    gaps = np.stack([random.normal(0.005, 0.02, number), random.integers(-30, 40, number) / 1000])
    weights = random.dirichlet([0.5, *[1.0] * number], 5_000)
    for found, row in zip(signed_rank_posteriors(gaps, rope, 0), gaps, strict=True):
        points = np.concatenate([[0.0], row])
        sums = (points[:, None] + points).round(9)
        above, below = ((np.sign(side * sums - 2 * rope) + 1) / 2 for side in (1, -1))
        shares = [
            np.einsum("di,ij,dj->d", weights, part, weights) for part in (above, 1 - above - below, below)
        ]
        largest = np.argmax(np.stack(shares), axis=0)
        wanted = [np.mean(largest == k) for k in range(3)]
        assert list(vars(found).values()) == pytest.approx(wanted, abs=0.04)


# Bayesian signed-rank test with a region of 0.01: P(first better), P(equal), P(second better), as printed by
# the authors of Benavoli et al. (2017) in their tutorial (github.com/BayesianTestsML/tutorial, Julia/Notebook6);
# the p-values of Wilcoxon's test stand there too. benavoli2017.csv holds the means of their 100 folds.
BENAVOLI = {
    ("nbc", "aode"): (0.000, 0.000, 0.123, 0.877),
    ("nbc", "hnb"): (0.001, 0.000, 0.001, 0.999),
    ("nbc", "j48"): (0.463, 0.228, 0.006, 0.766),
    ("nbc", "j48gr"): (0.394, 0.179, 0.004, 0.817),
    ("aode", "hnb"): (0.654, 0.001, 0.965, 0.034),
    ("aode", "j48"): (0.077, 0.904, 0.034, 0.062),
    ("aode", "j48gr"): (0.106, 0.883, 0.046, 0.071),
    ("hnb", "j48"): (0.067, 0.962, 0.020, 0.019),
    ("hnb", "j48gr"): (0.084, 0.950, 0.026, 0.024),
    ("j48", "j48gr"): (None, 0.000, 1.000, 0.000),
}


@pytest.mark.parametrize("pair", BENAVOLI)
def test_the_printed_probabilities_of_benavoli(pair):
    """5,000 draws here: four standard errors are at most 0.03. The printed p-values of Wilcoxon's test have a
    continuity correction (0.003 at p = 0.65) and leave out differences of 0, where Demsar's split them: those
    pairs have two of them."""
    frame = pd.read_csv(Path(__file__).with_name("benavoli2017.csv"))
    first, second = pair
    gaps = (frame[first] - frame[second]).to_numpy()
    p_value, *probabilities = BENAVOLI[pair]
    posterior = signed_rank_posteriors(gaps[None], 0.01, 0)[0]
    found = (posterior.probability_better, posterior.probability_equal, posterior.probability_worse)
    assert found == pytest.approx(probabilities, abs=0.03)
    if p_value is not None and gaps.all():  # the notebook stopped with an error at the last pair
        assert wilcoxon_p_value(gaps) == pytest.approx(p_value, abs=0.004)


def test_the_interval_is_that_of_the_t_test_where_test_sets_are_alike():
    """With equal standard errors every data set weighs the same, so the interval of Hartung and Knapp (2001) is
    Student's, whatever varies between data sets; SciPy 1.17."""
    from scipy.stats import ttest_1samp

    gaps = differences(3)
    expected = ttest_1samp(gaps, 0)
    found = expected_difference(gaps, np.full(len(gaps), 0.02), 0.01, 0.95)
    assert (found.low, found.high) == pytest.approx(tuple(expected.confidence_interval(0.95)), abs=1e-6)
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-4)


def test_the_hierarchical_model_is_the_known_mean_where_data_sets_do_not_differ():
    """Equal differences: the weighted mean is that difference, and nothing varies between data sets."""
    found = expected_difference(np.full(20, 0.03), np.full(20, 0.01), 0.01, 0.95)
    assert found.mean == pytest.approx(0.03)
    assert found.low < 0.03 < found.high
    assert found.high - found.low < 0.02
    assert found.probability_better > 0.95
    total = found.probability_better + found.probability_equal + found.probability_worse
    assert total == pytest.approx(1)
    assert expected_difference(np.array([0.1]), np.array([0.1]), 0.0, 0.95) is None


def test_a_small_test_set_weighs_less():
    gaps, errors = np.array([0.02] * 9 + [-0.5]), np.array([0.01] * 9 + [0.5])
    assert expected_difference(gaps, errors, 0.0, 0.95).mean > 0
    assert gaps.mean() < 0


def long_table(sets=12, seed=0):
    rng = np.random.default_rng(seed)
    frames = []
    for number in range(sets):
        rows = int(rng.integers(60, 400))
        truth = np.where(rng.random(rows) < 0.2, "pos", "neg")
        frame = pd.DataFrame({"dataset": f"set{number:02}", "truth": truth})
        for model, rate in (("good", 0.9), ("fair", 0.8), ("poor", 0.6)):
            other = np.where(truth == "pos", "neg", "pos")
            frame[model] = np.where(rng.random(rows) < rate, truth, other)
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


@pytest.fixture(scope="module")
def rows():
    return long_table()


@pytest.fixture(scope="module")
def result(rows):
    return sy.compare(rows, "truth", pred=["good", "fair", "poor"], dataset="dataset")


def test_values_are_those_of_evaluate(rows, result):
    part = rows[rows.dataset == "set03"]
    cm = sy.Confusion.from_labels(part.truth, part.good)
    assert result["gmean"].values["set03"]["good"] == pytest.approx(float(sy.measure("gmean")(cm)))
    assert list(result.primary.mean_ranks) == ["good", "fair", "poor"]
    assert result.primary.datasets == 12
    assert set(result.winners.values()) == {"good"}


def test_columns_may_be_named_after_other_models(rows, result, tmp_path, capsys):
    rows.to_csv(tmp_path / "rows.csv", index=False)
    words = "--truth truth --pred a=good --pred fair --pred poor --dataset dataset --json"
    assert main(["compare", str(tmp_path / "rows.csv"), *words.split()]) == 0
    ranks = json.loads(capsys.readouterr().out)["metrics"]["gmean"]["mean_ranks"]
    assert ranks == {
        "a": result.primary.mean_ranks["good"],
        **dict(list(result.primary.mean_ranks.items())[1:]),
    }


def test_every_form_of_input_gives_the_same_ranks(rows, result, tmp_path):
    models = ["good", "fair", "poor"]
    for name, part in rows.groupby("dataset"):
        part.drop(columns="dataset").to_csv(tmp_path / f"{name}.csv", index=False)
    folder = sy.compare(tmp_path, pred=models)
    cells, matrices = [], {}
    for name, part in rows.groupby("dataset"):
        for model in models:
            hit = part[model] == part.truth
            pos = part.truth == "pos"
            tp, fn, fp, tn = (pos & hit).sum(), (pos & ~hit).sum(), (~pos & ~hit).sum(), (~pos & hit).sum()
            cells.append({"dataset": name, "model": model, "TP": tp, "FN": fn, "FP": fp, "TN": tn})
            matrices.setdefault(name, {})[model] = [[tp, fn], [fp, tn]]
    table_of_cells = sy.compare(pd.DataFrame(cells), dataset="dataset")
    mapping = sy.compare(matrices)
    values = pd.DataFrame(result.primary.values).T.rename_axis("dataset").reset_index()
    scores = sy.compare(values, dataset="dataset", by="gmean")
    for other in (folder, table_of_cells, mapping, scores):
        assert other.primary.mean_ranks == pytest.approx(result.primary.mean_ranks)
        assert other.primary.friedman.p_value == pytest.approx(result.primary.friedman.p_value)
    assert scores.primary.pairs[0].expected is None
    assert "Only scores are known" in repr(scores)
    # without pairing the interval is wider
    paired, alone = (one.primary.pairs[0].expected for one in (result, mapping))
    assert alone.high - alone.low > 0.9 * (paired.high - paired.low)


def test_json_holds_ranks_and_both_tests(result):
    data = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    fits(data, json_schema())
    primary = data["metrics"][data["by"]]
    assert set(primary["mean_ranks"]) == {"good", "fair", "poor"}
    assert {"chi_square", "p_value", "iman_davenport_f", "iman_davenport_p_value"} == set(primary["friedman"])


def test_seeds_are_averaged_and_a_hole_is_counted(rows):
    twice = pd.concat([rows.assign(seed=1), rows.assign(seed=2)])
    both = sy.compare(twice, "truth", pred=["good", "poor"], dataset="dataset", seed="seed")
    once = sy.compare(rows, "truth", pred=["good", "poor"], dataset="dataset")
    assert both.primary.values == {name: pytest.approx(row) for name, row in once.primary.values.items()}
    assert (both.seeds, once.seeds) == (2, None)
    assert both.primary.friedman is None  # two models: Wilcoxon alone
    holes = rows.copy()
    holes.loc[holes.dataset == "set05", "fair"] = None
    found = sy.compare(holes, "truth", pred=["good", "fair", "poor"], dataset="dataset")
    assert [(one.dataset, one.reason) for one in found.primary.left_out] == [("set05", "missing for fair")]
    assert found.primary.datasets == 11
    assert "1 of 12 data sets are left out for all models: set05 (missing for fair)" in " ".join(
        repr(found).split()
    )


def test_an_undefined_value_is_counted_or_replaced(rows):
    never = rows.copy()
    never.loc[never.dataset == "set02", "fair"] = "neg"
    how = {"pred": ["good", "fair"], "dataset": "dataset", "by": "precision"}
    found = sy.compare(never, "truth", **how)
    assert [one.reason for one in found.primary.left_out] == ["undefined for fair"]
    as_zero = sy.compare(never, "truth", undefined=0.0, **how)
    assert as_zero.primary.left_out == ()
    assert as_zero.primary.values["set02"]["fair"] == 0


def test_names_of_many_models_are_turned_in_latex_and_stand_alone_in_the_diagram():
    """Twelve columns of numbers are as wide as an article's column of text; their names are not."""
    random = np.random.default_rng(0)
    printed = {f"set {d}": {f"model_{k:02}": random.random() for k in range(12)} for d in range(8)}
    result = sy.compare(printed)
    text = result.to_latex()
    assert "\\rotatebox{90}{model\\_03}" in text
    assert text.index("\\scriptsize") < text.index("\\begin{tabular}{lrrrrrrrrrrrr}")
    dots = [mark.name for mark in result.charts()["critical-difference"]().marks if mark.kind == "dot"]
    assert dots == list(result.primary.mean_ranks)


def test_tables_for_a_paper(demsar, result):
    text = demsar.to_latex()
    assert "\\toprule" in text
    assert "\\caption{" in text
    assert "\\label{tab:score}" in text
    assert r"0.798}" in text.split("adult (sample)")[1].split("\\\\")[0]
    row = next(line for line in text.splitlines() if line.startswith("mushroom"))
    assert row.count(r"\textbf{\underline{1.000}}") == 4
    row = next(line for line in text.splitlines() if line.startswith("mean rank"))
    assert r"\textbf{1.96}" in row
    assert "| data set |" in result.to_markdown()


def test_charts(result):
    for name, declare in result.charts().items():
        assert declare().svg().startswith("<svg"), name
    assert "CD = " in result.figure("critical-difference").svg()


def test_the_simplex_has_better_equal_and_worse_at_its_corners():
    """Best by 0.2 on each of 30 data sets lies at (1, 0); equal to 0.001 on each at (1/2, sqrt(3)/2)."""
    values = {f"d{k}": {"a": 0.9, "b": 0.7, "c": 0.899} for k in range(30)}
    chart = sy.compare(values).figure("simplex")
    dots = {mark.name: (mark.x[0], mark.y[0]) for mark in chart.marks if mark.kind == "dot"}
    assert dots["b"] == pytest.approx((1, 0), abs=0.01)
    assert dots["c"] == pytest.approx((0.5, math.sqrt(3) / 2), abs=0.01)


def test_the_smallest_difference_that_data_sets_can_show():
    """Differences 0.1, -0.1, 0.1, -0.1: sd 0.11547, standard error 0.057735, times 1.959964 + 0.841621."""
    scores = {f"d{k}": {"a": 0.8, "b": 0.7 if k % 2 else 0.9} for k in range(4)}
    result = sy.compare(scores)
    assert result.to_dict()["minimum_detectable_difference"] == pytest.approx(0.161750, abs=1e-6)
    assert "can show a mean difference of about 0.162 or more" in repr(result)


def test_the_command(rows, tmp_path, capsys):
    path = tmp_path / "rows.csv"
    rows.to_csv(path, index=False)
    asked = ["compare", str(path), "--truth", "truth", "--pred", "good", "--pred", "fair"]
    assert main([*asked, "--dataset", "dataset"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "good is better than fair on G-mean over 12 data sets" in shown
    assert main([*asked, "--fold", "dataset", "--draws", "200"]) == 0
    assert "The folds look like data sets" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--dataset", "nosuch", "--pred", "good", "--pred", "fair"], "there is no column 'nosuch'"),
        (["--dataset", "dataset", "--pred", "good"], "a comparison needs models"),
        (["--dataset", "dataset"], "--pred good --pred fair"),
        (
            ["--dataset", "dataset", "--pred", "good", "--pred", "fair", "--cluster", "truth"],
            "--cluster beside",
        ),
        (["--dataset", "truth", "--truth", "good", "--pred", "good", "--pred", "fair"], "same column"),
        (["--dataset", "dataset", "--pred", "good", "--pred", "fair", "--by", "roc_auc"], "of scores"),
        (["--dataset", "dataset", "--score", "good"], "a comparison needs models"),
    ],
)
def test_refusals(rows, tmp_path, capsys, arguments, words):
    path = tmp_path / "rows.csv"
    rows.to_csv(path, index=False)
    assert main(["compare", str(path), *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err


def test_printed_scores_of_a_metric_of_which_less_is_better():
    """Brier scores 0.1 and 0.2 on both data sets: the lower one ranks first."""
    result = sy.compare({"glass": {"rf": 0.1, "svm": 0.2}, "wine": {"rf": 0.1, "svm": 0.2}}, by="brier")
    assert result.primary.mean_ranks == {"rf": 1.0, "svm": 2.0}


def test_one_data_set_is_no_comparison_over_data_sets(rows):
    alone = rows[rows.dataset == "set01"]
    with pytest.raises(sy.InputError, match="needs data sets"):
        sy.compare(alone, "truth", pred=["good", "fair"], dataset="dataset")


def test_a_comparison_sets_only_the_best_value_in_bold():
    y = ["a"] * 20 + ["b"] * 60
    models = {"first": ["a"] * 18 + ["b"] * 62, "second": ["a"] * 5 + ["b"] * 75}
    text = sy.compare(models, y, draws=200).to_latex()
    assert text.count(r"\textbf") == 1
    assert " to " not in text
