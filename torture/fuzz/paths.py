"""By which paths is a case answered? Each takes the cases that its source can hold, and says what it counted."""

from __future__ import annotations

import contextlib
import csv
import io
import itertools
import json
import math
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import steelyard as sy
from steelyard.cli.app import run as run_command
from steelyard.reading.stream import Blocks
from torture.fuzz.cases import PLAIN_NUMBER, Case
from torture.fuzz.reference import REFUSED, Counted, folded

Rows = dict[str, list[Any]]
Answer = Any


@dataclass(frozen=True)
class Way:
    """A path: which question it answers, which cases it takes, and what it says; `often` is the share of cases it is asked."""

    name: str
    question: str
    answer: Callable[[Case, Path], Answer]
    takes: Callable[[Case], bool]
    often: float = 1.0
    writes_text: bool = False
    """Does it hold labels as text?"""
    refuses_strangers: bool = False
    needs_two_classes: bool = False
    """An evaluation of one class alone says nothing, and is refused."""


def anything(case: Case) -> bool:
    return True


def of_one_type(case: Case) -> bool:
    return case.kind != "mixed"


def whole(case: Case) -> bool:
    """Bare columns are counted without holes and slices; holes are refused."""
    return not (case.has_holes and case.drop)


def unlisted_holes(test: Callable[[Case], bool]) -> Callable[[Case], bool]:
    return lambda case: whole(case) and test(case)


def said(ask: Callable[[], Answer]) -> Answer:
    """The answer, or that it was refused in a sentence of the package's own."""
    try:
        return ask()
    except sy.InputError:
        return REFUSED


# -- columns


def dtype_of(case: Case) -> Any:
    return {"integer": np.int64, "large": np.int64, "float": np.float64, "boolean": np.bool_}.get(
        case.kind, object
    )


def as_list(column: Sequence[Any]) -> Any:
    return list(column)


def as_objects(column: Sequence[Any]) -> Any:
    array = np.empty(len(column), dtype=object)
    array[:] = list(column)
    return array


def as_typed(column: Sequence[Any]) -> Any:
    kinds = {type(label) for label in column}
    if kinds == {str}:
        return np.array(column, dtype=np.dtypes.StringDType())  # fixed-width text would lose trailing zeros
    if None in column and kinds <= {float, type(None)}:
        return np.array([math.nan if label is None else label for label in column])
    return np.array(column) if len(kinds) == 1 else as_objects(column)


def as_pandas(column: Sequence[Any]) -> Any:
    import pandas

    kinds = {type(label) for label in column if label is not None}
    dtype = {int: "Int64", float: "float64", bool: "boolean"}.get(kinds.pop()) if len(kinds) == 1 else object
    return pandas.Series(list(column), dtype=dtype or object)


def as_categories(column: Sequence[Any]) -> Any:
    import pandas

    return pandas.Series(pandas.Categorical(list(column)))


def as_polars(column: Sequence[Any]) -> Any:
    import polars

    return polars.Series(list(column))


def as_arrow(column: Sequence[Any]) -> Any:
    import pyarrow

    return pyarrow.array(list(column))


def as_dictionary(column: Sequence[Any]) -> Any:
    return as_arrow(column).dictionary_encode()


def plain(matrix: sy.Confusion, **more: Any) -> Counted:
    return Counted(matrix.labels, matrix.counts.tolist(), **more)


def from_labels(column: Callable[[Sequence[Any]], Any]) -> Callable[[Case, Path], Answer]:
    def answer(case: Case, folder: Path) -> Answer:
        truth, pred = column(case.truths), column(case.predictions)
        return said(lambda: plain(sy.Confusion.from_labels(truth, pred, case.listed, case.weights)))

    return answer


def tally(case: Case, folder: Path) -> Answer:
    return said(lambda: plain(tallied(case, as_list).confusion))


def tally_of_arrays(case: Case, folder: Path) -> Answer:
    return said(lambda: plain(tallied(case, as_typed).confusion))


def batches(case: Case) -> list[slice]:
    edges = [0, *case.cuts, case.rows]
    return [slice(a, b) for a, b in itertools.pairwise(edges)]


def tallied(case: Case, column: Callable[[Sequence[Any]], Any]) -> sy.Tally:
    grown = sy.Tally(case.listed)
    for part in batches(case):
        weights = None if case.weights is None else case.weights[part]
        if case.rows:
            grown.update(column(case.truths[part]), column(case.predictions[part]), weights)
    return grown


def tally_restored(case: Case, folder: Path) -> Answer:
    """Written down and read again between the batches, then added to an empty one."""

    def ask() -> Answer:
        grown = tallied(case, as_list)
        return plain(sy.Tally.from_bytes(grown.to_bytes()).confusion)

    return said(ask)


def added(case: Case, folder: Path) -> Answer:
    """The matrices of batches, added up."""

    def ask() -> Answer:
        total: sy.Confusion | None = None
        for part in batches(case):
            weights = None if case.weights is None else case.weights[part]
            if part.stop > part.start and (weights is None or any(w is None or w for w in weights)):
                one = sy.Confusion.from_labels(
                    list(case.truths[part]), list(case.predictions[part]), case.listed, weights
                )
                total = one if total is None else total + one
        return REFUSED if total is None else plain(total)

    return said(ask)


def table_of_pandas(case: Case, folder: Path) -> Answer:
    """A cross table, the columns turned round."""
    import pandas

    def ask() -> Answer:
        matrix = sy.Confusion.from_labels(
            list(case.truths), list(case.predictions), case.listed, case.weights
        )
        frame = pandas.DataFrame(matrix.counts, index=list(matrix.labels), columns=list(matrix.labels))
        return plain(sy.Confusion(frame.iloc[:, ::-1]))

    return said(ask)


# -- frames and files


def rows_of(case: Case) -> Rows:
    rows: Rows = {"y": list(case.truths), "p": list(case.predictions)}
    if case.weights is not None:
        rows["w"] = list(case.weights)
    if case.slices is not None:
        rows["s"] = list(case.slices)
    return rows


def options(case: Case) -> dict[str, Any]:
    return {
        "truth": "y",
        "pred": "p",
        "weight": None if case.weights is None else "w",
        "missing": "drop" if case.drop else "error",
        "labels": case.listed,
        "slices": [] if case.slices is None else ["s"],
    }


def all_counted(counts: sy.Counts) -> Counted:
    slices = (
        {part[0]: counts.confusion(part=part).counts.tolist() for part in counts.parts()}
        if counts.by
        else None
    )
    matrix = counts.confusion()
    return plain(matrix, slices=slices, rows=counts.rows, missing=counts.missing["p"])


def evaluated(result: sy.Evaluation, sliced: bool) -> Counted:
    given = result.counted
    slices = {name[0]: matrix.counts.tolist() for name, matrix in given.slices.items()} if sliced else None
    return plain(given.matrix, slices=slices, rows=given.rows, missing=given.missing)


def arrow_table(case: Case) -> Any:
    import pyarrow

    types = {"text": pyarrow.string(), "integer": pyarrow.int64(), "large": pyarrow.int64()}
    types |= {"float": pyarrow.float64(), "boolean": pyarrow.bool_()}
    own = {"y": types[case.kind], "p": types[case.kind], "w": pyarrow.float64(), "s": pyarrow.string()}
    return pyarrow.table({name: pyarrow.array(column, own[name]) for name, column in rows_of(case).items()})


def pandas_frame(case: Case) -> Any:
    import pandas

    columns = {name: as_pandas(column) for name, column in rows_of(case).items() if name in "yp"}
    columns |= {name: pandas.Series(column) for name, column in rows_of(case).items() if name not in "yp"}
    return pandas.DataFrame(columns)


def polars_frame(case: Case) -> Any:
    import polars

    return polars.from_arrow(arrow_table(case))


def polars_lazy(case: Case) -> Any:
    return polars_frame(case).lazy()


def relation(case: Case) -> Any:
    import duckdb

    return duckdb.from_arrow(arrow_table(case))


def by_counting(source: Callable[[Case], Any]) -> Callable[[Case, Path], Answer]:
    return lambda case, folder: said(lambda: all_counted(sy.count(source(case), **options(case))))


def by_evaluating(source: Callable[[Case], Any]) -> Callable[[Case, Path], Answer]:
    return lambda case, folder: said(
        lambda: evaluated(sy.evaluate(source(case), **options(case), interval=None), case.slices is not None)
    )


def bare_evaluation(case: Case, folder: Path) -> Answer:
    slices = {} if case.slices is None else {"s": list(case.slices)}
    return said(
        lambda: evaluated(
            sy.evaluate(
                list(case.truths),
                list(case.predictions),
                weight=None if case.weights is None else list(case.weights),
                missing="drop" if case.drop else "error",
                labels=case.listed,
                slices=slices,
                interval=None,
            ),
            case.slices is not None,
        )
    )


def write_csv(case: Case, folder: Path) -> Path:
    path = folder / "rows.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        rows = rows_of(case)
        writer.writerow(rows)
        writer.writerows(["" if v is None else v for v in row] for row in zip(*rows.values(), strict=True))
    return path


def write_json(case: Case, folder: Path) -> Path:
    path = folder / "rows.jsonl"
    rows = rows_of(case)
    lines = (json.dumps(dict(zip(rows, row, strict=True))) + "\n" for row in zip(*rows.values(), strict=True))
    path.write_text("".join(lines), encoding="utf-8")
    return path


def write_parquet(case: Case, folder: Path) -> str:
    """Two files of one table."""
    import pyarrow.parquet as parquet

    table = arrow_table(case)
    half = table.num_rows // 2
    for i, part in enumerate((table.slice(0, half), table.slice(half))):
        parquet.write_table(part, folder / f"part-{i}.parquet")
    return str(folder / "part-*.parquet")


def by_file(write: Callable[[Case, Path], Any]) -> Callable[[Case, Path], Answer]:
    return lambda case, folder: said(lambda: all_counted(sy.count(str(write(case, folder)), **options(case))))


def in_odd_folder(write: Callable[[Case, Path], Any]) -> Callable[[Case, Path], Any]:
    """The same file in folders that are called like its columns, as data lakes call them."""

    def written(case: Case, folder: Path) -> Any:
        odd = folder / "p=1" / "y=a" / "w=7" / "s=x"
        odd.mkdir(parents=True, exist_ok=True)
        return write(case, odd)

    return written


def write_floats(case: Case, folder: Path) -> Path:
    """Predictions as the floats that a gap in their column makes of integers."""
    floats = tuple(None if label is None else f"{label}.0" for label in case.predictions)
    return write_csv(replace(case, predictions=floats), folder)


def watched(write: Callable[[Case, Path], Path]) -> Callable[[Case, Path], Answer]:
    """What `steelyard watch` reads, all rows as one block."""

    def answer(case: Case, folder: Path) -> Answer:
        def ask() -> Answer:
            how = "drop" if case.drop else "error"
            blocks = Blocks(str(write(case, folder)), 1_000_000, truth="y", pred="p", missing=how)
            whole = [*blocks, blocks.rest()]
            return plain(whole[-1].confusion())

        return said(ask)

    return answer


def command(case: Case, folder: Path) -> Answer:
    """`steelyard evaluate rows.csv --json`, in this process."""
    target = folder / "result.json"
    target.unlink(missing_ok=True)
    words = ["evaluate", str(write_csv(case, folder)), "--truth", "y", "--pred", "p", "--interval", "none"]
    words += [] if case.weights is None else ["--weight", "w"]
    words += [] if case.slices is None else ["--slice", "s"]
    words += ["--missing", "drop" if case.drop else "error", "--json", str(target)]
    silent = io.StringIO()
    with contextlib.redirect_stdout(silent), contextlib.redirect_stderr(silent), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code = run_command(words)
    if code == 2 and not target.exists():
        return REFUSED
    found = json.loads(target.read_text(encoding="utf-8"))
    return Counted(
        tuple(found["matrix"]["labels"]),
        found["matrix"]["counts"],
        rows=found["source"]["rows"],
        missing=found["source"]["missing_left_out"],
    )


def can_be_json(case: Case) -> bool:
    """Named classes may be written as text, as a command line does: beside text and numbers "1" would be either."""
    either = case.kind == "mixed" and any(
        isinstance(label, str) and re.fullmatch(PLAIN_NUMBER, label) for label in case.listed or ()
    )
    numbers = [*(case.weights or ()), *(v for v in (*case.truths, *case.predictions) if isinstance(v, float))]
    return case.rows > 0 and not either and all(v is None or math.isfinite(v) for v in numbers)


def of_one_type_in_batches(case: Case) -> bool:
    """A batch of text against numbers is refused at once, before another batch can show that both occur in both columns."""
    return spelled_in_one_way(case) and (case.kind != "mixed" or not case.cuts or case.listed is not None)


def spelled_in_one_way(case: Case) -> bool:
    """So is a batch in which truth and prediction write a class in two ways, and two batches do not show that they do."""
    if not case.cuts or case.listed is not None:
        return whole(case)
    labels = {label for label in (*case.truths, *case.predictions) if isinstance(label, str)}
    return whole(case) and len({folded(label) for label in labels}) == len(labels)


def named(case: Case) -> bool:
    """pandas numbers rows that have no names, so a table of classes 0, 1, ... is one without names."""
    return whole(case) and case.kind == "text"


def fits_command(case: Case) -> bool:
    return case.listed is None and has_rows(case)


def has_rows(case: Case) -> bool:
    """A label with a carriage return beside one with a line feed makes a text file that is refused, in one sentence."""
    return case.rows > 0 and not any("\r" in str(label) for label in (*case.truths, *case.predictions))


def plain_integers(case: Case) -> bool:
    """Integers, each of them in the truth: a class that is only predicted is called as it is written."""
    pairs = [pair for pair in zip(case.truths, case.predictions, strict=True) if None not in pair]
    known = {called for _, called in pairs} <= {true for true, _ in pairs}
    return case.kind in ("integer", "large") and known and has_rows(case)


def can_be_watched(case: Case) -> bool:
    """A stream has neither weights nor slices nor named classes; few rows are not refused as strangers."""
    bare = case.weights is None and case.slices is None and case.listed is None
    return bare and has_rows(case) and case.rows < 20 and all(map(one_line, case.truths + case.predictions))


def watched_integers(case: Case) -> bool:
    return plain_integers(case) and can_be_watched(case)


def one_line(label: Any) -> bool:
    return "\n" not in str(label)


def typed_rows(case: Case) -> bool:
    return case.rows > 0 and of_one_type(case)


COUNTING: tuple[Way, ...] = (
    Way("lists", "counts", from_labels(as_list), whole),
    Way("objects", "counts", from_labels(as_objects), whole),
    Way("arrays", "counts", from_labels(as_typed), unlisted_holes(of_one_type)),
    Way("pandas columns", "counts", from_labels(as_pandas), whole, 0.5),
    Way("pandas categories", "counts", from_labels(as_categories), unlisted_holes(of_one_type), 0.25),
    Way("polars columns", "counts", from_labels(as_polars), unlisted_holes(of_one_type)),
    Way("arrow arrays", "counts", from_labels(as_arrow), unlisted_holes(of_one_type)),
    Way("arrow dictionaries", "counts", from_labels(as_dictionary), unlisted_holes(of_one_type)),
    Way("tally of lists", "counts", tally, of_one_type_in_batches),
    Way("tally of arrays", "counts", tally_of_arrays, lambda case: spelled_in_one_way(case) and of_one_type(case)),
    Way("tally written and read", "counts", tally_restored, of_one_type_in_batches),
    Way("matrices added", "counts", added, lambda case: of_one_type_in_batches(case) and not case.has_holes),
    Way("cross table", "counts", table_of_pandas, named, 0.2),
    Way("evaluate columns", "counts", bare_evaluation, anything, 0.01, refuses_strangers=True, needs_two_classes=True),
    Way("pandas frame", "counts", by_counting(pandas_frame), typed_rows, 0.02, refuses_strangers=True),
    Way("polars frame", "counts", by_counting(polars_frame), typed_rows, 0.03, refuses_strangers=True),
    Way("polars lazy", "counts", by_counting(polars_lazy), typed_rows, 0.03, refuses_strangers=True),
    Way("arrow table", "counts", by_counting(arrow_table), typed_rows, 0.03, refuses_strangers=True),
    Way("relation", "counts", by_counting(relation), typed_rows, 0.015, refuses_strangers=True),
    Way("evaluate pandas", "counts", by_evaluating(pandas_frame), typed_rows, 0.005, refuses_strangers=True, needs_two_classes=True),
    Way("evaluate polars", "counts", by_evaluating(polars_frame), typed_rows, 0.005, refuses_strangers=True, needs_two_classes=True),
    Way("csv", "counts", by_file(write_csv), has_rows, 0.008, writes_text=True, refuses_strangers=True),
    Way("json lines", "counts", by_file(write_json), can_be_json, 0.008, refuses_strangers=True),
    Way("parquet", "counts", by_file(write_parquet), typed_rows, 0.006, refuses_strangers=True),
    Way("csv in an odd folder", "counts", by_file(in_odd_folder(write_csv)), has_rows, 0.004, writes_text=True, refuses_strangers=True),
    Way("json lines in an odd folder", "counts", by_file(in_odd_folder(write_json)), can_be_json, 0.004, refuses_strangers=True),
    Way("parquet in an odd folder", "counts", by_file(in_odd_folder(write_parquet)), typed_rows, 0.004, refuses_strangers=True),
    Way("csv of integers and floats", "counts", by_file(write_floats), plain_integers, 0.02, writes_text=True, refuses_strangers=True),
    Way("watch", "counts", watched(write_csv), can_be_watched, 0.2, writes_text=True),
    Way("watch of integers and floats", "counts", watched(write_floats), watched_integers, 0.2, writes_text=True),
    Way("command", "counts", command, fits_command, 0.003, writes_text=True, refuses_strangers=True, needs_two_classes=True),
)  # fmt: skip
