"""Resolution of column names: truth, predictions and scores of each class; the columns that an error
suggests."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from steelyard.counts.encoding import order_of_categories
from steelyard.counts.labels import Label, is_missing
from steelyard.counts.libraries import column_names, column_of, is_frame, is_lazy, library_of
from steelyard.errors import InputError, SteelyardError, UnknownNameError, parameter, warn
from steelyard.reading.duckdb import first_rows
from steelyard.reading.files import header_advice

# What a column that nobody named is usually called.
_NAMES = {
    "truth": "y_true truth true label labels target actual y class ground_truth true_label true_class gold",
    "prediction": "y_pred pred preds prediction predictions predicted y_hat yhat predicted_label pred_label"
    " predicted_class pred_class output",
    "time": "time date timestamp datetime day created_at event_time ts",
}
_USUAL = {role: tuple(names.split()) for role, names in _NAMES.items()}
TRUTH_NAMES, PREDICTION_NAMES = _USUAL["truth"], _USUAL["prediction"]


class UnnamedColumnError(InputError):
    """A column that is needed was not named, and none is called what it usually is."""


def find_column(wanted: str | None, columns: Sequence[str], role: str = "column") -> str:
    """The column asked for, or the only one whose name says that it is the truth (prediction, time)."""
    if wanted is not None:
        wanted = str(wanted)  # pandas may call a column 0
        if wanted not in columns:
            raise UnknownNameError("column", wanted, columns, header_advice(columns))
        return wanted
    usual, name = _USUAL[role], "pred" if role == "prediction" else role
    known = set(map(_folded, usual))
    candidates = [column for column in columns if _folded(column) in known]
    if len(candidates) == 1:
        return candidates[0]
    if candidates:
        raise InputError(
            f"more than one column could be the {role}",
            found=", ".join(candidates),
            do=f"say which with {parameter(name, '...')}",
        )
    shown = ", ".join(columns[:20]) + (f" and {len(columns) - 20} more" if len(columns) > 20 else "")
    raise UnnamedColumnError(
        f"no column is named like a {role}",
        found=f"the columns {shown}" if columns else "no other column",
        allowed=", ".join(usual[:5]) + ", ...",
        do=header_advice(columns) or f"say which with {parameter(name, '...')}",
    )


@contextmanager
def columns_of(file: str) -> Iterator[None]:
    """Where several files are read: which of them lacks a column?"""
    try:
        yield
    except InputError as error:
        if " column " in f" {error.what} " and file not in error.what:
            error.what += f" in {file}"
            error.args = (error.message(),)
        raise


def truth_among(columns: Sequence[str], truth: str | None, others: Sequence[str]) -> str:
    """The column asked for, or the one that is named like a truth and was not asked for as something else."""
    if truth is not None:
        return truth  # whoever reads it says what is wrong with it
    return find_column(None, [name for name in columns if name not in others], "truth")


def one_name(**values: Any) -> Any:
    """One value under its name or a former one: the first name is the word for it, the others are accepted
    with a note."""
    (name, value), *others = values.items()
    for former, other in others:
        if other is None:
            continue
        if value is not None:
            raise InputError(
                f"{name} is given twice",
                found=f"{parameter(name)} and {parameter(former)}",
                allowed=parameter(name),
            )
        warn(f"{former}= is called {name}= here", DeprecationWarning)
        value = other
    return value


def columns_of_classes(available: Sequence[str], score: str | Mapping[Label, str]) -> dict[Label, str]:
    """Which column holds the score of which class? One column stands alone under its own name."""
    if isinstance(score, Mapping):
        return dict(score)
    if "*" not in score:
        return {score: score}
    if score.count("*") != 1:
        raise InputError(
            "the pattern of score columns is not understood",
            found=repr(score),
            allowed="one star, as in 'p_*'",
        )
    before, after = score.split("*")
    matching = [name for name in available if fnmatch.fnmatchcase(name, score)]
    if len(matching) < 2:
        raise InputError(
            "too few columns match the pattern",
            found=f"{', '.join(matching) or 'none'} for {score!r}",
            allowed=f"a column for each class; there are {', '.join(available[:12])}",
        )
    return {name[len(before) : len(name) - len(after)]: name for name in matching}


def _folded(name: str) -> str:
    return name.casefold().replace("_", "").replace("-", "").replace(" ", "").replace(".", "")


def refuse_truth_as_prediction(truth: str, predictions: Iterable[str | None]) -> None:
    """A column compared with itself is always right."""
    if any(name is not None and str(name) == truth for name in predictions):
        raise InputError(
            "truth and prediction are the same column",
            found=repr(truth),
            allowed="two columns",
            do=f"name the column of predictions with {parameter('pred', '...')}",
        )


def order_in_frame(frame: Any, columns: Sequence[str]) -> tuple[Label, ...] | None:
    """The order of the classes in these columns of a frame, where they are categories that have one."""
    if is_lazy(frame):
        kinds = frame.collect_schema()
    elif library_of(frame) == "duckdb":
        kinds = dict(zip(frame.columns, frame.types, strict=True))
    elif is_frame(frame):
        kinds = {column: column_of(frame, column) for column in columns}
    else:
        return None
    return order_of_categories(*(kinds[column] for column in columns))


# The columns that `steelyard sample` adds: row of the pool, stratum, its size, inclusion probability.
SAMPLE_COLUMNS = ("pool_row", "stratum", "stratum_size", "inclusion_probability")
# So many rows from the top show what a column holds.
ROWS = 2_000
# Columns with more different values in these rows are ids, numbers or text.
MOST_LABELS = 30
_OF_TRUTH = ("true", "truth", "label", "target", "actual", "gold", "class", "outcome")
_OF_SCORES = ("score", "prob", "proba", "logit", "confidence")


class Candidates(NamedTuple):
    """Columns that could be meant, the likeliest first."""

    truth: str | None
    predictions: tuple[str, ...]
    scores: tuple[str, ...]
    #: The column that names a data set in each row of a table of scores, of which each model has a column.
    dataset: str | None
    #: Rows of `steelyard sample` without a column named like a truth: no prediction may stand in for it.
    awaits_labels: bool


def candidate_columns(source: Any, truth: str | None = None) -> Candidates:
    """Candidates among the columns of a file or frame; none where it cannot be read. `truth` is known."""
    columns: Mapping[str, Sequence[Any]] = {}
    try:
        if isinstance(source, (str, Path)):
            columns = first_rows(source, ROWS)
        elif is_frame(source):
            columns = {name: list(column_of(source, name)[:ROWS]) for name in column_names(source)}
    except SteelyardError:
        pass
    top = {
        name: [str(value) for value in column if not is_missing(value)] for name, column in columns.items()
    }
    values = {name: set(column) for name, column in top.items()}
    labels = {
        name: distinct
        for name, distinct in values.items()
        if 2 <= len(distinct) <= MOST_LABELS and not _are_fractions(distinct)
    }
    scores = [name for name, distinct in values.items() if name not in labels and _are_fractions(distinct)]

    def like_truth(name: str) -> tuple[bool, bool, int]:
        """How much a column looks like the truth: by its name, then because others hold the same labels."""
        folded = name.casefold()
        named = folded in TRUTH_NAMES or folded.startswith("is_") or any(word in folded for word in _OF_TRUTH)
        twins = sum(len(distinct & labels[name]) > 1 for distinct in labels.values())
        return named, twins > 1, -len(labels[name])

    awaits_labels = False
    if truth is None:
        truth = max(labels, key=like_truth, default=None)
        awaits_labels = {*SAMPLE_COLUMNS} <= {*values} and not (truth is not None and like_truth(truth)[0])
    known = labels.get(truth or "", set())
    # Predictions hold the same labels as the truth; one label in common may be chance, such as 0.
    alike = [name for name, distinct in labels.items() if name != truth and len(distinct & known) > 1]
    scores.sort(key=lambda name: not any(word in name.casefold() for word in _OF_SCORES))
    others = [name for name in values if name not in scores]
    # Names that never repeat beside scores alone: a row is a data set, not an example.
    is_table = len(others) == 1 and len(scores) > 1 and len(values[others[0]]) == len(top[others[0]]) > 1
    return Candidates(truth, tuple(alike), tuple(scores), others[0] if is_table else None, awaits_labels)


def _are_fractions(values: set[str]) -> bool:
    """Are these numbers, most of them none that a class would be called?"""
    try:
        return 2 * sum(not float(value).is_integer() for value in values) > len(values)
    except (ValueError, OverflowError):
        return False


@contextmanager
def naming_candidates(source: Any, needs: str, **named: Any) -> Iterator[None]:
    """A refusal for want of a column says which columns look right and what to write."""
    try:
        yield
    except UnnamedColumnError as error:
        raise unnamed(source, needs, error.what, **named) or error from None


def unnamed(source: Any, needs: str, what: str, **named: Any) -> InputError | None:
    """The refusal of a call that names too few columns for "labels" (one model), "models" (several) or
    "scores"; None where nothing looks right."""
    settled = {name for name, value in named.items() if value is not None and value != ()}
    columns = candidate_columns(source, named.get("truth"))
    if "truth" not in settled and columns.awaits_labels:
        return InputError(
            "the rows that steelyard sample chose have no true labels yet",
            found=f"no column named like a truth beside {', '.join(SAMPLE_COLUMNS)}",
            do=f"add a column y of true labels and name it with {parameter('truth', 'y')}",
        )
    known_truth = () if columns.truth is None else (columns.truth,)
    suggested: dict[str, tuple[str, ...]] = {}
    if known_truth and "truth" not in settled:
        suggested["truth"] = known_truth
    least, most = (2, None) if needs == "models" else (1, 1)
    if needs == "models" and columns.dataset is not None and not settled:
        suggested = {"dataset": (columns.dataset,)}
    elif settled & {"pred", "score", "scores"}:
        pass
    elif needs != "scores" and len(columns.predictions) >= least:
        suggested["pred"] = columns.predictions[:most]
    elif len(columns.scores) >= least:
        suggested["score"] = columns.scores[:most]
        suggested |= {"threshold": ("best:gmean",)} if needs == "labels" else {}
    else:
        return None
    if not suggested:
        return None
    written = ", ".join(parameter(name, value) for name, values in suggested.items() for value in values)
    kinds = (((*known_truth, *columns.predictions), "labels"), (columns.scores, "scores"))
    seen = [f"{', '.join(names[:8])} with values like {kind}" for names, kind in kinds if names]
    error = InputError(what, found=" and ".join(seen), do=f"try {written}")
    error.suggested = suggested
    return error
