"""Precomputed recommendations, so that nobody waits for them.

What is asked without data and without amounts has a few hundred answers. They rest on the definitions of the
measures, on the verdicts about them and on the rules: where a single letter of any of these is another than
it was when the answers were written, there are none, and the advice is worked out anew. `python -m
steelyard.judgement.recommend.precomputed` writes them.
"""

from __future__ import annotations

import gzip
import hashlib
import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from steelyard.judgement.recommend.questions import Costly, Relevance, Situation, open_questions
from steelyard.judgement.recommend.result import Advice, Reason, Recommendation, Unanswered

FILE = Path(__file__).parent / "answers.json.gz"
_ROOT = Path(__file__).parents[2]
_COSTLY: tuple[Costly | None, ...] = (None, "false-positive", "false-negative")
_RELEVANCE: tuple[Relevance | None, ...] = (None, "prevalence", "partial", "total", "scores")
_RULES = ("recommend/ranking", "recommend/questions", "recommend/result", "rules")


@dataclass(frozen=True)
class PrecomputedName:
    """The names of a measure that was recommended."""

    name: str
    title: str
    title_inside: str


def stamp() -> str:
    """A hash of all that an answer rests on."""
    digest = hashlib.sha256()
    paths = [path for room in ("measures", "proofs") for path in sorted((_ROOT / room).rglob("*.py"))]
    paths += [_ROOT / "judgement" / f"{name}.py" for name in _RULES]
    for path in (*paths, _ROOT / "proofs" / "decided.json.gz"):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


def precomputed_recommendation(situation: Situation) -> Recommendation | None:
    """The recommendation that came with the package; None where it may be another by now."""
    if not _is_kept(situation) or not FILE.exists():
        return None
    with gzip.open(FILE, "rt", encoding="utf-8") as stream:
        kept = json.load(stream)
    found = kept["answers"].get(_key(situation)) if kept["stamp"] == stamp() else None
    if found is None:
        return None
    words: list[str] = kept["words"]
    return Recommendation(
        situation,
        tuple(
            Advice(
                PrecomputedName(*(words[k] for k in names)),
                tuple(Reason(*(words[k] for k in reason)) for reason in reasons),
                tuple(words[k] for k in gives_up),
            )
            for names, reasons, gives_up in found["advice"]
        ),
        tuple(words[k] for k in found["left_out"]),
        tuple(
            Unanswered(question, tuple(words[k] for k in first))
            for question, first in zip(open_questions(situation), found["first"], strict=True)
        ),
    )


def _is_kept(situation: Situation) -> bool:
    return situation.costs is None and not situation.never_predicted and not situation.absent


def _key(situation: Situation) -> str:
    return " ".join(f"{one.name}={getattr(situation, one.name)}" for one in fields(situation))


def _situations() -> Iterator[Situation]:
    """Every situation that needs neither data nor amounts."""
    either = (False, True)
    for many, priors, appear, every, known in itertools.product(either, either, either, either, _RELEVANCE):
        one = Situation(many, priors, appear, every_class=every, relevance=known)
        if many:
            yield one
            continue
        for costly, capacity in itertools.product(_COSTLY, either):
            yield replace(one, costly=costly, capacity=capacity)


def main() -> None:
    """Work out every answer and write the file."""
    from steelyard.judgement.recommend.ranking import rank

    places: dict[str, int] = {}

    def place(words: str) -> int:
        return places.setdefault(words, len(places))

    answers: dict[str, Any] = {}
    for situation in _situations():
        found = rank(situation)
        answers[_key(situation)] = {
            "advice": [
                (
                    [place(w) for w in (a.measure.name, a.measure.title, a.measure.title_inside)],
                    [[place(w) for w in (r.rule, r.rests_on, r.source)] for r in a.reasons],
                    [place(w) for w in a.gives_up],
                )
                for a in found.advice
            ],
            "left_out": [place(w) for w in found.left_out],
            "first": [[place(w) for w in unsaid.first] for unsaid in found.unanswered],
        }
    text = json.dumps({"stamp": stamp(), "words": list(places), "answers": answers}, sort_keys=True)
    with FILE.open("wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as stream:
        stream.write(text.encode("utf-8"))


if __name__ == "__main__":
    main()
