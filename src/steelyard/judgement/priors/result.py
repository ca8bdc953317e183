"""Result of estimating class priors of unlabelled data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

from steelyard._version import __version__
from steelyard.counts.labels import Label
from steelyard.report.class_names import quoted
from steelyard.report.numbers import count, p_relation, percent
from steelyard.report.presented import Presented
from steelyard.report.records import HIDDEN, AnyLabel, Json, Record, Schema, document, in_json
from steelyard.report.sections import Cell, Report, Section, Sentence, Table, number_columns, words_column
from steelyard.scores.dataset_shift import OUTSIDE
from steelyard.scores.unlabelled_priors import COUNTING, MATCHING, WORDS, Estimate


@dataclass(frozen=True)
class Labelled(Record):
    """A class of the labelled data."""

    label: AnyLabel
    examples: int


@dataclass(frozen=True)
class LabelledData(Record):
    """The labelled data: its name and its class sizes."""

    name: str
    classes: tuple[Labelled, ...]


@dataclass(frozen=True)
class UnlabelledData(Record):
    """The unlabelled data: its name, its rows and how they are predicted."""

    name: str
    rows: int
    predicted: tuple[float, ...] | None


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

    @property
    @in_json()
    def steelyard(self) -> str:
        return __version__

    @property
    @in_json("labelled")
    def labelled_data(self) -> LabelledData:
        return LabelledData(self.labelled, tuple(map(Labelled, self.labels, self.sizes)))

    @property
    @in_json("unlabelled")
    def unlabelled_data(self) -> UnlabelledData:
        return UnlabelledData(self.unlabelled, self.rows, self.shares_predicted)

    @property
    def best(self) -> Estimate:
        """Distribution matching where there are scores, adjusted counting where there are labels only."""
        wanted = (MATCHING, COUNTING)
        candidates = (estimate for estimate in self.estimates if estimate.method in wanted)
        return min(candidates, key=lambda estimate: wanted.index(estimate.method))

    @property
    @in_json("best")
    def best_method(self) -> str:
        return self.best.method

    @property
    @in_json("priors")
    def priors_by_name(self) -> dict[str, float] | None:
        """None where label shift is rejected."""
        return {str(label): share for label, share in self.by_label().items()} if self.fits else None

    @property
    @in_json("estimates")
    def valid_shares(self) -> tuple[Share, ...]:
        return self.shares if self.fits else ()

    @property
    @in_json("rejected_estimates")
    def rejected_shares(self) -> tuple[Share, ...]:
        return () if self.fits else self.shares

    @property
    def shares(self) -> tuple[Share, ...]:
        """The prevalence of each class by each method."""
        return tuple(
            Share(
                method=estimate.method,
                label=label,
                share=float(estimate.shares[k]),
                low=float(estimate.low[k]),
                high=float(estimate.high[k]),
                simultaneous_low=float(estimate.low_of_all[k]),
                simultaneous_high=float(estimate.high_of_all[k]),
            )
            for estimate in self.estimates
            for k, label in enumerate(self.labels)
        )

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
        return priors_report(self)


def json_schema() -> Schema:
    """The JSON schema of `steelyard priors --json`."""
    return document(Priors, "Class priors of unlabelled data")


MOST_NAMED = 3


def priors_report(result: Priors) -> Report:
    """The shares, each way of finding them, and whether they can be believed."""
    title = (
        f"{Path(result.unlabelled).name} · {count(result.rows)} unlabelled rows · class priors from"
        f" {count(sum(result.sizes))} labelled rows"
    )
    sections = [Section("", tuple(_verdict(result)), "brief", "verdict")]
    if result.fits:
        sections += [
            Section("By method", (_table(result),), "brief", "estimates"),
            Section("Methods", tuple(_methods(result)), "full", "methods"),
        ]
    return Report(title, tuple(sections), f"Steelyard {__version__}.")


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
        yield Sentence(
            f"About {percent(float(best.shares[k]))} of the unlabelled rows are {quoted(result.labels[k])}"
            f" ({100 * result.level:g}% CI {percent(float(best.low[k]))} to {percent(float(best.high[k]))},"
            f" {best.method})."
            + (
                ""
                if result.shares_predicted is None
                else f" {percent(result.shares_predicted[k])} are predicted as this class."
            ),
            "strong",
        )
    for note in result.notes:
        yield Sentence(note, "bad")
    blind = (
        ""
        if result.shares_predicted is None
        else " With predicted labels alone this test rarely detects a violation; scores give a stronger test."
    )
    yield Sentence(
        "Assumed: label shift (each class looks the same in both sets, only the class distribution"
        f" differs); not rejected (p {p_relation(result.test.p_value)}).{blind}",
        "soft",
    )


def _table(result: Priors) -> Table:
    several = len(result.labels) > 2
    columns = [
        words_column("method"),
        words_column("class"),
        *number_columns("labelled examples", "prevalence"),
    ]
    columns += number_columns(f"{100 * result.level:g}% CI")
    columns += number_columns("simultaneous CI") if several else ()
    rows: list[tuple[Cell | str, ...]] = []
    for row in result.estimates:
        tone = "strong" if row is result.best else "plain"
        for k, label in enumerate(result.labels):
            rows.append(
                (
                    Cell(row.method, "strong" if tone == "strong" else "plain"),
                    str(label),
                    count(result.sizes[k]),
                    percent(float(row.shares[k])),
                    f"{percent(float(row.low[k]))} to {percent(float(row.high[k]))}",
                    *(
                        [f"{percent(float(row.low_of_all[k]))} to {percent(float(row.high_of_all[k]))}"]
                        if several
                        else []
                    ),
                )
            )
    return Table(tuple(columns), tuple(rows), identity="priors")


def _methods(result: Priors) -> Iterator[Sentence]:
    for estimate in result.estimates:
        yield Sentence(f"{estimate.method}: {WORDS[estimate.method]}.")
    yield Sentence(
        "Confidence intervals come from resampling both sets: the distribution of each class is known from"
        " its labelled examples only."
    )
