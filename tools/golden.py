"""Golden record of what Steelyard answers, and its comparison with another tree.

    python -m tools.golden record [DIR]             record the steelyard on PYTHONPATH (default .golden)
    python -m tools.golden compare [DIR] [--words]  ask it the same, print what differs; exit code 1 if worse

Lines of DIR/accepted.txt are patterns of places (as compare prints them) that may differ.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from tools.golden_record import record, run

RELATIVE, ABSOLUTE = 1e-12, 1e-15  # of floats: sums may be added in another order, and leave 1e-17 for 0
EXACT = Fraction(1, 10**30)  # of exact values, whose roots and logarithms have 60 digits
# Numbers of these commands are evidence (cases tried, counterexamples): their verdicts are compared instead.
EVIDENCE = ("properties", "claims", "examine", "explain", "recommend")
UNDECIDED = ("not refuted", "timed out", "not decided", "not applicable", "no certificate")
NUMBER = re.compile(r"\d+(?:[.,]\d+)*(?:e[-+]?\d+)?")
Difference = tuple[str, str, Any, Any]  # group, place, old, new


def in_text(place: str, old: str, new: str) -> Iterator[Difference]:
    """Lines of the same words must show the same numbers; elsewhere numbers are named that are shown no more."""
    old_lines: dict[str, list[str]] = defaultdict(list)
    new_lines: dict[str, list[str]] = defaultdict(list)
    for text, by_words in ((old, old_lines), (new, new_lines)):
        for line in text.splitlines():
            tidy = " ".join(re.sub(r"[─━-]{2,}", "-", line).split())  # columns may be wider
            by_words[NUMBER.sub("#", tidy)].append(tidy)
    for words in old_lines.keys() & new_lines.keys():
        before, after = old_lines[words], new_lines[words]
        if before != after and len(before) == len(after):
            yield "numbers", place, before, after
    gone, added = (
        [line for words, lines in one.items() if len(lines) != len(other.get(words, ())) for line in lines]
        for one, other in ((old_lines, new_lines), (new_lines, old_lines))
    )
    if gone or added:
        yield "words", place, " / ".join(gone), " / ".join(added)
    hidden = set(NUMBER.findall(old)) - set(NUMBER.findall(new))
    if hidden and old_lines.keys() - new_lines.keys():
        yield "no longer shown", place, sorted(hidden), ""


def by_name(rows: list[Any]) -> dict[str, Any]:
    """Rows that have names, by name: neither their order nor an added one matters."""
    for key in ("id", "measure", "property", "name", "label", "class"):
        named = {str(row[key]): row for row in rows if isinstance(row, dict) and key in row}
        if len(named) == len(rows):
            return named
    return {}


def differences(place: str, old: Any, new: Any) -> Iterator[Difference]:
    """Differences of two JSON values: fields lost, numbers, words."""
    numbers = "numbers", place, old, new
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys() == {"fraction"}:
        a, b = Fraction(old["fraction"]), Fraction(new["fraction"])
        if abs(a - b) > EXACT * max(abs(a), Fraction(1)):
            yield numbers
    elif isinstance(old, dict) and isinstance(new, dict):
        for key, value in old.items():
            if key not in new:
                yield "lost", f"{place}/{key}", value, None
            elif key != "version":
                yield from differences(f"{place}/{key}", value, new[key])
    elif isinstance(old, list) and isinstance(new, list):
        if by_name(old) and by_name(new):
            yield from differences(place, by_name(old), by_name(new))
        elif old and all(isinstance(v, str) for v in (*old, *new)):
            yield from in_text(place, "\n".join(old), "\n".join(new))
        elif len(old) != len(new):
            yield numbers
        else:
            for i, (a, b) in enumerate(zip(old, new, strict=True)):
                yield from differences(f"{place}/{i}", a, b)
    elif (
        isinstance(old, str)
        and (refusal := re.match(r"\w*Error", old))
        and not str(new).startswith(refusal[0])
    ):
        yield "refused before", place, old, new
    elif isinstance(old, str) and isinstance(new, str):
        yield from [numbers] if re.match(r"\w*Error", new) and not refusal else in_text(place, old, new)
    elif isinstance(old, float) and isinstance(new, float) and math.isnan(old) and math.isnan(new):
        return
    elif not (
        math.isclose(old, new, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
        if isinstance(old, int | float) and isinstance(new, int | float)
        else old == new
    ):
        yield numbers


def compared(old: dict[str, Any], new: dict[str, Any]) -> Iterator[Difference]:
    """Every difference of two records."""
    for group, place, *pair in differences("", old["outputs"], new["outputs"]):
        evidence = group == "numbers" and place[1:].startswith(EVIDENCE) and "/exit code" not in place
        yield "words" if evidence else group, place[1:], *pair
    yield from differences("values", old["values"], new["values"])
    yield from differences("api", old["api"], new["api"])
    for key, grade in old["verdicts"].items():
        now = new["verdicts"].get(key)
        if now != grade:
            gained = "words" if now in UNDECIDED else "verdicts stronger"
            yield gained if grade in UNDECIDED and now else "verdicts weaker", key, grade, now
    for command, options in old["options"].items():
        for option in sorted(set(options) - set(new["options"].get(command, ()))):
            refusal = run(command, option)[1]  # an old name may still work without being listed
            if re.search("no (such )?(option|command)", refusal, re.I):
                yield "lost", f"{command} {option}", option, None


def show(group: str, found: list[Difference]) -> None:
    """Print every changed sentence, of other groups one example for each command, measure or name."""
    heads: dict[str, list[Difference]] = defaultdict(list)
    for one in found:
        heads[one[1] if group == "words" else "/".join(one[1].split("/")[:2])].append(one)
    for alike in heads.values():
        for _, place, was, now in alike if group == "words" else alike[:1]:
            more = "" if group == "words" or len(alike) == 1 else f"  (and {len(alike) - 1} more)"
            print(f"  {place}{more}\n    - {str(was)[:400]}\n    + {str(now)[:400]}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("action", choices=["record", "compare"])
    parser.add_argument("folder", nargs="?", type=Path, default=Path(".golden"))
    parser.add_argument("--words", action="store_true", help="list changed sentences too")
    options = parser.parse_args()
    file, accepted = options.folder / "record.json", options.folder / "accepted.txt"
    if options.action == "record":
        options.folder.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(record(), indent=0))
        return 0
    old = json.loads(file.read_text())
    patterns = [line for line in accepted.read_text().splitlines() if line] if accepted.exists() else []
    groups: dict[str, list[Difference]] = defaultdict(list)
    for one in compared(old, record(old["recipes"])):
        groups["accepted" if any(re.search(p, one[1]) for p in patterns) else one[0]].append(one)
    for group, found in groups.items():
        print(f"\n{group}: {len(found)}")
        if group != "accepted" and (group != "words" or options.words):
            show(group, found)
    worse = [group for group in ("numbers", "lost", "verdicts weaker") if group in groups]
    print(f"\nworse: {', '.join(worse)}" if worse else "\nnothing is worse")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
