"""What is one case: rows of labels, perhaps with weights, slices, holes, scores and named classes?"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import Any, Literal

PLAIN_NUMBER = r"-?(0|[1-9][0-9]*)(\.[0-9]+)?"
Label = str | int | float | bool
Kind = Literal["text", "integer", "large", "float", "boolean", "mixed"]


@dataclass(frozen=True)
class Case:
    """Rows, and how they are to be read. A label that is None is missing."""

    kind: Kind
    truths: tuple[Label | None, ...]
    predictions: tuple[Label | None, ...]
    weights: tuple[float | None, ...] | None = None
    slices: tuple[str | None, ...] | None = None
    scores: tuple[float, ...] | None = None
    listed: tuple[Label, ...] | None = None
    drop: bool = False
    cuts: tuple[int, ...] = ()
    """Where the rows are cut into batches."""

    @property
    def rows(self) -> int:
        return len(self.truths)

    def kept(self, keep: Callable[[int], bool]) -> Case:
        """The case with some of its rows only."""
        at = [i for i in range(self.rows) if keep(i)]

        def part(column: tuple[Any, ...] | None) -> Any:
            return None if column is None else tuple(column[i] for i in at)

        return replace(
            self,
            truths=part(self.truths),
            predictions=part(self.predictions),
            weights=part(self.weights),
            slices=part(self.slices),
            scores=part(self.scores),
            cuts=tuple(cut for cut in self.cuts if cut <= len(at)),
        )

    @property
    def has_holes(self) -> bool:
        return None in self.truths or None in self.predictions

    def written(self) -> Case:
        """The case as a text file holds it: every label is its text, and an empty field is no label."""

        def text(label: Label | None) -> str | None:
            return None if label is None or label == "" else str(label)

        truths, predictions = in_one_spelling(
            [text(label) for label in self.truths], [text(label) for label in self.predictions]
        )
        return replace(
            self,
            kind="text",
            truths=tuple(truths),
            predictions=tuple(predictions),
            slices=None if self.slices is None else tuple(s or None for s in self.slices),
            listed=None if self.listed is None else tuple(str(label) for label in self.listed),
        )


Texts = list[str | None]


def in_one_spelling(truths: Texts, predictions: Texts) -> tuple[Texts, Texts]:
    """Where every label is a plain number, 1 and 1.0 are one class, written in the shortest way; unless one
    column writes a number in two ways, and not all labels are whole: those are codes."""
    texts = sorted(
        {label for label in [*truths, *predictions] if label is not None}, key=lambda t: (len(t), t)
    )
    if not all(re.fullmatch(PLAIN_NUMBER, text) for text in texts):
        return truths, predictions
    if not all(re.fullmatch(r"-?[0-9]+(\.0)?", text) for text in texts):
        for column in (truths, predictions):
            held = {label for label in column if label is not None}
            if len({Fraction(label) for label in held}) < len(held):
                return truths, predictions
    shortest: dict[Fraction, str] = {}
    for text in texts:
        shortest.setdefault(Fraction(text), text)

    def read(column: Texts) -> Texts:
        return [None if label is None else shortest[Fraction(label)] for label in column]

    return read(truths), read(predictions)


def to_text(case: Case) -> str:
    """The case as a line of JSON."""
    return json.dumps(asdict(case))


def from_text(line: str) -> Case:
    """The case that `to_text` wrote."""
    found: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in json.loads(line).items()
    }
    return Case(**found)


HOSTILE = (
    "a", "b", "A", " a", "a ", " ", "é", "e\u0301", "日本", "שלום", "🦀", "\u200b", "\ufeff", "ß", "SS", "İ", "i",
    "NaN", "nan", "null", "NULL", "None", "NA", "N/A", "(missing)", "'(missing)'", "the other classes", "all", "total",
    "0", "1", "-1", "1.0", "1.00", "2", "10", "01", "+1", "1e0", "1_0", "true", "True", "FALSE", "inf", "-inf", "0x1", "2026-11-16",
    ",", ";", "\t", "|", '"', "'", "''", '""', "`", "\\", "/", "#", "--", "*", "?", "[x]", "{y}", "%s", "$1", "=1+1", "<b>",
    "&amp;", "y", "p", "w", "positive", "negative", "c1", "c2", "x" * 300, "a\tb", "a,b", 'a"b', "a\nb", "a\r\nb", "a\rb",
)  # fmt: skip
"""Names of classes that some reader, writer or formatter takes for something else."""

FRACTIONS: tuple[float, ...] = (0.5, 0.1, 0.30000000000000004, 0.3, 5e-324, 100.25, -1.5)
WHOLE: tuple[float, ...] = (0.0, 1.0, -1.0, 2.0, 1e16, 1e300)
"""Apart, because whole numbers as truth and fractions as predictions are refused: those are scores."""

ALPHABETS: dict[Kind, tuple[Label, ...]] = {
    "text": HOSTILE,
    "integer": (0, 1, 2, 3, -1, 7, 9, 10, 11, 12, 100, 255, 256, -10, -128),
    "large": (
        0,
        1,
        2047,
        2048,
        -2048,
        2**31 - 1,
        2**31,
        -(2**31),
        2**53,
        2**53 + 1,
        2**62,
        2**63 - 1,
        -(2**63),
        -(2**63) + 1,
    ),
    "float": (*FRACTIONS, *WHOLE),
    "boolean": (True, False),
    "mixed": (0, 1, "0", "1", "a", 2, "1.0", -3),
}

WEIGHTS: tuple[float, ...] = (1.0, 1.0, 1.0, 0.5, 2.0, 0.1, 0.3, 0.7, 0.0, 0.0, 1e-3, 1e9, 3.25)
UNUSABLE: tuple[float | None, ...] = (-1.0, float("inf"), float("nan"), None)
SCORES: tuple[float, ...] = (
    0.0,
    1.0,
    0.5,
    0.25,
    0.1,
    0.2,
    0.30000000000000004,
    0.3,
    -1.0,
    2.0,
    1e-300,
    1e300,
)
SLICES: tuple[str | None, ...] = (
    "DE",
    "FR",
    None,
    "(missing)",
    "'(missing)'",
    "de",
    "a,b",
    "1",
    "ü",
    " ",
    "nan",
    "NULL",
)


def draw(rng: random.Random) -> Case:
    """A case; most are small, so that one row decides."""
    kinds: list[Kind] = ["text", "integer", "large", "float", "boolean", "mixed"]
    kind = rng.choices(kinds, weights=[6, 4, 2, 2, 2, 2])[0]
    alphabet = ALPHABETS[kind] if kind != "float" else rng.choice((FRACTIONS, WHOLE))
    classes = rng.sample(alphabet, min(len(alphabet), rng.choice([1, 2, 2, 2, 3, 3, 4, 6, 13])))
    rows = rng.choice([1, 2, 3, 4, 5, 6, 8, 12, 20]) if rng.random() < 0.97 else rng.choice([0, 0, 40, 150])
    agreement = rng.choice([0.0, 0.3, 0.7, 0.9, 1.0])
    truths: list[Label | None] = [rng.choice(classes) for _ in range(rows)]
    predictions = [t if rng.random() < agreement else rng.choice(classes) for t in truths]
    if rng.random() < 0.15:
        for column in (truths, predictions):
            for i in range(rows):
                if rng.random() < 0.2:
                    column[i] = None
    weights: tuple[float | None, ...] | None = None
    if rng.random() < 0.45:
        weights = tuple(rng.choice(WEIGHTS) for _ in range(rows))
        if rng.random() < 0.06 and rows:
            spoilt = rng.randrange(rows)
            weights = (*weights[:spoilt], rng.choice(UNUSABLE), *weights[spoilt + 1 :])
    listed: tuple[Label, ...] | None = None
    if rng.random() < 0.2:
        named = list(classes)
        rng.shuffle(named)
        left = rng.choice([0, 0, 1, 2])
        named += rng.sample(
            [label for label in alphabet if label not in named], min(left, len(alphabet) - len(named))
        )
        listed = tuple(named[1:] if rng.random() < 0.15 and len(named) > 1 else named)
    slices = tuple(rng.choice(SLICES) for _ in range(rows)) if rng.random() < 0.3 else None
    scores = tuple(rng.choice(SCORES) for _ in range(rows)) if rng.random() < 0.5 else None
    cuts = tuple(sorted(rng.randint(0, rows) for _ in range(rng.choice([0, 1, 2, 5])))) if rows else ()
    return Case(
        kind, tuple(truths), tuple(predictions), weights, slices, scores, listed, rng.random() < 0.5, cuts
    )
