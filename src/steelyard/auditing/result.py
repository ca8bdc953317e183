"""The result of an audit as frozen data: possible with a witness, impossible with a reason, or undecided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, cast

from steelyard.auditing.checker.question import Rounding
from steelyard.auditing.explanations import Contradiction, Mistake
from steelyard.auditing.problem.demands import Demand, Matrix
from steelyard.auditing.problem.folds import Setting
from steelyard.auditing.problem.settings import Decision
from steelyard.auditing.search.branch_and_bound import Answer
from steelyard.report.presented import Presented
from steelyard.report.records import HIDDEN, Json, Record, Schema, derived, in_json, schema_of, titled
from steelyard.report.sections import Report

EXIT_CODES: dict[str, int] = {"possible": 0, "impossible": 1, "undecided": 3}


OptionalText = Annotated[str, Json(write=lambda text: text or None, schema={"type": ["string", "null"]})]


@dataclass(frozen=True)
class PrintedValue(Record):
    """A printed value: the interval that its digits stand for, and its value on the witness."""

    printed: str
    measure: str
    label: Annotated[str | None, Json("class")]
    low: float
    high: float
    low_open: bool
    high_open: bool
    witness: float | None


@dataclass(frozen=True)
class Fitting(Record):
    """How many matrices fit, exactly or at least."""

    count: int
    exact: bool


@dataclass(frozen=True)
class Witness(Record):
    """A matrix for each fold (one without folds) on which every value is as printed."""

    labels: tuple[str, ...]
    matrices: tuple[Matrix, ...]


@dataclass(frozen=True, repr=False)
class AuditResult(Record, Presented):
    """Possible with a witness, impossible with a reason, or undecided within the time budget."""

    ROWS: ClassVar[str] = "values"
    demands: Annotated[tuple[Demand, ...], HIDDEN]
    setting: Annotated[Setting, HIDDEN]
    rounding: Rounding
    decision: Annotated[Decision, HIDDEN]
    contradiction: Contradiction | None = None
    mistakes: Annotated[tuple[Mistake, ...], Json("explanations")] = ()
    # A proof that the values are impossible, as plain data, if it was requested and found.
    certificate: Annotated[Mapping[str, Any] | None, Json(schema={"type": ["object", "null"]})] = None
    # What came of checking, as a sentence; empty where it was not requested.
    check: OptionalText = ""
    # The name of the row of a table that it is of.
    name: OptionalText = ""

    @property
    @in_json()
    def verdict(self) -> Answer:
        return self.decision.answer

    @property
    def exit_code(self) -> int:
        """The exit code of the command: 0 possible, 1 impossible, 3 undecided."""
        return EXIT_CODES[self.verdict]

    @property
    def witness(self) -> Matrix | None:
        """A matrix that gives every value, rows truth; of the first fold where there are folds."""
        return self.decision.matrices[0] if self.decision.matrices else None

    def reason(self) -> str:
        """Why the verdict is what it is."""
        return str(self._beside("report").reason(self))

    def report(self) -> Report:
        return cast(Report, self._beside("report").of_result(self))

    sentence = derived(str, lambda self: self._beside("report").headline(self))
    _reason = derived(str, lambda self: self.reason(), "reason")

    @property
    @in_json()
    def values(self) -> tuple[PrintedValue, ...]:
        """Each printed value with its interval and its value on the witness."""
        matrices, values = self.decision.matrices, []
        for demand in self.demands:
            label = None if demand.place is None else str(self.setting.sizes.labels[demand.place])
            value = float(self.setting.value(demand, matrices)) if matrices else None
            within = demand.interval
            ends = float(within.low), float(within.high), within.low_open, within.high_open
            values.append(PrintedValue(demand.text, demand.measure.name, label, *ends, value))
        return tuple(values)

    sizes = derived(
        dict[str, int | None],
        lambda self: dict(zip(map(str, self.setting.sizes.labels), self.setting.sizes.known, strict=True)),
    )
    total = derived(int | None, lambda self: self.setting.sizes.total)

    @property
    @in_json()
    def up_to(self) -> int | None:
        sizes = self.setting.sizes
        return None if sizes.complete or sizes.total is not None else sizes.up_to

    undefined = derived(str | float, lambda self: self.setting.undefined)
    assumptions = derived(tuple[str, ...], lambda self: self.setting.assumptions())
    candidates = derived(int | None, lambda self: self.setting.candidates())

    @property
    @in_json()
    def fitting(self) -> Fitting:
        return Fitting(self.decision.count, self.decision.complete and self.verdict != "undecided")

    @property
    @in_json("witness")
    def _witness(self) -> Witness | None:
        labels, matrices = tuple(map(str, self.setting.sizes.labels)), self.decision.matrices
        return Witness(labels, matrices) if matrices else None


@dataclass(frozen=True)
class UnusableRow(Record):
    """A row that cannot be audited, and why not."""

    name: str
    why: Annotated[str, Json("sentence")]
    verdict: Literal["unusable"] = "unusable"

    def reason(self) -> str:
        return self.why


@dataclass(frozen=True, repr=False)
class AuditedTable(Record, Presented):
    """The rows of a table, each with its verdict."""

    rows: tuple[AuditResult | UnusableRow, ...]

    def count(self, verdict: str) -> int:
        return sum(row.verdict == verdict for row in self.rows)

    @property
    def exit_code(self) -> int:
        """1 if a row is impossible, else 2 if one cannot be used, else 3 if one is undecided, else 0."""
        codes = {"impossible": 1, "unusable": 2, "undecided": 3}
        return next((code for verdict, code in codes.items() if self.count(verdict)), 0)

    @property
    @in_json()
    def sentence(self) -> str:
        verdicts = ("impossible", "possible", "undecided", "unusable")
        counts = [f"{self.count(v)} {v}" for v in verdicts if self.count(v)]
        return f"{len(self.rows)} row{'s' if len(self.rows) > 1 else ''}: {', '.join(counts)}."

    def report(self) -> Report:
        written = self._beside("report")
        rows = [
            (row.name, row.verdict, row.why if isinstance(row, UnusableRow) else written.row_reason(row))
            for row in self.rows
        ]
        return cast(Report, written.of_table(self.sentence, rows))

    def table(self) -> list[dict[str, Any]]:
        return [{"row": row.name, "verdict": row.verdict, "reason": row.reason()} for row in self.rows]


@dataclass(frozen=True, repr=False)
class CheckedCertificate(Record, Presented):
    """A stored certificate that holds: what it proves, and in how many boxes."""

    statement: str
    boxes: int

    exit_code = EXIT_CODES["impossible"]

    @property
    @in_json()
    def sentence(self) -> str:
        boxes = self._beside("report").boxes(self.boxes)
        return f"The certificate holds: {boxes}, checked in exact fractions."

    def report(self) -> Report:
        return cast(Report, self._beside("report").of_certificate(self.statement, self.sentence))


def json_schema() -> Schema:
    """The JSON schema of an audit: of one result, of a table of them, or of a certificate."""
    kinds = [schema_of(kind) for kind in (AuditResult, AuditedTable, CheckedCertificate)]
    title = "Can printed numbers be true; the second form for a table of them"
    return titled("audit", title, {"anyOf": kinds})
