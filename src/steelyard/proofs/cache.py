"""Where are verdicts kept, so that the second examination takes seconds?

A verdict depends on the definition and on the engine, so it is filed under a hash of both: of all that the
measure is made of, of the source of the packages it can reach, and of the versions of Python and NumPy.
Verdicts on code that users wrote are not kept. A damaged file is ignored with a word.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy

from steelyard.proofs.prover import smt, symbols

# Names another folder for the cache; "off" turns it off.
ENVIRONMENT = "STEELYARD_CACHE"


def folder() -> Path | None:
    """The folder of the cache; None if it is turned off."""
    given = os.environ.get(ENVIRONMENT)
    if given is not None:
        return None if given.strip().lower() == "off" else Path(given)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", str(Path.home()))) / "steelyard"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "steelyard"
    return Path(os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))) / "steelyard"


@cache
def engine() -> str:
    """A fingerprint of the definitions and of the deciders, with what they can call on."""
    known = f"flint {symbols.available()} z3 {smt.available()} numpy {numpy.__version__} python {sys.version}"
    digest = hashlib.sha256(known.encode())
    root = Path(__file__).parent.parent
    for part in ("counts", "measures", "proofs", "auditing"):
        for path in sorted((root / part).rglob("*.py")):
            digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


def key(*parts: str) -> str:
    """The name under which a result is filed."""
    return hashlib.sha256("\0".join((engine(), *parts)).encode()).hexdigest()


def holds(name: str) -> bool:
    """Is anything filed under this name?"""
    place = folder()
    return place is not None and (place / f"{name}.json").exists()


def load(name: str, read: Callable[[Any], Any]) -> Any:
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


def store(name: str, data: Any) -> None:
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
