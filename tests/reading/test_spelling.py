"""One number written in two ways is one class of a CSV file, and that is said; codes stay as they are written."""

import pytest

import steelyard as sy
from steelyard.counts.labels import one_spelling
from steelyard.errors import InputError
from tests.reading.sources import read_joint


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ([["1", "0"], ["1.0"]], {"1.0": "1"}),
        ([["1", "-2"], ["1.00", "-2.0"], ["1.0"]], {"1.0": "1", "1.00": "1", "-2.0": "-2"}),
        ([["1.5"], ["1.50"]], {"1.50": "1.5"}),
        ([["01", "1"], ["1.0"]], {}),
        ([["1"], ["1.0", "a"]], {}),
        ([["1"], ["1.0", "1e0"]], {}),
        ([["1"], [1.0]], {}),
        ([["1", None], ["1.0"]], {"1.0": "1"}),
        ([["0"], ["1"]], {}),
        ([["1", "1.0", "0"]], {"1.0": "1"}),  # files of integers and of floats, put together
        ([["1", "1.0", "2.5"]], {}),  # one column writes both: codes
        ([["250.0", "250.00"], ["250.0"]], {}),
        ([[]], {}),
        ([], {}),
    ],
)
def test_which_labels_are_one_number(columns, expected):
    assert one_spelling(*columns) == expected


def test_evaluate_and_compare_count_them_as_one_and_say_so(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("y,a,b\n1,1.0,1\n1,1.0,0\n0,0.0,0\n0,1.0,0\n0,0.0,0\n1,1.0,1\n")
    result = sy.evaluate(path, truth="y", pred="a")
    assert result.matrix.labels == ("0", "1")
    assert result.matrix.counts.tolist() == [[2, 1], [0, 3]]
    assert any('"1.0" as "1"' in note for note in result.notes)
    joint = read_joint([path], "y", ["a", "b"])
    assert joint.matrix(0).counts.tolist() == [[2, 1], [0, 3]]
    assert '"1.0" as "1"' in joint.notes[0]
    assert sy.evaluate(path, truth="y", pred="b").notes == tuple(
        note for note in sy.evaluate(path, truth="y", pred="b").notes if "two ways" not in note
    )


def test_codes_and_other_formats_stay_as_they_are(tmp_path):
    path = tmp_path / "codes.csv"
    path.write_text("y,p\n01,01\n1,1\n01,1\n1,01\n")
    assert sy.evaluate(path, truth="y", pred="p").matrix.labels == ("01", "1")


@pytest.mark.parametrize("scores", [[0.2, 1.0, 0.0, 0.7], [0.0, 1.0, 1.0, 0.25]])
def test_scores_given_as_predictions_are_refused_even_where_some_look_like_labels(scores, tmp_path):
    with pytest.raises(InputError, match="holds scores, not labels"):
        sy.evaluate([0, 1, 0, 1], scores)
    with pytest.raises(InputError, match="holds scores, not labels"):
        sy.gmean([0, 1, 0, 1], scores)
    path = tmp_path / "p.jsonl"
    path.write_text("".join(f'{{"y": {y}, "p": {p}}}\n' for y, p in zip([0, 1, 0, 1], scores, strict=True)))
    with pytest.raises(InputError, match="holds scores, not labels"):
        sy.evaluate(path, truth="y", pred="p")
    assert sy.Confusion.from_labels([0.5, 1.5], [0.5, 0.5]).n_classes == 2


def test_per_cent_signs_among_scores_are_explained(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("y,s\n1,12%\n0,3 %\n1,80%\n")
    with pytest.raises(InputError, match=r"write 12% as 0\.12"):
        sy.evaluate(path, truth="y", score="s", threshold=0.5)
    with pytest.raises(InputError, match=r"write 12% as 0\.12"):
        sy.ScoreCounts.from_scores([1, 0, 1], ["12%", "3 %", "80%"])
