"""Parsing of costs given as text, file, mapping or table, before the classes are known."""

# One sentence for each confusion, `truth>prediction=cost`. A star stands for every class that is not named,
# so that many classes need few sentences; a cost may be a number, a range of numbers (`50..500`), or a
# column of the data with what each row costs (`amount`, `0.5*amount`, `amount+15`).

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.counts.labels import Array
from steelyard.counts.libraries import column_names, column_of, is_frame, own_names
from steelyard.errors import InputError
from steelyard.reading.files import text_of

EVERY = "*"
FILES = (".csv", ".tsv", ".json", ".toml")
HOW = (
    "truth>prediction=cost, each confusion once, as in 'fraud>ok=200, ok>fraud=4',"
    " or a file (.csv, .tsv, .json, .toml)"
)


@dataclass(frozen=True)
class Amount:
    """What one confusion costs: a fixed part, and a multiple of what the row's column says."""

    fixed: float = 0.0
    times: float = 0.0
    #: The name of a column, or the column itself.
    column: Any = None
    #: The greatest cost, where a range was said: `fixed` is then the least.
    most: float | None = None

    def __str__(self) -> str:
        parts = [f"{self.fixed:g}"] if self.fixed or not self.times else []
        if self.times:
            name = self.column if isinstance(self.column, str) else "amount"
            parts.append(name if self.times == 1 else f"{self.times:g}*{name}")
        return "+".join(parts) + ("" if self.most is None else f"..{self.most:g}")


@dataclass(frozen=True)
class CostRules:
    """Costs by (truth, prediction) as text, or a table in the order of the classes."""

    by_confusion: Mapping[tuple[str, str], Amount] = field(default_factory=dict)
    table: Array | None = None

    @property
    def column(self) -> Any:
        """The one column of amounts, by name or itself; None where every cost is a number."""
        columns = [amount.column for amount in self.by_confusion.values() if amount.column is not None]
        # A column itself is the same object in every cost; names are compared.
        key = [column if isinstance(column, str) else id(column) for column in columns]
        others = [column for column, of in zip(columns, key, strict=True) if of != key[0]]
        if others:
            raise InputError(
                "costs of rows come from one column",
                found=", ".join(c if isinstance(c, str) else "a column" for c in (columns[0], others[0])),
                do="add the columns up before",
            )
        return columns[0] if columns else None


def parse_costs(costs: Any) -> CostRules:
    """Costs as text ('fraud>ok=200, ok>fraud=4'), a file (CSV, JSON or TOML), a mapping or a square table."""
    if isinstance(costs, CostRules):
        return costs
    if isinstance(costs, (str, Path, Mapping)) or _has_names(costs):
        by_confusion: dict[tuple[str, str], Amount] = {}
        for truth, prediction, cost in _confusions(costs):
            _put(by_confusion, (truth, prediction), cost)
        return CostRules(by_confusion)
    try:
        table = np.asarray(costs, dtype=np.float64)
    except (TypeError, ValueError):
        table = np.empty(0)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or not len(table):
        raise InputError(
            "the costs are not understood",
            found=type(costs).__name__,
            allowed="text such as 'fraud>ok=200, ok>fraud=4', a file, a mapping or a square table",
        )
    return CostRules(table=table)


def _has_names(costs: Any) -> bool:
    """Is this a frame whose columns have names of their own, not numbers only?"""
    names = own_names(costs) if is_frame(costs) else []
    return names != list(range(len(names))) and names != [f"column_{k}" for k in range(len(names))]


def _confusions(costs: Any) -> Iterator[tuple[str, str, Any]]:
    """The cost of each truth and prediction, as it is written."""
    if isinstance(costs, Path) or (isinstance(costs, str) and costs.lower().endswith(FILES)):
        yield from _of_file(Path(costs))
    elif isinstance(costs, str):
        for clause in costs.split(","):
            # From the right: the name of a class may hold an equals sign, a cost never does.
            confusion, equals, cost = clause.rpartition("=")
            if not equals:
                raise _not_understood(clause.strip())
            yield *_pair(confusion), cost.strip()
    elif isinstance(costs, Mapping):
        # {("fraud", "ok"): 200}, {"fraud>ok": 200} or {"fraud": {"ok": 200}}
        for key, value in costs.items():
            if isinstance(value, Mapping):
                yield from ((str(key), str(prediction), cost) for prediction, cost in value.items())
            else:
                is_pair = isinstance(key, tuple) and len(key) == 2
                yield *(map(str, key) if is_pair else _pair(str(key))), value
    else:
        yield from _of_frame(costs)


def _of_frame(frame: Any) -> Iterator[tuple[str, str, Any]]:
    """The costs of a table by what its columns, and in pandas its rows, are called."""
    # Rows without a name are in the order of the columns.
    columns = column_names(frame)
    rows = list(map(str, frame.index)) if hasattr(frame, "index") else columns
    if rows == [str(k) for k in range(len(rows))]:
        rows = columns
    if sorted(rows) != sorted(columns):
        raise InputError(
            "the table of costs has other classes in its rows than in its columns",
            found=f"{', '.join(rows)} and {', '.join(columns)}",
            allowed="a row and a column for each class",
        )
    for name in columns:
        for row, cost in zip(rows, np.asarray(column_of(frame, name)).tolist(), strict=True):
            yield row, name, cost


def _of_file(path: Path) -> Iterator[tuple[str, str, Any]]:
    text = text_of(path, "file of costs")
    suffix = path.suffix.lower()
    if suffix in (".csv", ".tsv"):
        yield from _of_rows(text, "\t" if suffix == ".tsv" else ",", path)
        return
    try:
        if suffix == ".json":
            content = json.loads(text)
        else:
            import tomllib

            content = tomllib.loads(text)
    except ValueError as error:
        raise InputError(
            f"the file of costs is no {suffix[1:].upper()}", found=f"{path}: {str(error)[:80]}"
        ) from error
    if not isinstance(content, Mapping):
        raise InputError(
            "the file of costs holds no costs by class",
            found=f"{path}: {type(content).__name__}",
            allowed='an object such as {"fraud": {"ok": 200}, "ok": {"fraud": 4}}',
        )
    yield from _confusions(content)


def _of_rows(text: str, delimiter: str, path: Path) -> Iterator[tuple[str, str, str]]:
    """A row for each confusion (truth, prediction, cost), or a row for each truth, a column for each
    prediction."""
    rows = [row for row in csv.reader(io.StringIO(text), delimiter=delimiter) if any(map(str.strip, row))]
    rows = [[cell.strip() for cell in row] for row in rows]
    if len(rows) < 2 or any(len(row) != len(rows[0]) for row in rows):
        raise InputError(
            "the file of costs is no table",
            found=str(path),
            allowed="columns truth, prediction, cost; or a row for each true class and a column for each"
            " predicted one",
        )
    head, *body = rows
    if [cell.lower() for cell in head] == ["truth", "prediction", "cost"]:
        yield from ((truth, prediction, cost) for truth, prediction, cost in body)
        return
    for truth, *cells in body:
        # What is left empty was not said; a right answer then costs nothing.
        yield from (
            (truth, prediction, cost) for prediction, cost in zip(head[1:], cells, strict=True) if cost
        )


def _pair(text: str) -> tuple[str, str]:
    truth, arrow, prediction = (piece.strip() for piece in text.partition(">"))
    if not (arrow and truth and prediction):
        raise _not_understood(text.strip())
    return truth, prediction


def _put(costs: dict[tuple[str, str], Amount], key: tuple[str, str], cost: Any) -> None:
    amount = _amount(cost)
    written = f"{cost:g}" if isinstance(cost, (int, float)) else str(cost)[:40]
    shown = f"{key[0]}>{key[1]}={written}"
    if key in costs or amount is None:
        raise _not_understood(shown)
    numbers = [amount.fixed, amount.times, amount.fixed if amount.most is None else amount.most]
    if not all(math.isfinite(number) and number >= 0 for number in numbers):
        raise InputError(
            f"the cost of {key[0]}>{key[1]} cannot be used",
            found=shown,
            allowed="finite numbers of at least 0",
            do="where a decision brings a gain, add the same amount to every cost of that true class",
        )
    if amount.most is not None and not amount.fixed < amount.most:
        raise InputError(
            f"the range of costs of {key[0]}>{key[1]} is empty", found=shown, allowed="a lower number first"
        )
    costs[key] = amount


def _amount(cost: Any) -> Amount | None:
    """A number, a range, a column, or a sum of a number and a multiple of a column."""
    if isinstance(cost, tuple) and len(cost) == 2:
        return Amount(float(cost[0]), most=float(cost[1]))
    if isinstance(cost, (int, float)) and not isinstance(cost, bool):
        return Amount(float(cost))
    if not isinstance(cost, str):
        return Amount(times=1.0, column=cost) if np.ndim(cost) == 1 else None
    low, dots, high = cost.partition("..")
    if dots:
        ends = _number(low), _number(high)
        return None if ends[0] is None or ends[1] is None else Amount(ends[0], most=ends[1])
    fixed, times, column = 0.0, 0.0, None
    # No expression is evaluated: a number, a column, or a number times a column, added up.
    for term in cost.split("+"):
        if term.strip().lower() == "nan":  # no number, and nobody calls a column so
            return None
        plain = _number(term)
        if plain is not None:
            fixed += plain
            continue
        factor, star, name = term.partition("*")
        scale = _number(factor) if star else 1.0
        name = (name if star else factor).strip()
        if scale is None or not name or column is not None:
            return None
        times, column = scale, name
    return Amount(fixed, times, column)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return None if math.isnan(number) else number


def _not_understood(clause: str) -> InputError:
    return InputError("the costs are not understood", found=repr(clause), allowed=HOW)
