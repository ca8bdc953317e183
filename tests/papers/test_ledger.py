"""Every claim of the papers has a computed verdict; what is wrong in a paper comes with what shows it."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from steelyard.errors import UnknownNameError
from steelyard_papers.claim import Cell, value
from steelyard_papers.decided import decided, recorded_verdict
from steelyard_papers.experiment import verdict_of
from steelyard_papers.garcia2012 import claims as garcia2012
from steelyard_papers.ledger import CLAIMS, Ledger, choose, decide
from steelyard_papers.mortaz2020.printed import contradictions
from steelyard_papers.recorded import recorded
from steelyard_papers.registry import statements

IDS = {
    "mullick": (
        "e2 e1 tab2 t1a t1b t1c t1d t2a t2b l1 l2 l3 t3.1 t3.2 t3.3 t3.4 t3.5 n1 n2 n3 t4 t4p t5a t5b t5c t5p lb1 lb2"
        " x1 x2 x2h x3 x3h x4 x4h x5 x5h f6"
    ),
    "branco": "i1 t2 t3 a1 ac1 ac2 f1 t4 t5 p1 r1 r2 r3 d1 d2",
    "garcia": "w1 s1 c1 c2 c3 t2 t2s",
    "skrabanek": "t2 b1 t3 g1 d1 x1 a1",
    "mortaz": (
        "tab2 tab3 tab5 tab6 a1 c1 t1 t2 t3 t3s p1 t4 s1 s2 s3 tab9 tab10 in1 n1 in2 in3 f1 x3 f3 f4 tab16 a2 w16 x1 tab18 a3 w18"
        " x2 m1"
    ),
    "gosgens": "i1 f1 f2 c1 b1 tab",
    "kovacs": "ehg drive same",
}
OURS = {
    *("mullick-lb1", "mullick-lb2", "mullick-x2h", "mullick-x3h", "mullick-x4h", "mullick-x5h"),
    *("branco-i1", "branco-a1", "branco-ac2", "branco-r3", "skrabanek-a1", "kovacs-same"),
    *("mortaz-a1", "mortaz-a2", "mortaz-a3", "mortaz-c1", "mortaz-x1", "mortaz-x2"),
}
"""Questions of ours, which no paper states."""
REFUTED = {
    "branco-p1",
    "garcia-s1",
    "mortaz-s2",
    "mortaz-s3",
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
    *(
        f"mullick-{name}"
        for name in [
            "e2",
            "tab2",
            "lb1",
            "lb2",
            "x1",
            "x2",
            "x2h",
            "x3",
            "x3h",
            "x4",
            "x4h",
            "x5",
            "x5h",
            "f6",
        ]
    ),
    *(f"branco-{name}" for name in ["ac1", "d1", "d2", "r1", "r2", "r3"]),
    *(f"garcia-{name}" for name in ["c1", "c2", "c3"]),
    *(f"mortaz-{name}" for name in ["f1", "x3", "f3", "f4", "w16", "x1", "w18", "x2"]),
    *(f"kovacs-{name}" for name in ["ehg", "drive", "same"]),
}


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
    # Of these two the paper leaves open what they depend on, and the readings of it disagree.
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
    # 1/4 : 1/10 : 1/100 : 1/200; the printed 0.64, 0.32, 0.03, 0.02 are nearest to 1/5 : 1/10 : 1/100 : 1/200
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
    # CBA 0.30 lies in 0.295 to 0.305, so IAM in -0.41 to -0.39, and -0.415 to -0.385 once rounded.
    row = ["0.35", "0.30", "0.35", "0.35", "0.35"]
    assert not contradictions([*row, "-0.41"])
    assert contradictions([*row, "-0.50"]) == ["IAM -0.50 is not 2 CBA - 1 = -0.40"]
    assert contradictions(["0.35", "0.40", "0.35", "0.45", "0.35", "-0.20"]) == ["CBA 0.40 exceeds MAR 0.35"]


def test_questions_of_ours_are_called_so(ledger):
    assert {name for name, d in ledger.items() if d.claim.ours} == OURS
    text = Ledger(tuple(ledger.values())).to_markdown()
    rows = [line for line in text.splitlines() if line.startswith("| **mullick-lb1** |")]
    assert rows
    assert all("(our question)" in row for row in rows)


def test_signs_of_iam(ledger):
    """What section 2.4.1 reads off the sign, each with a matrix worked out by hand here."""
    for name, sign in (("mortaz-s1", -1), ("mortaz-s2", 1), ("mortaz-s3", 0)):
        (matrix,) = ledger[name].finding.matrices
        size = range(len(matrix))
        largest = [max(sum(matrix[i]), sum(row[i] for row in matrix)) for i in size]
        iam = sum((2 * matrix[i][i] - largest[i]) / largest[i] for i in size) / len(matrix)
        right = sum(matrix[i][i] for i in size)
        wrong = sum(map(sum, matrix)) - right
        assert (iam > 0) - (iam < 0) == sign
        assert (right - wrong) * sign < 0 if sign else right != wrong


def test_the_kept_verdicts_are_those_of_the_ledger(ledger):
    for name, d in ledger.items():
        assert recorded_verdict(statements()[name]) == d.finding.verdict, name
        if not d.claim.study:  # a search may find another witness, but finds one for the same rows
            assert len(decided()[name].matrices) == len(d.finding.matrices), name


def test_all_65_cells_of_garcia2012_table_2():
    table = garcia2012.computed_table()
    assert len(table) == 65
    for (p, name), verdict in table.items():
        printed = garcia2012.TABLE_2[p][list(garcia2012.MEASURES).index(name)]
        assert verdict.grade == {"-": "proved", "+": "refuted"}[printed], (p, name)


def test_the_weighted_auc_of_a_point_agrees_with_hand_arithmetic():
    """ROC (0,0), (.2,.6), (1,1), four strips, rho .5: weights .5 .75 .875 1.875, AUC .7, wAUC .5578."""
    assert garcia2012.weights(Fraction(1, 2), 4, Fraction(1, 2)) == [
        Fraction(1, 2),
        Fraction(3, 4),
        Fraction(7, 8),
        Fraction(15, 8),
    ]
    matrix = [[3, 2], [1, 4]]
    assert round(float(value(garcia2012.weighted_auc_point(Fraction(1, 2)), matrix)), 4) == 0.5578
    assert value(garcia2012.weighted_auc_point(Fraction(0)), matrix) == Fraction(7, 10)


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
        if line.startswith("| **")
    }
    assert {name: rows.get(name) for name in ledger} == {
        name: d.finding.verdict for name, d in ledger.items()
    }
