"""Which verdicts on measures of the catalogue come with the package, so that nobody waits for them?

They are filed under all that a measure is made of, so a definition that changes has none until `python -m
steelyard.properties.shipped` is run again. CI decides a part of them anew each time, and all of them when the
file changes.
"""

from __future__ import annotations

import gzip
import json
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from steelyard.measures.catalogue import catalogue
from steelyard.measures.measure import Measure
from steelyard.properties.body_check import fingerprint
from steelyard.properties.certified import checked, with_certificates
from steelyard.properties.conditions import BY_ID, EVERY_PROPERTY
from steelyard.properties.subject import Subject
from steelyard.properties.verdict import Verdict, as_far_as_read

FILE = Path(__file__).parent / "decided.json.gz"


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
    for measure in catalogue(wide=True):
        made_of = fingerprint(measure)
        if made_of is None:
            continue
        found[made_of] = dict(known.get(made_of, {}))
        missing = [p.id for p in EVERY_PROPERTY if p.id not in found[made_of]]
        for property_id in missing:
            data = decide_anew(measure, property_id).to_dict()
            found[made_of][property_id] = {k: v for k, v in data.items() if k != "text"}
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
