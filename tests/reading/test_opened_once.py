"""A file is opened once, however much is asked of it."""

import sys
from collections import Counter

import pandas as pd
import pytest

import steelyard as sy

ROWS = pd.DataFrame(
    {"y": [1, 0, 1, 1, 0, 0] * 5, "pred": [1, 0, 0, 1, 1, 0] * 5, "s": [0.9, 0.1, 0.4, 0.8, 0.7, 0.2] * 5}
)


def calls_during(work):
    """How often each function of the package is called."""
    found = Counter()

    def note(frame, event, _):
        if event == "call" and "steelyard" in frame.f_code.co_filename:
            found[frame.f_code.co_qualname] += 1

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return found


@pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl"])
@pytest.mark.parametrize("options", [{"pred": "pred"}, {}, {"threshold": 0.5}, {"threshold": "best:gmean"}])
def test_labels_and_scores_are_read_through_one_table(tmp_path, suffix, options):
    path = tmp_path / f"rows.{suffix}"
    if suffix == "csv":
        ROWS.to_csv(path, index=False)
    elif suffix == "parquet":
        ROWS.to_parquet(path)
    else:
        ROWS.to_json(path, orient="records", lines=True)
    calls = calls_during(lambda: sy.evaluate(path, truth="y", score="s", interval=None, **options))
    assert calls["open_files"] == 1
    assert calls["FileTable.__init__"] == 1
    assert calls["FileTable.groups"] >= 1
