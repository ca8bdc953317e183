"""Every claim of the papers has a computed verdict; what is wrong in a paper comes with what shows it."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from steelyard.errors import UnknownNameError
from steelyard_papers.claim import Cell
from steelyard_papers.garcia2012 import claims as garcia2012
from steelyard_papers.ledger import CLAIMS, Ledger, choose, decide
from steelyard_papers.mortaz2020 import claims as mortaz2020
from steelyard_papers.mullick2020 import claims as mullick2020
from steelyard_papers.recorded import recorded
from steelyard_papers.study import verdict_of
from tests.papers.conftest import LEDGER

IDS = {
    "mullick": "t1a t1b t1c t1d t2a t2b l1 l2 l3 t3.1 t3.2 t3.3 t3.4 t3.5 n1 n2 t4 t4p t5a t5b t5c t5p e1 e2 x1 x2 x3 x4 x5",
    "branco": "t2 t3 t4 f1 t5 d1 d2 r1 r2 r3 i1 a1",
    "garcia": "t2 c1 c2 c3 w1",
    "skrabanek": "t2 t3 b1 g1 x1 a1",
    "mortaz": "t1 t2 t3 t4 c1 s1 tab2 tab3 tab5 tab6 tab9 tab10 tab16 tab18 x1 x2 x3 a1 a2 a3",
    "gosgens": "i1 f1 f2 c1 b1 tab",
}
REFUTED = {
    "mullick-n2",
    "mullick-t4p",
    "branco-i1",
    "garcia-w1",
    "skrabanek-x1",
    "skrabanek-a1",
    "mortaz-t4",
    "mortaz-c1",
    "mortaz-s1",
    "mortaz-tab10",
    "mortaz-tab16",
    "mortaz-tab18",
    "mortaz-a1",
    "mortaz-a2",
    "mortaz-a3",
}
NEED_A_STUDY = {
    "mullick-e2",
    "mullick-x1",
    "mullick-x2",
    "mullick-x3",
    "mullick-x4",
    "mullick-x5",
    "branco-d1",
    "branco-d2",
    "branco-r1",
    "branco-r2",
    "branco-r3",
    "garcia-c1",
    "garcia-c2",
    "garcia-c3",
    "mortaz-x1",
    "mortaz-x2",
    "mortaz-x3",
}


pytestmark = LEDGER


def test_deciding_keeps_what_it_found(ledger, tmp_path, monkeypatch):
    """What is read back from the cache is what was computed, and what the ledger says."""
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path))
    some = [claim for claim in CLAIMS if claim.id in ("mortaz-s1", "branco-t4", "mullick-e1")]
    computed = decide(some)
    assert list(tmp_path.rglob("*"))
    assert decide(some) == computed == [ledger[claim.id] for claim in some]


def test_every_claim_is_there_once():
    expected = [f"{paper}-{letter}" for paper, letters in IDS.items() for letter in letters.split()]
    assert [c.id for c in CLAIMS] == expected


def test_every_claim_has_a_verdict_and_evidence(ledger):
    for d in ledger.values():
        plain = d.to_dict()
        assert {"id", "paper", "where", "statement", "verdict", "evidence"} <= set(plain)
        assert plain["evidence"]
        json.dumps(plain, allow_nan=False)


def test_every_claim_is_decided_and_studies_say_how_to_recompute_them(ledger):
    # Of these two the paper leaves open what they hang on, and the readings of it disagree.
    assert [i for i, d in ledger.items() if d.finding.verdict == "not decided"] == ["garcia-c1", "garcia-c2"]
    assert {i for i, d in ledger.items() if d.claim.study} == NEED_A_STUDY
    for i in NEED_A_STUDY:
        found = next(f for f in recorded(ledger[i].claim.study)["findings"] if f["claim_id"] == i)
        assert ledger[i].finding.verdict == verdict_of(found)
        assert ledger[i].to_dict()["recompute"] == f"steelyard study run {ledger[i].claim.study}"


def test_what_is_refuted(ledger):
    assert {i for i, d in ledger.items() if d.finding.verdict == "refuted"} == REFUTED


def test_a_refutation_shows_a_matrix_or_the_figures_and_is_explained(ledger):
    for d in ledger.values():
        if d.disagrees:
            assert d.finding.matrices or d.finding.parts, d.claim.id
            assert d.claim.explanation, d.claim.id


def test_theorems_are_proved(ledger):
    for name in (
        "mullick-t1a",
        "mullick-l1",
        "mullick-l2",
        "mullick-l3",
        "mullick-t3.1",
        "mullick-t3.2",
        "mullick-t4",
        "mullick-t5a",
        "mullick-t5b",
        "mullick-t5c",
        "mullick-n1",
        "mullick-t5p",
    ):
        assert ledger[name].finding.verdict == "proved", name
    for name in (
        "mortaz-t1",
        "mortaz-t2",
        "mortaz-t3",
        "skrabanek-t2",
        "skrabanek-t3",
        "skrabanek-b1",
        "skrabanek-g1",
    ):
        assert ledger[name].finding.verdict == "proved", name


def test_the_worked_tables(ledger):
    for name in (
        "branco-t2",
        "branco-t3",
        "branco-t5",
        "branco-f1",
        "garcia-t2",
        "mortaz-tab2",
        "mortaz-tab3",
    ):
        assert ledger[name].finding.verdict == "reproduced", name
    # 0.4047, 0.4154, 0.4076 and -0.1692... printed as 0.40, 0.41, 0.40: cut, not rounded.
    for name in ("mortaz-tab5", "mortaz-tab6", "mortaz-tab9"):
        assert ledger[name].finding.verdict == "reproduced (digits cut)", name
        assert ledger[name].finding.parts
    assert "all 99 figures" in ledger["branco-t5"].finding.evidence
    assert "0.7600" in ledger["mullick-e1"].finding.evidence  # (1 + 0.6 - 0.4 / 5) / 2


def test_the_prevalences_of_case_3_are_those_of_four_examples(ledger):
    # 1/4 : 1/10 : 1/100 : 1/200 against the printed scores, which are those of 1/5 : 1/10 : 1/100 : 1/200
    total = Fraction(1, 4) + Fraction(1, 10) + Fraction(1, 100) + Fraction(1, 200)
    assert f"here {float(Fraction(1, 4) / total):.4f}" in ledger["branco-t4"].finding.evidence
    printed_total = Fraction(1, 5) + Fraction(1, 10) + Fraction(1, 100) + Fraction(1, 200)
    assert [f"{float(Fraction(1, size) / printed_total):.2f}" for size in (5, 10, 100, 200)] == [
        "0.63",
        "0.32",
        "0.03",
        "0.02",
    ]


def test_iam_passes_accuracy_on_the_matrices_shown(ledger):
    matrices = ledger["mortaz-t4"].finding.matrices
    assert [(len(m), sum(map(sum, m))) for m in matrices] == [(5, 16), (7, 12)]
    for matrix in matrices:
        size = range(len(matrix))
        t, p = [sum(row) for row in matrix], [sum(column) for column in zip(*matrix, strict=True)]
        iam = sum((2 * matrix[i][i] - max(t[i], p[i])) / max(t[i], p[i]) for i in size) / len(matrix)
        assert iam > sum(matrix[i][i] for i in size) / sum(t)
        assert all(t)


def test_a_negative_iam_with_more_right_than_wrong(ledger):
    (matrix,) = ledger["mortaz-s1"].finding.matrices
    right = sum(matrix[i][i] for i in range(len(matrix)))
    assert right > sum(map(sum, matrix)) - right


def test_iam_follows_from_cba_within_rounding():
    assert mortaz2020.possible_iam("0.30") == (Fraction(-41, 100), Fraction(-39, 100))
    assert mortaz2020.possible_iam("0.681") == (Fraction(361, 1000), Fraction(363, 1000))


def test_figure_6_of_mullick2020():
    """As the paper's text groups the indices in section 6, from Theorems 1 to 5."""
    figure = mullick2020.figure_6()
    both = {
        name
        for name, g in figure.items()
        if g["prior-invariance"] == "proved" and g.get("same-bounds", "proved") == "proved"
    }
    assert both == {"GMean", "ACSA", "mAURPC-OVA", "auc_point", "mPrecision", "mAURPC"}
    assert {name for name, g in figure.items() if g["prior-invariance"] == "refuted"} == {
        "AUROC-OVA",
        "nAUROC-OVA",
        "AURPC-OVA",
        "precision",
        "AURPC",
    }
    assert {name for name, g in figure.items() if g.get("same-bounds") == "refuted"} == {
        "AUROC-OVO",
        "AUROC-OVA",
    }
    assert {name: g["one-class-failing"] for name, g in figure.items() if "one-class-failing" in g} == {
        "GMean": "refuted",
        "ACSA": "proved",
        "mAURPC-OVA": "proved",
    }


def test_all_65_cells_of_garcia2012_table_2():
    table = garcia2012.computed_table()
    assert len(table) == 65
    for (p, name), verdict in table.items():
        printed = garcia2012.TABLE_2[p][list(garcia2012.MEASURES).index(name)]
        assert verdict.grade == {"-": "proved", "+": "refuted"}[printed], (p, name)


def test_the_weighted_auc_of_a_point_agrees_with_hand_arithmetic():
    """ROC (0,0), (.2,.6), (1,1), four strips, rho .5: weights .5 .75 .875 1.875, AUC .7, wAUC .5578."""
    from steelyard.proofs.prover.subject import Subject

    assert garcia2012.weights(Fraction(1, 2), 4, Fraction(1, 2)) == [
        Fraction(1, 2),
        Fraction(3, 4),
        Fraction(7, 8),
        Fraction(15, 8),
    ]
    matrix = [[3, 2], [1, 4]]
    assert round(float(Subject(garcia2012.weighted_auc_point(Fraction(1, 2))).value(matrix)), 4) == 0.5578
    assert Subject(garcia2012.weighted_auc_point(Fraction(0))).value(matrix) == Fraction(7, 10)


def test_figures_are_compared_to_the_digits_printed():
    assert Cell("a", "0.42", 0.4249).agrees
    assert not Cell("a", "0.42", 0.4254).agrees
    assert Cell("a", "", float("nan")).agrees
    assert not Cell("a", "", 0.5).agrees
    assert not Cell("a", "0.5", float("nan")).agrees


def test_claims_are_chosen_by_paper_and_id():
    assert {c.paper for c in choose("garcia2012")} == {"garcia2012"}
    assert [c.id for c in choose(only=["mortaz-t4"])] == ["mortaz-t4"]
    with pytest.raises(UnknownNameError):
        choose("nobody1999")
    with pytest.raises(UnknownNameError):
        choose(only=["mortaz-t99"])


def test_the_page_shows_the_matrix_of_what_is_wrong(ledger):
    text = Ledger(tuple(ledger.values())).to_markdown()
    section = text[text.index("## Where a statement does not hold") :]
    section = section[: section.index("\n## ", 5)]
    (row,) = [line for line in section.splitlines() if line.startswith("| **mortaz-t4** |")]
    assert "| refuted |" in row
    assert "`M1 = [[" in row
    for d in ledger.values():
        assert f"| **{d.claim.id}** |" in text


def test_the_committed_page_is_up_to_date(ledger):
    text = (Path(__file__).parents[2] / "docs" / "claims.md").read_text(encoding="utf-8")
    rows = {
        line.split(" | ")[0].removeprefix("| ").strip("*"): line.split(" | ")[3]
        for line in text.splitlines()
        if line.startswith("| ")
    }
    assert {name: rows.get(name) for name in ledger} == {
        name: d.finding.verdict for name, d in ledger.items()
    }
