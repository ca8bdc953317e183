"""steelyard examine, claims and recommend."""

import json

import pytest

from steelyard.cli import main


def run(capsys, *arguments):
    code = main(list(arguments))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_examine_prints_every_property(capsys):
    code, out, _ = run(capsys, "examine", "IAM")
    assert code == 0
    assert "Condition 1" in out
    assert "refuted" in out
    assert "every C" in out


def test_examine_one_property_of_several_as_json(capsys):
    code, out, _ = run(
        capsys,
        "examine",
        "precision",
        "balanced_precision",
        "gmean",
        "--property",
        "prior-invariance",
        "--json",
    )
    assert code == 0
    assert [(e["measure"], e["verdicts"][0]["grade"]) for e in json.loads(out)] == [
        ("precision", "refuted"),
        ("balanced_precision", "proved"),
        ("gmean", "proved"),
    ]


def test_examine_a_users_file(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    path = tmp_path / "my_metric.py"
    path.write_text("def my_metric(tp, fn, fp, tn):\n    return tp / (tp + fp)\n", encoding="utf-8")
    code, out, _ = run(capsys, "examine", f"{path}:my_metric", "--property", "Condition 1")
    assert code == 0
    assert "1/2 on [[1, 0], [1, 0]]; 2/3 on [[2, 0], [1, 0]]" in out


def test_examine_reads_a_helper_beside_the_file(capsys, tmp_path):
    (tmp_path / "my_rates.py").write_text("def rate(a, b):\n    return a / (a + b)\n", encoding="utf-8")
    path = tmp_path / "my_metric.py"
    code = "from my_rates import rate\ndef f(tp, fn, fp, tn):\n    return rate(tp, fn)\n"
    path.write_text(code, encoding="utf-8")
    _, out, _ = run(capsys, "examine", f"{path}:f", "--property", "p2", "--json")
    assert json.loads(out)[0]["verdicts"][0]["grade"] == "proved of the formula"
    path.write_text(code.replace("import rate", "import rate, missing"), encoding="utf-8")
    code, _, err = run(capsys, "examine", f"{path}:f", "--property", "p2")
    assert code == 2
    assert "cannot import name 'missing'" in err


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf"])
def test_examine_needs_some_time(capsys, seconds):
    code, _, err = run(capsys, "examine", "tp/(tp+fn)", "--seconds", seconds)
    assert code == 2
    assert "a time limit is above 0" in err


def test_examine_relations(capsys):
    code, out, _ = run(capsys, "examine", "IAM", "--against", "CBA", "--json")
    assert code == 0
    grades = {v["property"]: v["grade"] for v in json.loads(out)}
    assert grades["imbalance_accuracy is an affine function of class_balance_accuracy"] == "proved"


def test_examine_lists_the_properties(capsys):
    code, out, _ = run(capsys, "examine", "--list")
    assert code == 0
    assert "garcia2012" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("examine", "nonsense"), "there is no metric 'nonsense'"),
        (("examine", "gmean", "--property", "beauty"), "there is no property 'beauty'"),
        (("examine", "nowhere.py:f"), "cannot be read"),
        (("examine", "gmean", "--classes", "two"), "not understood"),
        (("claims", "--paper", "nobody1999"), "there is no paper 'nobody1999'"),
        (("claims", "--only", "mortaz-t99"), "there is no claim"),
        (("recommend", "--classes", "many", "--costly", "false-positive"), "is for two classes"),
        (("recommend", "--data", "nowhere.csv"), "there is no such file"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(capsys, arguments, words):
    code, out, err = run(capsys, *arguments)
    assert code == 2
    assert words in err
    assert err.count("\n") == 1
    assert out == ""


def test_claims_as_json_have_the_agreed_fields(capsys):
    code, out, _ = run(capsys, "claims", "--paper", "skrabanek2017", "--json")
    assert code == 0
    found = json.loads(out)
    assert [c["id"] for c in found] == [
        "skrabanek-t2",
        "skrabanek-b1",
        "skrabanek-t3",
        "skrabanek-g1",
        "skrabanek-d1",
        "skrabanek-x1",
        "skrabanek-a1",
    ]
    assert all({"id", "paper", "where", "statement", "verdict", "evidence"} <= set(c) for c in found)


def test_claims_are_printed_and_written_as_a_page(capsys, tmp_path):
    code, out, _ = run(capsys, "claims", "--only", "mullick-t4p")
    assert code == 0
    assert "[[1, 0], [1, 0]]" in out
    target = tmp_path / "claims.md"
    assert run(capsys, "claims", "--only", "mullick-t4p", "--markdown", str(target))[0] == 0
    assert "| **mullick-t4p** |" in target.read_text(encoding="utf-8")


def test_claims_as_a_page_of_html_escape_everything(capsys, tmp_path):
    target = tmp_path / "claims.html"
    code, out, _ = run(
        capsys, "claims", "--only", "mullick-t4p", "--only", "mortaz-t2", "--html", str(target)
    )
    assert code == 0
    assert "1 refuted" in out
    text = target.read_text(encoding="utf-8")
    assert "IAM &lt;= CBA" in text
    assert '<th colspan="2">M1</th></tr></thead><tbody><tr><td>1</td><td>0</td></tr>' in text
    assert text.count("<script") == 1  # the page's own
    assert "http://" not in text.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")
    code, _, err = run(
        capsys, "claims", "--only", "mullick-t4p", "--html", str(tmp_path / "nowhere" / "c.html")
    )
    assert code == 2
    assert "cannot be written" in err


def test_recommend_with_and_without_data(capsys, tmp_path):
    code, out, _ = run(capsys, "recommend", "--priors-change", "--json")
    assert code == 0
    assert json.loads(out)["advice"][0]["measure"] == "gmean"
    path = tmp_path / "predictions.csv"
    path.write_text("y_true,y_pred\na,a\nb,b\nc,b\nc,c\n", encoding="utf-8")
    code, out, _ = run(capsys, "recommend", "--data", str(path))
    assert code == 0
    assert "macro recall" in out


def test_recommend_refuses_a_file_without_the_columns(capsys, tmp_path):
    path = tmp_path / "predictions.csv"
    path.write_text("truth,guess\na,a\n", encoding="utf-8")
    code, _, err = run(capsys, "recommend", "--data", str(path))
    assert code == 2
    assert "no column is named like a prediction" in err
