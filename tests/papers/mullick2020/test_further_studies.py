"""Figure 6 from verdicts, harder sets, and the variants of Dual-LexiBoost."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from steelyard_papers import runner
from steelyard_papers.mullick2020 import boosting, conditions, harder
from steelyard_papers.mullick2020.illustration import five_boundaries, five_scorers, some_points
from steelyard_papers.mullick2020.learners.lexiboost import DualLexiBoost
from steelyard_papers.mullick2020.protocol import LEARNERS


def test_figure_6_is_what_the_theorems_say(tmp_path: Path) -> None:
    result = runner.run(conditions.STUDY, out=tmp_path)
    rows = {
        row[0]: row[1:] for table in result["tables"] if table["name"] == "figure-6" for row in table["rows"]
    }
    # Theorem 3: ACSA satisfies both, AUROC-OVA neither; Theorem 5: GMean does not satisfy the third.
    assert list(rows["ACSA"]) == ["yes / proved"] * 3
    assert list(rows["AUROC-OVA"])[:2] == ["no / refuted"] * 2
    assert rows["GMean"][2] == "no / refuted"
    assert rows["Precision"][1] is None
    # Lemma 3 and what follows it: the normalised form has the bounds 0 and 1 whatever C.
    assert list(rows["nAUROC-OVA"])[:2] == ["no / refuted", "yes / proved"]
    assert [finding["reproduced"] for finding in result["findings"]] == [True, False]


def test_figure_1_by_hand() -> None:
    # Half of the majority beyond its own mean: alarms 0.5, no minority lost: precision 1 / (1 + 0.5 r).
    row = five_boundaries([0.2, 0.4, 0.5, 0.8, 0.95], [1, 10], 0.0, 40.0, seed=0)[2]
    assert row[2:4] == pytest.approx([1 / 1.5, 1 / 6])
    assert row[-1] == pytest.approx(0.0, abs=1e-9)
    # 60% right among three: (1 + 0.6 - 0.4 / 2) / 2 = 0.7.
    assert five_scorers([0.2, 0.4, 0.6, 0.8, 0.95], [3, 6], seed=0)[2][2] == pytest.approx(0.7)
    points = some_points(2.5, 8.0, 0.25, 30, seed=0)
    counted = {part: sum(row[0] == part for row in points) for part in ("2a", "2b", "2d", "2e")}
    assert counted == {"2a": 60, "2b": 33, "2d": 30, "2e": 60}


@pytest.mark.integrations
def test_harder_sets_have_ten_classes() -> None:
    for source, examples in (("yeast", 1484), ("led7digit", 500), ("digits-plane", 1797)):
        data = harder.features_of(source)
        assert (len(data.y), len(np.unique(data.y))) == (examples, 10)
    yeast, order = harder.largest_first(harder.features_of("yeast"), 3)
    assert order == ["CYT", "NUC", "MIT"]
    assert len(yeast.y) == 463 + 429 + 244  # as UCI counts them


def test_harder_sets_are_judged_by_the_same_rules() -> None:
    # The run itself is that of mullick2020-multi-class, which is tried in test_studies.
    first = {
        "sizes": [8, 4, 2],
        "matrices": {
            name: {
                test: [[6, 2, 0], [1, 3, 0], [0, 2, 0]]
                for test in ("balanced", "reversed", "halved", "original", "doubled")
            }
            for name in LEARNERS
        },
    }
    parameters = {"sets": [["led7digit", 3, 5]], "runs": 1, "repeats": 5}
    found = harder.conclude(parameters, {"led7digit-3-run-0": first})
    assert [f.claim_id for f in found.findings] == [f"mullick-x{k}h" for k in (2, 3, 4, 5)]
    # The third class is never found: GMean 0, and ACSA (6/8 + 3/4 + 0) / 3 = 0.5.
    assert "led7digit-3 (3 classes, ACSA 0.50)" in found.findings[3].our_figure


@pytest.mark.integrations
def test_quick_run_of_the_variants(tmp_path: Path) -> None:
    found = runner.run(boosting.STUDY, out=tmp_path, quick=True)
    assert [f["claim_id"] for f in found["findings"]] == ["mullick-lb1", "mullick-lb2"]


def test_a_point_that_does_not_vote_for_itself() -> None:
    # Alone among the others, with one neighbour: its own vote makes it right, the others' wrong.
    x, y = np.array([[0.0], [1.0], [2.0], [1.1]]), np.array(["a", "a", "a", "b"])
    own = DualLexiBoost(n_rounds=1, n_neighbors=1).fit(x, y)
    others = DualLexiBoost(n_rounds=1, n_neighbors=1, own_vote=False).fit(x, y)
    assert own.excess_ == pytest.approx(0.0)
    assert list(own.predict(x)) == list(y)
    assert list(others.predict(x)) == list(y)  # what is predicted later is no training point
    equal = DualLexiBoost(n_rounds=3, equal_say=True).fit(x, y)
    assert equal.say_.tolist() == pytest.approx([1 / len(equal.weights_)] * len(equal.weights_))
