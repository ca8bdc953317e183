"""The folder in which every example of the documentation runs, and the names it may use without defining them."""

from __future__ import annotations

import csv
import json
import random
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
Table = dict[str, list[Any]]


def _model(truths: Sequence[str], found: int, alarms: int, shift: int) -> list[str]:
    """A model that finds so many of the frauds and raises so many false alarms, at places that depend on `shift`."""
    frauds = [row for row, truth in enumerate(truths) if truth == "fraud"]
    others = [row for row, truth in enumerate(truths) if truth == "ok"]
    called = {frauds[(shift + i) % len(frauds)] for i in range(found)}
    called |= {others[(7 * shift + i) % len(others)] for i in range(alarms)}
    return ["fraud" if row in called else "ok" for row in range(len(truths))]


def payments() -> Table:
    """1,000 payments, 100 of them fraud; the predictions `yhat` have the matrix [[90, 10], [30, 870]]."""
    rng = random.Random(0)
    truths = ["fraud" if row % 10 == 0 else "ok" for row in range(1000)]
    table: Table = {"id": list(range(1000)), "y": truths, "yhat": _model(truths, 90, 30, 0)}
    for shift, (name, found, alarms) in enumerate((("rf", 85, 40), ("svm", 70, 25), ("knn", 60, 90))):
        table[name] = _model(truths, found, alarms, 10 * shift)
    for name, of in (("p", "yhat"), ("p_rf", "rf"), ("p_svm", "svm")):
        table[name] = [
            round(0.5 + rng.random() / 2 if label == "fraud" else rng.random() / 2, 3) for label in table[of]
        ]
    table["country"] = [("de", "fr", "pl")[row % 3] for row in range(1000)]
    table["amount"] = [1 + row % 4 for row in range(1000)]
    table["fold"] = [1 + row // 200 for row in range(1000)]
    return table


def mail() -> Table:
    """300 messages of three classes with a column of scores for each."""
    rng = random.Random(1)
    classes = ("ham", "spam", "phishing")
    table: Table = {"y": [classes[0 if row % 10 < 6 else 1 if row % 10 < 9 else 2] for row in range(300)]}
    scores = []
    for truth in table["y"]:
        raw = [rng.random() + (0.6 if name == truth else 0.0) for name in classes]
        scores.append([round(value / sum(raw), 4) for value in raw])
    table["yhat"] = [classes[row.index(max(row))] for row in scores]
    for i, name in enumerate(classes):
        table[f"p_{name}"] = [row[i] for row in scores]
    return table


def scenes() -> Table:
    """200 photographs of which each may show a beach, a sunset, both or neither."""
    rng = random.Random(2)
    table: Table = {}
    for name, share in (("beach", 0.4), ("sunset", 0.2)):
        table[f"y_{name}"] = [int(rng.random() < share) for _ in range(200)]
        table[f"p_{name}"] = [1 - there if rng.random() < 0.1 else there for there in table[f"y_{name}"]]
    return table


def days(table: Table) -> Table:
    """The payments in another order, a hundred each day."""
    order = random.Random(4).sample(range(1000), 1000)
    dates = [f"2026-11-{1 + k // 100:02d}" for k in range(1000)]
    return {"date": dates, **{name: [table[name][k] for k in order] for name in ("y", "yhat", "p")}}


def write_csv(path: Path, table: Table, rows: slice = slice(None)) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(table)
        writer.writerows(list(zip(*table.values(), strict=True))[rows])


def fill(folder: Path) -> None:
    """Put into the folder what the documentation's commands name."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table, letters = payments(), mail()
    write_csv(folder / "predictions.csv", table)
    write_csv(folder / "mail.csv", letters)
    write_csv(folder / "stream.csv", {name: table[name] for name in ("yhat", "p")})
    write_csv(folder / "days.csv", days(table))
    write_csv(folder / "scenes.csv", scenes())
    pq.write_table(pa.table(table), folder / "predictions.parquet")
    pq.write_table(pa.table(table).slice(0, 500), folder / "a.parquet")
    pq.write_table(pa.table(table).slice(500), folder / "b.parquet")
    (folder / "runs").mkdir()
    for part in range(2):
        pq.write_table(pa.table(table).slice(500 * part, 500), folder / "runs" / f"part-{part}.parquet")
    for name in ("rf", "svm", "knn"):
        write_csv(folder / f"{name}.csv", {"id": table["id"], "y": table["y"], "yhat": table[name]})
    (folder / "production.json").write_text(json.dumps({"fraud": 0.001, "ok": 0.999}))
    (folder / "my_metric.py").write_text(
        "def my_metric(m):\n"
        "    hits = m.diagonal(axis1=-2, axis2=-1)\n"
        "    return (hits / m.sum(axis=-1)).sum(axis=-1) / m.shape[-1]\n"
    )
    (folder / "examples").symlink_to(ROOT / "examples")


def names() -> dict[str, Any]:
    """What a reader of a Python example is taken to have at hand: columns of truth, predictions and scores."""
    import numpy as np

    import steelyard as sy

    table, letters = payments(), mail()
    return {
        "__name__": "example",
        "sy": sy,
        "y_true": np.array(table["y"]),
        "y_pred": np.array(table["yhat"]),
        "score": np.array(table["p"]),
        "rf": np.array(table["rf"]),
        "svm": np.array(table["svm"]),
        "knn": np.array(table["knn"]),
        "p_rf": np.array(table["p_rf"]),
        "p_svm": np.array(table["p_svm"]),
        "letters": letters,
    }


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The prepared folder, of which every example gets a copy."""
    folder = tmp_path_factory.mktemp("documentation")
    fill(folder)
    return folder


@pytest.fixture
def folder(filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the prepared folder, as the working folder; output is as wide as a usual terminal."""
    shutil.copytree(filled, tmp_path, symlinks=True, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("MPLBACKEND", "agg")
    return tmp_path
