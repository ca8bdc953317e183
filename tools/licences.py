"""Write docs/licences.md: the licence of each dependency, from its metadata."""

from __future__ import annotations

import re
import tomllib
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "docs" / "licences.md"
HEAD = """# Licences of dependencies

Steelyard is BSD-3-Clause. This table lists its dependencies and those of its extras with the licence that their metadata declares. None is part of
Steelyard's distribution except Papa Parse 5.7.0 (MIT License, Matthew Holt), which reads tables in the studio; its licence is in
`report/page/vendored`. Written by `python -m tools.licences`.

| package | licence | comes with |
| --- | --- | --- |
"""


def declared() -> dict[str, list[str]]:
    """Every dependency with what brings it: the package itself, or extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = {"Steelyard itself": project["dependencies"], **project["optional-dependencies"]}
    found: dict[str, list[str]] = {}
    for group, requirements in groups.items():
        for requirement in requirements:
            name = re.split(r"[<>=!~\[; ]", requirement, maxsplit=1)[0]
            found.setdefault(name, []).append(group)
    return found


def licence(name: str) -> str | None:
    """What the installed package declares: its licence expression, its classifier, or the first line of its licence field."""
    try:
        told = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return None
    if expression := told.get("License-Expression"):
        return str(expression)
    classifiers = [
        c.rpartition(" :: ")[2] for c in told.get_all("Classifier") or [] if c.startswith("License ::")
    ]
    stated = "; ".join(classifiers) or (told.get("License") or "").strip().partition("\n")[0]
    return stated or _by_its_file(name)


def _by_its_file(name: str) -> str:
    """The licence whose text lies in the package, where its metadata names none."""
    files = [str(path.locate()) for path in metadata.files(name) or [] if path.name.startswith("LICENSE")]
    texts = [" ".join(Path(path).read_text(encoding="utf-8").split()) for path in files]
    is_mit = any(
        "Permission is hereby granted, free of charge" in text and "deal in the Software" in text
        for text in texts
    )
    return "MIT License" if is_mit else "not declared"


def page() -> str:
    """The text of the page; a package that is not installed here keeps the licence it had on the page."""
    before = (
        dict(re.findall(r"^\| ([\w.-]+) \| ([^|]+) \|", TARGET.read_text(), re.MULTILINE))
        if TARGET.exists()
        else {}
    )
    rows = [
        f"| {name} | {licence(name) or before.get(name, 'not installed here').strip()} | {', '.join(brought)} |"
        for name, brought in sorted(declared().items())
    ]
    return HEAD + "\n".join(rows) + "\n"


if __name__ == "__main__":
    TARGET.write_text(page(), encoding="utf-8")
