"""Which column holds the truth, and which the predictions?"""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.errors import InputError, UnknownNameError

TRUTH_NAMES = (
    "y_true",
    "truth",
    "true",
    "label",
    "labels",
    "target",
    "actual",
    "y",
    "class",
    "ground_truth",
    "true_label",
    "true_class",
    "gold",
)
PREDICTION_NAMES = (
    "y_pred", "pred", "preds", "prediction", "predictions", "predicted", "y_hat", "yhat", "predicted_label", "pred_label", "predicted_class", "pred_class", "output",
)  # fmt: skip


def find_column(asked: str | None, columns: Sequence[str], role: str, option: str) -> str:
    """The column asked for, or the only one whose name says that it is the truth (or the prediction)."""
    if asked is not None:
        if asked not in columns:
            raise UnknownNameError("column", asked, columns)
        return asked
    usual = TRUTH_NAMES if role == "truth" else PREDICTION_NAMES
    candidates = [column for column in columns if _folded(column) in {_folded(name) for name in usual}]
    if len(candidates) == 1:
        return candidates[0]
    if candidates:
        raise InputError(
            f"more than one column could be the {role}",
            found=", ".join(candidates),
            do=f"say which with {option}",
        )
    shown = ", ".join(columns[:20]) + (f" and {len(columns) - 20} more" if len(columns) > 20 else "")
    raise InputError(
        f"no column is named like a {role}",
        found=f"the columns {shown}" if columns else "no other column",
        allowed=", ".join(usual[:5]) + ", ...",
        do=f"say which with {option}",
    )


def _folded(name: str) -> str:
    return name.casefold().replace("_", "").replace("-", "").replace(" ", "").replace(".", "")
