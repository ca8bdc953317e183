"""The footer of a page: the command line without folders, so that nobody learns where it was made."""

import re

from steelyard.cli import main


def test_the_footer_has_the_day_the_versions_and_the_command_without_folders(tmp_path):
    folder = tmp_path / "secret" / "folder"
    folder.mkdir(parents=True)
    source, target = folder / "stream.csv", folder / "page.html"
    source.write_text("y_true,y_pred\n" + "a,a\nb,b\nb,a\n" * 20, encoding="utf-8")
    arguments = ["watch", str(source), "--every", "20", "--positive", "a", f"--html={target}"]
    assert main(arguments) == 0
    text = target.read_text(encoding="utf-8")
    assert "secret" not in text
    # An option and its value stand in a span that does not break.
    assert "steelyard watch stream.csv --every 20 --positive a --html=page.html" in re.sub(
        "<[^>]+>", "", text
    )
    assert re.search(r"Made on \d{4}-\d\d-\d\d with Python [\d.]+\S* and NumPy [\d.]+", text)
    assert re.search(r"Fingerprint of the counts: [0-9a-f]{16}\.", text)


def test_the_fingerprint_changes_with_a_count(tmp_path):
    prints = set()
    for extra in ("", "a,a\n", "b,a\n"):
        source, target = tmp_path / "s.csv", tmp_path / "p.html"
        source.write_text("y_true,y_pred\n" + "a,a\nb,b\nb,a\n" * 20 + extra, encoding="utf-8")
        assert main(["watch", str(source), "--every", "30", "--html", str(target)]) == 0
        prints.add(re.search(r"counts: ([0-9a-f]{16})", target.read_text(encoding="utf-8")).group(1))
    assert len(prints) == 3


def test_words_with_a_slash_that_are_no_path_stay(tmp_path):
    source, target = tmp_path / "s.csv", tmp_path / "p.html"
    source.write_text("y_true,y_pred\n" + "n/a,n/a\nb/w,b/w\n" * 20, encoding="utf-8")
    assert main(["watch", str(source), "--positive", "n/a", "--html", str(target)]) == 0
    assert "--positive n/a" in target.read_text(encoding="utf-8")
