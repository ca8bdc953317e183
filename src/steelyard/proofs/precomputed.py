"""Which verdicts on measures of the catalogue come with the package, so that nobody waits for them?

They are filed under all that a measure is made of, so a definition that changes has none until `python -m
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

from steelyard.measures import measure as declarations
from steelyard.measures.catalogue import catalogue, is_own
from steelyard.measures.measure import Measure
from steelyard.proofs import body_check
from steelyard.proofs.body_check import fingerprint
from steelyard.proofs.prover.certified import checked, with_certificates
from steelyard.proofs.prover.subject import Subject
from steelyard.proofs.questions.conditions import BY_ID, EVERY_PROPERTY
from steelyard.proofs.verdict import Verdict, as_far_as_read

FILE = Path(__file__).parent / "decided.json.gz"


_STAMP = "stamp"
"""Under this name the file holds what the definitions were hashed to when it was written, and the fingerprint
of each measure of the catalogue."""


@cache
def _sources() -> str:
    """A hash of all definitions, and of how they are read: where it is the same, so is every fingerprint."""
    digest = hashlib.sha256()
    for path in (*sorted(Path(declarations.__file__).parent.glob("*.py")), Path(body_check.__file__)):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


def made_of(measure: Measure) -> str | None:
    """The fingerprint of a measure: as it was filed, where it is the catalogue's own and no letter of the
    definitions has changed; otherwise of what it is made of now."""
    filed = _decided().get(_STAMP, {})
    if filed.get("sources") == _sources() and is_own(measure):
        known: str | None = filed["fingerprints"].get(measure.name)
        if known is not None:
            return known
    return fingerprint(measure)


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
    verdict = as_far_as_read(verdict, subject.leaves)
    if verdict.grade != "proved":
        return verdict
    return replace(verdict, certified=checked(found, verdict.method).state == "certified")


def main(reuse: bool = False) -> None:
    """Decide every property of every measure of the catalogue, and write the file; `--missing` keeps what is
    already in it."""
    known = dict(_decided()) if reuse else {}
    found: dict[str, dict[str, Any]] = {}
    fingerprints: dict[str, str] = {}
    for measure in catalogue(wide=True):
        now = fingerprint(measure)
        if now is None:
            continue
        fingerprints[measure.name] = now
        found[now] = dict(known.get(now, {}))
        missing = [p.id for p in EVERY_PROPERTY if p.id not in found[now]]
        for property_id in missing:
            data = decide_anew(measure, property_id).to_dict()
            found[now][property_id] = {k: v for k, v in data.items() if k != "text"}
        if missing:
            print(measure.name, flush=True)
            _write(known | found)  # what was decided is kept if this is interrupted
    _write({**found, _STAMP: {"sources": _sources(), "fingerprints": fingerprints}})


def _write(found: dict[str, dict[str, Any]]) -> None:
    text = json.dumps(found, sort_keys=True)
    with FILE.open("wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as stream:
        stream.write(text.encode("utf-8"))


if __name__ == "__main__":
    main(reuse="--missing" in sys.argv)
