"""Examinations, relations, advice, watches, claims and studies: each can be read in the same ways."""

import json

import pytest

import steelyard as sy
from steelyard.judgement.recommend.ranking import Situation, rank
from steelyard.proofs.judge import examine, relate
from steelyard.proofs.questions.conditions import property_named
from steelyard.proofs.result import Overview
from steelyard.report.presented import Presented
from steelyard_papers.claim import Claim, Decided, Finding
from steelyard_papers.ledger import Ledger
from steelyard_papers.recorded import recorded
from steelyard_papers.registry import studies
from steelyard_papers.study_result import StudyList, StudyResult

ONE = [property_named("prior-invariance")]


def _watch() -> sy.Watch:
    watch = sy.Watch(
        sy.Confusion([[90, 10], [30, 870]], labels=["fraud", "ok"]), source="a stream", independent=True
    )
    watch.look(sy.Confusion([[50, 50], [30, 870]], labels=["fraud", "ok"]))
    return watch


def _ledger() -> Ledger:
    finding = Finding("proved", "because it is so")
    return Ledger((Decided(Claim("c1", "mullick2020", "Lemma 1", "it is so", lambda: finding), finding),))


# Each result, words that its first screen must hold, and how many rows its table has.
RESULTS = {
    "examination": (lambda: examine(sy.measure("precision"), ONE), "depends on how frequent", 1),
    "overview": (
        lambda: Overview(tuple(examine(sy.measure(name), ONE) for name in ("precision", "recall"))),
        "2 metrics",
        2,
    ),
    "many": (
        lambda: Overview(
            tuple(
                examine(sy.measure(name), ONE)
                for name in ("precision", "recall", "gmean", "accuracy", "specificity")
            )
        ),
        "✗",
        5,
    ),
    "relations": (lambda: relate([sy.measure("gmean")], sy.measure("recall")), "relate to recall", 6),
    "recommendation": (lambda: rank(Situation(priors_change=True)), "Use G-mean (geometric mean", 4),
    "watch": (_watch, "ALARM", 5),
    "ledger": (_ledger, "1 claim of mullick2020", 1),
    "study": (lambda: StudyResult(recorded("garcia2012-correlation")), "4 statements of the paper", 4),
    "studies": (
        lambda: StudyList(tuple((study, None) for study in studies())),
        "garcia2012-correlation",
        len(studies()),
    ),
}


@pytest.mark.parametrize("kind", RESULTS)
def test_a_result_shows_itself_in_every_way(kind, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    make, first_words, rows = RESULTS[kind]
    result = make()
    assert isinstance(result, Presented)
    assert first_words in repr(result)
    assert json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert json.loads(json.dumps(result.plain(), allow_nan=False))
    assert len(result.table()) >= rows
    frame, columns = result.to_frame(), list(result.table()[0])
    assert [*([frame.index.name] if frame.index.name else []), *frame.columns] == columns
    assert result.to_polars().columns == columns
    assert result.to_latex().count("\\toprule") == result.to_latex().count("\\bottomrule")
    page, fragment, text = result.to_html(), result._repr_html_(), result.to_markdown()
    title = result.report().title.partition(" · ")[0]
    assert f"<h1>{title}</h1>" in page.replace("&#39;", "'")
    assert page.count("<script") in (1, 2)  # the page's own, and the data of What if
    assert "<script" not in fragment
    assert "default-src 'none'" in page
    assert "<html" not in fragment
    assert text.startswith("# ")
    assert " style=" not in page + fragment
