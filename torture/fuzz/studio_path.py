"""The studio's counter of tables as a path of its own: the page's scripts in Node, asked one table after the other."""

from __future__ import annotations

import atexit
import json
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import steelyard
from torture.fuzz.cases import Case
from torture.fuzz.paths import Way, can_be_watched, write_csv
from torture.fuzz.reference import REFUSED, Counted

PAGE = Path(steelyard.__file__).parent / "report" / "page"
MOST_CLASSES = 60
# The page's own calls; Papa parses a text at once, where it parses a dropped file in turns.
_ASK = """
globalThis.window = globalThis;
window.Papa = require(PAPA);
const vm = require("node:vm");
vm.runInThisContext(require("node:fs").readFileSync(READING, "utf8") + "; window.countFile = countFile; window.headerOf = headerOf;");
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const say = (answer) => process.stdout.write(JSON.stringify(answer) + "\\n"), refuse = (error) => say({ refused: String(error.message ?? error) });
  const text = JSON.parse(line);
  try {
    headerOf(text, (names, delimiter) => countFile(text, delimiter, names.indexOf("y"), names.indexOf("p"), say, refuse), refuse);
  } catch (error) { refuse(error); }
});
"""


@cache
def _node() -> subprocess.Popen[str] | None:
    found = shutil.which("node")
    if found is None:
        return None
    (papa,) = PAGE.glob("vendored/papaparse-*.min.js")
    names = {"PAPA": str(papa), "READING": str(PAGE / "reading.js")}
    script = "".join(f"const {name} = {json.dumps(value)};\n" for name, value in names.items()) + _ASK
    node = subprocess.Popen(
        [found, "-e", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    )
    atexit.register(node.communicate)  # it ends when nothing more can be asked
    return node


def counted_in_the_page(case: Case, folder: Path) -> Any:
    """What the studio counts of the same CSV file."""
    node = _node()
    assert node is not None
    assert node.stdin is not None
    assert node.stdout is not None
    text = write_csv(case, folder).read_bytes().decode("utf-8")
    node.stdin.write(json.dumps(text) + "\n")
    node.stdin.flush()
    found = json.loads(node.stdout.readline())
    return REFUSED if "refused" in found else Counted(tuple(found["labels"]), found["rows"])


def can_be_shown(case: Case) -> bool:
    """Rows without a label are left out, and 2 to 60 classes are shown."""
    if _node() is None or not can_be_watched(case):
        return False
    seen = case.written()
    pairs = [pair for pair in zip(seen.truths, seen.predictions, strict=True) if None not in pair]
    known = {label for pair in pairs for label in pair}
    left_out = len(pairs) < case.rows
    return 2 <= len(known) <= MOST_CLASSES and (case.drop or not left_out)


STUDIO = (Way("studio", "counts", counted_in_the_page, can_be_shown, 0.1, writes_text=True),)
