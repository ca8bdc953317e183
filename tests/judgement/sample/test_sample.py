"""Audit samples: strata, allocation, the file that is written, top-up, and bad input."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import steelyard as sy
from steelyard.cli import main
from steelyard.errors import InputError
from steelyard.judgement.sample.design import Aim, allocated, designed
from steelyard.judgement.sample.options import COLUMNS

pytestmark = pytest.mark.usefixtures("few_samples")

ROWS = 4000


@pytest.fixture
def pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """4,000 rows with quoted text, two models, and an id with leading zeros."""
    random = np.random.default_rng(3)
    scores = random.beta(0.3, 12, ROWS)
    other = np.clip(scores * random.uniform(0.5, 1.6, ROWS), 0, 1)
    path = tmp_path / "pool.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "name", "p", "q", "pred", "rule"])
        for row, (p, q) in enumerate(zip(scores, other, strict=True)):
            called = ["fraud" if score >= 0.15 else "ok" for score in (p, q)]
            writer.writerow([f"{row:06d}", f'Smith, "{row}"', f"{p:.5f}", f"{q:.5f}", *called])
    monkeypatch.chdir(tmp_path)
    return path


def read(path: str | Path) -> list[dict[str, str]]:
    with Path(path).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def ask(*words: str, **changed: str) -> list[str]:
    options = {"--score": "p", "--pred": "pred", "--positive": "fraud", "--labels": "200", "--out": "out.csv"}
    options |= {f"--{name.replace('_', '-')}": value for name, value in changed.items()}
    return ["sample", "pool.csv", *[w for pair in options.items() if pair[1] for w in pair], *words]


def test_rows_keep_every_column_and_say_how_they_were_chosen(pool: Path) -> None:
    before = pool.read_bytes()
    assert main(ask()) == 0
    assert pool.read_bytes() == before
    rows, written = read(pool), read("out.csv")
    assert len(written) == 200
    assert list(written[0]) == [*rows[0], *COLUMNS]
    sizes: dict[str, int] = {}
    for row in written:
        assert {name: row[name] for name in rows[0]} == rows[int(row["pool_row"]) - 1]
        sizes[row["stratum"]] = int(row["stratum_size"])
    assert sum(sizes.values()) == ROWS
    for stratum, size in sizes.items():
        own = [row for row in written if row["stratum"] == stratum]
        assert len(own) >= 3
        assert {float(row["inclusion_probability"]) for row in own} == {len(own) / size}
        assert len({row["pred"] for row in own}) == 1


def test_the_seed_reproduces_the_sample(pool: Path) -> None:
    texts = []
    for seed in ("1", "1", "2"):
        assert main(ask(seed=seed)) == 0
        texts.append(Path("out.csv").read_text())
    assert texts[0] == texts[1] != texts[2]


def test_a_frame_is_sampled_like_its_file(pool: Path) -> None:
    of_file = sy.sample("pool.csv", 150, score="p", pred="pred", positive="fraud")
    frame = pd.read_csv(pool, dtype=str).assign(p=pd.read_csv(pool)["p"])
    of_frame = sy.sample(frame, 150, score="p", pred="pred", positive="fraud")
    assert of_file.chosen == of_frame.chosen
    assert of_file.strata == of_frame.strata


def test_a_top_up_keeps_rows_and_labels(pool: Path) -> None:
    assert main(ask(labels="100", out="first.csv")) == 0
    first = read("first.csv")
    with Path("labelled.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, [*first[0], "y"])
        writer.writeheader()
        writer.writerows({**row, "y": "fraud" if k % 9 == 0 else "ok"} for k, row in enumerate(first))
    assert main(ask(labels="60", earlier="labelled.csv", out="second.csv", seed="4")) == 0
    labelled, second = read("labelled.csv"), read("second.csv")
    assert len(second) == 160
    for old, new in zip(labelled, second, strict=False):
        assert {**old, "inclusion_probability": ""} == {**new, "inclusion_probability": ""}
        assert float(new["inclusion_probability"]) >= float(old["inclusion_probability"])
    assert len({row["pool_row"] for row in second}) == 160
    assert {row["y"] for row in second[100:]} == {""}
    for stratum in {row["stratum"] for row in second}:
        own = [row for row in second if row["stratum"] == stratum]
        assert float(own[0]["inclusion_probability"]) == len(own) / int(own[0]["stratum_size"])


def test_neyman_allocation_by_hand() -> None:
    # Sizes 100, 300, 600 with standard deviations 0.5, 0.2, 0.1: sums 50, 60, 60; of 34 labels 10, 12, 12.
    sizes, sums = np.array([100, 300, 600]), np.array([50.0, 60.0, 60.0])
    assert allocated(sizes, sums, 34, np.array([3, 3, 3])).tolist() == [10, 12, 12]
    # A stratum of 5 rows is labelled whole, one without deviation gets the floor: 5 + 3 + 26 = 34.
    assert allocated(
        np.array([5, 300, 600]), np.array([90.0, 10.0, 0.0]), 34, np.array([3, 3, 3])
    ).tolist() == [
        5,
        26,
        3,
    ]


@pytest.mark.parametrize("labels", [20, 77, 500, 3999])
@pytest.mark.parametrize("metric", ["recall", "precision", "f1", "gmean", "balanced_accuracy", "mcc"])
def test_every_stratum_has_its_floor_and_all_labels_are_used(labels: int, metric: str) -> None:
    random = np.random.default_rng(labels)
    scores = random.beta(0.2, 10, ROWS)
    strata = designed(Aim(scores, (scores > 0.1)[None], sy.measure(metric), ("m",)), labels)
    assert strata.labels.sum() == labels
    assert (strata.labels >= np.minimum(strata.sizes, 3)).all()
    assert (strata.labels <= strata.sizes).all()


@pytest.mark.all_samples
def test_most_labels_go_where_they_matter(pool: Path) -> None:
    result = sy.sample(str(pool), 300, score="p", pred="pred", positive="fraud", metric="recall")
    called = [one for one in result.strata if one.predicted_positive_by]
    others = [one for one in result.strata if not one.predicted_positive_by]
    assert min(one.rows / one.labels for one in others) > max(one.rows / one.labels for one in called)
    first = result.expected[0]
    assert first.half_width < 0.8 * first.random_half_width
    assert result.random_labels > 1.5 * result.labels


def test_two_models_are_served_with_their_difference(pool: Path) -> None:
    result = sy.sample(str(pool), 300, score=("p", "q"), pred=("pred", "rule"), positive="fraud", metric="f1")
    assert [one.quantity for one in result.expected] == ["pred", "rule", "pred - rule"]
    patterns = {one.predicted_positive_by for one in result.strata}
    assert patterns == {(), ("pred",), ("rule",), ("pred", "rule")}


def test_what_a_width_needs(pool: Path) -> None:
    few = sy.sample(str(pool), 100, score="p", pred="pred", positive="fraud", half_width=0.03)
    assert few.needed is not None
    assert few.needed > 100
    assert "is out of reach with 100 labels" in repr(few)
    wide = sy.sample(str(pool), 800, score="p", pred="pred", positive="fraud", half_width=0.3)
    assert wide.needed is not None
    assert wide.needed < 800


def test_scores_with_a_threshold_predictions_alone_and_costs(pool: Path, capsys: Any) -> None:
    assert main(ask(pred="", threshold="0.15")) == 0
    assert main(ask(score="")) == 0
    assert main(ask(cost="fraud>ok=200, ok>fraud=4")) == 0
    assert "give cost per row a 95% confidence interval" in capsys.readouterr().out
    assert main([*ask(positive=""), "--for", "recall[fraud]", "--json"]) == 0


BAD = [
    ({"positive": ""}, "a sample needs the positive class"),
    ({"positive": "scam"}, 'class "scam" is never predicted'),
    ({"score": "id"}, "not all probabilities"),
    ({"score": "nope"}, "there is no column"),
    ({"score": "", "pred": ""}, "a sample needs scores or predictions"),
    ({"labels": "5000"}, "fewer rows than are to be labelled"),
    ({"labels": "5"}, "too few labels for the strata"),
    ({"labels": ""}, "needs a number of labels"),
    ({"for": "roc_auc"}, "metric of predicted labels"),
    ({"for": "recall[ok]"}, "two positive classes"),
    ({"half_width": "0"}, "--half-width is out of range"),
    ({"out": "pool.csv"}, "would replace what is read"),
    ({"earlier": "pool.csv"}, "this is no sample"),
    ({"level": "1"}, "--level is out of range"),
]


@pytest.mark.parametrize(("changed", "words"), BAD, ids=[words for _, words in BAD])
def test_bad_input_is_one_sentence(pool: Path, changed: dict[str, str], words: str, capsys: Any) -> None:
    before = pool.read_bytes()
    assert main(ask(**changed)) == 2
    out, err = capsys.readouterr()
    assert not out
    assert words in err
    assert err.count("\n") == 1
    assert pool.read_bytes() == before
    assert not Path("out.csv").exists()


def test_an_earlier_sample_of_another_pool_or_model_is_refused(pool: Path, capsys: Any) -> None:
    assert main(ask(labels="100", out="first.csv")) == 0
    assert main(ask(labels="50", earlier="first.csv", score="q", pred="rule")) == 2
    assert "does not fit the pool" in capsys.readouterr().err
    first = read("first.csv")
    for name, change in {
        "twice": [*first, first[0]],
        "changed": [{**first[0], "p": "0.5"}, *first[1:]],
        "without a stratum": [row for row in first if row["stratum"] != "2"],
    }.items():
        with Path("bad.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, list(first[0]))
            writer.writeheader()
            writer.writerows(change)
        assert main(ask(labels="50", earlier="bad.csv")) == 2, name
        assert "does not fit the pool" in capsys.readouterr().err, name
    with pytest.raises(InputError, match="already has a column"):
        sy.sample("first.csv", 20, score="p", pred="pred", positive="fraud")


def test_the_json_follows_its_schema(pool: Path, capsys: Any) -> None:
    import jsonschema

    from steelyard.judgement.sample.result import json_schema

    assert main([*ask(half_width="0.1"), "--json"]) == 0
    jsonschema.validate(json.loads(capsys.readouterr().out), json_schema())


def test_the_share_that_the_scores_imply_and_one_number_for_a_width(pool: Path, capsys: Any) -> None:
    """A half-width rests on the positives that the scores imply; that number is the mean of the column."""
    assert main(ask(half_width="0.1")) == 0
    printed = " ".join(capsys.readouterr().out.split())
    implied = 100 * np.mean([float(row["p"]) for row in read(pool)])
    assert abs(float(printed.partition("The scores imply ")[2].partition("%")[0]) - implied) < 0.5
    assert "the same width needs" not in printed


def test_strata_without_scores_are_described_by_the_prediction(pool: Path) -> None:
    text = str(sy.sample(pool, 60, pred="pred", positive="fraud"))
    assert "A column of scores (--score) would narrow the interval." in text
    assert "stratum predicted" in text
