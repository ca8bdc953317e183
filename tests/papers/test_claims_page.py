"""The ledger as a page: grouped by paper, counted by verdict, and text stays text."""

import re

from steelyard.proofs.verdict import as_matrix
from steelyard.report.terminal import plain_text
from steelyard_papers.claim import Claim, Decided, Finding
from steelyard_papers.ledger import Ledger

HOSTILE = "<script>alert(1)</script>\"'&"


def decided(name, paper, verdict, evidence="because", matrices=(), explanation=""):
    finding = Finding(verdict, evidence, tuple(as_matrix(m) for m in matrices))
    return Decided(
        Claim(name, paper, "Table 1", f"statement of {name}", lambda: finding, explanation), finding
    )


def test_claims_are_grouped_by_paper_and_counted():
    found = [
        decided("a1", "mullick2020", "proved"),
        decided("b1", "mortaz2020", "refuted", matrices=([[1, 0], [2, 3]],), explanation="A slip."),
        decided("a2", "mullick2020", "proved", matrices=([[7, 7], [7, 7]],)),
    ]
    text = Ledger(tuple(found)).to_html()
    assert (
        text.index(">mullick2020</h2>")
        < text.index('id="a1"')
        < text.index('id="a2"')
        < text.index(">mortaz2020</h2>")
        < text.index('id="b1"')
    )
    assert "<dt>proved</dt><dd><strong>2</strong>" in text
    assert "<dt>refuted</dt><dd><strong>1</strong>" in text
    assert "not reproduced<b>" not in text
    assert text.count('<span class="good">proved</span>') == 2
    # what does not hold stands first, and once more among the claims of its paper
    assert text.count('<span class="bad">refuted</span>') == 2
    assert text.index("Where a statement does not hold") < text.index(">b1<") < text.index(">a1<")
    assert (
        text.count(
            '<span class="aside">A slip.</span><div><table class="small-matrix"><tbody><tr><td>1</td><td>0</td></tr><tr><td>2</td><td>3</td></tr></tbody></table>'
        )
        == 2
    )
    assert "<td>7</td>" not in text  # the words of a statement that holds do not name this matrix


def test_matrices_that_the_evidence_names_are_drawn_beside_it():
    words = "1/2 on [[1, 0], [1, 0]] but 2/3 on [[2, 0], [1, 0]]"
    matrices = ([[1, 0], [1, 0]], [[2, 0], [1, 0]])
    ledger = Ledger((decided("a1", "mullick2020", "proved", words, matrices),))
    text = ledger.to_html()
    assert "1/2 on M1 but 2/3 on M2" in text
    assert "[[1, 0], [1, 0]]" not in text
    assert text.count('<th colspan="2">M1</th>') == 1
    assert "1/2 on M1 but 2/3 on M2 `M1 = [[1, 0], [1, 0]]`; `M2 = [[2, 0], [1, 0]]`" in ledger.to_markdown()
    assert "M1 = [[1, 0], [1, 0]]" in " ".join(plain_text(ledger.report(), "full").split())


def test_rows_can_be_chosen_by_verdict_and_by_paper():
    found = [decided("a1", "mullick2020", "proved"), decided("b1", "mortaz2020", "not refuted")]
    text = Ledger(tuple(found)).to_html()
    buttons = ["all", "proved", "not refuted", "all", "mullick2020", "mortaz2020"]
    assert re.findall(r'<button[^>]* data-kind-filter="([^"]*)"', text) == buttons
    assert re.search(r'<section id="[\w-]+" aria-labelledby="[\w-]+" data-kind="mortaz2020">', text)
    assert re.search(r'<tr data-kind="proved"><td class="words short whole"[^>]* id="a1">', text)


def test_hostile_text_is_text():
    text = Ledger((decided(HOSTILE, "mullick2020", "refuted", HOSTILE, explanation=HOSTILE),)).to_html()
    assert text.count("<script") == 1  # the page's own
    # name, statement, evidence, explanation: twice, because it does not hold; and the anchor
    assert text.count("&lt;script&gt;") == 9
    assert "default-src 'none'" in text
