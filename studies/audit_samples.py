"""Coverage and width of confidence intervals from audit samples (steelyard sample, then evaluate).

Pools with known truth are simulated, sampled by the design of `steelyard sample`, labelled, and intervals are found as
`steelyard evaluate` finds them. Compared with Wald intervals of the same stratified estimate (the interval of Fogliato et al. 2024
for stratified estimates), a bootstrap within strata, and simple random sampling with the same interval method.

The method (one more labelled row, spread like the labels, mid-p) and the constants of the design were chosen on the cells CHOSEN
below, with pools of 40,000 rows, scores of sharpness 2.2 and 1.5 alerts for each positive. The cells of `judged` were written down
before and share neither prevalence, labels, pool size, sharpness nor alerts with them. Required: mean coverage of 95% intervals at
least 93%, no cell below 90%; at least 5 times fewer labels than simple random sampling at a prevalence of at most 1% where the
scores are right and their AUC is at least 0.9.

    python studies/audit_samples.py [--samples 200] [--minutes 20] [--write]
"""

from __future__ import annotations

import argparse
import csv
import itertools
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

import steelyard as sy
from steelyard.judgement.sample.design import Aim, designed
from steelyard.uncertainty.stratified_sample import StratifiedSample

RESULT = Path(__file__).with_name("audit_samples.csv")
CHOSEN = [
    (0.005, 200, "right"), (0.005, 1000, "right"), (0.005, 200, "odds x4"), (0.005, 1000, "odds /4"), (0.005, 500, "too sure"),
    (0.005, 500, "uninformative"), (0.02, 500, "right"), (0.002, 200, "odds /4"), (0.05, 100, "too sure"), (0.01, 1000, "uninformative"),
]  # fmt: skip
SCORES = ("right", "too sure", "odds x4", "odds /4", "uninformative")
METRICS = ("recall", "precision", "f1", "gmean", "accuracy")
DRAWS, LEVEL = 400, 0.95
REPEATED_BELOW = 0.92


def judged() -> list[dict[str, Any]]:
    """The cells that judge: every prevalence with every number of labels and every kind of scores; sharpness (AUC about 0.91 and
    0.96), alerts for each positive and the number of models go round."""
    cells = itertools.product((0.002, 0.007, 0.05), (100, 400, 2000), SCORES)
    rounds = itertools.cycle(itertools.product((1.8, 2.6), (0.7, 2.5), (1, 2, 1)))
    return [
        {"prevalence": p, "labels": n, "scores": s, "sharpness": sharp, "alerts": alerts, "models": models}
        for (p, n, s), (sharp, alerts, models) in zip(cells, rounds, strict=False)
    ]


def pool(
    cell: dict[str, Any], random: np.random.Generator, rows: int = 60_000
) -> tuple[Any, Any, Any, float]:
    """True classes, scores, predictions of the models, and the AUC of the scores."""
    log_odds = cell["sharpness"] * random.standard_normal(rows)
    log_odds += brentq(lambda shift: expit(log_odds + shift).mean() - cell["prevalence"], -40, 20)
    truth = random.random(rows) < expit(log_odds)
    said = {
        "right": log_odds,
        "too sure": 1.7 * log_odds,
        "odds x4": log_odds + np.log(4),
        "odds /4": log_odds - np.log(4),
        "uninformative": random.permutation(log_odds),
    }[cell["scores"]]
    ranked = [said, said + random.standard_normal(rows)][: cell["models"]]
    alerts = cell["alerts"] * cell["prevalence"]
    predicted = np.stack([one >= np.quantile(one, 1 - alerts) for one in ranked])
    rank = np.argsort(np.argsort(said)) + 1
    positives = int(truth.sum())
    area = (rank[truth].sum() - positives * (positives + 1) / 2) / (positives * (rows - positives))
    return truth, expit(np.mean(ranked, axis=0)), predicted, float(area)


def values_of(models: int) -> Any:
    """The metrics of the first model, and of the difference where there are two, by rows in each category."""

    def compute(totals: Any) -> dict[str, Any]:
        patterns = 1 << models
        found: dict[str, Any] = {}
        for model in range(models):
            chosen = (np.arange(patterns) >> model & 1).astype(bool)
            tp, fn, fp, tn = (
                part[..., which].sum(axis=-1)
                for part in (totals[..., :patterns], totals[..., patterns:])
                for which in (chosen, ~chosen)
            )
            with np.errstate(all="ignore"):
                each = {
                    "recall": tp / (tp + fn),
                    "precision": tp / (tp + fp),
                    "f1": 2 * tp / (2 * tp + fp + fn),
                    "gmean": np.sqrt(tp / (tp + fn) * tn / (tn + fp)),
                    "accuracy": (tp + tn) / (tp + fn + fp + tn),
                }
            found |= (
                each
                if not model
                else {f"{name} difference": found[name] - value for name, value in each.items()}
            )
        return found

    return compute


def wald(sample: StratifiedSample, compute: Any) -> dict[str, tuple[float, float]]:
    """Linearised (delta method) variance of the stratified estimate, with the correction for a finite population."""
    totals, labelled = sample.totals, sample.labelled
    steps = np.maximum(totals, 1.0) * 1e-4
    upper, lower, at = (compute(totals + sign * np.diag(steps)) for sign in (1, -1, 0))
    shares = sample.counts / labelled[:, None]
    found = {}
    for name in at:
        gradient = (upper[name] - lower[name]) / (2 * steps)
        variances = shares @ gradient**2 - (shares @ gradient) ** 2
        scale = sample.sizes**2 * (1 - labelled / sample.sizes) / np.maximum(labelled - 1, 1)
        half = 1.959964 * float(np.sqrt((scale * variances).sum()))
        found[name] = (float(at[name][0]) - half, float(at[name][0]) + half)
    return found


def bootstrap(
    sample: StratifiedSample, compute: Any, random: np.random.Generator
) -> dict[str, tuple[float, float]]:
    """Percentiles of resampled strata."""
    labelled = sample.labelled.astype(int)
    drawn = np.stack(
        [random.multinomial(n, row / n, size=200) for n, row in zip(labelled, sample.counts, strict=True)],
        axis=1,
    )
    values = compute(np.einsum("h,shk->sk", sample.sizes / labelled, drawn))
    return {
        name: (float(np.nanquantile(v, 0.025)), float(np.nanquantile(v, 0.975)))
        if not np.isnan(v).all()
        else (0, 1)
        for name, v in values.items()
    }


def study(cell: dict[str, Any], samples: int, seed: int, metric: str = "recall") -> list[dict[str, Any]]:
    """Coverage and mean half-width of every metric and method in one cell."""
    random = np.random.default_rng(seed)
    compute = values_of(cell["models"])
    sums: dict[tuple[str, str], list[tuple[bool, float]]] = {}
    areas = []
    for replicate in range(samples):
        if replicate % 20 == 0:
            truth, scores, predicted, area = pool(cell, random)
            areas.append(area)
            aim = Aim(scores, predicted, sy.measure(metric), tuple(f"m{k}" for k in range(cell["models"])))
            strata = designed(aim, cell["labels"])
            patterns = 1 << cell["models"]
            category = aim.pattern + patterns * ~truth
            inside = np.zeros((len(strata.sizes), 2 * patterns), dtype=np.int64)
            np.add.at(inside, (strata.of_rows, category), 1)
            whole = compute(inside.sum(axis=0).astype(float))
        predictions = np.tile(np.arange(patterns), 2)
        counts = np.stack(
            [random.multivariate_hypergeometric(row, n) for row, n in zip(inside, strata.labels, strict=True)]
        )
        sample = StratifiedSample(counts.astype(float), strata.sizes.astype(float), predictions)
        at_random = random.multivariate_hypergeometric(inside.sum(axis=0), cell["labels"])[None].astype(float)
        plain = StratifiedSample(at_random, strata.sizes.sum()[None].astype(float), predictions)
        intervals = {
            "steelyard": {n: (i.low, i.high) for n, i in sample.limits(compute, level=LEVEL, draws=DRAWS, seed=replicate, is_difference=lambda name: "difference" in name).items()},
            "Wald": wald(sample, compute),
            "bootstrap": bootstrap(sample, compute, random),
            "random": {n: (i.low, i.high) for n, i in plain.limits(compute, level=LEVEL, draws=DRAWS, seed=replicate).items()},
        }  # fmt: skip
        for method, found in intervals.items():
            for name, (low, high) in found.items():
                true = float(whole[name])
                if np.isnan(true):
                    continue
                widest = (-1.0, 1.0) if "difference" in name else (0.0, 1.0)
                if np.isnan(low) or np.isnan(high):  # undefined in the sample: everything is possible
                    low, high = widest
                low, high = max(low, widest[0]), min(high, widest[1])
                sums.setdefault((method, name), []).append(
                    (low - 1e-9 <= true <= high + 1e-9, (high - low) / 2)
                )
    return [
        {**cell, "auc": round(float(np.mean(areas)), 3), "method": method, "metric": name, "samples": len(each),
         "coverage": round(float(np.mean([c for c, _ in each])), 4), "half_width": round(float(np.mean([w for _, w in each])), 4)}
        for (method, name), each in sums.items()
    ]  # fmt: skip


def fewer_labels(seed: int, samples: int = 40) -> list[dict[str, Any]]:
    """How many labels of a simple random sample have the mean half-width that the design has, by bisection, beside the most that any
    stratified design could save if the scores are right (continuous Neyman allocation)."""
    found = []
    for prevalence, metric, sharpness in itertools.product(
        (0.002, 0.005, 0.01), ("recall", "f1", "precision"), (1.8, 2.6)
    ):
        labels = 500
        cell = {
            "prevalence": prevalence,
            "labels": labels,
            "scores": "right",
            "sharpness": sharpness,
            "alerts": 1.5,
            "models": 1,
        }
        rows = study(cell, samples, seed, metric)
        width = next(r["half_width"] for r in rows if (r["method"], r["metric"]) == ("steelyard", metric))
        random = np.random.default_rng(seed)
        truth, _, predicted, area = pool(cell, random)
        inside = np.bincount(predicted[0] + 2 * ~truth, minlength=4)
        compute = values_of(1)

        def random_width(
            n: int, inside: Any = inside, compute: Any = compute, random: Any = random, metric: str = metric
        ) -> float:
            widths = []
            for replicate in range(25):
                counts = random.multivariate_hypergeometric(inside, n)[None].astype(float)
                sample = StratifiedSample(counts, np.array([float(inside.sum())]), np.array([0, 1, 0, 1]))
                one = sample.limits(compute, level=LEVEL, draws=400, seed=replicate)[metric]
                widths.append(one.half_width if np.isfinite(one.half_width) else 0.5)
            return float(np.mean(widths))

        low, high = labels, int(inside.sum()) - 1
        while high > 1.03 * low:
            middle = int(np.sqrt(low * high))
            low, high = (middle, high) if random_width(middle) > width else (low, middle)
        found.append(
            {
                **cell,
                "metric": metric,
                "auc": round(area, 3),
                "half_width": width,
                "random_labels": high,
                "ratio": round(high / labels, 2),
            }
        )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    start, rows = time.time(), _read(RESULT)
    for place, cell in enumerate(judged()):
        own = [r for r in rows if all(r[name] == value for name, value in cell.items())]
        if own and (int(own[0]["samples"]) > options.samples or min(_coverages(own)) >= REPEATED_BELOW):
            continue
        if time.time() - start > 60 * options.minutes:
            print(f"stopped after {place} of {len(judged())} cells")
            break
        # A cell whose coverage is low in the first samples is judged by ten times as many others.
        found = study(cell, 10 * options.samples if own else options.samples, (5000 if own else 1000) + place)
        rows = [r for r in rows if r not in own] + found
        if options.write:
            _write(RESULT, rows)
    if options.write:
        _write(RESULT, rows)
    for method in ("steelyard", "Wald", "bootstrap", "random"):
        own = [r for r in rows if r["method"] == method]
        for what in ("", "difference"):
            some = [r for r in own if ("difference" in r["metric"]) == bool(what)]
            cover = [r["coverage"] for r in some]
            if cover:
                print(
                    f"{method:10} {what or 'one model':10} cells {len(cover)} mean {np.mean(cover):.3f} least {min(cover):.3f} half-width {np.mean([r['half_width'] for r in some]):.3f}"
                )
    for row in sorted((r for r in rows if r["method"] == "steelyard"), key=lambda r: r["coverage"])[:6]:
        print(row)
    ratios = fewer_labels(5)
    for row in ratios:
        print(row)
    if options.write:
        _write(RESULT.with_name("audit_samples_labels.csv"), ratios)


def _coverages(rows: list[dict[str, Any]]) -> list[float]:
    return [r["coverage"] for r in rows if r["method"] == "steelyard"]


def _read(path: Path) -> list[dict[str, Any]]:
    """Cells that are done."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        rows: list[dict[str, Any]] = list(csv.DictReader(file))
    whole, numbers = (
        ("labels", "models", "samples"),
        ("prevalence", "sharpness", "alerts", "auc", "coverage", "half_width"),
    )
    return [r | {n: int(r[n]) for n in whole} | {n: float(r[n]) for n in numbers} for r in rows]


def _write(path: Path, rows: list[dict[str, Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
