"""What a gate measures: metrics with their intervals, now and in the baseline, and the paired drop."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.counts.score_counts import ScoreCounts
from steelyard.errors import InputError, parameter
from steelyard.judgement.compare.estimates import Estimates
from steelyard.judgement.compare.options import Options as CompareOptions
from steelyard.judgement.evaluate.costs import CostRow
from steelyard.judgement.evaluate.judge import evaluate
from steelyard.judgement.evaluate.result import Evaluation
from steelyard.judgement.gate.limits import EXPECTED_COST, Rule
from steelyard.judgement.gate.options import Options
from steelyard.judgement.gate.result import By
from steelyard.judgement.sample.label_rates import CorrectedLabels
from steelyard.judgement.sample.strata import Strata
from steelyard.reading.joint_counts import joint_of_table, open_models, scored_rows
from steelyard.scores.delong import delong
from steelyard.scores.score_bootstrap import ranking_intervals
from steelyard.uncertainty.intervals import interval

_WRITE_ONE = "write one with steelyard evaluate --json baseline.json"


@dataclass(frozen=True)
class Judged:
    """What rules are held against: the matrix, the scores, and what the decisions cost."""

    matrix: Confusion
    scores: ScoreCounts | None = None
    cost: CostRow | None = None
    #: Of an audit sample; the matrix is then the one estimated for the pool.
    strata: Strata | CorrectedLabels | None = None

    @property
    def labelled(self) -> int:
        """Rows whose true class is known."""
        return int(self.matrix.total if self.strata is None else self.strata.labelled.sum())

    @classmethod
    def of(cls, evaluation: Evaluation, rules: list[Rule]) -> Judged:
        scores = None if evaluation.ranking is None else evaluation.ranking.scores
        cost = None if evaluation.costs is None else evaluation.costs[EXPECTED_COST]
        wanted = next((rule for rule in rules if rule.measure.kind == "scores"), None)
        # Refused before any interval is computed, which takes longer than reading.
        if wanted is not None and scores is None:
            raise InputError(
                f"{wanted.measure.name} is a metric of scores",
                found="labels alone",
                do=f"name the column of scores with {parameter('score', '...')}",
            )
        return cls(evaluation.matrix, scores, cost, evaluation.sample)


# A value, the ends of its interval, and why there is none.
Figures = tuple[float, float, float, str]
Finder = Callable[[Rule, Judged], Figures]


def metric_finder(by: By, level: float, draws: int, seed: int, positive: Label | None) -> Finder:
    """How a metric and its interval are found."""

    def find(rule: Rule, judged: Judged) -> Figures:
        label = positive if rule.of is None else rule.of
        if rule.of_costs:
            cost = judged.cost
            assert cost is not None
            ends = (cost.value, cost.value) if by == "point" else (cost.low, cost.high)
            return cost.value, *ends, cost.why_undefined or ""
        counted: Any = judged.scores if rule.measure.kind == "scores" else judged.matrix
        value = float(rule.measure(counted, positive=label))
        if math.isnan(value):
            return value, value, value, str(rule.measure.why_undefined(counted, positive=label))
        if by == "point":
            return value, value, value, ""
        if rule.measure.kind == "scores":
            (ranked,) = ranking_intervals([rule.measure], counted, label, level=level, seed=seed)
            return value, ranked.low, ranked.high, ""
        how: dict[str, Any] = {"level": level, "draws": draws, "seed": seed, "positive": label}
        if judged.strata is None:
            (ends_of,) = interval(counted, [rule.measure], **how).values()
        else:
            (ends_of,) = judged.strata.intervals([rule.measure], undefined="nan", **how).values()
        return value, ends_of.low, ends_of.high, ends_of.note if math.isnan(ends_of.low) else ""

    return find


def paired_drops(
    options: Options, rules: list[Rule], data: Any, level: float, positive: Label | None
) -> dict[str, tuple[float, float, float]]:
    """The drop of each metric with its paired interval, where rows of two files are matched by a key."""
    if options.key is None:
        return {}
    files, missing = (data, options.against), options.missing or "error"
    if not all(isinstance(file, (str, Path)) and not str(file).endswith(".json") for file in files):
        raise InputError(
            "rows are matched in two files of predictions",
            found=f"{parameter('key', options.key)} without them",
            do="leave it out, or give files",
        )
    drops = [rule for rule in rules if rule.kind == "max_drop" and not rule.of_costs]
    of_labels = [rule for rule in drops if rule.measure.kind != "scores"]
    paired: dict[str, tuple[float, float, float]] = {}
    if of_labels and options.score is None:
        if options.pred is None:
            do = f"name the column of predictions with {parameter('pred', '...')}"
            raise InputError("files are paired by named columns", found="no column of predictions", do=do)
        models = open_models(files, options.truth, [options.pred], key=options.key)
        with closing(models.table):
            joint = joint_of_table(models.table, models.truth, models.predictions, missing=missing)
        for rule in of_labels:
            label = positive if rule.of is None else rule.of
            how = CompareOptions(draws=options.draws, seed=options.seed, level=level)
            gap = Estimates(joint, [rule.measure], how, label).difference(rule.measure)
            lower = rule.measure.better == "lower"
            ends = (gap.low, gap.high) if lower else (0 - gap.high, 0 - gap.low)
            paired[rule.canonical] = (gap.value if lower else 0 - gap.value, *ends)  # 0 - 0 is no minus zero
    # Of metrics of scores only the area has a paired test in closed form (delong1988).
    areas = [rule for rule in drops if rule.measure.id == "roc_auc"]
    if areas and isinstance(options.score, str):
        named = [f"{name}={options.score}" for name in ("now", "before")]
        models = open_models(files, options.truth, [], named, key=options.key)
        with closing(models.table):
            rows = scored_rows(models, missing=missing)
        area = delong(rows.truth, rows.scores["now"], rows.scores["before"], positive, level=level)
        low, high = area.interval
        paired |= {rule.canonical: (-area.difference, -high, -low) for rule in areas}
    return paired


def baseline(
    against: Any, find: Finder, positive: Label | None, reading: Mapping[str, Any], rules: list[Rule]
) -> Callable[[Rule], Figures]:
    """What each measure was: of recorded figures, or of the predictions that were made then."""
    if isinstance(against, (str, Path)) and str(against).endswith(".json"):
        try:
            document = json.loads(Path(against).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
            reason, allowed = f"{against}: {error}", "the JSON of an evaluation"
            raise InputError("the baseline cannot be read", found=reason, allowed=allowed) from error
        if not isinstance(document, dict):
            raise InputError("the baseline is not a JSON object", found=str(against))
        against = document
    if isinstance(against, Mapping) and "matrix" in against:
        matrix = against["matrix"]
        if not isinstance(matrix, Mapping) or not {"counts", "labels"} <= set(matrix):
            lacking = "a matrix without counts and labels"
            raise InputError("the baseline is not an evaluation", found=lacking, do=_WRITE_ONE)
        drops = [rule for rule in rules if rule.kind == "max_drop"]
        wanted = next((rule for rule in drops if rule.of_costs or rule.measure.kind == "scores"), None)
        if wanted is not None:
            raise InputError(
                f"the baseline has no scores or costs to compare {wanted.written} with",
                found="the JSON of an evaluation",
                do="give the file of its predictions",
            )
        against = Confusion.from_dict(matrix)
    if isinstance(against, Mapping):
        figures = {}
        for name, value in against.items():
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                what = f"what the baseline says of {getattr(name, 'name', name)} is not a number"
                raise InputError(what, found=repr(value), do=_WRITE_ONE)
            figures[Rule.parsed("min", name, value).canonical] = float(value)

        def recorded(rule: Rule) -> Figures:
            if rule.canonical not in figures:
                what = f"the baseline does not say what {rule.canonical} was"
                raise InputError(what, found=", ".join(figures), do="add it to the baseline")
            value = figures[rule.canonical]
            return value, value, value, ""

        return recorded
    if isinstance(against, Confusion):
        of_rows = ("truth", "pred", "score", "threshold", "weight")
        reading = {name: value for name, value in reading.items() if name not in of_rows}
    judged = Judged.of(evaluate(against, positive=positive, **reading), rules)
    return lambda rule: find(rule, judged)
