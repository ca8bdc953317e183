"""Does every certificate of a verdict hold, checked by code that shares nothing with the prover?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeVar

from steelyard.proofs.checker.check import check
from steelyard.proofs.checker.form import malformed
from steelyard.proofs.prover.certificates import Certificate, collecting
from steelyard.proofs.verdict import BY_Z3

State = Literal["certified", "not certified", "fails"]
Found = TypeVar("Found")


@dataclass(frozen=True)
class Checked:
    """What became of the certificates of one decision."""

    state: State
    words: str
    certificates: tuple[Certificate | None, ...] = ()


def checked(certificates: list[Certificate | None], method: str = "") -> Checked:
    """All certificates checked; one that fails is enough."""
    answers = ["not certified" if c is None else check(c) for c in certificates]
    held = answers.count("holds")
    if "fails" in answers:
        first = malformed(certificates[answers.index("fails")])
        words = f"{answers.count('fails')} of {len(answers)} certificates fail{': ' if first else ''}{first}"
        return Checked("fails", words, tuple(certificates))
    if answers and held == len(answers):
        return Checked(
            "certified", f"{held} certificate{'s' if held > 1 else ''} checked", tuple(certificates)
        )
    if not answers:
        return Checked("not certified", "not certified: an argument in words, or a value that was computed")
    by = "proved by z3, not certified" if BY_Z3 in method else "not certified"
    return Checked(
        "not certified", f"{by} ({held} of {len(answers)} certificates checked)", tuple(certificates)
    )


def with_certificates(decide: Callable[[], Found]) -> tuple[Found, list[Certificate | None]]:
    """What was decided, with the certificates of everything proved on the way."""
    with collecting() as found:
        decided = decide()
    return decided, found
