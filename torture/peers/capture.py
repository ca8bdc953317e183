"""What do the tests of scikit-learn, imbalanced-learn and PyCM ask, and what are they answered?

Run `python -m torture.peers.capture` where the three are installed (`pip install --group oracles`, and pytest); PyCM's tests are not
part of what is installed, so the folder `Test` of its repository is named with `--pycm-tests`. The public functions are wrapped
before the test modules are imported; every call with columns of labels or scores, and every confusion matrix that is made, is
written to recorded.json.gz with the versions.
"""

from __future__ import annotations

import argparse
import contextlib
import doctest
import functools
import gzip
import hashlib
import importlib
import importlib.metadata
import io
import json
import math
import os
import random
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.measures.names import PEERS

RECORDED = Path(__file__).with_name("recorded.json.gz")
MOST_ROWS = 300
MOST_OF_A_KIND = 450
"""Calls of one function with the same options by name; more are drawn from evenly."""

SKLEARN = (
    "accuracy_score", "zero_one_loss", "hamming_loss", "balanced_accuracy_score", "recall_score", "precision_score", "f1_score",
    "fbeta_score", "jaccard_score", "matthews_corrcoef", "cohen_kappa_score", "class_likelihood_ratios", "confusion_matrix",
    "roc_auc_score", "average_precision_score",
)  # fmt: skip
IMBLEARN = (
    "sensitivity_score", "specificity_score", "geometric_mean_score", "macro_averaged_mean_absolute_error",
)  # fmt: skip
POSITIONS = {"cohen_kappa_score": ("y1", "y2")}


class Kept:
    """Calls as plain data, each column of labels once."""

    def __init__(self) -> None:
        self.columns: dict[str, int] = {}
        self.calls: dict[str, dict[str, Any]] = {}
        self.left_out: Counter[str] = Counter()

    def column(self, values: Any) -> int:
        array = np.asarray(values)
        if array.ndim not in (1, 2) or not 0 < len(array) <= MOST_ROWS or array.size > 4 * MOST_ROWS:
            raise ValueError("not a column")
        return self.columns.setdefault(json.dumps(plain(array.tolist()), allow_nan=False), len(self.columns))

    def add(self, tool: str, function: str, columns: list[Any], options: dict[str, Any], result: Any) -> None:
        try:
            call = {
                "tool": tool,
                "function": function,
                "columns": [self.column(column) for column in columns],
                "options": {name: self.option(name, value) for name, value in options.items()},
                "result": plain(result),
            }
            key = json.dumps(call, sort_keys=True, allow_nan=False)
        except (ValueError, TypeError):
            self.left_out[f"{tool} {function}"] += 1
            return
        self.calls.setdefault(hashlib.sha256(key.encode()).hexdigest(), call)

    def option(self, name: str, value: Any) -> Any:
        return (
            {"column": self.column(value)} if name == "sample_weight" and value is not None else plain(value)
        )

    def to_dict(self, versions: dict[str, str]) -> dict[str, Any]:
        """Everything, with at most so many calls of a kind."""
        kinds: dict[str, list[dict[str, Any]]] = {}
        for call in self.calls.values():
            kind = json.dumps([call["tool"], call["function"], sorted(call["options"])])
            kinds.setdefault(kind, []).append(call)
        rng = random.Random(0)
        chosen = [
            call
            for calls in kinds.values()
            for call in (rng.sample(calls, MOST_OF_A_KIND) if len(calls) > MOST_OF_A_KIND else calls)
        ]
        texts = list(self.columns)
        used: dict[int, int] = {}
        for call in chosen:
            call["columns"] = [used.setdefault(c, len(used)) for c in call["columns"]]
            weight = call["options"].get("sample_weight")
            if weight:
                weight["column"] = used.setdefault(weight["column"], len(used))
        return {
            "versions": versions,
            "columns": [json.loads(texts[old]) for old in used],
            "calls": chosen,
            "asked": len(self.calls),
            "left_out": dict(self.left_out),
        }


def plain(value: Any) -> Any:
    """Plain data for JSON; what is no number there becomes its name."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        return {"number": str(value)}
    if isinstance(value, float):
        return float(f"{value:.15g}")
    if value is None or isinstance(value, (str, int, bool)):
        return value
    raise TypeError(type(value).__name__)


def wrapped(kept: Kept, tool: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, whose calls are kept when they are answered."""
    first, second = POSITIONS.get(function.__name__, ("y_true", "y_pred"))

    @functools.wraps(function)
    def call(*given: Any, **options: Any) -> Any:
        result = function(*given, **options)
        named = dict(options)
        columns = [*given[:2], *(named.pop(name) for name in (first, second, "y_score") if name in named)]
        if len(given) <= 2 and len(columns) == 2:
            kept.add(tool, function.__name__, columns, named, result)
        return result

    return call


def capture_functions(kept: Kept, tool: str, package: str, names: tuple[str, ...], tests: list[str]) -> None:
    """Wrap the public functions, then run the test modules."""
    import pytest

    module = importlib.import_module(package)
    for name in names:
        setattr(module, name, wrapped(kept, tool, getattr(module, name)))
    # In a folder of its own, or pytest takes the tests of this project for theirs.
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        contextlib.redirect_stdout(io.StringIO()),
    ):
        pytest.main(["-q", "-c", os.devnull, "-p", "no:cacheprovider", "--pyargs", *tests])


def capture_pycm(kept: Kept, folder: Path) -> None:
    """Keep what PyCM says of every matrix that its tests make."""
    import pycm

    made = pycm.ConfusionMatrix.__init__
    names = [name for name in PEERS["PyCM"] if name.isidentifier()]

    def keeping(self: Any, *given: Any, **options: Any) -> None:
        made(self, *given, **options)
        with contextlib.suppress(Exception), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            classes = list(self.classes)
            matrix = [[self.table[a][b] for b in classes] for a in classes]
            said: dict[str, Any] = {}
            for name in names:
                value = getattr(self, name)
                said[name] = [value[c] for c in classes] if isinstance(value, dict) else value
            kept.add("PyCM", "ConfusionMatrix", [matrix], {"classes": [str(c) for c in classes]}, said)

    pycm.ConfusionMatrix.__init__ = keeping
    sys.path.insert(0, str(folder))
    for file in sorted(folder.glob("*_test.py")):
        test = doctest.DocTestParser().get_doctest(
            file.read_text(encoding="utf-8"), {}, file.stem, str(file), 0
        )
        with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(Exception):
            doctest.DocTestRunner(verbose=False).run(test, out=lambda text: None, clear_globs=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pycm-tests", type=Path, help="the folder Test of PyCM's repository")
    parser.add_argument("--pycm-tests-version", default="unknown", help="the version they belong to")
    parser.add_argument("--to", type=Path, default=RECORDED)
    asked = parser.parse_args()
    kept = Kept()
    sklearn_tests = [f"sklearn.metrics.tests.test_{name}" for name in ("classification", "ranking", "common")]
    if asked.pycm_tests is not None:
        capture_pycm(kept, asked.pycm_tests)
    capture_functions(kept, "scikit-learn", "sklearn.metrics", SKLEARN, sklearn_tests)
    capture_functions(
        kept, "imbalanced-learn", "imblearn.metrics", IMBLEARN, ["imblearn.metrics.tests.test_classification"]
    )
    versions = {
        tool: importlib.metadata.version(tool)
        for tool in ("scikit-learn", "imbalanced-learn", "pycm", "numpy")
    }
    versions["tests of pycm"] = asked.pycm_tests_version
    text = json.dumps(kept.to_dict(versions), allow_nan=False, separators=(",", ":"))
    asked.to.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    counted = Counter(f"{call['tool']} {call['function']}" for call in kept.calls.values())
    print(
        json.dumps({"kept": counted, "left out": kept.left_out, "bytes": asked.to.stat().st_size}, indent=1)
    )


if __name__ == "__main__":
    main()
