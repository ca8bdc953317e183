"""Lines as they come: the fast way through CSV counts the same rows, block by block, as one row after another."""

from __future__ import annotations

import csv
import gzip
import io
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import steelyard as sy
from steelyard.reading import stream
from steelyard.reading.stream import Block, Blocks


def pairs(block: Block) -> Counter[tuple[str, str]]:
    found: Counter[tuple[str, str]] = Counter()
    for truth, prediction, rows, _ in block.pairs:
        found[truth, prediction] += rows
    return found


def read(path: Path, every: int, **how: str) -> tuple[list[Counter[tuple[str, str]]], Blocks]:
    blocks = Blocks(str(path), every, **how)  # type: ignore[arg-type]
    whole = [pairs(block) for block in blocks]
    rest = pairs(blocks.rest())
    return [*whole, *([rest] if rest else [])], blocks


def one_by_one(text: str, every: int, truth: str, pred: str) -> list[Counter[tuple[str, str]]]:
    """By csv.DictReader, a row at a time; rows that lack a label are left out."""
    rows = [(row[truth], row[pred]) for row in csv.DictReader(io.StringIO(text)) if row[truth] and row[pred]]
    return [Counter(rows[start : start + every]) for start in range(0, len(rows), every)]


LABELS = ["ok", "fraud", "late", "a b", "ünï"]


def table(rows: int, *, header: str = "y,pred", odd: int = 0, quoted_from: int | None = None) -> str:
    """Rows of two labels; every `odd`-th lacks one; from some row on a label is quoted, comma included."""
    random = np.random.default_rng(rows)
    written = [header]
    for number, (y, p) in enumerate(random.integers(0, len(LABELS), (rows, 2)).tolist()):
        truth, pred = LABELS[y], LABELS[p]
        if odd and number % odd == odd - 1:
            truth = ""
        if quoted_from is not None and number >= quoted_from and number % 3 == 0:
            pred = '"x, y"'
        written.append(",".join([truth, pred, "0.5"][: header.count(",") + 1]))
    return "\n".join(written) + "\n"


@pytest.mark.parametrize("header", ["y,pred", "y,pred,score"], ids=["two columns", "three columns"])
@pytest.mark.parametrize("odd", [0, 7], ids=["all labelled", "some lack a label"])
@pytest.mark.parametrize("quoted_from", [None, 0, 130], ids=["plain", "quoted", "quoted later"])
@pytest.mark.parametrize("every", [1, 10, 64, 1000])
def test_blocks_are_those_of_one_row_after_another(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    header: str,
    odd: int,
    quoted_from: int | None,
    every: int,
) -> None:
    monkeypatch.setattr(stream, "_LINES_AT_ONCE", 50)
    monkeypatch.setattr(stream, "_ROWS_AT_ONCE", 20)
    text = table(300, header=header, odd=odd, quoted_from=quoted_from)
    path = tmp_path / "rows.csv"
    path.write_text(text, encoding="utf-8")
    found, blocks = read(path, every, missing="drop")
    assert found == one_by_one(text, every, "y", "pred")
    assert blocks.dropped == (300 // odd if odd else 0)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("crlf", "y,p\r\na,b\r\na,b\r\nb,b\r\n"),
        ("no end of the last line", "y,p\na,b\na,b\nb,b"),
        ("empty lines", "y,p\na,b\n\n\na,b\nb,b\n\n"),
        ("byte order mark", "\ufeffy,p\na,b\na,b\nb,b\n"),
        ("semicolons", "y;p\na;b\na;b\nb;b\n"),
        ("tabs", "y\tp\na\tb\na\tb\nb\tb\n"),
        ("the other way round", "p,y\nb,a\nb,a\nb,b\n"),
    ],
)
def test_however_the_lines_are_written(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(text.encode())
    found, _ = read(path, 10, truth="y", pred="p")
    assert found == [Counter({("a", "b"): 2, ("b", "b"): 1})], name


def test_compressed_lines_and_their_matrix(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv.gz"
    path.write_bytes(gzip.compress(b"truth,pred\nb,a\na,a\nb,b\nb,a\n"))
    (block,) = list(Blocks(str(path), 4))
    assert len(block) == 4
    matrix = block.confusion()
    assert (matrix.labels, matrix.counts.tolist()) == (("a", "b"), [[1, 0], [2, 1]])
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(sy.InputError, match="the rows cannot be read"):
        list(Blocks(str(path), 4))


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ("a,b,c\n", "3 values for 2 columns in row 5"),
        ("a\n", "1 values for 2 columns in row 5"),
        ("a,\n", "labels are missing; found none in row 5"),
        (",b\n", "labels are missing; found none in row 5"),
        ('"a,b\n', "the rows cannot be read|1 values for 2 columns"),
    ],
)
def test_what_is_wrong_is_named_and_the_rows_before_it_are_kept(tmp_path: Path, bad: str, words: str) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("y,pred\n" + "a,b\n" * 4 + bad + "a,a\n", encoding="utf-8")
    blocks = Blocks(str(path), 3)
    given = iter(blocks)
    assert pairs(next(given)) == Counter({("a", "b"): 3})
    with pytest.raises(sy.InputError, match=words):
        list(given)
    assert pairs(blocks.rest()) == Counter({("a", "b"): 1})


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(b"y,pred\na,b\n\xff,b\n")
    with pytest.raises(sy.InputError, match="not UTF-8; found byte 0xff"):
        list(Blocks(str(path), 10))
    path.write_bytes(b"")
    with pytest.raises(sy.InputError, match="nothing to watch"):
        list(Blocks(str(path), 10))


def test_a_block_of_rows_that_were_all_left_out_has_nothing_to_count(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("y,p\na,\n", encoding="utf-8")
    blocks = Blocks(str(path), 10, truth="y", pred="p", missing="drop")
    assert list(blocks) == []
    with pytest.raises(sy.InputError, match="there is nothing to count; found 0 rows"):
        blocks.rest().confusion()
