"""What do we say where a peer's test asked the peer? Agreed, a difference that is known and judged, or one that is not."""

from __future__ import annotations

import gzip
import json
import math
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import steelyard as sy
from steelyard.measures.names import PEERS
from torture.peers.capture import RECORDED
from torture.peers.differences import DIFFERENCES, NotAskedHere

RELATIVE, ABSOLUTE = 1e-9, 1e-11


@dataclass
class Outcome:
    """What came of the replay."""

    versions: dict[str, str]
    agreed: Counter[str] = field(default_factory=Counter)
    differ: Counter[str] = field(default_factory=Counter)
    """By the name of a known difference."""
    not_here: Counter[str] = field(default_factory=Counter)
    """Questions that are not asked of this package, with the reason."""
    unexplained: list[str] = field(default_factory=list)

    @property
    def compared(self) -> int:
        return sum(self.agreed.values()) + sum(self.differ.values()) + len(self.unexplained)


@dataclass(frozen=True)
class Compared:
    """One number of theirs beside ours."""

    tool: str
    function: str
    theirs: Any
    ours: float
    options: dict[str, Any]
    matrix: sy.Confusion | None = None
    scores: bool = False
    weighted: bool = False


def number(value: Any) -> float:
    """A recorded number; PyCM's "None" is no value."""
    if isinstance(value, dict):
        return float(value["number"])
    return math.nan if isinstance(value, str) or value is None else float(value)


def same(theirs: Any, ours: float) -> bool:
    told = number(theirs)
    if math.isnan(told) or math.isnan(ours):
        return math.isnan(told) and math.isnan(ours)
    return told == ours or math.isclose(told, ours, rel_tol=RELATIVE, abs_tol=ABSOLUTE)


def replay(recorded: Path = RECORDED) -> Outcome:
    """Ask us everything that was asked of them."""
    data = json.loads(gzip.decompress(recorded.read_bytes()))
    outcome = Outcome(data["versions"])
    for call in data["calls"]:
        columns = [data["columns"][i] for i in call["columns"]]
        options = dict(call["options"])
        weight = options.get("sample_weight")
        if isinstance(weight, dict):
            options["sample_weight"] = data["columns"][weight["column"]]
        name = f"{call['tool']} {call['function']}"
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                pairs = list(_asked(call["tool"], call["function"], columns, options, call["result"]))
        except NotAskedHere as reason:
            outcome.not_here[f"{name}: {reason}"] += 1
            continue
        except sy.InputError as error:
            outcome.not_here[f"{name}: refused, {str(error).split(';')[0]}"] += 1
            continue
        for pair in pairs:
            _judge(outcome, f"{pair.tool} {pair.function}", pair)
    return outcome


def _judge(outcome: Outcome, name: str, pair: Compared) -> None:
    if same(pair.theirs, pair.ours):
        outcome.agreed[name] += 1
        return
    for difference in DIFFERENCES:
        if difference.holds(pair):
            outcome.differ[f"{pair.tool} {difference.name}"] += 1
            return
    shown = None if pair.matrix is None else (pair.matrix.labels, pair.matrix.counts.tolist())
    outcome.unexplained.append(
        f"{name} {pair.options}: {pair.theirs} there, {pair.ours} here, on {shown}"[:700]
    )


def _asked(
    tool: str, function: str, columns: list[Any], options: dict[str, Any], result: Any
) -> list[Compared]:
    if tool == "PyCM":
        return _pycm(columns[0], options["classes"], result)
    truth, second = columns
    weight = options.get("sample_weight")
    if function in ("roc_auc_score", "average_precision_score"):
        return _scores(function, truth, second, weight, options, result)
    if any(isinstance(v, list) for v in (*truth, *second)):
        raise NotAskedHere("several labels for one row")
    known = {
        "sample_weight",
        "average",
        "labels",
        "pos_label",
        "beta",
        "weights",
        "zero_division",
        "normalize",
        "adjusted",
        "correction",
    }
    known |= {"warn_for", "raise_warning", "replace_undefined_by"}
    strange = sorted(set(options) - known)
    if strange:
        raise NotAskedHere(f"option {strange[0]}")
    matrix = sy.Confusion.from_labels(truth, second, None, weight)
    told: dict[str, Any] = {
        "tool": tool,
        "function": function,
        "options": options,
        "weighted": weight is not None,
    }
    answers = _ANSWERS.get(function, _averaged)(function, matrix, options, truth, second)
    listed = result if isinstance(result, list) else [result]
    flat = np.ravel(np.array([number(v) for v in _flat(listed)], dtype=float)).tolist()
    if len(answers) != len(flat):
        raise NotAskedHere("an answer of another shape")
    return [
        Compared(theirs=theirs, ours=ours, matrix=matrix, **told)
        for theirs, ours in zip(flat, answers, strict=True)
    ]


def _flat(values: list[Any]) -> list[Any]:
    return [v for value in values for v in (_flat(value) if isinstance(value, list) else [value])]


Answers = Callable[[str, sy.Confusion, dict[str, Any], list[Any], list[Any]], list[float]]

ONE = {
    "recall_score": "recall",
    "sensitivity_score": "recall",
    "specificity_score": "specificity",
    "precision_score": "precision",
    "f1_score": "f_beta",
    "jaccard_score": "threat_score",
}
MACRO = {
    "recall_score": "macro_recall",
    "precision_score": "macro_precision",
    "f1_score": "macro_f_beta",
    "jaccard_score": "macro_jaccard",
}


def _averaged(
    function: str, matrix: sy.Confusion, options: dict[str, Any], truth: list[Any], predicted: list[Any]
) -> list[float]:
    """Recall, precision, F and Jaccard, of one class or averaged over classes."""
    beta = options.get("beta", 1)
    if function == "fbeta_score":
        measure = sy.measure(f"f_beta(beta={beta})")
    elif function in ONE:
        measure = sy.measure(ONE[function])
    else:
        raise NotAskedHere("a function without a counterpart")
    average = options.get("average", "binary")
    labels = options.get("labels")
    listed = list(matrix.labels) if labels is None else labels
    if labels is not None and average in ("micro", "macro", "weighted") and set(labels) != set(matrix.labels):
        raise NotAskedHere("an average over some of the classes, or over classes that do not occur")
    if average == "binary":
        positive = options.get("pos_label", 1)
        wide = matrix if positive in matrix.labels else _with(matrix, positive)
        if wide.n_classes == 1:
            wide = _with(wide, "another class")
        return [float(measure(wide, positive=positive))]
    if average is None:
        found = []
        for label in listed:
            wide = matrix if label in matrix.labels else _with(matrix, label)
            found.append(float(measure(wide.one_vs_rest(label), positive=label)))
        return found
    if average == "macro":
        own = function in MACRO
        return [float(sy.measure(MACRO[function])(matrix) if own else sy.one_versus_all(measure)(matrix))]
    if average in ("micro", "weighted"):
        how = {"micro": "micro", "weighted": "prevalence"}[average]
        return [float(sy.one_versus_all(measure, how)(matrix))]  # type: ignore[arg-type]
    raise NotAskedHere(f"average {average!r}")


def _with(matrix: sy.Confusion, label: Any) -> sy.Confusion:
    names = [*matrix.labels, label]
    return sy.Confusion(np.pad(matrix.counts, ((0, 1), (0, 1))), names)


def _named(id_: str) -> Answers:
    def answer(function: str, matrix: sy.Confusion, options: dict[str, Any], *columns: Any) -> list[float]:
        if options.get("labels") is not None and set(options["labels"]) != set(matrix.labels):
            raise NotAskedHere("some of the classes, or classes that do not occur")
        return [float(sy.measure(id_)(matrix))]

    return answer


def _counting(id_: str) -> Answers:
    """Losses and accuracies, as a share or a number of rows."""

    def answer(function: str, matrix: sy.Confusion, options: dict[str, Any], *columns: Any) -> list[float]:
        value = float(sy.measure(id_)(matrix))
        return [value if options.get("normalize", True) else value * float(matrix.total)]

    return answer


def _kappa(function: str, matrix: sy.Confusion, options: dict[str, Any], *columns: Any) -> list[float]:
    weights = options.get("weights")
    if weights is not None and options.get("labels") is not None:
        raise NotAskedHere("an order of classes of its own")
    if options.get("labels") is not None and set(options["labels"]) != set(matrix.labels):
        raise NotAskedHere("some of the classes, or classes that do not occur")
    return [float(sy.measure({None: "kappa"}.get(weights, f"{weights}_weighted_kappa"))(matrix))]


def _balanced(function: str, matrix: sy.Confusion, options: dict[str, Any], *columns: Any) -> list[float]:
    if options.get("adjusted"):
        raise NotAskedHere("adjusted for chance")
    occurring = [label for label, total in zip(matrix.labels, matrix.actual.tolist(), strict=True) if total]
    return [float(np.mean([sy.measure("recall")(matrix.one_vs_rest(k), positive=k) for k in occurring]))]


def _table(function: str, matrix: sy.Confusion, options: dict[str, Any], *columns: Any) -> list[float]:
    if options.get("normalize"):
        raise NotAskedHere("shares")
    labels = options.get("labels")
    if labels is not None:
        if not set(matrix.labels) <= set(labels):
            raise NotAskedHere("some of the classes")
        truth, predicted = columns
        matrix = sy.Confusion.from_labels(truth, predicted, labels, options.get("sample_weight"))
    return [float(v) for v in matrix.counts.ravel()]


def _ratios(function: str, matrix: sy.Confusion, options: dict[str, Any], *columns: Any) -> list[float]:
    if matrix.n_classes != 2:
        raise NotAskedHere("one class only")
    positive = matrix.labels[1] if options.get("labels") is None else options["labels"][1]
    return [
        float(sy.measure(f"{sign}_likelihood_ratio")(matrix, positive=positive))
        for sign in ("positive", "negative")
    ]


def _gmean(function: str, matrix: sy.Confusion, options: dict[str, Any], *columns: Any) -> list[float]:
    average = options.get("average", "multiclass")
    if average != "multiclass":
        raise NotAskedHere("an average of sensitivities and specificities")
    if options.get("correction"):
        raise NotAskedHere("a correction of zeros")
    occurring = [k for k, total in zip(matrix.labels, matrix.actual.tolist(), strict=True) if total]
    if options.get("labels") is not None or len(occurring) < matrix.n_classes:
        raise NotAskedHere("classes without examples left out")
    return [float(sy.measure("gmean")(matrix))]


def _mae(function: str, matrix: sy.Confusion, options: dict[str, Any], *columns: Any) -> list[float]:
    return [float(sy.measure("macro_mae")(matrix))]


_ANSWERS: dict[str, Answers] = {
    "accuracy_score": _counting("accuracy"),
    "zero_one_loss": _counting("error_rate"),
    "hamming_loss": _named("error_rate"),
    "matthews_corrcoef": _named("mcc"),
    "cohen_kappa_score": _kappa,
    "balanced_accuracy_score": _balanced,
    "confusion_matrix": _table,
    "class_likelihood_ratios": _ratios,
    "geometric_mean_score": _gmean,
    "macro_averaged_mean_absolute_error": _mae,
}


def _scores(
    function: str, truth: list[Any], score: list[Any], weight: Any, options: dict[str, Any], result: Any
) -> list[Compared]:
    if any(isinstance(v, list) for v in truth):
        raise NotAskedHere("several labels for one row")
    if isinstance(result, list):
        raise NotAskedHere("an answer for each class")
    told: dict[str, Any] = {"tool": "scikit-learn", "function": function, "options": options, "scores": True}
    table = any(isinstance(v, list) for v in score)
    labels = sorted(set(truth))
    strange = sorted(
        set(options) - {"sample_weight", "average", "max_fpr", "multi_class", "labels", "pos_label"}
    )
    if strange:
        raise NotAskedHere(f"option {strange[0]}")
    if not table:
        positive = options.get("pos_label", 1)
        if function == "roc_auc_score":
            positive = labels[-1]
        elif positive not in labels:
            raise NotAskedHere("a positive class that does not occur")
        counts = sy.ScoreCounts.from_scores(truth, score, positive, None, weight)
        max_fpr = options.get("max_fpr")
        if function == "average_precision_score":
            value = sy.measure("average_precision")(counts)
        elif max_fpr in (None, 1):
            value = sy.measure("roc_auc")(counts)
        else:
            value = sy.measure(f"partial_auc(max_fpr={max_fpr})")(counts)
        return [Compared(theirs=result, ours=float(value), **told)]
    classes = options.get("labels") or labels
    if function == "average_precision_score" or len(classes) < 3:
        raise NotAskedHere("a table of scores of two classes")
    counts = sy.ScoreCounts.from_scores(truth, np.array(score), None, classes, weight)
    how, average = options.get("multi_class"), options.get("average", "macro")
    names: dict[tuple[Any, Any], str] = {
        ("ovr", "macro"): "ova_auc",
        ("ovo", "macro"): "hand_till",
        ("ovo", "weighted"): "hand_till(prevalence)",
    }
    if (how, average) not in names:
        raise NotAskedHere(f"areas {how}, {average}")
    return [Compared(theirs=result, ours=float(sy.measure(names[how, average])(counts)), **told)]


def _pycm(table: list[list[float]], classes: list[str], said: dict[str, Any]) -> list[Compared]:
    matrix = sy.Confusion(table, classes)
    found = []
    for name, theirs in said.items():
        told: dict[str, Any] = {"tool": "PyCM", "function": name, "options": {}, "matrix": matrix}
        measure = sy.measure(PEERS["PyCM"][name])
        if isinstance(theirs, list) and measure.kind == "multi-class" and matrix.n_classes > 2:
            ours = [float(measure(matrix.one_vs_rest(label))) for label in classes]
        elif isinstance(theirs, list):
            ours = [float(measure(matrix.one_vs_rest(label), positive=label)) for label in classes]
        else:
            ours, theirs = [float(measure(matrix))], [theirs]
        found += [Compared(theirs=t, ours=o, **told) for t, o in zip(theirs, ours, strict=True)]
    return found
