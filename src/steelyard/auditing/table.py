"""Can the rows of a printed table be true? A CSV, JSON or YAML file with a row for each model, each audited
by itself.

Columns are measures; `name`, `sizes`, `positive`, `rounding`, `total`, `folds` and `aggregate` say of a row
what options say of all rows. Numbers are read as text, so that 0.60 stays 0.60.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from steelyard.auditing import shown
from steelyard.auditing.question import audit
from steelyard.auditing.result import AuditResult
from steelyard.errors import InputError, MissingExtraError
from steelyard.report.presented import Presented
from steelyard.report.sections import Cell, Report, Section, Sentence, Table, words_column

ENDINGS = (".csv", ".json", ".yaml", ".yml")
_OPTIONS = {"sizes": str, "positive": str, "rounding": str, "total": int, "folds": int, "aggregate": str}


@dataclass(frozen=True)
class UnusableRow:
    """A row that cannot be audited, and why not."""

    name: str
    why: str
    verdict: Literal["unusable"] = "unusable"

    def reason(self) -> str:
        return self.why

    def to_dict(self) -> dict[str, Any]:
        return {"verdict": self.verdict, "name": self.name, "sentence": self.why}


@dataclass(frozen=True, repr=False)
class AuditedTable(Presented):
    """The rows of a table, each with its verdict."""

    rows: tuple[AuditResult | UnusableRow, ...]

    def count(self, verdict: str) -> int:
        return sum(row.verdict == verdict for row in self.rows)

    @property
    def exit_code(self) -> int:
        """1 if a row is impossible, else 2 if one cannot be used, else 3 if one is undecided, else 0."""
        codes = {"impossible": 1, "unusable": 2, "undecided": 3}
        return next((code for verdict, code in codes.items() if self.count(verdict)), 0)

    def headline(self) -> str:
        verdicts = ("impossible", "possible", "undecided", "unusable")
        counts = [f"{self.count(v)} {v}" for v in verdicts if self.count(v)]
        return f"{len(self.rows)} row{'s' if len(self.rows) > 1 else ''}: {', '.join(counts)}."

    def report(self) -> Report:
        rows = tuple(
            (row.name, Cell(row.verdict, shown.TONES.get(row.verdict, "bad")), self._said(row))
            for row in self.rows
        )
        columns = (words_column("row"), words_column("verdict"), words_column("why"))
        blocks = (Sentence(self.headline()), Table(columns, rows, identity="rows", stacked=True))
        return Report("Can these numbers be true?", (Section("", blocks, "brief"),))

    def _said(self, row: AuditResult | UnusableRow) -> str:
        if isinstance(row, UnusableRow) or row.verdict == "undecided":
            return row.reason()
        if row.verdict == "possible":
            return shown.shown(row.decision.matrices)
        mistakes = "; ".join(mistake.sentence for mistake in row.mistakes)
        return row.reason() + (f" Possible if {mistakes}." if mistakes else "")

    def to_dict(self) -> dict[str, Any]:
        return {"sentence": self.headline(), "rows": [row.to_dict() for row in self.rows]}

    def table(self) -> list[dict[str, Any]]:
        return [{"row": row.name, "verdict": row.verdict, "reason": row.reason()} for row in self.rows]


def audit_table(path: str | Path, **options: Any) -> AuditedTable:
    """Audit every row of a CSV, JSON or YAML file; what a row says of itself goes before `options`.

    A row that cannot be used does not stop the others; where no row can, the first is refused.
    """
    rows: list[AuditResult | UnusableRow] = []
    refused: list[InputError] = []
    for number, row in enumerate(_rows(Path(path)), 1):
        named = (value for key, value in row.items() if key.strip() == "name" and value)
        name = str(next(named, f"row {number}"))
        try:
            values, own = _split(row, number)
            rows.append(replace(audit(values, **(options | own)), name=name))
        except InputError as error:
            rows.append(UnusableRow(name, str(error)))
            refused.append(error)
    if not rows:
        raise InputError("the table has no rows", found=str(path))
    if len(refused) == len(rows):
        first = refused[0]
        what = f"{rows[0].name}: {first.what}"
        raise InputError(what, found=first.found, allowed=first.allowed, do=first.do) from first
    return AuditedTable(tuple(rows))


def _split(row: Mapping[str, Any], number: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """The values of a row, and what it says of itself."""
    values: dict[str, Any] = dict(row.get("values") or {})
    own: dict[str, Any] = {}
    for key, value in row.items():
        word = key.strip()
        if value is None or (isinstance(value, str) and not value.strip()) or word in ("name", "values"):
            continue
        if word in _OPTIONS:
            try:
                own[word] = value if isinstance(value, Mapping) else _OPTIONS[word](value)
            except ValueError as error:
                raise InputError(
                    f"{word} of row {number} is not a whole number", found=repr(value)
                ) from error
        else:
            values[word] = value
    return values, own


def _rows(path: Path) -> Iterable[Mapping[str, Any]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise InputError(f"the table cannot be read: {reason}", found=str(path)) from error
    if path.suffix == ".csv":
        reader = csv.DictReader(text.splitlines(), restkey="", skipinitialspace=True)
        _only_once(reader.fieldnames or ())
        found: Any = list(reader)
        if any("" in row for row in found):
            raise InputError(
                "a row has more cells than the header", found=str(path), do="quote cells that hold commas"
            )
    elif path.suffix == ".json":
        try:
            found = json.loads(text, parse_float=str, parse_int=str, object_pairs_hook=_mapping)
        except json.JSONDecodeError as error:
            raise InputError(f"the table is not JSON: {error}", found=str(path)) from error
    else:
        found = _yaml(text, path)
    if not isinstance(found, list):
        raise InputError(
            "the table is not a list of rows",
            found=str(path),
            allowed="a list of mappings from name to value",
        )
    for number, row in enumerate(found, 1):
        if not isinstance(row, Mapping):
            raise InputError(
                f"row {number} is not a mapping from name to value", found=repr(row), allowed="accuracy: 0.95"
            )
    return found


def _mapping(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    _only_once([name for name, _ in pairs])
    return dict(pairs)


def _only_once(names: Sequence[str]) -> None:
    """Of a value that is given twice, one would be lost without a word."""
    twice = [name for number, name in enumerate(names) if name and name in names[:number]]
    if twice:
        raise InputError("a row gives a value twice", found=twice[0], allowed="each name once in a row")


def _yaml(text: str, path: Path) -> Any:
    try:
        import yaml
    except ImportError as error:
        raise MissingExtraError("PyYAML", "yaml", "reading a YAML table") from error

    try:
        written: Any = yaml.compose(text, Loader=yaml.BaseLoader)
        for row in getattr(written, "value", ()) or ():
            if isinstance(row, yaml.MappingNode):
                _only_once([str(key.value) for key, _ in row.value])
        return yaml.load(text, Loader=yaml.BaseLoader)  # it makes every scalar text and builds no objects
    except yaml.YAMLError as error:
        raise InputError("the table is not YAML", found=str(path)) from error
