"""A script, run where only the package and its extras are installed: does everything that is promised for these versions work?

Tests run it with the oldest versions and with other versions of Python: `python promised.py FOLDER`. It prints what it tried and ends
silently; the values are scikit-learn's or worked out by hand.
"""

import math
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np


def core(folder: Path) -> None:
    import steelyard as sy

    (folder / "p.csv").write_text("y,a,s,w\nx,x,1,1\nx,o,2,2\no,o,1,1\no,x,1,3\no,o,2,1\n")
    matrix = sy.Confusion([[90, 10], [30, 870]], labels=["fraud", "ok"])
    assert math.isclose(sy.measure("gmean")(matrix), math.sqrt(0.9 * 870 / 900))
    assert "fraud" in sy.evaluate(matrix, positive="fraud").to_html()
    for script in (
        "sy.count('p.csv', truth='y', pred='a', by='s', weight='w')",
        "sy.evaluate('p.csv', truth='y', pred='a', positive='x')",
    ):
        done = subprocess.run(
            [sys.executable, "-c", f"import steelyard as sy; {script}"],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, ""), done.stderr


def scikit_learn(folder: Path) -> None:
    import sklearn
    from sklearn.experimental import enable_halving_search_cv  # noqa: F401
    from sklearn.inspection import permutation_importance
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import balanced_accuracy_score
    from sklearn.model_selection import (
        GridSearchCV,
        HalvingGridSearchCV,
        StratifiedKFold,
        cross_val_score,
        cross_validate,
    )

    import steelyard as sy

    generator = np.random.default_rng(0)
    X = generator.normal(size=(300, 3))  # noqa: N806  scikit-learn's name
    y = (X[:, 0] + generator.normal(size=300) > 1).astype(int)
    folds, model = StratifiedKFold(3), LogisticRegression()
    ours = cross_val_score(model, X, y, scoring=sy.scorer("macro_recall"), cv=folds)
    theirs = [
        balanced_accuracy_score(y[b], LogisticRegression().fit(X[a], y[a]).predict(X[b]))
        for a, b in folds.split(X, y)
    ]
    assert np.allclose(ours, theirs)
    four = sy.scorers(["gmean", "CBA", "mcc", "roc_auc"])
    grid = {"C": [0.1, 1.0]}
    search = GridSearchCV(
        model, grid, scoring=four, refit="gmean", cv=folds, n_jobs=2, error_score="raise"
    ).fit(X, y)
    assert all(np.isfinite(search.cv_results_[f"mean_test_{name}"]).all() for name in four)
    halving = HalvingGridSearchCV(
        model, grid, scoring=sy.scorer("gmean", undefined=0), cv=folds, min_resources=100, random_state=0
    )
    assert halving.fit(X, y).best_params_["C"] in grid["C"]
    fitted = model.fit(X, y)
    found = permutation_importance(fitted, X, y, scoring=sy.scorer("CBA"), n_repeats=2, random_state=0)
    assert found.importances_mean.argmax() == 0
    assert sy.scorer("roc_auc")(fitted, X, y) > 0.5
    with sklearn.config_context(enable_metadata_routing=True):
        asked = sy.scorer("accuracy").set_score_request(sample_weight=True)
        weight = np.where(y == 1, 7.0, 1.0)
        fold = cross_validate(
            LogisticRegression().set_fit_request(sample_weight=False),
            X,
            y,
            scoring=asked,
            cv=folds,
            params={"sample_weight": weight},
            error_score="raise",
        )["test_score"][0]
    train, test = next(folds.split(X, y))
    right = LogisticRegression().fit(X[train], y[train]).predict(X[test]) == y[test]
    assert math.isclose(fold, np.average(right, weights=weight[test]))
    assert len(sy.cross_evaluate(model, X, y, cv=3, interval=None).folds) == 3


def frames_and_pictures(folder: Path) -> None:
    import pandas

    import steelyard as sy

    result = sy.evaluate(pandas.DataFrame({"y": list("aabb"), "p": list("abbb")}), truth="y", pred="p")
    assert math.isclose(result.to_frame().loc["accuracy", "value"], 0.75)
    result.plot("matrix").savefig(folder / "matrix.png")
    assert (folder / "matrix.png").stat().st_size > 1000


def proofs_and_speed(folder: Path) -> None:
    import steelyard as sy

    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "steelyard",
            "examine",
            "tp/(tp+fn)",
            "--property",
            "prior-invariance",
            "--json",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert '"proved"' in done.stdout, done.stdout
    rows = np.random.default_rng(0).integers(0, 3, size=(2, 200_000))
    assert sy.Confusion.from_labels(*rows).total == 200_000


if __name__ == "__main__":
    warnings.filterwarnings("error", category=DeprecationWarning, module="steelyard")
    for part in (core, scikit_learn, frames_and_pictures, proofs_and_speed):
        part(Path(sys.argv[1]))
        print(part.__name__)
