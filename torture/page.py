"""Write the figures of the last full run, and the differences from peers, into docs/reliability.md.

`python -m torture.page` reads `.torture/full.json` (or the folder that is named) and replaces what stands between the page's markers.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from torture.parts import PARTS, ROOT
from torture.peers.differences import DIFFERENCES

PAGE = ROOT / "docs" / "reliability.md"


def _fuzz(found: dict[str, Any]) -> str:
    dear = ("csv", "json lines", "parquet", "relation", "command", "polars lazy")
    few = ", ".join(f"{found['by_path'].get(name, 0):,} of {name}" for name in dear)
    return (
        f"{found['executions']:,} executions of {found['next_case']:,} cases by {len(found['by_path'])} paths"
        f" (among them {few}); {len(found['wrong'])} differences left"
    )


def _spark(found: dict[str, Any]) -> str:
    return f"{found['executions']:,} cases, {len(found['wrong'])} differences"


def _peers(found: dict[str, Any]) -> str:
    return (
        f"{found['compared']:,} numbers compared: {found['agreed']:,} agree, {sum(found['differ'].values()):,} differ and are judged"
        f" below, {len(found['wrong'])} unexplained; {found['not_asked_here']:,} calls ask what this package does not answer"
        " (several labels for one row, averages over some classes)"
    )


def _exact(found: dict[str, Any]) -> str:
    return (
        f"{found['compositions']:,} measures and compositions to depth 2, {found['matrices']:,} hard matrices:"
        f" {len(found['wrong'])} differ by more than 10^-12 or in whether there is a value"
    )


def _brute_force(found: dict[str, Any]) -> str:
    return f"{found['thresholds']:,} thresholds and {found['class_weights']:,} sets of class weights: {len(found['wrong'])} wrong"


def _kills(found: dict[str, Any]) -> str:
    each = ", ".join(f"{name} {number}" for name, number in found["kills"].items())
    return (
        f"{sum(found['kills'].values())} kills ({each}), {sum(found['during'].values())} of them at work:"
        f" {len(found['wrong'])} files half written or workers left"
    )


def _limits(found: dict[str, Any]) -> str:
    return (
        f"{found['disk']} commands whose files may not grow, {found['own_file_system']} on a full file system of its own,"
        f" {found['memory']} in little memory ({found['finished']} finished): {len(found['wrong'])} wrong"
    )


def _sameness(found: dict[str, Any]) -> str:
    return f"{found['runs']} runs of commands in other surroundings: {len(found['wrong'])} with other bytes"


def _load(found: dict[str, Any]) -> str:
    told = []
    for name, trial in found["trials"].items():
        size = next(
            (f"{trial[key]:,}" for key in ("rows", "classes", "slices", "blocks", "batches") if key in trial),
            "",
        )
        grown = f", grown by {trial['grown_mb']} MB" if "grown_mb" in trial else ""
        right = "" if trial["right"] else " (NOT as it should be)"
        told.append(
            f"{name}: {size} in {trial.get('cpu_seconds', '?')} s of CPU, {trial.get('most_mb', '?')} MB{grown}{right}"
        )
    return "; ".join(told)


def _mutation(found: dict[str, Any]) -> str:
    rooms = ", ".join(f"{room} {counts['share']:.0%}" for room, counts in found["rooms"].items())
    at_first = found["found_at_first"] / found["mutants"]
    return (
        f"{found['mutants']:,} mutants, {found['found']:,} found ({found['share']:.1%}; {at_first:.1%} at first, the others when they"
        f" were tried again): {rooms}"
    )


def _supply(found: dict[str, Any]) -> str:
    return (
        f"{found['packages']} packages, {found['files']:,} files with the hash of their record, {len(found['wrong'])} changed;"
        f" {found['locked']} packages locked, {len(found['other_version'])} in another version;"
        f" without a declared licence: {', '.join(found['without_licence']) or 'none'}"
    )


SAID: dict[str, Callable[[dict[str, Any]], str]] = {
    "fuzz": _fuzz,
    "spark": _spark,
    "peers": _peers,
    "exact": _exact,
    "brute-force": _brute_force,
    "kills": _kills,
    "limits": _limits,
    "sameness": _sameness,
    "load": _load,
    "mutation": _mutation,
    "supply": _supply,
}


def figures(found: dict[str, Any]) -> str:
    """A row for each part that was run."""
    rows = [f"| {PARTS[name].question} | {SAID[name](found[name])} |" for name in SAID if name in found]
    return "\n".join(["| question | last run |", "| --- | --- |", *rows])


def differences() -> str:
    """A row for each kind of difference."""
    rows = [f"| {d.name} | {d.right} | {d.why} |" for d in DIFFERENCES]
    return "\n".join(["| difference | who is right | why |", "| --- | --- | --- |", *rows])


def put(text: str, marker: str, content: str) -> str:
    """The page with this content between the marker's two comments."""
    pattern = rf"(<!-- {marker} -->\n).*?(\n<!-- end of {marker} -->)"
    return re.sub(pattern, lambda m: f"{m[1]}\n{content}\n{m[2]}", text, flags=re.DOTALL)


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / ".torture"
    text = PAGE.read_text(encoding="utf-8")
    text = put(text, "figures", figures(json.loads((folder / "full.json").read_text(encoding="utf-8"))))
    PAGE.write_text(put(text, "differences", differences()), encoding="utf-8")


if __name__ == "__main__":
    main()
