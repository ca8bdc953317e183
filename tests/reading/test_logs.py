"""Logs of LLM evaluations, written by the tools themselves (tests/reading/logs/record.py names the versions).

Expected counts follow from the rule that wrote them: every fourth mail is spam, every fifth answer is wrong.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import steelyard as sy
from steelyard.cli.app import run
from steelyard.errors import InputError
from steelyard.reading.engines import is_log
from steelyard.reading.logs import log_samples

LOGS = Path(__file__).parent / "logs"


def _matrix(name: str, **how: object) -> list[list[int]]:
    result = sy.evaluate(LOGS / name, positive="spam", interval=None, **how)
    return result.matrix.select(["spam", "ham"]).counts.tolist()


def _expected(mails: int, epochs: int = 1) -> list[list[int]]:
    """Truth by answer of so many mails."""
    counts = [[0, 0], [0, 0]]
    for k in range(mails):
        spam, wrong = k % 4 == 0, k % 5 == 0
        counts[0 if spam else 1][0 if spam != wrong else 1] += epochs
    return counts


def test_inspect_eval_and_json() -> None:
    """One reply was "I cannot tell.", which is no class; the mock model answers in the order of requests."""
    for name, mails in (("inspect_mail.eval", 8), ("inspect_mail.json", 4)):
        samples = log_samples(str(LOGS / name))
        assert len(samples) == 2 * mails
        right = sum(sample.columns["match"] == "C" for sample in samples)
        result = sy.evaluate(LOGS / name, positive="spam", interval=None)
        assert int(result.matrix.hits.sum()) == right  # as many as Inspect's own scorer found
        assert result.abstention.rows - result.abstention.answered == 1
        assert result.options.cluster is None
        assert any("clustered by document" in note for note in result.labels_come_from)
    by_sample = sy.evaluate(LOGS / "inspect_mail.eval", cluster="sample", positive="spam", interval=None)
    assert by_sample.matrix == sy.evaluate(LOGS / "inspect_mail.eval", positive="spam", interval=None).matrix


def test_choices_are_classes_by_their_letters() -> None:
    result = sy.evaluate(LOGS / "inspect_choices.eval", interval=None)
    assert result.matrix.labels == ("A", "B")
    assert result.matrix.counts.tolist() == [[2, 1], [2, 1]]  # targets A B A B A B, answers B A A B A A


def test_samples_of_the_harness() -> None:
    """The answer is the likeliest choice, as the harness's own accuracy has it."""
    lines = [json.loads(line) for line in (LOGS / "harness.jsonl").read_text().splitlines()]
    matrix = _matrix("harness.jsonl")
    assert sum(matrix[0]) == sum(line["target"] == "1" for line in lines) == 6
    assert matrix[0][0] + matrix[1][1] == sum(line["acc"] for line in lines)


def test_promptfoo_repeats_are_clusters() -> None:
    assert _matrix("promptfoo.json") == _expected(8, epochs=2)
    result = sy.evaluate(LOGS / "promptfoo.json", positive="spam")
    assert any("clustered by sample" in note for note in result.labels_come_from)


def test_promptfoo_of_two_providers_is_compared(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(LOGS / "promptfoo_two.json")
    with pytest.raises(InputError, match="several models; found rule, always ham"):
        sy.evaluate(path)
    result = sy.compare(path, positive="spam", by="gmean")
    assert set(result.models) == {"rule", "always ham"}
    assert run(["compare", path]) == 0
    assert "always ham" in capsys.readouterr().out


def test_deepeval() -> None:
    """Its answers are "HAM." and "SPAM.": capitals and a full stop make no other class."""
    assert _matrix("deepeval.json") == _expected(8)
    result = sy.evaluate(LOGS / "deepeval.json", slices=["topic"], positive="spam", interval=None)
    assert set(result.counted.slices) == {("topic-0",), ("topic-1",)}


def test_two_logs_are_paired_by_their_samples(tmp_path: Path) -> None:
    one, other = log_samples(str(LOGS / "deepeval.json")), tmp_path / "other.json"
    document = json.loads((LOGS / "deepeval.json").read_text())
    for case in document["testCases"]:
        case["actualOutput"] = case["expectedOutput"]
    document["testCases"].reverse()
    other.write_text(json.dumps(document))
    result = sy.compare([str(LOGS / "deepeval.json"), str(other)], positive="spam", measures=["accuracy"])
    values = sorted(float(result.values[model]["accuracy"].value) for model in result.models)
    right = sum(str(sample.answer).strip(".").casefold() == sample.target for sample in one)
    assert values == [right / len(one), 1.0]
    document["testCases"].pop()
    other.write_text(json.dumps(document))
    with pytest.raises(InputError, match="same samples"):
        sy.compare([str(LOGS / "deepeval.json"), str(other)])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1}', "not the log of a known tool"),
        ("{", "the log cannot be read"),
        ('{"testCases": [], "metricsScores": []}', "no samples"),
        ('{"testCases": [{"name": "a", "actualOutput": "x"}], "metricsScores": []}', "no expected output"),
        (
            json.dumps(
                {
                    "testCases": [
                        {"name": str(k), "expectedOutput": "ab"[k % 2], "actualOutput": f"Well, {k} reasons"}
                        for k in range(9)
                    ],
                    "metricsScores": [],
                }
            ),
            "not of a closed set of classes",
        ),
        (
            '{"evalId": "e", "results": {"results": [{"testIdx": 0, "testCase": {}, "response": {"output": "a"}}]}}',
            "has no target",
        ),
    ],
)
def test_what_is_no_log(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "log.json"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        sy.evaluate(path)


def test_a_damaged_archive_and_several_filters(tmp_path: Path) -> None:
    broken = tmp_path / "x.eval"
    broken.write_bytes(b"nothing")
    with pytest.raises(InputError, match="no zip file"):
        sy.evaluate(broken)
    lines = [json.loads(line) for line in (LOGS / "harness.jsonl").read_text().splitlines()]
    both = [{**line, "filter": name} for line in lines for name in ("strict", "flexible")]
    path = tmp_path / "samples.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in both))
    with pytest.raises(InputError, match=r"2 filters \(strict, flexible\).*grep"):
        sy.evaluate(path)


def test_json_lines_of_predictions_are_no_log(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text('{"y": "a", "pred": "a"}\n{"y": "b", "pred": "a"}\n')
    assert not is_log(path)
    assert sy.evaluate(path, interval=None).matrix.counts.tolist() == [[1, 0], [1, 0]]
