"""What to know beside a comparison: its assumptions, its limits, and findings with what to do next."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.confusion import Confusion
from steelyard.counts.joint import JointCounts
from steelyard.counts.labels import quoted
from steelyard.judgement.compare.options import Options
from steelyard.judgement.compare.ranges import crossings
from steelyard.judgement.reproduction import command_text
from steelyard.measures.kinship import listed
from steelyard.measures.measure import Measure, weigh
from steelyard.measures.names import short_name
from steelyard.measures.operators import balanced
from steelyard.report.class_names import short
from steelyard.report.numbers import percent
from steelyard.report.sections import Finding
from steelyard.uncertainty.coverage_record import warning_for
from steelyard.uncertainty.resampling import WHAT_A_DESIGN_MEANS, design_in_use

if TYPE_CHECKING:
    from steelyard.judgement.compare.result import Comparison

# Prevalences at which the models are compared.
SHARES = np.geomspace(1e-4, 0.5, 60)
# Metrics that people rank models by; the first that changes its mind is told.
FLIPPING = ("f_beta", "mcc", "accuracy", "precision", "kappa")
_FOLDS_MEAN = "Values, differences, ranks and P(best) are means over folds; "
# Simulated with learners of equal expected value (docs/coverage.md). No correction by sizes alone is right
# for all of them: a cross-validation does not show its own variance (Bengio and Grandvalet 2004).
_TRAINED_ON_FOLDS = (
    "the intervals allow for training sets that share most of their rows (Nadeau and Bengio 2003). This is"
    " cautious for stable learners (linear models), which are called different in 0.4 to 3% of cases instead"
    " of 5%, and too optimistic for unstable ones that choose among features (up to 17%). For models that"
    " were not trained on these folds say --test-to-train 0 (test_to_train=0)."
)
_NOT_TRAINED_ON_FOLDS = "the intervals treat folds as independent: no model was trained on these rows."


def over_folds(result: Comparison) -> str:
    """How means over folds are judged, in a line."""
    if result.assumed.endswith(_NOT_TRAINED_ON_FOLDS):
        return f"Means over {result.folds:,} folds, treated as independent."
    return (
        f"Means over {result.folds:,} folds; corrected resampled t-test, which is cautious for stable"
        " learners (linear models) and too sure of unstable ones (small trees)."
    )


def assumption(joint: JointCounts, options: Options) -> str:
    """What the intervals allow for."""
    if joint.folds is None:
        return WHAT_A_DESIGN_MEANS[design_in_use(options.design)]
    if options.cluster is not None:
        return (
            f"Intervals and p-values come from a bootstrap of the {int(joint.folds.max()) + 1:,} clusters:"
            " rows of one cluster are not independent."
        )
    return _FOLDS_MEAN + (_NOT_TRAINED_ON_FOLDS if options.test_to_train == 0 else _TRAINED_ON_FOLDS)


FOLDS_LIKE_DATASETS = "The folds look like data sets"
_LIKE_DATASETS = re.compile(r"data[ _-]?set|task|problem", re.I)
# Folds of one data set have nearly the same class distribution; data sets stored as folds do not. So small a
# p-value of the chi-squared test that no unlucky split of folds reaches it.
_SAME_CLASSES = 1e-9


def folds_like_datasets(joint: JointCounts, options: Options) -> str | None:
    """A question where the folds look like data sets, by their name or because their class distributions
    differ more than those of random folds can."""
    if options.folds is None or joint.folds is None:
        return None
    from scipy.stats import chi2_contingency

    sizes = np.zeros((int(joint.folds.max()) + 1, joint.n_classes))
    np.add.at(sizes, (joint.folds, joint.truth), joint.counts)
    sizes = sizes[:, sizes.sum(axis=0) > 0]
    # Stratified or random folds have nearly the same class distribution; a p-value this small over folds
    # cannot come from shuffling.
    named = isinstance(options.folds, str) and _LIKE_DATASETS.search(options.folds)
    if not named and (sizes.shape[1] < 2 or chi2_contingency(sizes).pvalue > _SAME_CLASSES):
        return None
    name = f"column {options.folds!r}" if isinstance(options.folds, str) else "the column"
    return (
        f"{FOLDS_LIKE_DATASETS} ({name}): folds of a cross-validation share training rows, data sets"
        " do not, so the tests differ. For data sets use"
        " --dataset (dataset=) instead of --fold."
    )


def notes_of(joint: JointCounts, chosen: list[Measure], options: Options) -> list[str]:
    notes: list[str] = list(joint.notes)
    if question := folds_like_datasets(joint, options):
        notes.append(question)
    actual = joint.actual
    if options.priors_range is not None and options.positive is None and joint.n_classes == 2:
        choice = joint.matrix(0).positive_class()
        notes.append(
            f"over the range of prevalences {quoted(choice.label)} is the positive class ({choice.reason})"
        )
    for place, model in enumerate(joint.models):
        unknown = [quoted(joint.labels[k]) for k in np.unique(joint.predictions[:, place]) if actual[k] == 0]
        if unknown:
            notes.append(f"{model} predicts {listed(unknown)}, of which there are no examples")
    for place, twin in enumerate(joint.twins.tolist()):
        if twin != place:
            notes.append(
                f"{joint.models[place]} predicts the same as {joint.models[twin]} in every row: they are"
                " identical on this test set, so their difference is given as exactly 0; rows on which they"
                " differ may exist"
            )
    rarest = int(actual[actual > 0].min())
    if rarest < 20:
        notes.append(
            f"{quoted(joint.labels[int(np.argmax(actual == rarest))])} has {rarest} examples only:"
            " differences on it are very uncertain"
        )
    notes.append(assumption(joint, options))
    if options.cluster is not None and joint.folds is not None:
        of_scores = ", DeLong's test and the score metrics treat" if options.scores is not None else " treats"
        notes.append(f"McNemar's test{of_scores} rows as independent")
    elif joint.folds is None:
        notes.append(
            "the p-value of a metric tests that both models have the same value of it; with fewer than about"
            " 20 examples of the rarest class it is approximate"
        )
        # What the coverage study found too narrow for test sets like this one.
        study = ("percentile" if options.method == "bootstrap" else "corrected", joint.n_classes, rarest)
        by_warning: dict[str, list[str]] = {}
        for m in chosen:
            if warning := warning_for(m, *study, design_in_use(options.design), "difference"):
                by_warning.setdefault(warning, []).append(short_name(m))
        for warning, names in by_warning.items():
            notes.append(f"intervals of differences of {listed(names)} may be too narrow {warning}")
    else:
        folds = int(joint.folds.max()) + 1
        ratio = (
            f"1/{folds - 1}, as in one cross-validation (repeats have that of each: 1/9 for 2 x 10 folds)"
            if options.test_to_train is None
            else f"{options.test_to_train:g}"
        )
        notes.append(
            f"differences over {folds} folds are judged by the corrected resampled t-test with"
            f" test / training = {ratio}"
        )
    return notes


def find(result: Comparison) -> tuple[Finding, ...]:
    """Every finding, warnings before notes."""
    findings = [*_disagreement(result), *_prevalence(result), *_costs(result)]
    return tuple(sorted(findings, key=lambda finding: finding.kind == "note"))


def _disagreement(result: Comparison) -> Iterator[Finding]:
    best = {row.model for row in result.ranking[:2]}
    for conflict in result.disagreements:
        if {conflict.first, conflict.second} != best:
            continue
        sides = ((conflict.first, conflict.prefer_first), (conflict.second, conflict.prefer_second))
        each = ", ".join(f"{len(metrics)} favour {short(model, 24)}" for model, metrics in sides)
        reason = conflict.reasons[0].rpartition(": ")[2]
        names = {m.name for m in result.measures}
        by = next((name for name in ("recall", "f_beta", "gmean") if name in names), result.by.name)
        yield Finding(
            "warning",
            f"Metrics disagree: {each}.",
            f"{reason[:1].upper()}{reason[1:]}. The disagreement is {conflict.noise.partition(':')[0]}.",
            "Say what matters before you pick the metric: name it, or state the costs of errors.",
            command_text("compare", result.options, by=by),
        )


def _prevalence(result: Comparison) -> Iterator[Finding]:
    if (label := result.positive_label) is None or len(result.ranking) < 2:
        return
    by_id = {m.id: m for m in result.measures}
    for name in FLIPPING:
        flip = flip_of(result, by_id[name]) if name in by_id and moves(result, by_id[name]) else None
        if flip is None:
            continue
        share, below, above = flip
        here = result.actual[result.labels.index(label)] / sum(result.actual)
        ends = sorted((share / 5, min(share * 5, 0.5), here))
        yield Finding(
            "warning",
            f"By {short_name(by_id[name])}, {short(below, 24)} is better below a prevalence of"
            f" {percent(share)}, {short(above, 24)} above.",
            "The better model by a metric that depends on prevalence is a fact about this test set.",
            "Compare over the range of prevalence that you expect.",
            command_text("compare", result.options, priors_range=f"{label}={ends[0]:.2g}..{ends[-1]:.2g}"),
        )
        return


def _costs(result: Comparison) -> Iterator[Finding]:
    at = break_even(result) if result.over_costs is None and len(result.ranking) > 1 else None
    if at is None or (label := result.positive_label) is None:
        return
    ratio, dear, cheap = at
    other = next(each for each in result.labels if each != label)
    yield Finding(
        "note",
        f"If a missed {short(label, 24)} costs more than {ratio:,.2g} false alarms, {short(dear, 24)} has the"
        " lower cost.",
        f"Below that {short(cheap, 24)} is cheaper: costs decide without any metric.",
        "Put in your costs; they need not be known exactly.",
        command_text("compare", result.options, cost=f"{label}>{other}=200, {other}>{label}=4"),
    )


def moves(result: Comparison, m: Measure) -> bool:
    """Does a metric of these models depend on prevalence?"""
    label, measures = result.class_of_metrics, [m, balanced(m)]
    both = [weigh(measures, matrix, positive=label) for matrix in result.matrices.values()]
    return any(abs(first - second) > 1e-9 for first, second in (row.values() for row in both))


def along_prevalence(result: Comparison, m: Measure, model: str) -> NDArray[np.float64]:
    """A metric of a model at each prevalence; the recall of each class stays as it is."""
    label = result.positive_label
    matrix = result.matrices[model]
    place = matrix.index(label)
    rates = matrix.counts / np.maximum(matrix.actual[:, None], 1)
    shares = np.where(np.arange(2)[None] == place, SHARES[:, None], 1 - SHARES[:, None])
    values = weigh([m], Confusion(rates[None] * shares[:, :, None], matrix.labels), positive=label)
    return np.asarray(values[m.name], dtype=np.float64)


def flip_of(result: Comparison, m: Measure) -> tuple[float, str, str] | None:
    """The prevalence at which the better of the two best models changes, and who is better below and above
    it."""
    first, second = (row.model for row in result.ranking[:2])
    gap = along_prevalence(result, m, first) - along_prevalence(result, m, second)
    gap = np.where(np.isfinite(gap), gap, 0.0) * (-1 if m.better == "lower" else 1)
    # Interpolated on the logarithmic scale of the chart, so that the rule stands where the lines cross.
    shares = crossings(SHARES, gap, logarithmic=True)
    if len(shares) != 1:
        return None
    return (shares[0], *((first, second) if gap[shares[0] > SHARES][-1] > 0 else (second, first)))


def break_even(result: Comparison) -> tuple[float, str, str] | None:
    """How many false alerts a miss must cost for the two best models to cost the same; who is cheaper above
    and below. None where one is never dearer, or there are several classes."""
    label = result.positive_label
    if label is None:
        return None
    models = [row.model for row in result.ranking[:2]]
    errors = (result.matrices[model].one_vs_rest(label).counts.tolist() for model in models)
    ((_, miss_a), (false_a, _)), ((_, miss_b), (false_b, _)) = errors
    # A model that makes fewer errors of both kinds is cheaper at every ratio.
    if (miss_b - miss_a) * (false_a - false_b) <= 0:
        return None
    # ratio * miss_a + false_a = ratio * miss_b + false_b, in false alerts.
    ratio = (false_a - false_b) / (miss_b - miss_a)
    return (ratio, models[0], models[1]) if miss_a < miss_b else (ratio, models[1], models[0])
