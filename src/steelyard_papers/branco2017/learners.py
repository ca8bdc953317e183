"""Learners of branco2017: CART, SVM and naive Bayes, close to the defaults of R's rpart and e1071.

A table has numeric columns and nominal ones. The tree and the SVM see a nominal column as one 0/1 column for
each of its values, naive Bayes as what it is.
"""

from __future__ import annotations

import csv
import gzip
import io
from importlib import resources
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

LEARNERS = ("tree", "SVM", "naive Bayes")
# What e1071 substitutes for a probability or a standard deviation of 0.
FLOOR = 0.001


class Columns(NamedTuple):
    """A data set: numeric columns, nominal columns as codes, and labels."""

    numeric: Array
    nominal: Array
    y: Array

    def rows(self, chosen: Array) -> Columns:
        return Columns(self.numeric[chosen], self.nominal[chosen], self.y[chosen])


def real_set(name: str, without: tuple[str, ...] = ()) -> Columns:
    """One of the sixteen data sets; columns of texts are nominal, those of numbers numeric."""
    packed = (resources.files("steelyard_papers.branco2017") / "data" / f"{name}.csv.gz").read_bytes()
    text = io.StringIO(gzip.decompress(packed).decode("utf-8"), newline="")
    header, *lines = csv.reader(text, quoting=csv.QUOTE_NONNUMERIC)
    columns = [i for i, column in enumerate(header) if column not in ("class", *without)]
    numeric = [i for i in columns if not isinstance(lines[0][i], str)]
    nominal = [i for i in columns if isinstance(lines[0][i], str)]
    codes = [np.unique([line[i] for line in lines], return_inverse=True)[1] for i in nominal]
    return Columns(
        numeric=np.array([[line[i] for i in numeric] for line in lines], dtype=float).reshape(
            len(lines), len(numeric)
        ),
        nominal=np.array(codes, dtype=int).reshape(len(nominal), len(lines)).T,
        y=np.array([str(line[header.index("class")]) for line in lines]),
    )


def predictions(learner: str, table: Columns, train: Array, test: Array) -> Array:
    """What a learner trained on some rows says of others."""
    if learner == "naive Bayes":
        return _naive_bayes(table.rows(train), table.rows(test))
    x = np.hstack([_scaled(table.numeric, train) if learner == "SVM" else table.numeric, _dummies(table)])
    return np.asarray(_model(learner, table.y[train]).fit(x[train], table.y[train]).predict(x[test]))


def _model(learner: str, y: Array) -> Any:
    from sklearn.svm import SVC
    from sklearn.tree import DecisionTreeClassifier

    if learner == "SVM":
        return SVC(C=1.0, kernel="rbf", gamma="auto")  # gamma = 1 / number of columns, as in e1071
    # rpart: 20 rows to try a split, 7 in a leaf, depth 30, and a split has to gain a hundredth of the
    # root's impurity.
    shares = np.unique(y, return_counts=True)[1] / len(y)
    least = 0.01 * float(1 - (shares**2).sum())
    return DecisionTreeClassifier(
        min_samples_split=20, min_samples_leaf=7, max_depth=30, min_impurity_decrease=least, random_state=0
    )


def _scaled(numeric: Array, train: Array) -> Array:
    mean, spread = numeric[train].mean(axis=0), numeric[train].std(axis=0, ddof=1)
    return np.asarray((numeric - mean) / np.where(spread > 0, spread, 1))


def _dummies(table: Columns) -> Array:
    columns = [(column[:, None] == np.arange(column.max() + 1)).astype(float) for column in table.nominal.T]
    return np.hstack([np.empty((len(table.y), 0)), *columns])


def _naive_bayes(train: Columns, test: Columns) -> Array:
    """Normal densities for numeric columns, relative frequencies for nominal ones, as e1071 has them."""
    labels, sizes = np.unique(train.y, return_counts=True)
    evidence = np.empty((len(test.y), len(labels)))
    values = np.vstack([train.nominal, test.nominal]).max(axis=0, initial=0) + 1
    for k, label in enumerate(labels):
        members = train.y == label
        evidence[:, k] = np.log(sizes[k] / len(train.y))
        evidence[:, k] += _log_normal(train.numeric[members], test.numeric).sum(axis=1)
        for j, count in enumerate(values):
            shares = np.bincount(train.nominal[members, j], minlength=count) / sizes[k]
            evidence[:, k] += np.log(np.where(shares > 0, shares, FLOOR))[test.nominal[:, j]]
    return np.asarray(labels[evidence.argmax(axis=1)])


def _log_normal(members: Array, x: Array) -> Array:
    """The logarithm of the density of each value; one too small for a double counts as FLOOR."""
    spread = members.std(axis=0, ddof=1) if len(members) > 1 else np.zeros(members.shape[1])
    spread = np.where(spread > 0, spread, FLOOR)
    with np.errstate(divide="ignore", under="ignore"):
        density = np.exp(-0.5 * ((x - members.mean(axis=0)) / spread) ** 2) / (spread * np.sqrt(2 * np.pi))
    return np.asarray(np.log(np.where(density > 0, density, FLOOR)))
