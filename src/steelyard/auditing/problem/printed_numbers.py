"""Printed numbers, names of metrics, and tables: parse "accuracy=0.95, recall[spam]=80% ± 2%"."""

# Names are those of the catalogue, averages (macro, micro, weighted) and operators around them. A table is a
# CSV, JSON or YAML file with a row for each model, or a classification report with a row for each class.
# Numbers are read as text, so that 0.60 stays 0.60.

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from numbers import Real
from pathlib import Path
from typing import Any

from steelyard.auditing.checker import question
from steelyard.auditing.checker.question import Figure, Printed, UnreadableNumberError
from steelyard.errors import InputError, extra_needed
from steelyard.measures.catalogue import measure as look_up
from steelyard.measures.measure import Measure
from steelyard.reading.files import text_of

_PLUS_MINUS = re.compile(r"\s*(?:±|\+/?-)\s*")


def figure(text: Any) -> Figure:
    """A number with its digits; a float counts as Python prints it."""
    if isinstance(text, Decimal):
        text = str(text)
    # 0.1 as a float is no fraction of tenths; its shortest text is what a person meant.
    elif isinstance(text, Real) and not isinstance(text, bool):
        text = repr(text) if isinstance(text, (int, float)) else repr(float(text))
    if not isinstance(text, str):
        raise InputError(
            "a printed number is text or a number", found=type(text).__name__, allowed='such as "0.60"'
        )
    try:
        return question.figure(text)
    except UnreadableNumberError as error:
        raise InputError(error.what, found=error.found, allowed=error.allowed) from None


def statements(values: str | Mapping[str, Any]) -> list[Printed]:
    """The statements of 'accuracy=0.95, recall[spam]=0.80 ± 0.02' or of a mapping from name to number."""
    if not isinstance(values, str | Mapping):
        raise InputError(
            "the printed values are not understood", found=type(values).__name__,
            allowed='text such as "accuracy=0.95, recall=0.80" or a mapping from name to number',
        )  # fmt: skip
    pairs: list[tuple[str, Any]] = list(_pairs(values) if isinstance(values, str) else values.items())
    if not pairs:
        raise InputError("there is nothing to audit", found="no value", allowed="such as accuracy=0.95")
    return [_statement(str(name), value) for name, value in pairs]


def _statement(name: str, value: Any) -> Printed:
    parts = list(value) if isinstance(value, (tuple, list)) and len(value) == 2 else [value]
    if isinstance(value, str) and len(around := _PLUS_MINUS.split(value.strip())) == 2:
        # 95 ± 2% is 95% ± 2%; where only one has the sign and it could mean two things, it is refused.
        parts, with_sign = around, [text.endswith("%") for text in around]
        if with_sign == [False, True] and figure(parts[0]).value > 1:
            parts[0] += "%"
        elif with_sign[0] != with_sign[1]:
            raise InputError(
                "the percent sign stands at one of two numbers, which can mean two things",
                found=f"{name} = {parts[0]} ± {parts[1]}",
                do="write it at both or at none, such as 95% ± 2% or 0.95 ± 0.02",
            )
    figures = [figure(text) for text in parts]
    if len(figures) == 2 and figures[1].value < 0:
        raise InputError("what stands after ± must not be negative", found=figures[1].text)
    return Printed(f"{name} = {' ± '.join(number.text for number in figures)}")


# A value and the beginning of the next one, without a comma between them.
_SEVERAL = re.compile(r"=\s*[-+.\d]+%?\s+(\w[^=()]*)$")

# "Recall 0.85" as tables in running text have it.
_BEFORE_NUMBER = re.compile(r"\s+(?=[-+.]?\d)")


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    for clause in split_outside_brackets(text):
        if "=" not in clause and ":" not in clause:
            clause = _BEFORE_NUMBER.sub("=", clause.strip(), count=1)
        name, equals, value = clause.rpartition("=" if "=" in clause else ":")
        if several := _SEVERAL.search(name):
            raise InputError(
                "printed values are separated by commas",
                found=repr(clause.strip()),
                do=f"write a comma before {several.group(1)!r}",
            )
        if not equals or not name.strip():
            raise InputError(
                "this printed value is not understood", found=repr(clause.strip()),
                allowed="name=value, such as accuracy=0.95",
            )  # fmt: skip
        yield name.strip(), value.strip()


def split_outside_brackets(text: str) -> list[str]:
    """The parts between commas, semicolons or lines that stand outside ( ) and [ ]."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "([") - (character in ")]")
        if character in ",;\n" and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [clause for clause in parts if clause.strip()]


_CLASS = re.compile(r"(.*?)\s*\[([^\[\]]+)\]\s*")


def named(text: str) -> tuple[Measure, str | None]:
    """The metric that a printed name means, and the class that it is of if the name ends in [class]."""
    match = _CLASS.fullmatch(text)
    name, label = (match[1], match[2].strip()) if match else (text, None)
    measure = look_up(name.strip())
    if measure.kind == "scores":
        raise InputError(
            f"{measure.name} is a metric of scores, which no confusion matrix decides",
            found=text.strip(),
            allowed="metrics of a confusion matrix",
        )
    if label is not None and measure.kind != "two-class":
        raise InputError(
            f"{measure.name} is one number for all classes",
            found=text.strip(),
            allowed=f"{name.strip()} without a class, or a metric of one class such as recall[{label}]",
        )
    return measure, label


TABLE_SUFFIXES = (".csv", ".json", ".yaml", ".yml")
_ROW_OPTIONS = {"sizes": str, "positive": str, "rounding": str, "total": int, "folds": int, "aggregate": str}
_F1 = {"f1-score": "f1", "f1": "f1", "f1_score": "f1"}
_REPORT_COLUMNS = {"precision": "precision", "recall": "recall", **_F1}
_CLASS_HEADERS = ("", "class", "classes", "label", "labels", "category")
_REPORT_AVERAGES = {"macro avg": "macro", "weighted avg": "weighted", "micro avg": "micro"}

# The name of a row, its printed values (or why they cannot be read), and its own options.
TableRow = tuple[str, dict[str, Any] | InputError, dict[str, Any]]


def read_table(path: Path) -> list[TableRow]:
    """The rows of a table: columns are metrics."""
    # `name`, `sizes`, `positive`, `rounding`, `total`, `folds` and `aggregate` are options of the row. A
    # classification report is one row.
    rows = _rows(path)
    report = _classification_report(rows)
    if report is not None:
        return [("classification report", *report)]
    return [_row(row, number) for number, row in enumerate(rows, 1)]


def _row(row: Mapping[str, Any], number: int) -> TableRow:
    cells = {key.strip(): value for key, value in row.items() if _is_filled(value)}
    name = str(cells.pop("name", f"row {number}"))
    values: dict[str, Any] = dict(cells.pop("values", {}))
    row_options: dict[str, Any] = {}
    for key, value in cells.items():
        if key not in _ROW_OPTIONS:
            values[key] = value
            continue
        try:
            row_options[key] = value if isinstance(value, Mapping) else _ROW_OPTIONS[key](value)
        except ValueError:
            return name, InputError(f"{key} of row {number} is not a whole number", found=repr(value)), {}
    return name, values, row_options


def _is_filled(value: Any) -> bool:
    return value is not None and not (isinstance(value, str) and not value.strip())


def _classification_report(rows: Sequence[Mapping[str, Any]]) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """The values and class sizes of scikit-learn's classification_report; None if it is no such table."""
    # A row for each class and average; columns precision, recall, f1-score and support.
    if not rows:
        return None
    columns = {str(key or "").strip().lower(): key for key in rows[0]}
    metrics = {key: name for lowered, key in columns.items() if (name := _REPORT_COLUMNS.get(lowered))}
    first = next(iter(rows[0]))
    unnamed = not all(_is_filled(row.get(first)) for row in rows)
    if len(set(metrics.values())) < 2 or first in metrics or unnamed:
        return None
    named = {str(row[first]).strip().lower() for row in rows} & {"accuracy", *_REPORT_AVERAGES}
    # A table of models may have the same columns: rows of averages, or of supports, tell the two kinds apart.
    if "support" not in columns and not named and str(first).strip().lower() not in _CLASS_HEADERS:
        return None
    values: dict[str, Any] = {}
    sizes: dict[str, Any] = {}
    for row in rows:
        label = str(row[first]).strip()
        cells = {name: row[key] for key, name in metrics.items() if _is_filled(row.get(key))}
        if label.lower() == "accuracy":
            # Its one number stands in the last column of metrics, or in all of them.
            values["accuracy"] = next(reversed(cells.values()), None)
        elif label.lower() in _REPORT_AVERAGES:
            values |= {f"{_REPORT_AVERAGES[label.lower()]}_{name}": text for name, text in cells.items()}
        else:
            values |= {f"{name}[{label}]": text for name, text in cells.items()}
            support = row.get(columns["support"]) if "support" in columns else None
            sizes[label] = str(support).strip().removesuffix(".0") if _is_filled(support) else "?"
    return {name: text for name, text in values.items() if text is not None}, {"sizes": sizes}


def _rows(path: Path) -> list[dict[str, Any]]:
    text = text_of(path, "table")
    if path.suffix == ".csv":
        reader = csv.DictReader(text.splitlines(), skipinitialspace=True)
        _mapping((name, None) for name in reader.fieldnames or ())
        rows: Any = list(reader)
        if any(None in row for row in rows) or not all(map(str.strip, (reader.fieldnames or ())[1:])):
            what = "a row has more cells than the header"
            raise InputError(what, found=str(path), do="quote cells that hold commas")
    elif path.suffix == ".json":
        try:
            rows = json.loads(text, parse_float=str, parse_int=str, object_pairs_hook=_mapping)
        except json.JSONDecodeError as error:
            raise InputError(f"the table is not JSON: {error}", found=str(path)) from error
    else:
        rows = _yaml(text, path)
    if not isinstance(rows, list):
        allowed = "a list of mappings from name to value"
        raise InputError("the table is not a list of rows", found=str(path), allowed=allowed)
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Mapping):
            what = f"row {number} is not a mapping from name to value"
            raise InputError(what, found=repr(row), allowed="accuracy: 0.95")
    return rows


def _mapping(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """The pairs as a mapping; of a value that is given twice, one would be lost without a word."""
    mapping: dict[str, Any] = {}
    for name, value in pairs:
        if name and name in mapping:
            raise InputError("a row gives a value twice", found=name, allowed="each name once in a row")
        mapping[name] = value
    return mapping


def _yaml(text: str, path: Path) -> Any:
    with extra_needed("PyYAML", "yaml", "reading a YAML table"):
        import yaml

    try:
        written: Any = yaml.compose(text, Loader=yaml.BaseLoader)
        for row in getattr(written, "value", ()) or ():
            if isinstance(row, yaml.MappingNode):
                _mapping((str(key.value), None) for key, _ in row.value)
        return yaml.load(text, Loader=yaml.BaseLoader)  # it makes every scalar text and builds no objects
    except yaml.YAMLError as error:
        raise InputError("the table is not YAML", found=str(path)) from error
