"""Is the same thing given, whatever the source?"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import steelyard as sy
from steelyard.judgement.evaluate.inputs import ReadRequest, read
from steelyard.scores.score_options import AskedScores

ROWS = {
    "y": ["a", "a", "a", "b", "b", "b", "b"],
    "p": ["a", "b", "a", "b", "b", "a", "b"],
    "p_b": [0.1, 0.7, 0.2, 0.9, 0.8, 0.4, 0.6],
}
COUNTS = [[2, 1], [1, 3]]


def asked(**said: object) -> ReadRequest:
    usual: dict[str, object] = dict.fromkeys(ReadRequest.__dataclass_fields__)
    return ReadRequest(**{**usual, "slices": (), "missing": "error", **said})  # type: ignore[arg-type]


def test_every_source_gives_the_same_counts(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    pd.DataFrame(ROWS).to_csv(path, index=False)
    tally = sy.Tally().update(ROWS["y"], ROWS["p"])
    named = asked(truth="y", pred="p")
    for data, how, source in (
        (path, named, str(path)),
        (pd.DataFrame(ROWS), named, "a pandas frame"),
        (pl.DataFrame(ROWS).lazy(), named, "a polars frame"),
        (sy.count(path, truth="y", pred="p"), asked(), "counts"),
        (tally, asked(), "Tally of 7 rows"),
        (COUNTS, asked(labels=["a", "b"]), "a confusion matrix"),
    ):
        given = read(data, None, how)
        assert given.matrix.counts.tolist() == COUNTS
        assert given.matrix.labels == ("a", "b")
        assert given.source == source
        assert given.scores is None
        assert given.threshold is None


def test_scores_and_the_threshold_are_given(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    pd.DataFrame(ROWS).to_csv(path, index=False)
    said = AskedScores.of("p_b", None, 0.5, None)
    for data in (path, pd.DataFrame(ROWS), pl.DataFrame(ROWS)):
        given = read(data, None, asked(truth="y", positive="b", scores=said))
        assert given.labels_from_scores
        assert given.threshold is not None
        assert given.threshold.threshold == 0.5
        assert given.scores is not None
        assert given.scores.totals.tolist() == [3, 4]
        assert (
            sy.Confusion(given.matrix.counts, given.matrix.labels).select(["a", "b"]).counts.tolist()
            == COUNTS
        )


def test_a_tally_is_a_source_like_any_other() -> None:
    tally = sy.Tally(window=7).update(np.array(ROWS["y"]), np.array(ROWS["p"]))
    through_it = tally.evaluate(positive="b", seed=3)
    assert through_it.to_dict() == sy.evaluate(tally, positive="b", seed=3).to_dict()
    assert through_it.matrix.counts.tolist() == COUNTS


def test_modules_are_imported_by_name_in_three_places_at_most() -> None:
    package = Path(sys.modules["steelyard"].__file__ or "").parent
    places = {
        str(path.relative_to(package))
        for path in package.rglob("*.py")
        if re.search(r"import_module\(", path.read_text(encoding="utf-8"))
    }
    assert len(places) <= 3, places


@pytest.mark.parametrize("labels", [[1, 2, "2"], [2, 1]])
def test_columns_of_scores_may_be_written_as_the_classes_are(labels: list[object]) -> None:
    frame = pd.DataFrame({"y": [1, 2, 2, 1], "p_1": [0.9, 0.2, 0.6, 0.7], "p_2": [0.1, 0.8, 0.4, 0.3]})
    if len(labels) == 2:
        found = sy.evaluate(frame, truth="y", scores="p_*")
        assert found.matrix.labels == (1, 2)
        assert found.matrix.counts.tolist() == [[2, 0], [1, 1]]
    else:
        from steelyard.counts.labels import meant

        assert meant(["1", "2", 2, "x"], labels) == [1, "2", 2, None]


@pytest.mark.parametrize(
    "said", [{"slices": "g"}, {"slices": ["g"]}, {"weight": "w"}, {"weight": [1.0, 2.0]}]
)
def test_what_was_counted_has_no_columns_to_weigh_or_cut_by(said: dict[str, object]) -> None:
    tally = sy.Tally().update(ROWS["y"], ROWS["p"])
    for counted in (COUNTS, sy.Confusion(COUNTS), tally):
        with pytest.raises(sy.InputError, match=r"are read off rows; found (slices|weight)= with"):
            sy.evaluate(counted, **said)  # type: ignore[arg-type]
    with pytest.raises(sy.InputError, match="clusters need rows"):
        sy.evaluate(COUNTS, cluster="g")


@pytest.mark.parametrize("method", ["bootstrap", "posterior"])
@pytest.mark.parametrize("said", [{"weight": "w"}, {"cluster": "g"}, {"block": 2}])
def test_a_named_interval_method_is_refused_where_the_rows_decide_it(
    method: str, said: dict[str, object]
) -> None:
    frame = pd.DataFrame({"y": [1, 0] * 20, "p": [1, 0, 0, 0] * 10, "w": [1.0, 2.0] * 20, "g": [1, 2] * 20})
    with pytest.raises(sy.InputError, match=f'interval="{method}" beside {next(iter(said))}='):
        sy.evaluate(frame, truth="y", pred="p", interval=method, **said)  # type: ignore[arg-type]
    assert sy.evaluate(frame, truth="y", pred="p", interval="auto", draws=100, **said).intervals is not None  # type: ignore[arg-type]


def test_a_mapping_of_columns_is_refused_with_what_to_write():
    with pytest.raises(
        sy.InputError, match=r"a mapping of columns is not a table; found dict with 'y', 'p'; .*data\["
    ):
        sy.evaluate({"y": [1, 0, 1], "p": [1, 0, 0]})
