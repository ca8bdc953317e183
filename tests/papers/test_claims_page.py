"""The ledger as a page: grouped by paper, counted by verdict, and text stays text."""

from steelyard.papers.claim import Claim, Decided, Finding
from steelyard.papers.claims_html import page
from steelyard.properties.verdict import as_matrix

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
    text = page(found)
    assert (
        text.index("<h2>mullick2020</h2>")
        < text.index(">a1<")
        < text.index(">a2<")
        < text.index("<h2>mortaz2020</h2>")
        < text.index(">b1<")
    )
    assert '<div class="card">proved<b>2</b>' in text
    assert '<div class="card">refuted<b>1</b>' in text
    assert "not reproduced<b>" not in text
    assert text.count('<span class="good">proved</span>') == 2
    assert text.count('<span class="bad">refuted</span>') == 1
    assert (
        '<p>A slip.</p><table class="matrix"><tbody><tr><td>1</td><td>0</td></tr><tr><td>2</td><td>3</td></tr></tbody></table>'
        in text
    )
    assert "<td>7</td>" not in text  # the matrix of a statement that holds is in its words


def test_hostile_text_is_text():
    text = page([decided(HOSTILE, "mullick2020", "refuted", HOSTILE, explanation=HOSTILE)])
    assert "<script" not in text
    assert text.count("&lt;script&gt;") == 5  # anchor, name, statement, evidence, explanation
    assert "default-src 'none'" in text
