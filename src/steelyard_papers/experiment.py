"""A study: a paper's experiment as data and independent steps.

Data plus a recipe: steps that can be run one by one, and what follows from their results.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Row = Sequence[Any]
# What each step gave, by the name of the step: plain data, as JSON holds it.
Results = Mapping[str, Any]


@dataclass(frozen=True)
class Step:
    """One piece of work: a function of the module, and plain arguments for it.

    `seed` is added by the runner.
    """

    name: str
    function: Callable[..., Any]
    arguments: Mapping[str, Any] = field(default_factory=dict)
    cost: float = 1.0
    """How long it takes, compared with the other steps of its study: for the time left."""


# The verdict where another sample could give the other answer.
WITHIN_NOISE = "within noise"


@dataclass(frozen=True)
class Answer:
    """What a study answers to one statement of the paper: its figure, our figure, and what is to be said of
    them."""

    claim_id: str
    """The id of the statement in the registry, which has its words."""
    reproduced: bool
    paper_figure: str
    our_figure: str
    words: str
    statement: str = ""
    """The words of a statement that the registry does not have."""
    verdict: str = ""
    """Where it is neither "reproduced" nor "not reproduced"."""
    probability: float | None = None
    """That the statement is true, where the study gives one."""

    def to_dict(self) -> dict[str, Any]:
        plain: dict[str, Any] = {
            "claim_id": self.claim_id,
            "statement": self.statement,
            "reproduced": self.reproduced,
            "paper_figure": self.paper_figure,
            "our_figure": self.our_figure,
            "words": self.words,
        }
        if self.verdict:
            plain["verdict"] = self.verdict
        if self.probability is not None:
            plain["probability"] = self.probability
        return plain


def verdict_of(answer: Mapping[str, Any]) -> str:
    """The verdict of an answer that was written as plain data."""
    usual = "reproduced" if answer["reproduced"] else "not reproduced"
    return str(answer.get("verdict", usual))


When = Literal["beforehand", "after results were seen", "not recorded"]


@dataclass(frozen=True)
class Choice:
    """Something that the paper leaves open and that was settled here, and when."""

    what: str
    when: When

    def to_dict(self) -> dict[str, str]:
        return {"what": self.what, "when": self.when}


@dataclass(frozen=True)
class ResultTable:
    """A table of results; `shown` says whether it belongs on the study's page or only in a file beside it."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: Sequence[Row]
    shown: bool = True

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "title": self.title,
            "columns": list(self.columns),
            "rows": [list(row) for row in self.rows],
            "shown": self.shown,
        }

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> ResultTable:
        return cls(plain["name"], plain["title"], tuple(plain["columns"]), plain["rows"], plain["shown"])


@dataclass(frozen=True)
class Conclusion:
    """What a study found."""

    findings: tuple[Answer, ...]
    tables: tuple[ResultTable, ...]
    notes: tuple[str, ...] = ()


# Draws a Matplotlib figure from the tables of a study.
Drawing = Callable[[Mapping[str, ResultTable]], Any]


@dataclass(frozen=True)
class Study:
    """A paper's experiment, ready to be run."""

    name: str
    paper: str
    title: str
    reproduces: str
    """What of the paper is done again."""
    method: tuple[str, ...]
    """How it is done and which choices were made where the paper is silent, a sentence or two each."""
    parameters: Mapping[str, Any]
    """The paper's sizes."""
    quick: Mapping[str, Any]
    """What `--quick` makes smaller."""
    steps: Callable[[Mapping[str, Any]], Sequence[Step]]
    conclude: Callable[[Mapping[str, Any], Results], Conclusion]
    choices: tuple[Choice, ...] = ()
    """What could have been settled otherwise and might have changed a verdict, with the moment it was
    settled."""
    pictures: Mapping[str, tuple[str, Drawing]] = field(default_factory=dict)
    """By file name: what the figure shows, and how it is drawn."""
    needs: tuple[tuple[str, str], ...] = ()
    """The modules it imports, each with the package that holds it."""
    takes_features: bool = False
    """Can it be run on the user's own table of features?"""

    def parameters_for(self, quick: bool, **changes: Any) -> dict[str, Any]:
        return {**self.parameters, **(self.quick if quick else {}), **changes}


def seed_of(seed: int, name: str) -> int:
    """The seed of a step: derived from the study's seed and the step's name, so that it does not depend on
    order or worker."""
    return int.from_bytes(hashlib.sha256(f"{seed}/{name}".encode()).digest()[:4], "big")
