"""What `steelyard threshold` says of what was required, on rows that it was not chosen on, and of bounds."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

import steelyard as sy
from steelyard.cli import main
from tests.schemas import BY_COMMAND, fits

pytestmark = pytest.mark.usefixtures("few_samples")

DATA = Path(__file__).parents[2] / "examples" / "data"
ASKED = ("threshold", DATA / "payments.csv", "--truth", "y", "--score", "p", "--positive", "fraud")
NEXT = ("--apply-to", DATA / "payments_next.csv")


def run(capsys, *arguments):
    code = main([str(a) for a in arguments])
    captured = capsys.readouterr()
    assert code == 0, captured.err
    return " ".join(captured.out.split())


def rows(name):
    with (DATA / name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_the_next_step_of_a_frame_is_a_call_of_python():
    frame = pd.read_csv(DATA / "payments.csv")
    asked = {"score": "p", "truth": "y", "positive": "fraud", "replicates": 0}
    costed = sy.threshold(frame, cost="fraud>ok=200, ok>fraud=4", **asked)
    assert "\n  sy.threshold(..., apply_to=OTHER_FILE)" in str(costed)
    assert "\n  sy.threshold(..., alerts='1%')" in str(sy.threshold(frame, **asked))


def test_a_requirement_that_held_out_rows_break_is_said_to_be_broken(capsys):
    code = main([str(a) for a in (*ASKED, "--require", "recall>=0.9", *NEXT, "--json")])
    found = json.loads(capsys.readouterr().out)
    assert code == 0
    fits(found, BY_COMMAND["threshold"])
    fraud = [float(row["p"]) for row in rows("payments_next.csv") if row["y"] == "fraud"]
    recall = sum(p >= found["best"]["threshold"] for p in fraud) / len(fraud)
    assert recall < 0.9
    assert found["requirements"][0]["held_out"] == {"value": pytest.approx(recall), "kept": False}
    said = run(capsys, *ASKED, "--require", "recall>=0.9", *NEXT)
    assert f"Recall on held-out rows {recall:.3f}: the requirement of at least 0.9 is not met there." in said
    assert "On held-out rows the share of alerts is 12%." in said
    assert "detection_prevalence" not in said


def test_a_budget_for_each_day_is_kept_on_average_and_judged_on_the_days_held_out(capsys, tmp_path):
    said = run(capsys, *ASKED, "--budget", "10/day", *NEXT)
    assert "At most 10 alerts per day on average (5% of the rows): 4.5% on these rows" in said
    alerts = Counter(row["day"] for row in rows("payments_next.csv") if float(row["p"]) >= 0.8358)
    over = sum(n > 10 for n in alerts.values())
    assert f"On held-out rows {sum(alerts.values()) / 20:.4g} alerts per day on average; more" in said
    assert f"more than 10 on {over} of 20 values of day, {max(alerts.values())} at most: the capacity" in said
    assert said.split("What each threshold gives")[1].split("0.9996")[0].count("recall") == 1
    # twice as many rows a day: the share of the rows is kept, the budget of a day is not
    busy = tmp_path / "busy.csv"
    lines = (DATA / "payments_next.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    busy.write_text("".join([*lines, *lines[1:]]), encoding="utf-8")
    said = run(capsys, *ASKED, "--budget", "10/day", "--apply-to", busy)
    assert "values of day, 28 at most: the capacity is exceeded." in said
    main([str(a) for a in (*ASKED, "--budget", "10/day", "--apply-to", busy, "--json")])
    found = json.loads(capsys.readouterr().out)
    assert found["requirements"][0]["held_out"]["kept"] is False
    # without that column the share of the rows is what can be judged
    bare = tmp_path / "bare.csv"
    bare.write_text("".join(line.partition(",")[2] for line in lines), encoding="utf-8")
    said = run(capsys, *ASKED, "--budget", "10/day", "--apply-to", bare)
    assert "Alerts on held-out rows 4.7%: the requirement of at most 5% of the rows is met there." in said


def test_a_budget_for_so_many_rows_is_none_for_a_column_of_that_name(capsys, tmp_path):
    path = tmp_path / "rows.csv"
    text = (DATA / "payments.csv").read_text(encoding="utf-8").replace("day,", "1000,", 1)
    path.write_text(text, encoding="utf-8")
    asked = (path, *ASKED[2:], "--budget", "50/1000", "--apply-to", path)
    said = run(capsys, "threshold", *asked)
    assert "per 1000" not in said
    assert "the requirement of at most 5% of the rows is met there." in said


def test_a_value_close_to_its_bound_is_told_from_it(capsys, tmp_path):
    path = tmp_path / "fit.csv"
    path.write_text("y,p\n" + "a,0.9\n" * 9 + "a,0.1\n" + "b,0.05\n" * 10, encoding="utf-8")
    there = tmp_path / "there.csv"
    there.write_text("y,p\n" + "a,0.9\n" * 8996 + "a,0.1\n" * 1004 + "b,0.05\n" * 10, encoding="utf-8")
    asked = ("--score", "p", "--positive", "a", "--require", "recall>=0.9", "--apply-to", there)
    assert "Recall on held-out rows 0.8996: the requirement" in run(capsys, "threshold", path, *asked)


def test_that_the_value_is_optimistic_is_said_once(capsys):
    said = run(capsys, *ASKED, "--maximise", "gmean")
    assert said.count("optimistic") == 1
    assert run(capsys, *ASKED, "--maximise", "gmean", "--replicates", "0").count("optimistic") == 1


def test_a_bound_of_nothing_is_said_in_other_words(capsys, tmp_path):
    """Classes that no score mixes: bins of scores move no area, and no threshold inside one is better."""
    truth = ["ok"] * 11_000 + ["fraud"] * 11_000
    scores = [k / 22_000 for k in range(22_000)]
    notes = sy.evaluate(truth, score=scores, threshold=0.5, positive="fraud").ranking.notes
    (binned,) = [note for note in notes if "bins of less than" in note]
    assert binned.endswith("; that leaves every area under the ROC curve as it is.")
    path = tmp_path / "scores.csv"
    lines = (f"{y},{p}\n" for y, p in zip(truth, scores, strict=True))
    path.write_text("y,p\n" + "".join(lines), encoding="utf-8")
    asked = ("--score", "p", "--positive", "fraud", "--cost", "fraud>ok=200, ok>fraud=4")
    said = run(capsys, "threshold", path, *asked, "--replicates", "20")
    assert "inside a bin the expected cost per row is better by less than 0.0005." in said


def test_scores_that_rank_the_positive_class_last_are_asked_about(tmp_path, capsys):
    rows = [(("fraud", "ok")[k % 2], (k % 2 * -0.4 + 0.5) + k / 1000, "ok") for k in range(60)]
    path = tmp_path / "even.csv"
    path.write_text("y,p,a,b\n" + "".join(f"{y},{p},{z},{y}\n" for y, p, z in rows), encoding="utf-8")
    asked = "are they scores of the other class?"
    for words in ("threshold", "compare --pred a --pred b --score a=p --score b=p --draws 200"):
        command, *rest = words.split()
        scored = ["--score", "p"] if command == "threshold" else []
        assert main([command, str(path), "--truth", "y", *scored, *rest]) == 0
        assert asked in " ".join(capsys.readouterr().out.split())
        assert main([command, str(path), "--truth", "y", *scored, *rest, "--positive", "fraud"]) == 0
        assert asked not in " ".join(capsys.readouterr().out.split())
