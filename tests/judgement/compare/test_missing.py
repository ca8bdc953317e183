"""Rows that lack the truth or what one model says: refused, or left out for every model alike."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import steelyard as sy
from steelyard.cli import main
from steelyard.errors import InputError
from steelyard.report.terminal import plain_text
from tests.real_parts import needs
from tests.schemas import BY_COMMAND, fits

pytestmark = pytest.mark.usefixtures("few_samples")

WHOLE = pd.DataFrame(
    {
        "y": ["a"] * 30 + ["b"] * 70,
        "one": ["a"] * 25 + ["b"] * 70 + ["a"] * 5,
        "two": ["a"] * 15 + ["b"] * 80 + ["a"] * 5,
        "amount": np.arange(100.0),
    }
)
HOLES = WHOLE.copy()
HOLES.loc[0, "y"] = None
HOLES.loc[[1, 40], "one"] = None
HOLES.loc[[1, 41], "two"] = None
LEFT = WHOLE.drop(index=[0, 1, 40, 41])
HOW = {"draws": 200, "positive": "a"}


def told(frame: pd.DataFrame) -> dict[str, object]:
    return sy.compare({m: frame[m] for m in ("one", "two")}, frame["y"], **HOW).to_dict()


def alike(found: sy.Comparison) -> None:
    """What is said is what the rows without holes say, and that four were left out."""
    wanted = told(LEFT) | {"missing_left_out": 4}
    assert {key: value for key, value in found.to_dict().items() if key != "notes"} == {
        key: value for key, value in wanted.items() if key != "notes"
    }
    text = " ".join(plain_text(found.report()).split())
    assert "4 of 100 rows were left out for all models" in text


def test_columns_in_memory():
    columns = {m: HOLES[m] for m in ("one", "two")}
    with pytest.raises(InputError, match='missing="drop"'):
        sy.compare(columns, HOLES["y"], **HOW)
    alike(sy.compare(columns, HOLES["y"], missing="drop", **HOW))
    lists = {m: HOLES[m].tolist() for m in ("one", "two")}
    alike(sy.compare(lists, HOLES["y"].tolist(), missing="drop", **HOW))
    with pytest.raises(InputError, match="missing= has no such value"):
        sy.compare(columns, HOLES["y"], missing="lowest", **HOW)
    with pytest.raises(InputError, match="every row lacks its truth or a prediction"):
        sy.compare({"one": [None, "a"], "two": ["a", None]}, ["a", "a"], missing="drop")


def test_groups_and_scores_follow_their_rows():
    day = np.arange(100) // 5
    columns = {m: HOLES[m] for m in ("one", "two")}
    found = sy.compare(columns, HOLES["y"], cluster=day, missing="drop", **HOW)
    kept = LEFT.index.to_numpy()
    wanted = sy.compare({m: LEFT[m] for m in ("one", "two")}, LEFT["y"], cluster=day[kept], **HOW)
    assert found.to_dict()["ranking"] == wanted.to_dict()["ranking"]
    scores = {"p": np.linspace(1, 0, 100), "q": np.sin(np.arange(100.0))}
    lacking = scores | {"q": np.where(np.arange(100) == 50, np.nan, scores["q"])}
    found = sy.compare(columns, HOLES["y"], scores=lacking, missing="drop", **HOW)
    kept = kept[kept != 50]
    areas = sy.compare(
        {m: WHOLE[m][kept] for m in ("one", "two")},
        WHOLE["y"][kept],
        scores={name: column[kept] for name, column in scores.items()},
        **HOW,
    ).areas
    assert found.areas is not None
    assert areas is not None
    assert found.areas.to_dict() == areas.to_dict()
    with pytest.raises(InputError, match="leave those rows out") as refused:
        sy.compare({m: WHOLE[m] for m in ("one", "two")}, WHOLE["y"], scores=lacking, **HOW)
    assert "lowest" not in str(refused.value)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames(library):
    frame = HOLES if library == "pandas" else needs("polars").from_pandas(HOLES)
    with pytest.raises(InputError, match='leave those rows out for all models with missing="drop"'):
        sy.compare(frame, "y", pred=["one", "two"], **HOW)
    alike(sy.compare(frame, "y", pred=["one", "two"], missing="drop", **HOW))


def test_files(capsys, tmp_path):
    path = tmp_path / "models.csv"
    HOLES.assign(id=range(100)).to_csv(path, index=False)
    asked = ["compare", str(path), "--truth", "y", "--pred", "one", "--pred", "two", "--positive", "a"]
    assert main(asked) == 2
    assert "leave those rows out for all models with --missing drop." in capsys.readouterr().err
    assert main([*asked, "--missing", "drop", "--draws", "200", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    fits(found, BY_COMMAND["compare"])
    assert (found["missing_left_out"], found["values"]) == (4, told(LEFT)["values"])
    parts = []
    for name in ("one", "two"):
        parts.append(tmp_path / f"{name}.csv")
        HOLES.assign(id=range(100), said=HOLES[name])[["id", "y", "said"]].to_csv(parts[-1], index=False)
    several = ["compare", *map(str, parts), "--truth", "y", "--pred", "said", "--key", "id"]
    assert main([*several, "--positive", "a", "--missing", "drop", "--draws", "200", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["missing_left_out"], found["values"]) == (4, told(LEFT)["values"])
    # what rows cost is summed over the rows that are compared
    cost = ["--cost", "a>b=amount, b>a=4", "--missing", "drop", "--draws", "200", "--json"]
    assert main([*asked[:-2], *cost]) == 0
    found = json.loads(capsys.readouterr().out)
    mean = {
        m: np.where(LEFT["y"] == LEFT[m], 0, np.where(LEFT["y"] == "a", LEFT["amount"], 4)).mean()
        for m in ("one", "two")
    }
    costs = {model: row[found["by"]]["value"] for model, row in found["values"].items()}
    assert costs == pytest.approx(mean)


def test_the_areas_asked_for_are_on_the_first_screen(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("COLUMNS", "80")
    path = tmp_path / "models.csv"
    WHOLE.assign(p=np.linspace(1, 0, 100), q=np.sin(np.arange(100.0))).to_csv(path, index=False)
    asked = ["compare", str(path), "--truth", "y", "--pred", "one", "--pred", "two", "--positive", "a"]
    assert main([*asked, "--score", "q=q", "--score", "p=p", "--draws", "200"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 24
    q = np.sin(np.arange(100.0))
    area = (q[:30, None] > q[None, 30:]).mean()  # pairs that are ranked rightly
    said = f'ROC AUC of class "a": p 1.000, q {area:.3f} (difference {1 - area:.3f}, 95% CI'
    assert said in " ".join(" ".join(lines).split())
