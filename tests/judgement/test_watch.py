"""Watching: what moved the measures, and alarms that hold their word on small windows and over many looks."""

from __future__ import annotations

import functools
import pickle
import re
import statistics

import numpy as np
import pytest

import steelyard as sy
from steelyard.uncertainty.binomial_intervals import fisher
from steelyard.uncertainty.sequential_test import detectable_rate, find_changes, level_of, shares_of, windows
from tests import simulated

Watch = functools.partial(sy.Watch, independent=True)
RATES = np.array([[0.90, 0.05, 0.05], [0.10, 0.80, 0.10], [0.10, 0.10, 0.80]])


def exact_block(priors: list[float], rates: np.ndarray, rows: int = 10_000) -> sy.Confusion:
    """A block whose counts are their expectation: no noise."""
    return sy.Confusion(np.rint(np.array(priors)[:, None] * rates * rows).astype(int), ["a", "b", "c"])


def drawn(rng: np.random.Generator, priors: list[float], rates: np.ndarray, rows: int) -> sy.Confusion:
    return sy.Confusion(
        rng.multinomial(rows, (np.array(priors)[:, None] * rates).ravel()).reshape(3, 3), ["a", "b", "c"]
    )


def test_a_change_of_priors_is_told_from_a_change_of_the_classifier() -> None:
    watch = Watch(exact_block([0.8, 0.1, 0.1], RATES), measures=["accuracy", "macro_recall", "mcc"])
    block = watch.check(exact_block([0.2, 0.4, 0.4], RATES))
    accuracy, recall, mcc = block.moved
    assert block.prior_distance == pytest.approx(0.6)
    # Accuracy at equal rates: 0.8 * 0.9 + 0.2 * 0.8 = 0.88 before and 0.2 * 0.9 + 0.8 * 0.8 = 0.82 now.
    assert (accuracy.value, accuracy.at_reference_priors, accuracy.reference) == pytest.approx(
        (0.82, 0.88, 0.88)
    )
    assert accuracy.by_priors == pytest.approx(-0.06)
    assert accuracy.by_rates == pytest.approx(0.0)
    assert recall.change == pytest.approx(0.0)
    assert mcc.by_rates == pytest.approx(0.0)
    assert block.alarms == ()
    assert [m.measure.id for m in block.only_priors] == ["accuracy", "mcc"]


def test_a_change_of_rates_raises_an_alarm_and_is_not_laid_on_the_priors() -> None:
    worse = RATES.copy()
    worse[1] = [0.30, 0.60, 0.10]
    watch = Watch(exact_block([0.8, 0.1, 0.1], RATES), measures=["accuracy"])
    block = watch.check(exact_block([0.5, 0.4, 0.1], worse))
    assert {(alarm.truth, alarm.prediction) for alarm in block.alarms} == {("b", "a"), ("b", "b")}
    recall = next(alarm for alarm in block.alarms if alarm.prediction == "b")
    assert recall.rate == pytest.approx(0.6)
    assert recall.reference == pytest.approx(0.8)
    assert recall.low < 0.6 < recall.high < 0.8
    assert block.only_priors == ()
    # At the reference's priors: 0.8 * 0.9 + 0.1 * 0.6 + 0.1 * 0.8.
    assert block.moved[0].at_reference_priors == pytest.approx(0.86)


@pytest.mark.parametrize(
    ("rows", "sets"),
    [
        (20, 80),
        pytest.param(20, 200, marks=pytest.mark.whole),
        pytest.param(100, 200, marks=pytest.mark.whole),
        pytest.param(1_000, 200, marks=pytest.mark.whole),
    ],
)
def test_small_windows_do_not_cry_wolf(rows: int, sets: int) -> None:
    """Streams without any change, looked at 20 times: at most alpha of them ever raise an alarm.

    With alpha = 0.2 and 200 streams, more than 57 alarmed ones have a probability below 0.2% even if the true rate were exactly 0.2.
    """
    rng = np.random.default_rng(11)
    alarmed = 0
    for _ in range(sets):
        watch = Watch(drawn(rng, [0.7, 0.2, 0.1], RATES, rows), measures=[], alpha=0.2)
        alarmed += any(watch.check(drawn(rng, [0.3, 0.3, 0.4], RATES, rows)).alarms for _ in range(20))
    assert alarmed <= simulated.most(sets, 0.2)


def test_a_real_change_is_found() -> None:
    worse = RATES.copy()
    worse[0] = [0.80, 0.10, 0.10]
    rng = np.random.default_rng(5)
    found = 0
    for _ in range(50):
        watch = Watch(drawn(rng, [0.7, 0.2, 0.1], RATES, 5_000), measures=[])
        for _ in range(5):
            watch.check(drawn(rng, [0.7, 0.2, 0.1], RATES, 5_000))
        found += bool(watch.check(drawn(rng, [0.7, 0.2, 0.1], worse, 5_000)).alarms)
    assert found == 50


def test_the_levels_of_all_looks_add_up_to_alpha() -> None:
    """Every look shares its part among its windows and the rates; what is left after 10,000 looks is about
    2 / sqrt(10,004.5) of 0.9414, two per cent."""
    spent = sum(level_of(k, 0.05) * len(windows(k)) for k in range(1, 10_001))
    assert 0.0489 < spent < 0.0490
    for totals, columns in (([20, 9_980], 1), ([5, 300, 0], 3), ([0, 0], 1)):
        assert shares_of(np.array(totals), columns).sum() == pytest.approx(1)
    watch = Watch(exact_block([0.8, 0.1, 0.1], RATES, 100), measures=[], alpha=0.05)
    assert watch.check(exact_block([0.8, 0.1, 0.1], RATES, 100)).level < 0.05 / 2


def test_most_of_a_level_goes_to_the_recall_of_a_class_with_few_examples() -> None:
    """By hand: 20 of 10,000 get sqrt(20) / 120, the others sqrt(9,980) / 10,080; of three rates the recall
    gets half."""
    rare, rest = 20**0.5 / 120, 9_980**0.5 / 10_080
    assert shares_of(np.array([20, 9_980]), 1)[:, 0] == pytest.approx(
        [rare / (rare + rest), rest / (rare + rest)]
    )
    alike = shares_of(np.array([50, 50, 50]), 3)
    assert np.diag(alike) == pytest.approx(1 / 6)
    assert alike[0, 1] == pytest.approx(1 / 12)


def test_the_first_block_is_the_reference_when_none_is_given() -> None:
    watch = Watch(measures=["accuracy"])
    assert watch.check(exact_block([0.8, 0.1, 0.1], RATES)).number == 0
    assert watch.check(exact_block([0.8, 0.1, 0.1], RATES)).number == 1
    assert watch.rows == 20_000


def test_new_classes_and_two_classes() -> None:
    watch = Watch(
        sy.Confusion([[90, 10], [5, 95]], ["ham", "spam"]), positive="spam", measures=["precision", "recall"]
    )
    block = watch.check(sy.Tally().update(["ham", "spam", "scam"], ["ham", "spam", "ham"]))
    assert block.new_classes == ("scam",)
    assert [m.measure.id for m in block.moved] == ["precision", "recall"]
    assert block.alarms == ()


def test_precision_at_the_priors_of_the_reference() -> None:
    watch = Watch(
        sy.Confusion([[90, 10], [20, 80]], ["ham", "spam"]), positive="spam", measures=["precision"]
    )
    moved = watch.check(sy.Confusion([[900, 100], [2, 8]], ["ham", "spam"])).moved[0]
    assert moved.value == pytest.approx(8 / 108)
    assert moved.at_reference_priors == pytest.approx(
        80 / 90
    )  # the rates are the same, so this is the reference's own value
    assert moved.reference == pytest.approx(80 / 90)


def test_weights_and_empty_blocks_are_refused() -> None:
    with pytest.raises(sy.InputError, match="drift is judged on counts of rows"):
        Watch(sy.Confusion([[0.5, 1.0], [1.0, 2.0]]))
    with pytest.raises(sy.InputError, match="there is nothing in the block; found 0 rows"):
        Watch().check(sy.Confusion([[0, 0], [0, 0]]))
    with pytest.raises(sy.InputError, match="alpha must be a probability"):
        Watch(alpha=0)


def test_plain_data_and_page() -> None:
    watch = Watch(measures=["accuracy"], source="<b>stream</b>")
    watch.check(exact_block([0.8, 0.1, 0.1], RATES))
    watch.check(exact_block([0.2, 0.4, 0.4], RATES))
    data = watch.to_dict()
    assert data["looks"][1]["only_priors"] == ["accuracy"]
    assert watch.table()[1]["by_priors"] == pytest.approx(-0.06)
    page = watch.to_html()
    assert "<b>stream" not in page
    assert "&lt;b&gt;stream" in page
    assert "Class prevalence" in page
    assert "accuracy changed only because of that" in repr(watch).replace("\n", " ")


def fraud_block(rng: np.random.Generator, recall: float, rows: int = 10_000) -> sy.Confusion:
    """0.2% fraud, one in a hundred others reported."""
    frauds = rng.binomial(rows, 0.002)
    hits, alerts = rng.binomial(frauds, recall), rng.binomial(rows - frauds, 0.01)
    return sy.Confusion([[hits, frauds - hits], [alerts, rows - frauds - alerts]], ["fraud", "ok"])


def test_a_rare_class_that_is_found_less_often_is_noticed_within_three_blocks() -> None:
    """Recall of fraud falls from .6 to .2 at row 100,000; one block of about 20 frauds against another would show nothing. Of 20
    streams at least 16 are found within three blocks (95 of 100 are), all of them within eight; an alarm before the fall, which one
    stream in twenty may raise, is left out."""
    soon = late = false = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        watch = Watch(measures=[], positive="fraud")
        if any(watch.check(fraud_block(rng, 0.6)).alarms for _ in range(10)):
            false += 1
            continue
        for after in range(1, 9):
            alarms = watch.check(fraud_block(rng, 0.2)).alarms
            if alarms:
                soon += after <= 3
                late += 1
                assert alarms[0].truth == "fraud"
                assert alarms[0].rate < alarms[0].reference
                assert 60_001 <= alarms[0].since_row <= 150_001
                break
    assert false <= 3
    assert soon >= 16
    assert late == 20 - false


def test_noise_of_the_priors_is_not_called_a_change() -> None:
    """16 frauds after 27 are noise: nothing is laid on the priors. A tenfold share is a change, and dated."""
    rng = np.random.default_rng(3)
    watch = Watch(measures=["precision", "f1"], positive="fraud")
    assert not any(watch.check(fraud_block(rng, 0.6)).only_priors for _ in range(14))
    frauds = sy.Confusion([[120, 80], [98, 9702]], ["fraud", "ok"])
    block = watch.check(frauds)
    assert block.alarms == ()
    assert [change.label for change in block.prior_changes] == ["fraud"]
    assert block.prior_changes[0].since_row == 140_001
    assert [m.measure.id for m in block.only_priors] == ["precision", "f_beta"]


def test_all_rows_before_are_the_reference_where_none_is_given() -> None:
    watch = Watch(measures=["accuracy"])
    for _ in range(3):
        watch.check(exact_block([0.8, 0.1, 0.1], RATES, 1_000))
    assert watch.reference is not None
    assert watch.reference.total == 2_000
    worse = RATES.copy()
    worse[0] = [0.5, 0.25, 0.25]
    for _ in range(2):
        block = watch.check(exact_block([0.8, 0.1, 0.1], worse, 1_000))
    assert {alarm.since_row for alarm in block.alarms} == {3_001}
    assert watch.reference.total == 3_000


def test_windows_and_their_levels() -> None:
    assert windows(1) == [1]
    assert windows(12) == [1, 2, 3, 4, 6, 8, 12]
    assert windows(13)[-1] == 13
    # zeta(1.5) = 2.612375348685488, less 1, 2^-1.5, 3^-1.5 and 4^-1.5
    rest = 2.612375348685488 - 1 - 2**-1.5 - 3**-1.5 - 1 / 8
    assert level_of(1, 0.05) == pytest.approx(0.05 / 5**1.5 / rest)
    assert level_of(5, 0.05) == pytest.approx(0.05 / 27 / rest / 5)


def test_a_change_is_dated_where_two_rates_explain_the_counts_best() -> None:
    hits = np.cumsum([80, 81, 79, 80, 40, 41, 39])[:, None, None]
    totals = np.cumsum([100] * 7)[:, None]
    (change,) = find_changes(hits, totals, 1e-6)
    assert (change.since, change.blocks, change.hits, change.of) == (3, 3, 120, 300)
    assert find_changes(hits[:4], totals[:4], 1e-3) == []


def test_what_would_be_seen() -> None:
    """The fall that is told is the largest count that Fisher's test at that look's level rejects."""
    low = detectable_rate(120, 200, 20, 10, 3, 0.05, 0.9)
    assert low is not None
    at = round(60 * low)
    level = 0.9 * level_of(13, 0.05)
    assert fisher(at, 60, 120, 200) < level <= fisher(at + 1, 60, 120, 200)
    assert detectable_rate(2, 3, 1, 10, 3, 0.05, 0.9) is None
    for hits, of, each in (
        (120, 200, 20),
        (90, 100, 7),
        (150, 300, 11),
        (40, 50, 13),
        (199, 200, 10),
        (55, 60, 5),
    ):
        for blocks in (1, 2, 3, 4):
            seen = detectable_rate(hits, of, each, 5, blocks, 0.05, 0.9)
            level, more = 0.9 * level_of(5 + blocks, 0.05), each * blocks
            rejected = [k for k in range(int(more * hits / of)) if fisher(k, more, hits, of) < level]
            assert seen == (max(rejected) / more if rejected else None)


def two_classes(fraud: int, found: int, rows: int = 10_000) -> sy.Confusion:
    return sy.Confusion([[found, fraud - found], [50, rows - fraud - 50]], ["fraud", "ok"])


def test_the_page_opens_with_what_happened_and_draws_the_rare_class_alone() -> None:
    watch = Watch(two_classes(200, 150), source="s")
    assert "Only the reference" not in watch.to_html()
    watch.check(two_classes(100, 75))
    opening = watch.report().sections[0].blocks[0].words
    assert opening.startswith(
        'No change of class rates detected in 1 block. The class distribution changed: since about row 1 prevalence of "fraud" is 1%, before 2%'
    )
    assert "changed only because of that" in opening
    watch.check(two_classes(100, 20))
    opening = watch.report().sections[0].blocks[0].words
    assert opening.startswith(
        "Performance changed: class rates differ from the reference in 1 of 2 blocks, first in rows"
    )
    assert 'recall of "fraud" is 0.200' in opening
    page = watch.to_html()
    assert "<h3>Prevalence of &#34;fraud&#34;</h3>" in page
    assert "<h3>Recall of &#34;fraud&#34;</h3>" in page  # the changed rate
    assert "<h3>Prevalence of &#34;ok&#34;</h3>" not in page
    # Clopper and Pearson for 100 of 10,000: 0.0081 to 0.0121 (scipy 1.17.1, binomtest(100, 10000).proportion_ci())
    assert re.search(r"rows 1 to 10,000: 1\.0 ?% \(0\.81? ?% to 1\.2 ?%\)", page)
    assert page.count('class="dot f error"') == 3  # the changed rate once, the prevalence twice
    assert [block.alarm for block in watch.blocks] == [False, True]
    assert watch.exit_code == 1


def test_without_a_positive_class_the_rarest_is_drawn() -> None:
    watch = Watch(measures=["accuracy"])
    watch.check(exact_block([0.7, 0.1, 0.2], RATES))
    watch.check(exact_block([0.6, 0.1, 0.3], RATES))
    assert "<h3>Prevalence of &#34;b&#34;</h3>" in watch.to_html()
    assert "<h3>Class prevalence</h3>" in watch.to_html()
    assert watch.to_frame().shape[0] == 2
    assert "## Blocks" in watch.to_markdown()


def varying_block(
    rng: np.random.Generator, recall: float, variation: float, rows: int = 2_000
) -> sy.Confusion:
    """5% fraud, 2% false alerts; both rates vary on the probit scale."""
    normal = statistics.NormalDist()
    frauds = rng.binomial(rows, 0.05)
    rates = [normal.cdf(normal.inv_cdf(rate) + variation * rng.normal()) for rate in (recall, 0.02)]
    hits, alerts = rng.binomial(frauds, rates[0]), rng.binomial(rows - frauds, rates[1])
    return sy.Confusion([[hits, frauds - hits], [alerts, rows - frauds - alerts]], ["fraud", "ok"])


def test_natural_variation_between_blocks_is_no_alarm() -> None:
    """Streams of 12 blocks, both rates varying with a probit standard deviation of 0.3: with independent rows
    assumed nearly all alarm; 30 streams at 7% have more than 6 alarms with a probability below 1%."""
    alarmed = {True: 0, False: 0}
    for independent in alarmed:
        rng = np.random.default_rng(8)
        for _ in range(30):
            watch = sy.Watch(measures=[], positive="fraud", independent=independent)
            alarmed[independent] += any(watch.check(varying_block(rng, 0.7, 0.3)).alarms for _ in range(12))
    assert alarmed[True] >= 27
    assert alarmed[False] <= 6


def test_a_change_is_found_beside_natural_variation() -> None:
    rng = np.random.default_rng(9)
    watch = sy.Watch([varying_block(rng, 0.7, 0.1) for _ in range(10)], measures=[], positive="fraud")
    assert not any(watch.check(varying_block(rng, 0.7, 0.1)).alarms for _ in range(5))
    assert any(watch.check(varying_block(rng, 0.35, 0.1)).alarms for _ in range(5))
    assert "Natural variation" in repr(watch)


def test_after_an_alarm_no_power_is_computed_from_the_rows_that_changed() -> None:
    """The recall of all rows, changed ones too, is that of no model: 0.9 before, 0.3 after."""
    watch = sy.Watch(independent=True, positive="fraud")
    for caught in (90, 90, 30, 30):
        watch.check(sy.Confusion([[caught, 100 - caught], [30, 870]], labels=["fraud", "ok"]))
        changed = caught == 30
        words = " ".join(str(watch).split())
        assert ("would be detected" in words) == (not changed and len(watch.blocks) > 1)
    assert watch.alarmed
    assert not watch.power()


def test_the_reference_is_named_with_the_rows_that_join_it(tmp_path) -> None:
    """An alarm compares with the reference file and with the rows before the change: 240 of 300 hits."""
    rows = {"good.csv": [90], "stream.csv": [90, 60, 20, 20]}
    for name, blocks in rows.items():
        lines = [
            f"fraud,{'fraud' if k < hits else 'ok'}\n" + "ok,ok\n" * 9 for hits in blocks for k in range(100)
        ]
        (tmp_path / name).write_text("y,yhat\n" + "".join(lines))
    watched = sy.watch(
        tmp_path / "stream.csv",
        reference=tmp_path / "good.csv",
        truth="y",
        pred="yhat",
        positive="fraud",
        every=1000,
        independent=True,
    )
    text = " ".join(str(watched).split())
    assert "Reference for each block: good.csv and all earlier rows since the last detected change." in text
    assert "prevalence of fraud" in text
    assert " ok" not in text


def test_blocks_too_small_to_show_a_drop_are_named_in_the_verdict() -> None:
    """Six examples a block with hits that vary: nothing could be detected; the verdict says so."""
    watch = sy.Watch(positive="fraud")
    for hits in (6, 2, 6, 1, 6, 2, 6, 2, 6, 1, 6, 2):
        watch.check(sy.Confusion([[hits, 6 - hits], [30, 214]], labels=["fraud", "ok"]))
    assert "no drop of its recall would be detected within 100 blocks" in watch.power()
    first = " ".join(str(watch).split()).partition("Reference:")[0]
    assert 'no drop of the recall of "fraud" could be detected in such small blocks' in first
    assert re.search(r"try --every (500|750|1000|1250)\.|choose larger blocks\.", first)
    assert "about 6 examples" in watch.power()


def test_a_watch_is_pickled_without_room_for_more() -> None:
    watch = sy.Watch(sy.Confusion(np.full((60, 60), 3, dtype=np.int64)))
    for _ in range(3):
        watch.check(sy.Confusion(np.full((60, 60), 2, dtype=np.int64)))
    written = pickle.dumps(watch)
    assert len(written) < 12 * 60 * 60 * 8
    again = pickle.loads(written)
    assert again.check(sy.Confusion(np.eye(60, dtype=np.int64))) == watch.check(
        sy.Confusion(np.eye(60, dtype=np.int64))
    )
