"""What tools/golden.py calls a changed number, and which imports tools/cycles.py counts."""

from __future__ import annotations

import pytest

from tools import cycles, golden


@pytest.mark.parametrize(
    ("old", "new", "groups"),
    [
        (0.1 + 0.2, 0.3, []),
        (1e-17, 0, []),
        (float("nan"), float("nan"), []),
        (0.3, 0.3000001, ["numbers"]),
        (0.3, None, ["numbers"]),
        ({"fraction": "0.3333333333333333"}, {"fraction": "0.3333333333333334"}, ["numbers"]),
        ([{"id": "a", "v": 1}, {"id": "b", "v": 2}], [{"id": "b", "v": 2}, {"id": "a", "v": 1}], []),
        ({"a": 1, "b": 2}, {"a": 1, "c": 3}, ["lost"]),
        ("recall   0.91", "recall 0.91", []),
        ("recall 0.91", "recall 0.92", ["numbers"]),
        ("tells 136 right", "136 correct", ["words"]),
        ("tells 136 right", "most are correct", ["words", "no longer shown"]),
        ("IndexError: list index out of range", 0.5, ["refused before"]),
        (0.5, "IndexError: list index out of range", ["numbers"]),
    ],
)
def test_differences_are_grouped(old: object, new: object, groups: list[str]) -> None:
    assert [group for group, *_ in golden.differences("", old, new)] == groups


def test_verdicts_are_ranked() -> None:
    old = {"a": "proved", "b": "not refuted", "c": "timed out", "d": "refuted"}
    new = {"a": "not refuted", "b": "proved", "c": "not refuted"}
    empty = {"outputs": {}, "values": {}, "api": {}, "options": {}}
    found = golden.compared(empty | {"verdicts": old}, empty | {"verdicts": new})
    assert [(group, place) for group, place, *_ in found] == [
        ("verdicts weaker", "a"),
        ("verdicts stronger", "b"),
        ("words", "c"),
        ("verdicts weaker", "d"),
    ]


def test_lazy_and_type_only_imports_make_cycles(tmp_path, monkeypatch) -> None:
    package = tmp_path / "p"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "a.py").write_text("def f():\n    from p import b\n")
    (package / "b.py").write_text(
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .c import x\n"
    )
    (package / "c.py").write_text("import p.a\n")
    (package / "d.py").write_text("import p.a\n")
    monkeypatch.setattr(cycles, "SOURCE", tmp_path)
    known = cycles.modules()
    graph = {name: set(cycles.imported(name, path, known)) for name, path in known.items()}
    assert cycles.components(graph) == [["p.a", "p.b", "p.c"]]
    assert cycles.example(graph, ["p.a", "p.b", "p.c"])[:2] in (
        ["p.a", "p.b"],
        ["p.b", "p.c"],
        ["p.c", "p.a"],
    )
