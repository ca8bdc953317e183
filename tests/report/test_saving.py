"""Is a file written whole or not at all, and is what is no file left what it is?"""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from steelyard.cli import main
from steelyard.errors import InputError
from steelyard.report.saving import save, save_all

MATRIX = "[[5,1],[2,9]]"


def test_a_link_is_written_through(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    real, link = tmp_path / "folder" / "real.html", tmp_path / "link.html"
    real.write_text("old")
    link.symlink_to(real)
    assert (
        main(["evaluate", "--matrix", MATRIX, "--html", str(link), "--json", str(tmp_path / "r.json")]) == 0
    )
    assert link.is_symlink()
    assert real.read_text().startswith("<!")
    dangling = tmp_path / "new.html"
    dangling.symlink_to(tmp_path / "folder" / "made.html")
    save(dangling, "text")
    assert dangling.is_symlink()
    assert (tmp_path / "folder" / "made.html").read_text() == "text"


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.html"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    reader.start()
    save(pipe, "text")
    reader.join(10)
    assert read == ["text"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_device_stays_a_device(tmp_path: Path) -> None:
    link = tmp_path / "null.html"
    link.symlink_to(os.devnull)
    for path in (Path(os.devnull), link):
        assert main(["evaluate", "--matrix", MATRIX, "--html", str(path)]) == 0
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)
    assert link.is_symlink()


def test_nothing_is_written_where_one_of_several_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the file cannot be written"):
        save_all({tmp_path / "one.txt": "1", tmp_path / "nowhere" / "two.txt": "2"})
    assert list(tmp_path.iterdir()) == []


def test_links_in_a_circle_are_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    with pytest.raises(InputError, match=r"links lead in a circle; found .*circle"):
        save(tmp_path / "circle", "words")
    with pytest.raises(InputError, match=r"File name too long; found .*xxx"):
        save(tmp_path / ("x" * 300), "words")
