"""The claims of mortaz2020: the imbalance accuracy metric IAM, its theorems and worked examples."""

from __future__ import annotations

from fractions import Fraction

from steelyard.measures.catalogue import measure
from steelyard.papers.claim import Cell, Claim, Finding, all_of, compare, from_verdict, holds, on, study_claim
from steelyard.properties.orderings import decide_affine, decide_not_greater, decide_same_ranking
from steelyard.properties.small_matrices import class_present, small_matrices
from steelyard.properties.subject import Subject
from steelyard.properties.verdict import as_matrix

PAPER = "mortaz2020"

CM1 = [[4900, 90, 10, 0], [255, 245, 0, 0], [45, 5, 45, 5], [11, 3, 1, 10]]
CM2 = [[4900, 90, 10, 0], [250, 250, 0, 0], [50, 10, 35, 5], [9, 4, 2, 10]]
CM3 = [[100, 102, 99], [105, 100, 10], [102, 10, 90]]
CM4 = [[114, 86, 101], [100, 100, 15], [110, 10, 82]]
FIVE = {
    "ACC": "accuracy",
    "MAP": "macro_precision",
    "MAR": "macro_recall",
    "F-score": "macro_f_beta",
    "CBA": "class_balance_accuracy",
}

TABLE_8 = {
    "ML_5": ("0.31", "0.33", "0.34", "-0.38"),
    "ML_6": ("0.31", "0.33", "0.37", "-0.37"),
    "ML_7": ("0.30", "0.35", "0.35", "-0.50"),
}
"""Model: CBA, MAR, MAP of Table 8 and IAM of Table 10."""

TABLE_16 = {
    "KNN": ("0.450", "0.671", "0.511", "-0.109"), "KNN-RUS": ("0.435", "0.517", "0.512", "-0.129"), "KNN-ROS": ("0.527", "0.696", "0.627", "0.054"),
    "LR": ("0.366", "0.401", "0.598", "-0.248"), "LR-RUS": ("0.453", "0.649", "0.533", "-0.097"), "LR-ROS": ("0.497", "0.635", "0.532", "-0.005"),
    "SVM": ("0.340", "0.472", "0.671", "-0.288"), "SVM-RUS": ("0.295", "0.445", "0.608", "-0.409"), "SVM-ROS": ("0.258", "0.465", "0.466", "-0.480"),
    "RF": ("0.681", "0.723", "0.781", "0.342"), "RF-RUS": ("0.556", "0.715", "0.593", "0.111"), "RF-ROS": ("0.661", "0.779", "0.741", "0.321"),
    "ANN": ("0.362", "0.481", "0.828", "-0.388"), "ANN-RUS": ("0.299", "0.472", "0.412", "-0.403"), "ANN-ROS": ("0.348", "0.348", "0.810", "-0.401"),
    "GBM": ("0.626", "0.697", "0.807", "0.263"), "GBM-RUS": ("0.347", "0.484", "0.451", "-0.301"), "GBM-ROS": ("0.642", "0.697", "0.685", "0.284"),
}  # fmt: skip

TABLE_18 = {
    "KNN": ("0.858", "0.888", "0.899", "0.817"), "KNN-RUS": ("0.847", "0.892", "0.873", "0.794"), "KNN-ROS": ("0.851", "0.897", "0.897", "0.815"),
    "LR": ("0.850", "0.880", "0.901", "0.793"), "LR-RUS": ("0.850", "0.900", "0.861", "0.779"), "LR-ROS": ("0.851", "0.888", "0.889", "0.798"),
    "SVM": ("0.830", "0.864", "0.870", "0.661"), "SVM-RUS": ("0.816", "0.843", "0.844", "0.632"), "SVM-ROS": ("0.834", "0.861", "0.861", "0.669"),
    "RF": ("0.901", "0.910", "0.909", "0.868"), "RF-RUS": ("0.900", "0.916", "0.903", "0.866"), "RF-ROS": ("0.900", "0.902", "0.908", "0.857"),
    "ANN": ("0.889", "0.904", "0.914", "0.778"), "ANN-RUS": ("0.858", "0.906", "0.902", "0.717"), "ANN-ROS": ("0.852", "0.903", "0.901", "0.704"),
    "GBM": ("0.916", "0.921", "0.921", "0.892"), "GBM-RUS": ("0.902", "0.907", "0.902", "0.885"), "GBM-ROS": ("0.903", "0.913", "0.918", "0.887"),
}  # fmt: skip


def _iam() -> Subject:
    return Subject(measure("IAM"))


def _never_above(*names: str) -> Finding:
    return all_of(*(from_verdict(decide_not_greater(_iam(), Subject(measure(name)))) for name in names))


def _below_accuracy() -> Finding:
    return from_verdict(decide_not_greater(_iam(), Subject(measure("accuracy")), (2, 3, 4, 5, 6)))


def _another_choice() -> Finding:
    """IAM could only choose another model if it ranked two models oppositely."""
    verdict = decide_same_ranking(_iam(), Subject(measure("CBA")))
    identity = decide_affine(_iam(), Subject(measure("CBA")))
    if verdict.grade != "proved":
        return Finding("not refuted", str(verdict))
    pair = as_matrix(CM3), as_matrix(CM4)
    values = "; ".join(
        f"{name} {float(Subject(measure(name)).value(m)):.4f} on {on(m)}"
        for m in pair
        for name in ("CBA", "IAM")
    )
    return Finding(
        "refuted",
        f"IAM = 2 CBA - 1 on every matrix of every size ({identity.method}), so the two always choose the same model; example 2 itself: {values}",
        pair,
    )


def _sign_of_iam() -> Finding:
    for n_classes in (2, 3):
        for rows in class_present(small_matrices(n_classes)):
            matrix = as_matrix(rows.tolist())
            right = sum(matrix[i][i] for i in range(n_classes))
            wrong = sum(map(sum, matrix)) - right
            value = _iam().value(matrix)
            if value == value and value < 0 and wrong <= right - 1:
                return Finding(
                    "refuted",
                    f"on {on(matrix)} IAM is {value}, below 0, yet {right} examples are right and {wrong} wrong",
                    (matrix,),
                )
    return Finding("not refuted", "no small matrix of 2 or 3 classes")


def _table(matrix: list[list[int]], printed: dict[str, str]) -> Finding:
    return compare(
        (Cell(name, text, Subject(measure(FIVE[name])).value(matrix)) for name, text in printed.items()),
        [as_matrix(matrix)],
    )


def _table_9() -> Finding:
    printed = {
        "example 1a": (CM1, "0.14"),
        "example 1b": (CM2, "0.10"),
        "example 2a": (CM3, "-0.175"),
        "example 2b": (CM4, "-0.185"),
    }
    return compare(
        (Cell(name, text, _iam().value(matrix)) for name, (matrix, text) in printed.items()),
        [as_matrix(m) for m, _ in printed.values()],
    )


def possible_iam(cba: str) -> tuple[Fraction, Fraction]:
    """IAM = 2 CBA - 1 holds for averages over folds too: the interval of IAM for a CBA that rounds to the printed one."""
    half = Fraction(1, 2 * 10 ** len(cba.partition(".")[2]))
    return 2 * (Fraction(cba) - half) - 1, 2 * (Fraction(cba) + half) - 1


def _rows_fit(table: dict[str, tuple[str, str, str, str]], where: str) -> Finding:
    off = []
    for model, (cba, mar, map_, iam) in table.items():
        low, high = possible_iam(cba)
        half = Fraction(1, 2 * 10 ** len(iam.partition(".")[2]))
        if Fraction(iam) + half < low or Fraction(iam) - half > high:
            off.append(
                f"{model}: CBA {cba} means IAM {float(low):.3f} to {float(high):.3f}, printed {iam} (MAR {mar}, MAP {map_})"
            )
    if not off:
        return Finding("reproduced", f"every printed IAM of {where} is 2 CBA - 1 within rounding")
    return Finding(
        "refuted",
        f"IAM = 2 CBA - 1 exactly, for single matrices and for averages over folds; in {len(off)} of {len(table)} rows of {where} the printed pair cannot be: "
        + "; ".join(off),
        (),
        tuple(off),
    )


CUT = "The figures of example 2 that differ were cut after their last digit instead of rounded; nothing in the example depends on it."
FIT = "Each IAM is compared with the CBA of its own row: as IAM = 2 CBA - 1 on every matrix, and averages keep the relation, a pair that breaks it cannot belong to the same predictions. The columns may come from different runs."

CLAIMS = (
    Claim("mortaz-t1", PAPER, "Theorem 1", "-1 <= IAM <= 1, and both ends are reached", lambda: holds("IAM", "bounded")),
    Claim("mortaz-t2", PAPER, "Theorem 2", "IAM <= CBA", lambda: _never_above("CBA")),
    Claim("mortaz-t3", PAPER, "Theorem 3", "IAM <= MAP, IAM <= MAR and IAM <= F-score", lambda: _never_above("MAP", "MAR", "macro_f_beta")),
    Claim(
        "mortaz-t4", PAPER, "Theorem 4", "IAM <= ACC for every matrix of every size", _below_accuracy,
        "For two classes the theorem holds. The last step of its proof for three and more classes drops a term that is not negative from the larger side, after which the conclusion no longer follows; with enough classes told right and one large class told wrong, IAM passes ACC.",
    ),
    Claim(
        "mortaz-c1", PAPER, "sections 2.2, 4", "IAM can choose another model than CBA would", _another_choice,
        "The paper compares the two as different measures, but the numerator d - max(t-d, p-d) is 2d - max(t, p): IAM is CBA on another scale, and a change of scale cannot change a choice.",
    ),
    Claim(
        "mortaz-s1", PAPER, "section 2.4.1", "IAM < 0 means that more instances are predicted wrong than right", _sign_of_iam,
        "True of a class, not of all instances together: each class counts the same, so a small class told wrong can outweigh a large one told right.",
    ),
    Claim("mortaz-tab2", PAPER, "Table 2", "the five measures of example 1a", lambda: _table(CM1, {"ACC": "0.92", "MAP": "0.78", "MAR": "0.58", "F-score": "0.65", "CBA": "0.57"})),
    Claim("mortaz-tab3", PAPER, "Table 3", "the five measures of example 1b", lambda: _table(CM2, {"ACC": "0.92", "MAP": "0.76", "MAR": "0.56", "F-score": "0.63", "CBA": "0.55"})),
    Claim("mortaz-tab5", PAPER, "Table 5", "the five measures of example 2a", lambda: _table(CM3, {"ACC": "0.40", "MAP": "0.42", "MAR": "0.41", "F-score": "0.41", "CBA": "0.41"}), CUT),
    Claim("mortaz-tab6", PAPER, "Table 6", "the five measures of example 2b", lambda: _table(CM4, {"ACC": "0.41", "MAP": "0.42", "MAR": "0.42", "F-score": "0.42", "CBA": "0.40"}), CUT),
    Claim("mortaz-tab9", PAPER, "Table 9", "IAM of examples 1 and 2", _table_9, CUT),
    Claim("mortaz-tab10", PAPER, "Tables 8, 10", "each printed IAM can come from the printed CBA, MAR and MAP of its row", lambda: _rows_fit(TABLE_8, "Tables 8 and 10"), FIT),
    Claim("mortaz-tab16", PAPER, "Table 16", "each printed IAM can come from the printed CBA, MAR and MAP of its row", lambda: _rows_fit(TABLE_16, "Table 16"), FIT),
    Claim("mortaz-tab18", PAPER, "Table 18", "each printed IAM can come from the printed CBA, MAR and MAP of its row", lambda: _rows_fit(TABLE_18, "Table 18"), FIT),
    study_claim("mortaz-x1", PAPER, "Table 16", "RF wins on Glass by CBA and by IAM", "mortaz2020-selection"),
    study_claim("mortaz-x2", PAPER, "Table 18", "GBM wins on Satimage by CBA and by IAM", "mortaz2020-selection"),
    study_claim("mortaz-x3", PAPER, "Fig. 2", "on a heavily skewed set accuracy is nearly flat while IAM moves", "mortaz2020-sweeps"),
)  # fmt: skip
