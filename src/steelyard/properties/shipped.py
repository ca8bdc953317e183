"""Which verdicts on measures of the catalogue come with the package, so that nobody waits for them?

They are filed under all that a measure is made of, so a definition that changes has none until `python -m
steelyard.properties.shipped` is run again. CI decides a part of them anew each time, and all of them when the
file changes.
"""

from __future__ import annotations

import gzip
import json
import sys
from functools import cache
from pathlib import Path
from typing import Any

from steelyard.measures.catalogue import catalogue
from steelyard.measures.measure import Measure
from steelyard.properties.body_check import fingerprint
from steelyard.properties.conditions import BY_ID, PROPERTIES
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
    """The verdict as the engine gives it now."""
    subject = Subject(measure)
    return as_far_as_read(BY_ID[property_id].decide(subject), subject.leaves)


def main(reuse: bool = False) -> None:
    """Decide every property of every measure of the catalogue, and write the file; `--missing` keeps what is
    already in it."""
    found: dict[str, dict[str, Any]] = {}
    for measure in catalogue():
        made_of = fingerprint(measure) if measure.kind != "scores" else None
        if made_of is not None:
            known = _decided().get(made_of, {}) if reuse else {}
            verdicts = {p.id: known.get(p.id) or decide_anew(measure, p.id).to_dict() for p in PROPERTIES}
            found[made_of] = {
                name: {k: v for k, v in data.items() if k != "text"} for name, data in verdicts.items()
            }
            print(measure.name, flush=True)
    text = json.dumps(found, sort_keys=True)
    with FILE.open("wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as stream:
        stream.write(text.encode("utf-8"))


if __name__ == "__main__":
    main(reuse="--missing" in sys.argv)
