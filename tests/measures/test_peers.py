"""Their names, our names: each is understood, and the page is the one the table writes."""

from __future__ import annotations

from pathlib import Path

import pytest

import steelyard as sy
from steelyard.measures.names import DIFFERENT, PEERS, plain_names
from tools.write_names import MARK, table

PAGE = Path(__file__).parents[2] / "docs" / "names.md"
NAMED = [(tool, theirs, ours) for tool, named in PEERS.items() for theirs, ours in named.items()]


@pytest.mark.parametrize(("tool", "theirs", "ours"), NAMED, ids=[f"{t}-{n}" for t, n, _ in NAMED])
def test_what_stands_in_the_table_is_a_measure(tool: str, theirs: str, ours: str) -> None:
    assert isinstance(sy.measure(ours), sy.Measure), tool
    if theirs in plain_names():
        assert sy.measure(theirs).name == sy.measure(ours).name, "their name means another measure here"


def test_what_is_different_is_not_taken_for_the_same() -> None:
    for _, theirs in DIFFERENT:
        assert theirs not in plain_names()


def test_names_that_users_type_first() -> None:
    for theirs, ours in (
        ("matthews_corrcoef", "mcc"),
        ("hamming_loss", "error_rate"),
        ("zero_one_loss", "error_rate"),
        ("cohen_kappa_score", "kappa"),
        ("bal_accuracy", "balanced_accuracy"),
    ):
        assert sy.measure(theirs).id == ours


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8").partition(MARK)[2].lstrip() == table(), (
        "write it again: python -m tools.write_names"
    )


TYPED = [
    "accuracy_score",
    "average_precision_score",
    "balanced_accuracy_score",
    "brier_score_loss",
    "cohen_kappa_score",
    "d2_brier_score",
    "d2_log_loss_score",
    "f1_score",
    "fbeta_score",
    "geometric_mean_score",
    "hamming_loss",
    "jaccard_score",
    "log_loss",
    "macro_averaged_mean_absolute_error",
    "matthews_corrcoef",
    "precision_score",
    "recall_score",
    "roc_auc_score",
    "sensitivity_score",
    "specificity_score",
    "zero_one_loss",
    "bal_accuracy",
    "kap",
    "j_index",
    "f_meas",
    "mn_log_loss",
    "BinaryAccuracy",
    "CohenKappa",
    "MulticlassF1Score",
    "Overall_ACC",
]


@pytest.mark.parametrize("name", TYPED)
def test_what_others_type_is_a_function(name: str) -> None:
    value = getattr(sy, name)([0, 0, 1, 1], [0, 1, 1, 1])
    assert value == pytest.approx(sy.measure(name).score([0, 0, 1, 1], [0, 1, 1, 1]), nan_ok=True)


def test_functions_of_others_by_hand() -> None:
    """Recalls 1/2 and 1 of [[1, 1], [0, 2]]; probabilities 0.8 and 0.6 of what was true."""
    y, p = [0, 0, 1, 1], [0, 1, 1, 1]
    assert sy.balanced_accuracy_score(y, p) == pytest.approx(0.75)
    assert sy.geometric_mean_score(y, p) == pytest.approx(0.5**0.5)
    assert sy.hamming_loss(y, p) == sy.zero_one_loss(y, p) == pytest.approx(0.25)
    assert sy.fbeta_score(y, p, beta=2) == pytest.approx(10 / 11)
    assert sy.jaccard_score(y, p) == pytest.approx(2 / 3)
    assert sy.brier_score_loss([1, 0], [0.8, 0.4]) == pytest.approx((0.04 + 0.16) / 2)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("roc_curve", "sy.curves.roc_curve"),
        ("confusion_matrix", "sy.Confusion"),
        ("classification_report", "sy.evaluate"),
        ("hinge_loss", "no measure here"),
        ("ndcg_score", "no measure here"),
        ("MultilabelRankingLoss", "no measure here"),
    ],
)
def test_what_is_no_function_is_answered_in_a_sentence(name: str, words: str) -> None:
    with pytest.raises(AttributeError, match=words):
        getattr(sy, name)
    with pytest.raises(sy.InputError, match=words):
        sy.measure(name)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"weights": "linear"}, "linear_weighted_kappa"),
        ({"multi_class": "ovo"}, "hand_till"),
        ({"adjusted": True}, "informedness"),
    ],
)
def test_parameters_of_others_are_answered_in_a_sentence(given: dict[str, object], words: str) -> None:
    with pytest.raises(sy.InputError, match=words):
        sy.cohen_kappa_score([0, 1], [0, 1], **given)


def test_scores_by_their_own_name() -> None:
    with pytest.raises(sy.InputError, match="say y_pred="):
        sy.roc_auc_score([0, 1], y_score=[0.1, 0.9])
    with pytest.raises(sy.InputError, match="a function of two columns"):
        sy.accuracy_score([0, 1])


@pytest.mark.parametrize("module", ["sklearn.metrics", "imblearn.metrics"])
def test_the_page_is_complete(module: str) -> None:
    """Every function of the module that is about classes and their scores stands in the table."""
    tool = {"sklearn.metrics": "scikit-learn", "imblearn.metrics": "imbalanced-learn"}[module]
    theirs = pytest.importorskip(module)
    listed = {name.partition("(")[0].partition(",")[0] for name in PEERS[tool]}
    listed |= {name.partition("(")[0].partition(",")[0] for other, name in DIFFERENT if other == tool}
    assert {name for name in theirs.__all__ if name not in OF_OTHER_THINGS} <= listed


OF_OTHER_THINGS = {
    "ConfusionMatrixDisplay",
    "DetCurveDisplay",
    "PrecisionRecallDisplay",
    "RocCurveDisplay",
    "PredictionErrorDisplay",
    "DistanceMetric",
    "calinski_harabasz_score",
    "check_scoring",
    "cluster",
    "consensus_score",
    "d2_absolute_error_score",
    "d2_pinball_score",
    "d2_tweedie_score",
    "davies_bouldin_score",
    "euclidean_distances",
    "explained_variance_score",
    "get_scorer",
    "get_scorer_names",
    "max_error",
    "mean_absolute_error",
    "mean_absolute_percentage_error",
    "mean_gamma_deviance",
    "mean_pinball_loss",
    "mean_poisson_deviance",
    "mean_squared_error",
    "mean_squared_log_error",
    "mean_tweedie_deviance",
    "median_absolute_error",
    "nan_euclidean_distances",
    "pairwise_distances",
    "pairwise_distances_argmin",
    "pairwise_distances_argmin_min",
    "pairwise_distances_chunked",
    "pairwise_kernels",
    "r2_score",
    "root_mean_squared_error",
    "root_mean_squared_log_error",
    "silhouette_samples",
    "silhouette_score",
}
"""Of regressions, clusterings and distances, and tools around them."""

NAMED_IN_PAPERS = [
    "linear weighted kappa",
    "quadratic weighted kappa",
    "Scott's pi",
    "Gwet AC1",
    "Bennett's S",
    "Krippendorff's alpha",
    "Cramér's V",
    "chi squared",
    "phi squared",
    "Goodman-Kruskal lambda",
    "mutual information",
    "normalised mutual information",
    "KL",
    "MCEN",
    "no-information rate",
    "adjusted F",
    "distance index",
    "Yule's Q",
    "Yule's Y",
    "odds ratio",
    "relative risk",
    "Otsuka-Ochiai",
    "overlap",
    "Tversky",
    "Bangdiwala's B",
    "P4",
    "Heidke",
    "Gilbert",
    "SEDI",
    "Peirce",
    "KS",
    "ROC distance",
    "prevalence threshold",
    "detection prevalence",
    "macro-averaged MAE",
    "top-k accuracy",
    "hand_till(prevalence)",
    "gain capture",
    "symmetric balanced accuracy",
    "log_loss",
    "brier",
    "spherical",
]


@pytest.mark.parametrize("name", NAMED_IN_PAPERS)
def test_measures_are_found_by_the_names_they_are_known_by(name: str) -> None:
    assert isinstance(sy.measure(name), sy.Measure)
