"""Do intervals of weighted rows, of groups of rows and of series draw what belongs together?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import steelyard as sy
from steelyard.judgement.evaluate.judge import evaluate


def _patients() -> pd.DataFrame:
    random = np.random.default_rng(0)
    patient = np.repeat(np.arange(60), 10)
    truth = random.integers(0, 2, 600)
    right = random.random(600) < np.where(random.random(60) < 0.4, 0.55, 0.97)[patient]
    return pd.DataFrame(
        {
            "y_true": truth,
            "y_pred": np.where(right, truth, 1 - truth),
            "patient": patient,
            "w": random.choice([0.5, 1.0, 3.0], 600),
            "where": np.where(np.arange(600) % 3 == 0, "north", "south"),
        }
    )


def test_groups_are_drawn_again_whatever_the_source(tmp_path: Path) -> None:
    rows = _patients()
    alone = evaluate(rows, positive=1).interval_of("accuracy")
    found = evaluate(rows, positive=1, cluster="patient", slices="where")
    together = found.interval_of("accuracy")
    assert alone is not None
    assert together is not None
    assert together.high - together.low > 1.3 * (alone.high - alone.low)
    assert (
        "Intervals come from resampling the 60 groups: rows of one group are not independent." in found.notes
    )
    assert {part.name for part in found.slices} == {("north",), ("south",)}
    path = tmp_path / "p.csv"
    rows.to_csv(path, index=False)
    again = evaluate(path, positive="1", cluster="patient", slices="where").interval_of("accuracy")
    columns = evaluate(
        rows["y_true"], rows["y_pred"], positive=1, cluster=rows["patient"], slices={"where": rows["where"]}
    ).interval_of("accuracy")
    assert again is not None
    assert columns is not None
    # the groups stand in another order, so other ones are drawn
    assert (again.low, again.high) == pytest.approx((together.low, together.high), abs=0.01)
    assert (columns.low, columns.high) == pytest.approx((together.low, together.high), abs=0.01)
    with pytest.raises(sy.InputError, match="clusters need rows"):
        evaluate(sy.Confusion([[3, 1], [1, 3]]), cluster="patient")


def test_rows_with_weights_have_intervals() -> None:
    rows = _patients()
    frame = evaluate(rows, positive=1, weight="w")
    columns = evaluate(rows["y_true"], rows["y_pred"], positive=1, weight=rows["w"])
    for found in (frame, columns):
        one = found.interval_of("accuracy")
        assert one is not None
        assert one.low < one.estimate < one.high
        assert one.method == "corrected"
        assert one.estimate == pytest.approx(float(found.weighing["accuracy"].value))


def test_rows_of_a_series_are_drawn_in_blocks(tmp_path: Path) -> None:
    """Errors come in runs of 25 rows: blocks of 25 make the interval several times wider; file, frame and columns agree."""
    truth = np.tile([0, 1], 1000)
    bad = np.repeat(np.random.default_rng(0).random(80) < 0.3, 25)
    rows = pd.DataFrame({"y_true": truth, "y_pred": np.where(bad, 1 - truth, truth)})
    path = tmp_path / "series.csv"
    rows.to_csv(path, index=False)
    alone = evaluate(rows, positive=1).interval_of("accuracy")
    found = [
        evaluate(rows, positive=1, block=25),
        evaluate(rows["y_true"], rows["y_pred"], positive=1, block=25),
        evaluate(path, positive="1", block=25),
    ]
    ends = [(one.low, one.high) for one in (result.interval_of("accuracy") for result in found) if one]
    assert alone is not None
    assert ends[1] == pytest.approx(ends[0])
    assert ends[2] == pytest.approx(
        ends[0], abs=0.02
    )  # blocks stand in another order, so other ones are drawn
    assert ends[0][1] - ends[0][0] > 3 * (alone.high - alone.low)
    assert (
        "Intervals come from resampling the 80 blocks of 25 rows: rows that follow each other are not independent."
        in found[0].notes
    )
    assert found[0].classes[0].recall_interval is not None
    for wrong in ({"block": 0}, {"block": 5, "cluster": "y_true"}):
        with pytest.raises(sy.InputError):
            evaluate(rows, positive=1, **wrong)
    with pytest.raises(sy.InputError, match="rows in order"):
        evaluate(sy.Confusion([[3, 1], [1, 3]]), block=5)


def test_one_group_alone_is_said_to_tell_nothing_of_groups() -> None:
    found = evaluate([0, 1, 0, 1], [0, 1, 1, 1], positive=1, cluster=["x"] * 4)
    assert (
        "All rows are one group: how groups differ is unknown, and the intervals are a guess." in found.notes
    )
    accuracy = found.interval_of("accuracy")
    assert accuracy is not None
    assert accuracy.high - accuracy.low > 0.9


def test_blocks_of_automatic_length_and_a_word_where_blocks_are_too_short(tmp_path: Path) -> None:
    """Twenty runs of 20 right and 20 wrong rows: blocks of 5 are correlated, those that are chosen are not."""
    right = ([1] * 20 + [0] * 20) * 20
    path = tmp_path / "series.csv"
    rows = [f"{k},{k % 2},{k % 2 if hit else 1 - k % 2}" for k, hit in enumerate(right)]
    path.write_text("\n".join(["timestamp,y,pred", *rows, ""]), encoding="utf-8")
    how = {"truth": "y", "pred": "pred"}
    alone, short = sy.evaluate(path, **how), sy.evaluate(path, block=5, **how)
    chosen = sy.evaluate(path, block="auto", **how)
    assert any("'timestamp' looks like a time" in note for note in alone.labels_come_from)
    assert "Neighbouring blocks are still correlated" in short.intervals.settings["assumed"]
    assert "still correlated" not in chosen.intervals.settings["assumed"]
    assert chosen.labels_come_from == ()
    columns = [k % 2 for k in range(800)], [k % 2 if hit else 1 - k % 2 for k, hit in enumerate(right)]
    in_memory = sy.evaluate(*columns, block="auto")
    assert in_memory.intervals["accuracy"].low == pytest.approx(chosen.intervals["accuracy"].low)
    with pytest.raises(sy.InputError, match="or auto"):
        sy.evaluate(*columns, block="long")


def test_independent_rows_need_no_blocks() -> None:
    rng = np.random.default_rng(3)
    truth = rng.random(400) < 0.3
    found = evaluate(
        pd.DataFrame({"y": truth, "pred": truth ^ (rng.random(400) < 0.1)}), block="auto", draws=200
    )
    assert "Neighbouring rows are not significantly correlated: rows are resampled one by one." in found.notes
