"""References: the publications that definitions are taken from, listed in references.json."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Reference:
    """A publication."""

    key: str
    text: str
    doi: str = ""


@dataclass(frozen=True)
class Citation:
    """A place in a publication."""

    key: str
    where: str = ""

    @property
    def reference(self) -> Reference:
        return REFERENCES[self.key]

    def __str__(self) -> str:
        return f"{self.key} {self.where}".strip()


REFERENCES = {
    row["key"]: Reference(**row)
    for row in json.loads(Path(__file__).with_name("references.json").read_text(encoding="utf-8"))
}


def cite(*places: str) -> tuple[Citation, ...]:
    """Citations of places such as "garcia2012 section 2"; an unknown key fails at import, not in front of a
    reader."""
    citations = tuple(Citation(*place.split(" ", 1)) for place in places)
    for citation in citations:
        REFERENCES[citation.key]
    return citations
