"""Do we agree with what yardstick's documentation prints?

Matrices and estimates are those that the pages of yardstick 1.3 print for its two example data sets (`conf_mat`,
`summary.conf_mat`, and the multiclass vignette), to three decimals; columns are truth there. The data themselves,
and so the estimates from probabilities (roc_auc .939 and the like), are not to be had without R.
"""

from __future__ import annotations

import numpy as np
import pytest

import steelyard as sy

TWO_CLASS_EXAMPLE = sy.Confusion(np.array([[227, 50], [31, 192]]).T, ["Class1", "Class2"])
HPC_CV = sy.Confusion(
    np.array([[1620, 371, 64, 9], [141, 647, 219, 60], [6, 24, 79, 28], [2, 36, 50, 111]]).T,
    ["VF", "F", "M", "L"],
)
TWO_CLASSES = {
    "accuracy": 0.838,
    "kap": 0.675,
    "sens": 0.880,
    "spec": 0.793,
    "ppv": 0.819,
    "npv": 0.861,
    "mcc": 0.677,
    "j_index": 0.673,
    "bal_accuracy": 0.837,
    "detection_prevalence": 0.554,
    "precision": 0.819,
    "recall": 0.880,
    "f_meas": 0.849,
}


@pytest.mark.parametrize("name", TWO_CLASSES)
def test_two_classes(name: str) -> None:
    assert sy.measure(name)(TWO_CLASS_EXAMPLE, positive="Class1") == pytest.approx(
        TWO_CLASSES[name], abs=5.1e-4
    )


@pytest.mark.parametrize(("name", "printed"), [("ppv", 0.909), ("npv", 0.739)])
def test_at_a_prevalence_of_its_own(name: str, printed: float) -> None:
    """`summary(cmat, prevalence = 0.70)`."""
    found = sy.measure(name).at_priors({"Class1": 0.7, "Class2": 0.3})(TWO_CLASS_EXAMPLE, positive="Class1")
    assert found == pytest.approx(printed, abs=5.1e-4)


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("accuracy", 0.709),
        ("mcc", 0.515),
        ("macro_recall", 0.560),
        ("weighted_recall", 0.709),
        ("micro_recall", 0.709),
    ],
)
def test_four_classes(name: str, printed: float) -> None:
    """Sensitivity is printed macro, macro weighted and micro averaged."""
    assert sy.measure(name)(HPC_CV) == pytest.approx(printed, abs=5.1e-4)
