"""Models by what each row costs: by hand, paired, read from files and frames, and what is refused."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import steelyard as sy
from steelyard.cli import main
from tests.schemas import BY_COMMAND, fits

pytestmark = pytest.mark.usefixtures("few_samples")

COST = "fraud>ok=amount, ok>fraud=4"


def rows(seed=0, number=600):
    """Payments with two models; the second misses more of the fraud."""
    rng = np.random.default_rng(seed)
    fraud = rng.random(number) < 0.2
    amount = np.exp(rng.normal(3, 1, number)).round(2)
    answers = {
        name: np.where(fraud, rng.random(number) >= missed, rng.random(number) < alarms)
        for name, missed, alarms in (("new", 0.15, 0.08), ("old", 0.4, 0.03))
    }
    table = {"y": fraud, **answers}
    return pd.DataFrame({k: np.where(v, "fraud", "ok") for k, v in table.items()} | {"amount": amount})


def by_hand(frame, model):
    missed = frame.loc[(frame.y == "fraud") & (frame[model] == "ok"), "amount"].sum()
    return (missed + 4 * ((frame.y == "ok") & (frame[model] == "fraud")).sum()) / len(frame)


@pytest.mark.parametrize("kind", ["frame", "csv", "parquet"])
def test_what_rows_cost(kind, tmp_path):
    frame = rows()
    source = frame
    if kind != "frame":
        source = str(tmp_path / f"rows.{kind}")
        frame.to_csv(source, index=False) if kind == "csv" else frame.to_parquet(source)
    found = sy.compare(source, "y", pred=["new", "old"], cost=COST, positive="fraud", draws=500)
    for model in ("new", "old"):
        cost = found.values[model][found.by.name]
        assert cost.value == pytest.approx(by_hand(frame, model))
        assert cost.low < cost.value < cost.high
    gap = found.pairs[0][found.by]
    assert gap.value == pytest.approx(by_hand(frame, "new") - by_hand(frame, "old"))
    apart = frame[(frame.y == "fraud") & (frame.new != frame.old)]
    assert found.row_costs.rows_apart == len(apart)
    assert gap.low < gap.value < gap.high
    assert 0.5 < gap.probability_better < 1


def test_what_models_share_does_not_blur_how_they_differ():
    """One dear fraud that both miss makes each cost uncertain, not the difference."""
    frame = rows(1)
    both = frame.index[(frame.y == "fraud") & (frame.new == "ok") & (frame.old == "ok")][0]
    before = sy.compare(frame, "y", pred=["new", "old"], cost=COST, positive="fraud", draws=500)
    frame.loc[both, "amount"] = 5000.0
    after = sy.compare(frame, "y", pred=["new", "old"], cost=COST, positive="fraud", draws=500)
    widths = [
        [row[result.by.name].high - row[result.by.name].low for row in result.values.values()]
        for result in (before, after)
    ]
    assert min(widths[1]) > 3 * max(widths[0])
    gaps = [result.pairs[0][result.by] for result in (before, after)]
    assert gaps[1].value == pytest.approx(gaps[0].value)
    assert gaps[1].high - gaps[1].low < 1.2 * min(widths[1])


def test_models_that_are_the_same_cost_the_same():
    frame = rows(2).assign(twin=lambda f: f.new)
    result = sy.compare(frame, "y", pred=["new", "twin"], cost=COST, positive="fraud", draws=500)
    assert result.pairs[0][result.by].value == 0
    assert "No significant difference between new and twin on cost per row" in repr(result)


def test_models_are_ranked_by_what_their_rows_cost():
    """The cheaper model by class means misses the one dear fraud: the ranking follows the rows."""
    y = ["fraud"] * 10 + ["ok"] * 90
    amount = [1000.0] + [1.0] * 9 + [0.0] * 90
    few = ["ok"] + ["fraud"] * 9 + ["ok"] * 90  # misses one fraud, of 1000
    many = ["fraud"] + ["ok"] * 9 + ["ok"] * 90  # misses nine, of 1 each
    frame = pd.DataFrame({"y": y, "few": few, "many": many, "amount": amount})
    result = sy.compare(frame, "y", pred=["few", "many"], cost=COST, positive="fraud", draws=500)
    assert [ranked.model for ranked in result.ranking] == ["many", "few"]
    assert result.ranking[0].value == pytest.approx(9 / 100)
    assert result.ranking[1].value == pytest.approx(1000 / 100)
    assert result.row_costs.notes == (
        "For few, the cost rests on few amounts (1): its interval is rough.",
        "For many, the cost rests on few amounts (9): its interval is rough.",
    )
    assert "For many, the cost rests on few amounts (9)" in repr(result)
    difference = result.pair("few", "many")[result.by]
    assert difference.value == pytest.approx(9.91)
    assert difference.low < 9.91 < difference.high


def test_the_command(tmp_path, capsys):
    path = tmp_path / "rows.csv"
    rows().to_csv(path, index=False)
    asked = ["compare", str(path), "--truth", "y", "--pred", "new", "--pred", "old", "--positive", "fraud"]
    assert main([*asked, "--cost", COST, "--draws", "500", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    fits(data, BY_COMMAND["compare"])
    assert data["row_costs"]["column"] == "amount"
    assert main([*asked, "--cost", COST, "--draws", "500"]) == 0
    out = capsys.readouterr().out
    assert "Cost per row: fraud>ok=amount, ok>fraud=4, with the 'amount' of each row" in " ".join(out.split())
    assert out.count("Ranking by cost per row") == 1


@pytest.mark.parametrize(
    ("column", "words"),
    [
        ("nosuch", "there is no column 'nosuch'"),
        ("missing", "1 that is missing, negative, infinite or no number"),
        ("negative", "2 that are missing"),
        ("text", "cannot be used"),
    ],
)
def test_amounts_that_cannot_be_used(column, words, tmp_path, capsys):
    frame = rows(number=60)
    frame["missing"] = [None, *frame.amount[1:]]
    frame["negative"] = [-1, -2, *frame.amount[2:]]
    frame["text"] = "much"
    path = tmp_path / "rows.csv"
    frame.to_csv(path, index=False)
    cost = f"fraud>ok={column}, ok>fraud=4"
    asked = ["compare", str(path), "--truth", "y", "--pred", "new", "--pred", "old", "--cost", cost]
    assert main(asked) == 2
    assert words in capsys.readouterr().err


def test_costs_by_row_need_rows(tmp_path, capsys):
    frame = rows(number=60)
    with pytest.raises(sy.InputError, match="costs by row need the rows"):
        sy.compare({"new": frame.new, "old": frame.old}, y_true=frame.y, cost=COST)
    with pytest.raises(sy.InputError, match="folds or groups beside them"):
        sy.compare(frame.assign(day=1), "y", pred=["new", "old"], cluster="day", cost=COST)
    for name in ("new", "old"):
        part = frame[["y", "amount"]].assign(id=range(60), p=frame[name])
        part.to_csv(tmp_path / f"{name}.csv", index=False)
    files = [str(tmp_path / f"{name}.csv") for name in ("new", "old")]
    asked = ["--key", "id", "--truth", "y", "--pred", "p", "--cost", COST, "--json"]
    assert main(["compare", *files, *asked]) == 0
    found = json.loads(capsys.readouterr().out)
    costs = {model: row[found["by"]]["value"] for model, row in found["values"].items()}
    assert costs == pytest.approx({name: by_hand(frame, name) for name in ("new", "old")})
