"""How one property is decided in the deciding process, asked here directly: its verdict, or in words why there is none."""

from __future__ import annotations

import os
import textwrap
import time

import pytest

import steelyard as sy
from steelyard.measures.formula import formula_measure
from steelyard.proofs import precomputed
from steelyard.proofs.judge import examine
from steelyard.proofs.precomputed import made_of
from steelyard.proofs.questions.conditions import BY_ID, property_named
from steelyard.proofs.result import Overview
from steelyard.proofs.user_function import Job, Source, _decide_one, _timed_out, decide
from steelyard.proofs.verdict import Verdict
from tests.real_parts import needs


def job_of(name, **facts):
    return Job(name, ("p2",), 60.0, {0: sy.measure(name)}, **facts)


def test_certificates_are_checked_where_that_is_asked_for():
    needs("flint")
    plain = _decide_one(job_of("recall"), BY_ID["p2"])
    assert plain["verdict"]["grade"] == "proved"
    assert plain["verdict"]["certified"] is None
    assert "certificates" not in plain
    certified = _decide_one(job_of("recall", certify=True), BY_ID["p2"])
    assert certified["verdict"]["certified"] is True
    assert certified["certificates"] == "1 certificate checked"
    assert "certificates" not in _decide_one(job_of("recall", certify=True), BY_ID["p4"])  # refuted


@pytest.mark.parametrize(("name", "classes"), [("recall", "C = 2"), ("accuracy", "C = 2..4")])
def test_what_was_not_decided_says_of_how_many_classes(name, classes):
    found = _timed_out(job_of(name), BY_ID["p2"], "the memory was full")
    assert found["remark"] == "the memory was full"
    verdict = Verdict.from_dict(found["verdict"])
    assert (verdict.grade, verdict.classes, verdict.question) == ("timed out", classes, "p2")
    assert verdict.method == "not decided in time: the memory was full"


def written(tmp_path, code, seconds):
    """A function of the four cells that is asked for values, as a job."""
    path = tmp_path / "mine.py"
    path.write_text("import os\n" + textwrap.dedent(code), encoding="utf-8")
    box = (Source(str(path), path.read_bytes(), "f"), False)
    return Job("mine.py:f", ("bounded",), seconds, {0: formula_measure("0*tp")}, (2,), False, black_box=box)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows asks otherwise whether a process is there")
@pytest.mark.parametrize(
    ("late", "seconds", "stopped"),
    [
        ("os._exit(3)", 60.0, "the function ended Python"),
        ("while True: pass", 2.0, "the time of 2 seconds was up"),
    ],
)
def test_a_function_that_does_not_answer_stops_one_property_and_its_process_ends(
    tmp_path, late, seconds, stopped
):
    pid = tmp_path / "pid"
    code = f"""
    def f(tp, fn, fp, tn):
        if tp > 3:
            open({str(pid)!r}, "w").write(str(os.getpid()))
            {late}
        return tp / (tp + fn)
    """
    (answer,) = decide(written(tmp_path, code, seconds))
    assert answer["remark"] == f"{stopped} while deciding bounds"
    if seconds > 2 or pid.exists():  # on a slow machine Python itself may not start within a second
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid.read_text()), 0)


def test_a_declared_measure_is_decided_in_its_time():
    """z3 took 25 to 40 seconds and all memory for this exponent, whatever time was given."""
    slow = sy.two_class(
        id="slow", title="Slow", question="?", formula="", reads="",
        body=lambda c: c.power(c.ratio(c.tp, c.positives, "n"), 0.333333333333333),
    )  # fmt: skip
    start = time.monotonic()
    (verdict,) = examine(slow, ["monotone"], seconds=2).verdicts
    assert time.monotonic() - start < 30
    assert verdict.grade in ("timed out", "not refuted", "proved")


def test_what_was_decided_apart_is_kept(monkeypatch, tmp_path):
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path))
    mine = formula_measure("tp/(tp+fn) + 0*fp*tn")
    p4 = property_named("p4")
    (verdict,) = examine(mine, [p4], seconds=60).verdicts
    assert verdict.grade == "refuted"
    kept = precomputed.load_cached(precomputed.cache_key("property", made_of(mine), "p4"), Verdict.from_dict)
    assert kept == verdict
    assert examine(mine, [p4], seconds=60).verdicts == (verdict,)


def test_a_formula_without_a_value_is_refused():
    for formula in ("1/(tp-tp)", "mean(hits/(actual-actual))"):
        with pytest.raises(sy.InputError, match="the formula has no value on any matrix"):
            examine(formula, "p2")


def test_several_examinations_are_shown_together():
    found = Overview(tuple(examine(sy.measure(name), ["p2", "p3"]) for name in ("recall", "precision")))
    text = str(found.report().sections)
    assert "recall" in text
    assert "precision" in text


def test_many_formulas_are_decided(monkeypatch, tmp_path):
    """Neither came with the package nor was decided before; p2 asks for true negatives."""
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path))
    mine = [formula_measure(text) for text in ("tp/(tp+2*fn)", "tn/(tn+2*fp)", "sum(hits)/n")]
    found = examine(mine, [property_named("p2")]).examinations
    assert [e.subject for e in found] == [m.name for m in mine]
    assert [e["p2"].holds for e in found][1:] == [False, False]
    assert found[0]["p2"].grade != "refuted"
