"""The documented cases of mlscorecheck, and the sizes they rest on."""

from __future__ import annotations

from pathlib import Path

import pytest

from steelyard_papers import runner
from steelyard_papers.kovacs2022.bundles import CASES, READINGS, SIZES, STUDY, audited


def test_the_sizes_are_those_of_the_images() -> None:
    # DRIVE has 20 test images of 565 x 584 pixels, STARE 20 of 700 x 605, CHASE_DB1 28 of 999 x 960, HRF 45 of 3504 x 2336.
    for name, many, pixels in (
        ("DRIVE, whole image", 20, 565 * 584),
        ("STARE", 20, 700 * 605),
        ("CHASE_DB1", 28, 999 * 960),
        ("HRF, whole image", 45, 3504 * 2336),
    ):
        images = SIZES["images"][name]
        assert len(images) == many
        assert {positives + negatives for _, positives, negatives in images} == {pixels}
    inside = {name: n + p for name, p, n in SIZES["images"]["DRIVE, field of view"]}
    assert all(0 < count < 565 * 584 for count in inside.values())


@pytest.mark.parametrize(
    "case", ["drive-fov-01", "drive-all-01", "stare-pooled", "chase-mean", "ehg-stratified"]
)
def test_the_answer_of_mlscorecheck(case: str) -> None:
    found = audited(case, 60, seed=0)[READINGS[0]]
    assert found["answer"] == ("possible" if CASES[case][3] else "impossible")
    assert (found["witness"] is not None) == (found["answer"] == "possible")


def test_quick(tmp_path: Path) -> None:
    result = runner.run(STUDY, out=tmp_path, quick=True)
    assert {finding["claim_id"] for finding in result["findings"]} == {
        "kovacs-ehg",
        "kovacs-drive",
        "kovacs-same",
    }
