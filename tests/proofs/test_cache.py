"""Verdicts are kept by the definition's content; a damaged file is ignored with a word."""

from steelyard.measures.catalogue import catalogue, measure
from steelyard.proofs import precomputed
from steelyard.proofs.judge import examine
from steelyard.proofs.questions.conditions import Property, property_named
from steelyard.proofs.verdict import Verdict


def counting(calls):
    def decide(subject, question, sizes):
        calls.append(subject.name)
        return Verdict(subject.name, question, "proved", "by counting", "C = 2")

    return Property("counted", "counted", "it is counted", "here", decide)


def test_the_second_examination_does_not_decide_again(monkeypatch, tmp_path):
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path))
    calls = []
    first = examine(measure("recall"), [counting(calls)])
    second = examine(measure("recall"), [counting(calls)])
    assert calls == ["recall"]
    assert first == second


def test_parameters_are_part_of_the_definition(monkeypatch, tmp_path):
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path))
    calls = []
    examine(measure("f_beta"), [counting(calls)])
    examine(measure("f_beta", beta=2), [counting(calls)])
    assert len(calls) == 2


def test_a_damaged_file_is_ignored_with_a_word(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path))
    calls = []
    examine(measure("recall"), [counting(calls)])
    (stored,) = tmp_path.glob("*.json")
    for rubbish in ("{", "[]", '{"measure": 1}'):
        stored.write_text(rubbish, encoding="utf-8")
        assert examine(measure("recall"), [counting(calls)]).verdicts[0].grade == "proved"
        assert "is damaged and ignored" in capsys.readouterr().err
    assert len(calls) == 4


def test_the_cache_can_be_turned_off_and_need_not_be_writable(monkeypatch, tmp_path):
    calls = []
    monkeypatch.setenv("STEELYARD_CACHE", "off")
    assert precomputed.folder() is None
    examine(measure("recall"), [counting(calls)])
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="utf-8")
    monkeypatch.setenv("STEELYARD_CACHE", str(blocked))
    examine(measure("recall"), [counting(calls)])
    assert len(calls) == 2


def test_many_measures_come_out_in_their_order():
    chosen = catalogue()[:6]
    found = examine(chosen, [property_named("p1"), property_named("p2")]).examinations
    assert [e.subject for e in found] == [m.name for m in chosen]
    assert found[0]["p2"].grade == "proved"
