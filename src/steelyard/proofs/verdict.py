"""Verdicts: what was decided, with which certainty, and on what evidence."""

# Six grades, from sure to open:
# - proved: by an argument or by exact algebra, for the numbers of classes that are named;
# - proved of the formula: the same, of the formula that a plain Python function was traced to; the function
# agreed with it on every matrix that was tried, which is no proof that it always does;
# - refuted: by a matrix on which it fails, verified in exact fractions before it is shown;
# - not refuted: so many cases of such sizes were tried, and it held in all of them;
# - timed out: the deciders gave up within their limits, and no counterexample was found;
# - not applicable: the question does not arise for this measure.

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated, Any, Final, Literal

import numpy as np

from steelyard.report.records import Json, Record, in_json, schema_of

Grade = Literal[
    "proved", "proved of the formula", "refuted", "not refuted", "timed out", "not applicable"
]  # fmt: skip
PROVED: Final = ("proved", "proved of the formula")
Matrix = tuple[tuple[Fraction, ...], ...]
# So many are written out; the record holds all.
MOST_CONDITIONS = 8
EVERY = "every C"
# The method of a proof that leaves no certificate.
BY_Z3 = "its negation is impossible (z3)"


def as_matrix(rows: Any) -> Matrix:
    """Rows of numbers as an exact matrix."""
    plain = rows.tolist() if isinstance(rows, np.ndarray) else rows
    return tuple(tuple(Fraction(v) for v in row) for row in plain)


def shown_matrix(matrix: Matrix) -> str:
    """[[5, 0], [1, 9]]: rows are truth."""
    return "[" + ", ".join("[" + ", ".join(map(str, row)) + "]" for row in matrix) + "]"


def shown_number(value: Any) -> str:
    """A fraction where it is short, otherwise a decimal that says it is one."""
    if isinstance(value, float) and value != value:
        return "undefined"
    if isinstance(value, Fraction) and value.denominator < 10_000 and abs(value.numerator) < 1_000_000:
        return str(value)
    return f"{float(value):.9g}"


@dataclass(frozen=True)
class Counterexample(Record):
    """One or two matrices and what is wrong with their values."""

    # Written as text, as entries are exact fractions.
    matrices: Annotated[tuple[Matrix, ...], Json(schema=schema_of(list[list[list[str]]]))]
    values: Annotated[
        tuple[Fraction | float, ...],
        Json(write=lambda values: list(map(str, values)), schema=schema_of(list[str])),
    ]
    # Were the values computed in exact arithmetic? A user's function that takes floats only gives float
    # values.
    exact: bool = True

    @property
    def n_classes(self) -> int:
        return len(self.matrices[0])

    @property
    def total(self) -> Fraction:
        return sum((sum(row, Fraction(0)) for matrix in self.matrices for row in matrix), Fraction(0))

    @property
    def shown_values(self) -> list[str]:
        """The values to read; two that differ but look the same are distinguished by their difference."""
        shown = [shown_number(v) for v in self.values]
        if len(shown) == 2 and shown[0] == shown[1] and self.values[0] != self.values[1]:
            difference = float(Fraction(self.values[1]) - Fraction(self.values[0]))
            shown[1] = f"{shown[1]} {'+' if difference > 0 else '-'} {abs(difference):.3g}"
        return shown

    def __str__(self) -> str:
        shown = self.shown_values
        pairs = [f"{v} on {shown_matrix(m)}" for m, v in zip(self.matrices, shown, strict=False)]
        if len(self.matrices) == 2 and len(shown) > 2:  # two models ranked oppositely: a note has the values
            return " and ".join(shown_matrix(m) for m in self.matrices)
        return " but ".join([*pairs, *shown[len(self.matrices) :]])

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Counterexample:
        values = tuple(
            float(v) if v == "nan" or "." in v or "e" in v or "inf" in v else Fraction(v)
            for v in data["values"]
        )
        return cls(tuple(as_matrix(m) for m in data["matrices"]), values, bool(data["exact"]))


@dataclass(frozen=True)
class AtC(Record):
    """The decision for one number of classes."""

    n_classes: int
    grade: Grade
    method: str
    cases: int = 0
    # What must not be 0 for the theorem to speak.
    conditions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Verdict(Record):
    """A decided property or relation."""

    subject: Annotated[str, Json("measure")]
    question: Annotated[str, Json("property")]
    grade: Grade
    method: str
    # For which numbers of classes: "every C" or "C = 2, 3".
    classes: str
    counterexample: Counterexample | None = None
    at: tuple[AtC, ...] = ()
    notes: tuple[str, ...] = ()
    # What must not be 0 for a theorem to speak: the denominators, for the smallest number of classes.
    conditions: tuple[str, ...] = ()
    # Was every certificate of a proof checked by the independent checker? None where nobody checked.
    certified: bool | None = None

    @property
    def domain(self) -> str:
        """Of which matrices a theorem speaks, in words."""
        # Where nothing is named that must not be 0, of those on which every value is defined (decision 19).
        if self.grade not in PROVED:
            return ""
        if not self.conditions:
            return "wherever every value is defined"
        # What can be 0 although no cell is empty comes first: it says most.
        inner = [text for text in self.conditions if " - " in text or text.startswith("-")]
        every = [*inner, *(text for text in self.conditions if text not in inner)]
        most = max(3, min(len(inner), MOST_CONDITIONS))
        rest = len(every) - most
        words = f"wherever {', '.join(every[:most])}"
        if rest > 0:
            words += f" and {rest} more"
        return f"{words} {'is' if len(every) == 1 else 'are'} not 0"

    @property
    def uncertified(self) -> str:
        """By whom it is proved, where no certificate of it was checked; empty otherwise."""
        if self.grade not in PROVED or self.certified is not False:
            return ""
        return f"{self.grade} by {'z3' if BY_Z3 in self.method else 'FLINT'}, not certified"

    @property
    def sure(self) -> bool:
        """Can advice rest on it? Not on a proof by z3, or one whose certificate was not checked."""
        if self.grade != "proved" or self.certified is not None:
            return self.grade != "proved" or self.certified is True
        return BY_Z3 not in self.method

    @property
    def holds(self) -> bool | None:
        """True if proved, False if refuted, None if open."""
        return True if self.grade in PROVED else False if self.grade == "refuted" else None

    def holds_at(self, n_classes: int) -> bool | None:
        """The same for one number of classes: truth depends on C."""
        if self.grade in PROVED and self.classes == EVERY:
            return True
        for decision in self.at:
            if decision.n_classes == n_classes:
                return {"proved": True, "refuted": False}.get(decision.grade)
        return None

    @property
    def proved_at(self) -> str:
        """For which numbers of classes it is proved all the same; empty if for none."""
        sizes = [str(decision.n_classes) for decision in self.at if decision.grade == "proved"]
        return f"proved at C = {', '.join(sizes)}" if sizes else ""

    def __str__(self) -> str:
        text: str = self.grade
        if self.grade == "refuted":
            also = f" ({self.proved_at})" if self.proved_at and self.counterexample else ""
            text += f" at {self.classes}{also}: {self.counterexample or self.method}"
        elif self.grade != "not applicable":
            text = f"{self.uncertified}," if self.uncertified else text
            text += f" for {self.classes}: {self.method}"
        return "; ".join([text, *([self.domain] if self.domain else []), *self.notes])

    @property
    @in_json()
    def text(self) -> str:
        """The verdict in words."""
        return str(self)

    @classmethod
    def of_sizes(cls, verdicts: Sequence[Verdict]) -> Verdict:
        """One verdict from those on the same question for single numbers of classes."""
        parts = [decision for verdict in verdicts for decision in verdict.at]
        first = verdicts[0]
        if not parts or len(verdicts) == 1:
            return first
        example = next((v.counterexample for v in verdicts if v.counterexample is not None), None)
        notes = tuple(dict.fromkeys(note for verdict in verdicts for note in verdict.notes))
        return joined(first.subject, first.question, parts, example, notes)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Verdict:
        renamed = {"measure": "subject", "property": "question"}
        plain = {renamed.get(k, k): v for k, v in data.items() if k not in ("text", "counterexample", "at")}
        for name in ("notes", "conditions"):
            plain[name] = tuple(plain[name])
        at = tuple(AtC(**{**each, "conditions": tuple(each["conditions"])}) for each in data["at"])
        example = data["counterexample"] and Counterexample.from_dict(data["counterexample"])
        return cls(**plain, counterexample=example, at=at)


def not_proved(verdict: Verdict, why: str) -> Verdict:
    """The verdict on something of which nothing can be proved: it is never better than not refuted."""
    if verdict.grade not in (*PROVED, "not refuted"):
        return verdict
    parts = tuple(replace(p, grade="not refuted") if p.grade in PROVED else p for p in verdict.at)
    method = verdict.method if verdict.grade == "not refuted" else "no counterexample was found"
    return replace(verdict, grade="not refuted", method=f"{method} ({why})", at=parts)


def of_the_formula(verdict: Verdict) -> Verdict:
    """The verdict on a plain function: what is proved is proved of the formula it was traced to."""
    return replace(verdict, grade="proved of the formula") if verdict.grade == "proved" else verdict


def named_classes(numbers: Iterable[int]) -> str:
    """C = 2, C = 2, 3, or C = 2..4 where three or more follow each other."""
    sizes = sorted(set(numbers))
    if len(sizes) > 2 and sizes[-1] - sizes[0] == len(sizes) - 1:
        return f"C = {sizes[0]}..{sizes[-1]}"
    return "C = " + ", ".join(map(str, sizes))


def joined(
    subject: str,
    question: str,
    parts: Sequence[AtC],
    counterexample: Counterexample | None = None,
    notes: Sequence[str] = (),
) -> Verdict:
    """One verdict from those for each number of classes."""
    grade = joint_grade(decision.grade for decision in parts)
    is_open = grade not in ("refuted", "proved")
    chosen = [d for d in parts if (d.grade != "proved" if is_open else d.grade == grade)]
    method = "; ".join(dict.fromkeys(decision.method for decision in chosen))
    if is_open:
        method += f" ({sum(decision.cases for decision in parts):,} cases in all)"
        if proved := [decision.n_classes for decision in parts if decision.grade == "proved"]:
            notes = (*notes, f"proved for {named_classes(proved)}")
    classes = named_classes(decision.n_classes for decision in chosen)
    where = parts[0].conditions if grade == "proved" else ()
    return Verdict(
        subject, question, grade, method, classes, counterexample, tuple(parts), tuple(notes), where
    )


def joint_grade(grades: Iterable[Grade]) -> Grade:
    """A refutation anywhere refutes, a proof needs every one of them."""
    every = set(grades)
    if "refuted" in every or every == {"proved"}:
        return "refuted" if "refuted" in every else "proved"
    return "timed out" if "timed out" in every else "not refuted"
