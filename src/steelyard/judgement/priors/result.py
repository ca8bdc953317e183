"""Result of estimating class priors of unlabelled data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, ClassVar

from steelyard._version import __version__
from steelyard.counts.labels import Label, plain_label
from steelyard.report.class_names import quoted
from steelyard.report.numbers import count, p_relation, percent
from steelyard.report.presented import Presented
from steelyard.report.records import HIDDEN, AnyLabel, Json, Record, derived, document, in_json, schema_of
from steelyard.report.sections import Cell, Report, Section, Sentence, Table, table_of, words_column
from steelyard.scores.dataset_shift import OUTSIDE
from steelyard.scores.fields import LABEL, NUMBER, TEXT, many, record
from steelyard.scores.unlabelled_priors import COUNTING, MATCHING, WORDS, Estimate

_CLASSES = many(record(label=LABEL, examples=NUMBER))
LabelledData = Annotated[dict[str, Any], Json(schema=record(name=TEXT, classes=_CLASSES))]
_PREDICTED = schema_of(tuple[float, ...] | None)
UnlabelledData = Annotated[dict[str, Any], Json(schema=record(name=TEXT, rows=NUMBER, predicted=_PREDICTED))]


@dataclass(frozen=True)
class Share(Record):
    """The prevalence of a class by one method."""

    method: str
    label: AnyLabel
    share: float
    low: float
    high: float
    simultaneous_low: float
    simultaneous_high: float


@dataclass(frozen=True)
class LabelShiftTest(Record):
    """The test of label shift."""

    p_value: float
    #: Cells that were compared: with as many as classes, only shares below 0 speak against label shift.
    cells: int
    #: The share of unlabelled scores outside the range of the labelled ones.
    outside: float
    fits: bool


@dataclass(frozen=True, repr=False)
class Priors(Record, Presented):
    """Class priors of unlabelled data, by every method that the data allow.

    >>> import steelyard as sy
    >>> labelled = ["fraud"] * 60 + ["ok"] * 940
    >>> predicted = ["fraud"] * 50 + ["ok"] * 10 + ["fraud"] * 30 + ["ok"] * 910
    >>> found = sy.priors(labelled, predicted, unlabelled=["fraud"] * 50 + ["ok"] * 950)
    >>> round(float(found.best.shares[0]), 4)  # (0.05 - 30/940) / (50/60 - 30/940)
    0.0226
    """

    SCHEMA: ClassVar[str] = "steelyard/priors/1"
    labelled: Annotated[str, HIDDEN]
    unlabelled: Annotated[str, HIDDEN]
    labels: Annotated[tuple[Label, ...], HIDDEN]
    #: Labelled examples of each class.
    sizes: Annotated[tuple[int, ...], HIDDEN]
    #: Unlabelled rows.
    rows: Annotated[int, HIDDEN]
    #: The share of the unlabelled rows predicted as each class; None where scores were given.
    shares_predicted: Annotated[tuple[float, ...] | None, HIDDEN]
    estimates: Annotated[tuple[Estimate, ...], HIDDEN]
    test: Annotated[LabelShiftTest, Json("fit")]
    level: float
    notes: tuple[str, ...]

    steelyard = derived(str, lambda self: __version__)

    @property
    @in_json("labelled")
    def labelled_data(self) -> LabelledData:
        pairs = zip(self.labels, self.sizes, strict=True)
        classes = [{"label": plain_label(label), "examples": size} for label, size in pairs]
        return {"name": self.labelled, "classes": classes}

    @property
    @in_json("unlabelled")
    def unlabelled_data(self) -> UnlabelledData:
        return {"name": self.unlabelled, "rows": self.rows, "predicted": self.shares_predicted}

    @property
    def best(self) -> Estimate:
        """Distribution matching where there are scores, adjusted counting where there are labels only."""
        wanted = (MATCHING, COUNTING)
        candidates = (estimate for estimate in self.estimates if estimate.method in wanted)
        return min(candidates, key=lambda estimate: wanted.index(estimate.method))

    best_method = derived(str, lambda self: self.best.method, "best")

    @property
    @in_json("priors")
    def priors_by_name(self) -> dict[str, float] | None:
        """None where label shift is rejected."""
        return {str(label): share for label, share in self.by_label().items()} if self.fits else None

    valid_shares = derived(tuple[Share, ...], lambda self: self.shares if self.fits else (), "estimates")

    rejected_shares = derived(
        tuple[Share, ...], lambda self: () if self.fits else self.shares, "rejected_estimates"
    )

    @property
    def shares(self) -> tuple[Share, ...]:
        """The prevalence of each class by each method."""
        shares = []
        for each in self.estimates:
            columns = (each.shares, each.low, each.high, each.low_of_all, each.high_of_all)
            rows = zip(self.labels, *(column.tolist() for column in columns), strict=True)
            shares += [Share(each.method, *row) for row in rows]
        return tuple(shares)

    @property
    def fits(self) -> bool:
        """Does a mixture of the labelled classes explain the unlabelled rows?"""
        return self.test.fits

    def by_label(self) -> dict[Label, float]:
        """The best estimate as priors, for whatever takes `priors=`."""
        return {label: float(share) for label, share in zip(self.labels, self.best.shares, strict=True)}

    def table(self) -> list[dict[str, Any]]:
        """A row for each method and class."""
        return [{**share.to_dict(), "rejected": not self.fits} for share in self.shares]

    def report(self) -> Report:
        """The shares, each way of finding them, and whether they can be believed."""
        title = (
            f"{Path(self.unlabelled).name} · {count(self.rows)} unlabelled rows · class priors estimated"
            f" using {count(sum(self.sizes))} labelled rows"
        )
        sections = [Section("", tuple(_verdict(self)), "brief", "verdict")]
        if self.fits:
            counted = "each predicted label"
            if self.shares_predicted is None:
                counted = "scores above the median of the labelled ones (both classes counting alike)"
            methods = [
                f"{each.method}: {WORDS[each.method].format(counted=counted)}." for each in self.estimates
            ]
            resampled = (
                "Confidence intervals come from resampling both sets: the distribution of each class is known"
                " from its labelled examples only."
            )
            sections += [
                Section("By method", (_table(self),), "brief", "estimates"),
                Section("Methods", tuple(map(Sentence, methods)), "brief", "methods"),
                Section("", (Sentence(resampled),), "full"),
            ]
        return Report(title, tuple(sections), f"Steelyard {__version__}.")


json_schema = partial(document, Priors, "Class priors of unlabelled data")
MOST_NAMED = 3


def _verdict(result: Priors) -> Iterator[Sentence]:
    if not result.fits:
        reason = "no mixture of the labelled classes explains the unlabelled rows"
        if result.test.outside > OUTSIDE:
            reason = f"{percent(result.test.outside)} of the unlabelled scores lie outside the labelled range"
        yield Sentence(
            f"Label shift is rejected (p {p_relation(result.test.p_value)}): {reason}, so prevalence cannot"
            " be estimated this way.",
            "bad",
        )
        yield Sentence(
            "Next: estimate performance under covariate shift with steelyard evaluate --production, or label"
            " some of the rows (steelyard sample chooses which)."
        )
        return
    best = result.best
    order = sorted(range(len(result.labels)), key=lambda k: float(best.shares[k]))
    if len(order) == 2:
        # Of two classes one says it all: the positive one of scores, otherwise the rarer one.
        order = [0] if result.shares_predicted is None else order[:1]
    for k in order[:MOST_NAMED]:
        share, low, high = (percent(float(column[k])) for column in (best.shares, best.low, best.high))
        words = f"About {share} of the unlabelled rows are {quoted(result.labels[k])}"
        words += f" ({100 * result.level:g}% CI {low} to {high}, {best.method})."
        if result.shares_predicted is not None:
            words += f" {percent(result.shares_predicted[k])} are predicted as this class."
        yield Sentence(words, "strong")
    k = order[0]
    for other in result.estimates:
        if not best.low[k] <= other.shares[k] <= best.high[k]:
            doubt = ", and the intervals do not overlap: the assumption is doubtful, label some rows."
            if other.low[k] <= best.high[k] and best.low[k] <= other.high[k]:
                why = ", which uses all scores" if other.method == COUNTING else ""
                doubt = f"; rely on {best.method}{why}."
            gives = f"{other.method} gives {percent(float(other.shares[k]))}"
            yield Sentence(f"The methods disagree: {gives}{doubt}")
    for note in result.notes:
        yield Sentence(note, "bad")
    # Simulated with 4% of new negatives that score like positives: rejected in 17% (docs/coverage.md).
    blind = (
        " Rows of a new kind that score like a known class are counted as that class, and the test seldom"
        " notices them."
    )
    if result.shares_predicted is not None:
        blind = (
            " With predicted labels alone this test rarely detects a violation; scores give a stronger test."
        )
    what = "scores" if result.shares_predicted is None else "predictions"
    yield Sentence(
        f"Assumed: label shift (within each class, {what} are distributed as in the labelled rows; only"
        f" prevalence differs); not rejected (p {p_relation(result.test.p_value)}).{blind}",
        "soft",
    )


def _table(result: Priors) -> Table:
    def ends(low: float, high: float) -> str:
        return f"{percent(low)} to {percent(high)}"

    sizes = dict(zip(result.labels, result.sizes, strict=True))
    simultaneous = ("simultaneous CI", lambda of: ends(of.simultaneous_low, of.simultaneous_high))
    return table_of(
        result.shares,
        (
            words_column("method"),
            lambda of: Cell(of.method, "strong" if of.method == result.best.method else "plain"),
        ),
        (words_column("class"), lambda of: str(of.label)),
        ("labelled examples", lambda of: count(sizes[of.label])),
        ("prevalence", lambda of: percent(of.share)),
        (f"{100 * result.level:g}% CI", lambda of: ends(of.low, of.high)),
        simultaneous if len(result.labels) > 2 else None,
        identity="priors",
    )
