"""Tables of many rows: digits are kept, rows say their own sizes, and the worst row decides the exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import steelyard as sy
from steelyard.auditing.result import AuditResult, json_schema
from steelyard.cli import main
from steelyard.errors import InputError
from tests.schemas import fits

CSV = """name,sizes,accuracy,recall
good,"pos=13, neg=7",0.60,0.6
digits,"pos=13, neg=7",,0.60
"""


def test_a_csv_table(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text(CSV, encoding="utf-8")
    found = sy.audit(path)
    # 8 of 13 is 0.615: 0.6, but not 0.60.
    assert [(row.name, row.verdict) for row in found.rows] == [("good", "possible"), ("digits", "impossible")]
    assert found.exit_code == 1
    assert "1 impossible, 1 possible" in repr(found)


@pytest.mark.parametrize(
    ("ending", "text"),
    [
        ("json", '[{"name": "a", "values": {"recall": 0.60}}, {"name": "b", "recall": 0.6, "sizes": {"p": 13, "n": 2}}]'),
        ("yaml", "- name: a\n  values: {recall: 0.60}\n- name: b\n  recall: 0.6\n  sizes: {p: 13, n: 2}\n"),
    ],
)  # fmt: skip
def test_json_and_yaml_keep_their_digits(ending: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / f"table.{ending}"
    path.write_text(text, encoding="utf-8")
    found = sy.audit(path, sizes="pos=13, neg=7")
    assert [row.verdict for row in found.rows] == ["impossible", "possible"]
    assert [len(row.demands) for row in found.rows] == [1, 1]


def test_why_a_row_cannot_be_and_what_would_explain_it(tmp_path: Path) -> None:
    """2 of 3 are 0.67, and 0.66 if the rest is cut off; nothing explains half of 3 where no class has other than 3."""
    path = tmp_path / "table.csv"
    path.write_text("name,recall\ncut,0.66\nhalf,0.50\nthird,0.33\n", encoding="utf-8")
    found = sy.audit(path, sizes="pos=3, neg=3")
    cut, half, _ = found.rows
    assert isinstance(cut, AuditResult)
    assert isinstance(half, AuditResult)
    assert "cut" in [mistake.id for mistake in cut.mistakes]
    page = found.to_html()
    assert "Possible if the digits were cut off instead of rounded" in page
    assert page.count("Possible if") == bool(cut.mistakes) + bool(half.mistakes)
    # A reason is a sentence or two: on a phone the cells stand below each other.
    assert 'class="stacked' in page


def test_the_command_takes_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "table.csv"
    path.write_text("name,recall\nfirst,0.5\nsecond,1.0\n", encoding="utf-8")
    assert main(["audit", str(path), "--sizes", "pos=2,neg=3"]) == 0
    assert "2 rows: 2 possible." in capsys.readouterr().out
    assert main(["audit", str(path), "--sizes", "pos=3,neg=3", "--json"]) == 1
    assert [row["verdict"] for row in json.loads(capsys.readouterr().out)["rows"]] == [
        "impossible",
        "possible",
    ]


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("t.csv", "name,recall\n", "no rows"),
        ("t.csv", "name,recall\na,0.5,7\n", "more cells"),
        ("t.csv", "name,recal\na,0.5\n", "a: there is no metric 'recal'"),
        ("t.csv", "name,folds,recall\na,many,0.5\n", "folds of row 1"),
        ("t.json", "{", "not JSON"),
        ("t.json", '{"recall": 1}', "list of rows"),
        ("t.yaml", "a: [", "not YAML"),
        ("t.yaml", "- recall: 0.5\n- just text\n", "row 2 is not a mapping"),
        ("t.yaml", "- recall: high\n", "row 1: this is not a printed number"),
        ("t.yaml", "- name: empty\n", "empty: there is nothing to audit"),
        # Of a value that is given twice the first was lost without a word.
        ("t.yaml", "- recall: 0.5\n  recall: 0.7\n", "a row gives a value twice"),
        ("t.json", '[{"recall": 0.5, "recall": 0.7}]', "a row gives a value twice"),
        ("t.csv", "recall,recall\n0.5,0.7\n", "a row gives a value twice"),
        ("t.csv", "name,recall,,\na,0.5,,\n", "more cells"),
    ],
)  # fmt: skip
def test_a_table_that_is_not_understood(name: str, text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=says):
        sy.audit(path, sizes="pos=2, neg=2")
    with pytest.raises(InputError, match="cannot be read"):
        sy.audit(tmp_path / "missing.csv")


def test_a_row_that_cannot_be_used_does_not_stop_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of 3 positives 2 found are 0.67; 0.5 is no share of 3."""
    path = tmp_path / "t.csv"
    path.write_text("name,recall\nforest,0.67\nsvm,\ntree,high\n", encoding="utf-8")
    found = sy.audit(path, sizes="pos=3, neg=3")
    assert [row.verdict for row in found.rows] == ["possible", "unusable", "unusable"]
    assert found.sentence == "3 rows: 1 possible, 2 unusable."
    assert "there is nothing to audit" in found.rows[1].reason()
    assert main(["audit", str(path), "--sizes", "pos=3,neg=3", "--json"]) == 2
    fits(json.loads(capsys.readouterr().out), json_schema())
    path.write_text("name,recall\nsvm,\nforest,0.5\n", encoding="utf-8")
    assert sy.audit(path, sizes="pos=3, neg=3").exit_code == 1


REPORT = """,precision,recall,f1-score,support
cat,0.80,0.67,0.73,12
dog,0.60,0.75,0.67,8
accuracy,,,0.70,20
macro avg,0.70,0.71,0.70,20
weighted avg,0.72,0.70,0.70,20
"""
"""[[8, 4], [2, 6]]: precision 8/10 and 6/10, recall 8/12 and 6/8, F1 16/22 and 12/18, accuracy 14/20; averages
(.8 + .6) / 2, (.667 + .75) / 2, (.727 + .667) / 2 and (12 * .8 + 8 * .6) / 20, 14/20, (12 * .727 + 8 * .667) / 20."""


def test_a_classification_report_is_one_result(tmp_path: Path) -> None:
    path = tmp_path / "report.csv"
    path.write_text(REPORT, encoding="utf-8")
    (row,) = sy.audit(path).rows
    assert row.verdict == "possible"
    assert row.witness == ((8, 4), (2, 6))
    assert len(row.demands) == 13
    assert row.sizes == {"cat": 12, "dog": 8}
    # One digit of one class changed, as pandas writes the table: F1 of dog is 12/18.
    changed = (
        REPORT.replace("0.67,8", "0.61,8")
        .replace(",support", ",support")
        .replace("accuracy,,,0.70,20", "accuracy,0.70,0.70,0.70,0.70")
    )
    path.write_text(changed, encoding="utf-8")
    (row,) = sy.audit(path).rows
    assert row.verdict == "impossible"
    assert "f1[dog] = 0.61" in {demand.text for demand in row.contradiction.demands}


def test_a_report_without_support_has_unknown_sizes(tmp_path: Path) -> None:
    path = tmp_path / "report.csv"
    path.write_text("class,Precision,Recall,F1\na,0.80,0.67,0.73\nb,0.60,0.75,0.67\n", encoding="utf-8")
    (row,) = sy.audit(path, up_to=30).rows
    assert row.verdict == "possible"
    assert row.sizes == {"a": None, "b": None}


def test_models_as_rows_are_no_report(tmp_path: Path) -> None:
    path = tmp_path / "models.csv"
    path.write_text(
        'name,sizes,precision,recall\nA,"p=4, n=4",0.5,0.5\nB,"p=4, n=4",0.5,0.25\n', encoding="utf-8"
    )
    assert [row.name for row in sy.audit(path).rows] == ["A", "B"]
