"""Paired comparison on audit samples: estimates by hand, a census without uncertainty, refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import steelyard as sy
from steelyard.cli import main
from steelyard.errors import InputError
from steelyard.uncertainty.stratified_sample import StratifiedSample


def by_hand() -> pd.DataFrame:
    """Two strata: 4 of 40 rows labelled in the first, 3 of 6 in the second."""
    rows = [
        ("a", 40, 0.1, *each) for each in (("x", "x", "z"), ("z", "z", "z"), ("z", "z", "z"), ("x", "z", "x"))
    ]
    rows += [("b", 6, 0.5, *each) for each in (("x", "x", "x"), ("x", "x", "z"), ("z", "x", "z"))]
    frame = pd.DataFrame(rows, columns=["stratum", "stratum_size", "inclusion_probability", "y", "m", "n"])
    return frame.assign(pool_row=range(len(frame)))


def test_estimates_are_those_of_the_pool() -> None:
    result = sy.compare(by_hand(), y_true="y", pred=["m", "n"], positive="x", by="recall")
    # x: 10 + 10 rows of the first stratum, 2 + 2 of the second. m finds 10 + 2 + 2, n finds 10 + 2.
    assert result.values["m"]["recall"].value == pytest.approx(14 / 24)
    assert result.values["n"]["recall"].value == pytest.approx(12 / 24)
    assert result.pair("m", "n")["recall"].value == pytest.approx(2 / 24)
    # precision: m predicts x in 10 + 2 + 2 + 2 rows, 14 of them right; n in 10 + 2, all right
    assert result.pair("m", "n")["precision"].value == pytest.approx(14 / 16 - 1)
    assert result.matrices["m"].counts.tolist() == [[14, 10], [2, 20]]
    named = sy.compare(by_hand(), y_true="y", pred=["first=m", "n"], positive="x", by="recall")
    assert named.values["first"]["recall"] == result.values["m"]["recall"]
    assert result.labelled_rows == 7
    assert result.method == "stratified"
    assert result.fragility is None
    assert result.pairs[0].mcnemar is None
    alone = sy.evaluate(by_hand(), truth="y", pred="m", positive="x")
    ends = alone.interval_of("recall")
    assert ends is not None
    assert (result.values["m"]["recall"].low, result.values["m"]["recall"].high) == (ends.low, ends.high)


def pool(rows: int = 4000) -> pd.DataFrame:
    random = np.random.default_rng(3)
    scores = random.beta(0.4, 8, rows)
    noisy = np.clip(scores + 0.03 * random.standard_normal(rows), 0, 1)
    return pd.DataFrame(
        {
            "p": scores.round(6),
            "m": np.where(scores >= 0.12, "fraud", "ok"),
            "n": np.where(noisy >= 0.2, "fraud", "ok"),
            "y": np.where(random.random(rows) < scores, "fraud", "ok"),
        }
    )


def test_a_census_has_no_uncertainty() -> None:
    """Where every row is labelled, the interval of the difference is the difference in the pool."""
    frame = pool(600)
    sampled = frame.assign(
        pool_row=range(600),
        stratum=np.where(frame.m == "fraud", 1, 2),
        stratum_size=frame.groupby("m")["m"].transform("size"),
        inclusion_probability=1.0,
    )
    result = sy.compare(sampled, y_true="y", pred=["m", "n"], positive="fraud", by="f1")
    true = {
        name: 2 * ((frame[name] == "fraud") & (frame.y == "fraud")).sum()
        / ((frame[name] == "fraud").sum() + (frame.y == "fraud").sum())
        for name in ("m", "n")
    }  # fmt: skip
    gap = result.pair("m", "n")["f1"]
    assert gap.value == pytest.approx(true["m"] - true["n"])
    assert (gap.low, gap.high) == pytest.approx((gap.value, gap.value))


def test_the_interval_of_the_difference_covers() -> None:
    """20 samples of one pool, 80 rows (or all) of each pair of predictions: the true difference lies in nearly all
    intervals; p-value and interval agree."""
    frame = pool()
    frame["stratum"] = (frame.m == "fraud") * 2 + (frame.n == "fraud")
    frame["stratum_size"] = frame.groupby("stratum")["m"].transform("size")
    frame["pool_row"] = range(len(frame))
    fraud = frame.y == "fraud"
    true = ((frame.m == "fraud") & fraud).sum() / fraud.sum() - (
        (frame.n == "fraud") & fraud
    ).sum() / fraud.sum()
    covered = 0
    for seed in range(20):
        parts = [part.sample(min(80, len(part)), random_state=seed) for _, part in frame.groupby("stratum")]
        rows = pd.concat(parts)
        rows["inclusion_probability"] = np.minimum(80, rows.stratum_size) / rows.stratum_size
        result = sy.compare(
            rows, "y", pred=["m", "n"], positive="fraud", by="recall", measures="recall", draws=400
        )
        gap = result.pair("m", "n")["recall"]
        covered += gap.low <= true <= gap.high
        assert gap.p_value is not None
        assert gap.is_clear == (gap.p_value < 0.05) or abs(gap.p_value - 0.05) < 0.01
    assert covered >= 17  # binomial with 95%: 17 or more in 98.4%, at the fixed seeds


def test_draws_of_the_limits_are_those_that_the_p_value_counts() -> None:
    sample = StratifiedSample(np.array([[4.0, 6.0]]), np.array([100.0]), np.array([0, 0]))
    limits = sample.limits(lambda t: {"share": t[..., 0] / t.sum(axis=-1)}, level=0.95, draws=500, seed=1)[
        "share"
    ]
    assert limits.low_draws is not None
    assert len(limits.low_draws) == 1000
    assert limits.low == pytest.approx(float(np.quantile(limits.low_draws, 0.025)), abs=0.02)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--cluster", "p"), "leave out --cluster"),
        (("--priors-range", "x=0.1..0.2"), "leave out --priors-range"),
        (("--dataset", "stratum"), "leave out --dataset"),
        (("--stratum", "stratum"), "--stratum alone"),
    ],
)
def test_refusals(tmp_path: Path, capsys: Any, words: tuple[str, ...], said: str) -> None:
    path = tmp_path / "sample.csv"
    by_hand().assign(p=1).to_csv(path, index=False)
    assert main(["compare", str(path), "--truth", "y", "--pred", "m", "--pred", "n", *words]) == 2
    assert said in capsys.readouterr().err


def test_bad_samples(tmp_path: Path) -> None:
    frame = by_hand()
    how: dict[str, Any] = {"y_true": "y", "pred": ["m", "n"]}
    with pytest.raises(InputError, match="do not match the file"):
        sy.compare(frame.iloc[1:], **how)
    with pytest.raises(InputError, match="labelled row has no prediction"):
        sy.compare(frame.assign(n=[None, *frame.n[1:]]), **how)
    with pytest.raises(InputError, match="rows of the sample have no label"):
        sy.compare(frame.assign(y=[None, *frame.y[1:]]), **how)
    paths = [tmp_path / "one.csv", tmp_path / "two.csv"]
    for path in paths:
        frame.to_csv(path, index=False)
    with pytest.raises(InputError, match="columns of one file"):
        sy.compare([str(path) for path in paths], y_true="y", pred=["m"], key="pool_row")


def test_a_gate_judges_an_audit_sample(tmp_path: Path, capsys: Any) -> None:
    """Recall of m is 14/24 in the pool: its interval decides, and labels are counted, not rows."""
    path = tmp_path / "sample.csv"
    by_hand().to_csv(path, index=False)
    words = ["gate", str(path), "--truth", "y", "--pred", "m", "--positive", "x"]
    assert main([*words, "--min", "recall=0.01"]) == 0
    assert main([*words, "--min", "recall=0.58"]) == 3
    assert "0.583" in capsys.readouterr().out
    assert main([*words, "--min", "recall=0.5", "--slice", "n"]) == 2


def test_a_seed_is_a_number() -> None:
    with pytest.raises(InputError, match="the seed cannot be used"):
        sy.compare(by_hand(), y_true="y", pred=["m", "n"], seed="y")
