"""Class shares of blocks that nobody labelled: hand arithmetic, warnings, how seldom they are false, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import steelyard as sy
from steelyard.cli import main
from steelyard.judgement.watch.unlabelled import UnlabelledWatch

REFERENCE = sy.Confusion([[90, 10], [30, 870]], labels=["fraud", "ok"])


def test_shares_by_hand() -> None:
    """(q - FPR) / (TPR - FPR) with TPR 0.9 and FPR 1/30, kept in 0..1."""
    watch = UnlabelledWatch(REFERENCE)
    for called in (100, 300):
        look = watch.check({"fraud": called, "ok": 1000 - called})
        expected = (called / 1000 - 1 / 30) / (0.9 - 1 / 30)
        assert look.estimate.shares[0] == pytest.approx(expected, rel=1e-9)
        assert look.estimate.low[0] < expected < look.estimate.high[0]
        assert look.fits
    assert [look.first_row for look in watch.blocks] == [1, 1001]


def test_a_block_that_no_mixture_explains() -> None:
    """Nobody calls more than 90% of any mixture fraud: 990 of 1,000 are not explained."""
    watch = UnlabelledWatch(REFERENCE)
    assert watch.check({"fraud": 50, "ok": 950}).fits
    look = watch.check({"fraud": 990, "ok": 10})
    assert not look.fits
    assert "Label shift is rejected in 1 of 2 blocks" in repr(watch)
    assert watch.exit_code == 1
    assert "not estimated" in repr(watch)  # no figure that was rejected
    assert [row["fits"] for row in watch.table()] == [True, True]
    assert len(look.to_dict()["rejected_shares"]) == 2


@pytest.mark.parametrize("called", range(40, 880, 60))
def test_labels_that_a_mixture_explains_exactly_never_warn(called: int) -> None:
    """Two cells and two classes: any share of calls from 1/30 to 0.9 is explained without a rest."""
    assert UnlabelledWatch(REFERENCE).check({"fraud": called, "ok": 1000 - called}).p_value == 1


def scores(random: np.random.Generator, rows: int, share: float) -> tuple[Any, Any]:
    truth = (random.random(rows) < share).astype(int)
    return truth, np.round(random.normal(2.0 * truth, 1), 2)


def test_false_warnings_are_rare() -> None:
    """40 streams of 4 blocks under label shift, alpha = 0.05: more than 6 with a warning has a probability of 1.4% at 5%."""
    random = np.random.default_rng(5)
    warned = 0
    for seed in range(40):
        truth, values = scores(random, 600, 0.3)
        watch = UnlabelledWatch(sy.ScoreCounts.from_scores(truth, values, 1), seed=seed)
        for share in (0.3, 0.1, 0.05, 0.5):
            found, amounts = np.unique(scores(random, 300, share)[1], return_counts=True)
            watch.check(dict(zip(found.tolist(), amounts.tolist(), strict=True)))
        warned += not all(look.fits for look in watch.blocks)
    assert warned <= 6


def stream(folder: Path) -> tuple[Path, Path, list[float]]:
    """Labelled rows, 900 rows of production, and the share of fraud in each half of these."""
    random = np.random.default_rng(5)
    labelled, production = folder / "labelled.csv", folder / "production.jsonl"
    truth, values = scores(random, 800, 0.25)
    labelled.write_text(
        "y,yhat,p\n"
        + "".join(
            f"{'fraud' if y else 'ok'},{'fraud' if v > 1 else 'ok'},{v}\n"
            for y, v in zip(truth, values, strict=True)
        )
    )
    fraud, seen = scores(random, 900, 0.05)
    production.write_text(
        "".join(json.dumps({"yhat": "fraud" if v > 1 else "ok", "p": float(v)}) + "\n" for v in seen)
    )
    return labelled, production, [float(np.mean(half)) for half in (fraud[:450], fraud[450:])]


@pytest.mark.parametrize("by", [["--pred", "yhat"], ["--score", "p"]], ids=["predictions", "scores"])
def test_the_command(tmp_path: Path, by: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    labelled, production, shares = stream(tmp_path)
    arguments = ["watch", str(production), "--unlabelled", "--reference", str(labelled), "--truth", "y", *by]
    assert main([*arguments, "--positive", "fraud", "--every", "400", "--exit-zero"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "estimated prevalence of fraud" in lines[2]
    assert [line.split("  ")[0] for line in lines if line.startswith("rows ")] == [
        "rows 1 to 400",
        "rows 401 to 800",
        "rows 801 to 900",
    ]
    assert main([*arguments, "--positive", "fraud", "--every", "450", "--json", "--exit-zero"]) == 0
    looks = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    for look, there in zip(looks, shares, strict=True):
        (fraud,) = [share for share in look["shares"] if share["label"] == "fraud"]
        assert fraud["low"] <= there <= fraud["high"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--pred", "yhat"], "are estimated from labelled ones"),
        (["--reference", "LABELLED", "--pred", "yhat", "--score", "p"], "from predictions or from scores"),
        (
            ["--reference", "LABELLED", "--truth", "y", "--score", "p", "--measure", "gmean"],
            "those of predicted labels",
        ),
        (
            ["--reference", "LABELLED", "--truth", "y", "--score", "yhat", "--positive", "fraud"],
            "must hold numbers",
        ),
        (["--reference", "LABELLED", "--truth", "y", "--pred", "nothing"], "there is no column 'nothing'"),
        (
            ["--reference", "LABELLED", "--truth", "y", "--pred", "yhat", "--positive", "frud"],
            "did you mean 'fraud'",
        ),
        (
            ["--reference", "LABELLED", "--truth", "y", "--pred", "yhat", "--alpha", "2"],
            "alpha must be a probability",
        ),
    ],
)
def test_what_is_refused(
    tmp_path: Path, arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    labelled, production, _ = stream(tmp_path)
    given = [str(labelled) if a == "LABELLED" else a for a in arguments]
    assert main(["watch", str(production), "--unlabelled", *given]) == 2
    assert words in capsys.readouterr().err


def test_an_unknown_class_is_refused() -> None:
    with pytest.raises(
        sy.InputError, match="is predicted in the unlabelled rows and has no labelled example"
    ):
        UnlabelledWatch(REFERENCE).check({"fraud": 5, "new": 5})
    with pytest.raises(sy.InputError, match="there are no unlabelled rows"):
        UnlabelledWatch(REFERENCE).check({})


def test_a_rejected_block_is_estimated_under_covariate_shift() -> None:
    """Classes are logistic in the score, which moves: P(class | score) stays. Truth by the logistic curve."""
    random = np.random.default_rng(11)
    x = random.normal(0, 1, 3000)
    y = random.random(3000) < 1 / (1 + np.exp(2 - 2 * x))
    watch = UnlabelledWatch(sy.ScoreCounts.from_scores(y.astype(int), np.round(x, 3), 1))
    moved = np.round(random.normal(-0.8, 1, 4000), 3)
    values, amounts = np.unique(moved, return_counts=True)
    block = watch.check(dict(zip(values.tolist(), amounts.tolist(), strict=True)))
    assert not block.fits
    assert block.alarm
    assert block.method == "covariate shift"
    there = float((1 / (1 + np.exp(2 - 2 * moved))).mean())
    assert block.shares[0].low < there < block.shares[0].high
    assert block.to_dict()["rejected_shares"][0]["share"] < there / 1.5
    assert "under covariate shift" in repr(watch)


@pytest.mark.parametrize(("alarm", "raised"), [("rates", False), ("priors", True), ("both", True)])
def test_a_changed_prevalence_is_an_alarm_when_asked_for(alarm: str, raised: bool) -> None:
    """300 of 1,000 predicted fraud instead of 120: 31% are, (0.3 - 1/30) / (0.9 - 1/30), instead of 10%."""
    watch = UnlabelledWatch(REFERENCE, alarm=alarm)
    assert not watch.check({"fraud": 120, "ok": 880}).alarm
    assert watch.check({"fraud": 300, "ok": 700}).alarm is raised
    assert watch.exit_code == raised


def test_frames_and_blocks_of_a_row(tmp_path: Path) -> None:
    """A block of fewer than 30 rows rejects nothing; frames are read as files are."""
    labelled, production, _ = stream(tmp_path)
    frame, rows = pd.read_csv(labelled), pd.read_json(production, lines=True).head(40)
    how = {"unlabelled": True, "truth": "y", "score": "p", "positive": "fraud", "every": 10}
    watched = sy.watch(rows, reference=frame, **how)
    assert [block.fits for block in watched.blocks] == [True] * 4
    with pytest.raises(sy.InputError, match="a block has at least one row"):
        sy.watch(rows, reference=frame, **{**how, "every": 2.5})


def test_metrics_of_a_block_by_hand():
    """90 of 100 fraud cases and 30 of 900 others are alerts; of 1,000 unlabelled rows 50 are. Then (0.05 - 1/30) /
    (0.9 - 1/30) of the rows are fraud, 9/10 of these are among the 5% alerts: precision 0.34615."""
    reference = sy.Confusion([[90, 10], [30, 870]], labels=["fraud", "ok"])
    block = UnlabelledWatch(reference, positive="fraud").check({"fraud": 50, "ok": 950})
    prior = (0.05 - 1 / 30) / (0.9 - 1 / 30)
    by_name = {m.measure.name: m for m in block.measures}
    assert list(by_name) == ["precision", "f_beta", "accuracy"]
    assert by_name["precision"].value == pytest.approx(prior * 0.9 / 0.05)
    assert by_name["f_beta"].value == pytest.approx(2 * prior * 0.9 / (prior + 0.05))
    assert by_name["accuracy"].value == pytest.approx(prior * 0.9 + (1 - prior) * 870 / 900)
    assert all(m.low < m.value < m.high for m in block.measures)
    named = UnlabelledWatch(reference, positive="fraud", measures=["mcc"]).check({"fraud": 50, "ok": 950})
    assert [m.measure.name for m in named.measures] == ["mcc"]


def test_a_rejected_block_has_no_metrics():
    """More alerts than any mixture of the classes can have."""
    reference = sy.Confusion([[500, 500], [30, 970]], labels=["fraud", "ok"])
    block = UnlabelledWatch(reference).check({"fraud": 950, "ok": 50})
    assert not block.fits
    assert block.measures == ()


def test_a_column_of_scores_for_each_class_is_read_as_its_largest(tmp_path: Path) -> None:
    """The same estimates as from the predictions that the largest scores give, from frame, CSV and JSON lines."""
    random = np.random.default_rng(12)
    names = np.array(["a", "b", "c"])

    def rows(number: int, shares: list[float]) -> pd.DataFrame:
        truth = random.choice(3, number, p=shares)
        scores = random.dirichlet(np.ones(3), number) + 0.8 * np.eye(3)[truth]
        frame = pd.DataFrame((scores / 1.8).round(4), columns=[f"p_{name}" for name in names])
        return frame.assign(y=names[truth], pred=names[frame.to_numpy().argmax(axis=1)])

    reference, stream = rows(900, [0.5, 0.3, 0.2]), rows(600, [0.2, 0.3, 0.5])
    unlabelled = stream.drop(columns="y")
    unlabelled.to_csv(tmp_path / "stream.csv", index=False)
    unlabelled.to_json(tmp_path / "stream.jsonl", orient="records", lines=True)
    how = {"unlabelled": True, "reference": reference, "truth": "y", "every": 300}
    expected = sy.watch(unlabelled, pred="pred", **how)
    for source in (unlabelled, tmp_path / "stream.csv", tmp_path / "stream.jsonl"):
        found = sy.watch(source, score="p_*", **how)
        assert found.table() == expected.table()
        assert [m.value for m in found.blocks[-1].measures] == [m.value for m in expected.blocks[-1].measures]
    shares = {share.label: share for share in found.blocks[-1].shares}
    assert shares["c"].low < (stream["y"][300:] == "c").mean() < shares["c"].high
    with pytest.raises(sy.InputError, match="labels are missing"):
        sy.watch(unlabelled.assign(p_b=np.nan), score="p_*", **how)
    with pytest.raises(sy.InputError, match="must hold numbers"):
        sy.watch(unlabelled.assign(p_b="x"), score="p_*", **how)
