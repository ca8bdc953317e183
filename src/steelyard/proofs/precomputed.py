"""Precomputed verdicts: those on measures of the catalogue, which come with the package.

They are filed under a hash of the measure's graph, so a definition that changes has none until `python -m
steelyard.proofs.precomputed` is run again. CI decides a part of them anew each time, and all of them when the
file changes.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from steelyard.measures.catalogue import catalogue
from steelyard.measures.measure import MatrixMeasure, Measure
from steelyard.proofs.prover.certified import checked, with_certificates
from steelyard.proofs.prover.subject import Subject
from steelyard.proofs.questions.conditions import BY_ID, EVERY_PROPERTY
from steelyard.proofs.verdict import Verdict

FILE = Path(__file__).parent / "decided.json.gz"


def made_of(measure: Measure) -> str | None:
    """The fingerprint of a measure: a hash of its graph and of what is declared of it; None for one that
    cannot be traced, whose code may change without a trace."""
    if not isinstance(measure, MatrixMeasure) or type(measure) is not MatrixMeasure or measure.opaque:
        return None
    declared = [measure.name, measure.kind, measure.better, str(measure.range), measure.graph.to_list()]
    return hashlib.sha256(json.dumps(declared, ensure_ascii=False).encode()).hexdigest()


@cache
def _decided() -> dict[str, dict[str, Any]]:
    if not FILE.exists():
        return {}
    with gzip.open(FILE, "rt", encoding="utf-8") as stream:
        found: dict[str, dict[str, Any]] = json.load(stream)
    return found


def shipped(made_of: str | None, property_id: str) -> Verdict | None:
    """The verdict that came with the package; None if there is none on this definition."""
    data = _decided().get(made_of or "", {}).get(property_id)
    return None if data is None else Verdict.from_dict(data)


def decide_anew(measure: Measure, property_id: str) -> Verdict:
    """The verdict as the engine gives it now, its certificates checked."""
    subject = Subject(measure)
    verdict, found = with_certificates(lambda: BY_ID[property_id].decide(subject))
    if verdict.grade != "proved":
        return verdict
    return replace(verdict, certified=checked(found, verdict.method).state == "certified")


def main(reuse: bool = False) -> None:
    """Decide every property of every measure of the catalogue, and write the file; `--missing` keeps what is
    already in it."""
    known = dict(_decided()) if reuse else {}
    found: dict[str, dict[str, Any]] = {}
    for measure in catalogue(wide=True):
        now = made_of(measure)
        if now is None:
            continue
        found[now] = dict(known.get(now, {}))
        missing = [p.id for p in EVERY_PROPERTY if p.id not in found[now]]
        for property_id in missing:
            data = decide_anew(measure, property_id).to_dict()
            found[now][property_id] = {k: v for k, v in data.items() if k != "text"}
        if missing:
            print(measure.name, flush=True)
            _write(known | found)  # what was decided is kept if this is interrupted
    _write(found)


def _write(found: dict[str, dict[str, Any]]) -> None:
    text = json.dumps(found, sort_keys=True)
    with FILE.open("wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as stream:
        stream.write(text.encode("utf-8"))


if __name__ == "__main__":
    main(reuse="--missing" in sys.argv)
