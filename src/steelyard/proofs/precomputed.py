"""Precomputed and cached verdicts: those that come with the package, and those of a user."""

# The former are on measures of the catalogue and filed under a hash of the measure's graph, so a definition
# that changes has none until `python -m steelyard.proofs.precomputed` is run again. CI decides a part of them
# anew each time, and all of them when the file changes.
# A cached verdict depends on the definition and on the engine, so it is filed under a hash of both: of all
# that the measure is made of, of the source of the packages it can reach, and of the versions of Python and
# NumPy. Verdicts on code that users wrote are not cached. A damaged file is ignored with a word.

from __future__ import annotations

import gzip
import hashlib
import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy

from steelyard.measures.catalogue import catalogue
from steelyard.measures.measure import MatrixMeasure, Measure
from steelyard.proofs.prover import smt, symbols
from steelyard.proofs.prover.certificates import checked, with_certificates
from steelyard.proofs.prover.subject import Subject
from steelyard.proofs.questions.conditions import BY_ID, EVERY_PROPERTY
from steelyard.proofs.verdict import Verdict

# Names another folder for the cache; "off" turns it off.
ENVIRONMENT = "STEELYARD_CACHE"


def folder() -> Path | None:
    """The folder of the cache; None if it is turned off."""
    chosen = os.environ.get(ENVIRONMENT)
    if chosen is not None:
        return None if chosen.strip().lower() == "off" else Path(chosen)
    from platformdirs import user_cache_path

    return user_cache_path("steelyard", appauthor=False)


@cache
def engine() -> str:
    """A fingerprint of the definitions and of the deciders, with what they can call on."""
    known = f"flint {symbols.available()} z3 {smt.available()} numpy {numpy.__version__} python {sys.version}"
    digest = hashlib.sha256(known.encode())
    root = Path(__file__).parent.parent
    for room in ("counts", "measures", "proofs", "auditing"):
        for path in sorted((root / room).rglob("*.py")):
            digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


def cache_key(*parts: str) -> str:
    """The name under which a result is filed."""
    return hashlib.sha256("\0".join((engine(), *parts)).encode()).hexdigest()


def load_cached(name: str, read: Callable[[Any], Any]) -> Any:
    """What is filed under this name, or None; a file that cannot be read is ignored with a word."""
    place = folder()
    if place is None or not (path := place / f"{name}.json").exists():
        return None
    try:
        return read(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        print(
            f"steelyard: the cached result {path.name} is damaged and ignored ({type(error).__name__}).",
            file=sys.stderr,
        )
        return None


def store_cached(name: str, data: Any) -> None:
    """File a result; a cache that cannot be written is no reason to stop."""
    place = folder()
    if place is None:
        return
    path = place / f"{name}.json"
    try:
        place.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(f".{os.getpid()}.partial")
        partial.write_text(json.dumps(data), encoding="utf-8")
        partial.replace(path)
    except OSError:
        return


FILE = Path(__file__).parent / "decided.json.gz"


def made_of(measure: Measure) -> str | None:
    """The fingerprint of a measure: a hash of its graph and of what is declared of it."""
    # None for one that cannot be traced, whose code may change without a trace.
    if not isinstance(measure, MatrixMeasure) or type(measure) is not MatrixMeasure or measure.opaque:
        return None
    declared = [measure.name, measure.kind, measure.better, str(measure.range), measure.graph.to_list()]
    return hashlib.sha256(json.dumps(declared, ensure_ascii=False).encode()).hexdigest()


@cache
def _decided() -> dict[str, dict[str, Any]]:
    if not FILE.exists():
        return {}
    with gzip.open(FILE, "rt", encoding="utf-8") as stream:
        verdicts: dict[str, dict[str, Any]] = json.load(stream)
    return verdicts


def shipped(made_of: str | None, property_id: str) -> Verdict | None:
    """The verdict that came with the package; None if there is none on this definition."""
    data = _decided().get(made_of or "", {}).get(property_id)
    return None if data is None else Verdict.from_dict(data)


def known(made_of: str | None, property_id: str) -> Verdict | None:
    """The verdict that came with the package or was decided before."""
    if made_of is None:
        return None
    verdict = shipped(made_of, property_id)
    return verdict or load_cached(cache_key("property", made_of, property_id), Verdict.from_dict)


def remember(made_of: str | None, verdict: Verdict) -> None:
    """Cache a verdict on a property."""
    if made_of is not None:
        store_cached(cache_key("property", made_of, verdict.question), verdict.to_dict())


def decide_anew(measure: Measure, property_id: str) -> Verdict:
    """The verdict as the engine gives it now, its certificates checked."""
    subject = Subject(measure)
    verdict, collected = with_certificates(lambda: BY_ID[property_id].decide(subject))
    if verdict.grade != "proved":
        return verdict
    return replace(verdict, certified=checked(collected, verdict.method).state == "certified")


def main(reuse: bool = False) -> None:
    """Decide every property of every measure of the catalogue, and write the file."""
    # `--missing` keeps what is already in it.
    known = dict(_decided()) if reuse else {}
    verdicts: dict[str, dict[str, Any]] = {}
    for measure in catalogue(wide=True):
        now = made_of(measure)
        if now is None:
            continue
        verdicts[now] = dict(known.get(now, {}))
        missing = [p.id for p in EVERY_PROPERTY if p.id not in verdicts[now]]
        for property_id in missing:
            data = decide_anew(measure, property_id).to_dict()
            verdicts[now][property_id] = {k: v for k, v in data.items() if k != "text"}
        if missing:
            print(measure.name, flush=True)
            _write(known | verdicts)  # what was decided is kept if this is interrupted
    _write(verdicts)


def _write(verdicts: dict[str, dict[str, Any]]) -> None:
    text = json.dumps(verdicts, sort_keys=True)
    with FILE.open("wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as stream:
        stream.write(text.encode("utf-8"))


if __name__ == "__main__":
    main(reuse="--missing" in sys.argv)
