"""What did several models say of the same examples, when their predictions are in files?

DuckDB counts the combinations of truth and predictions in one pass; no row leaves it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from steelyard.errors import InputError, MissingExtraError, UnknownNameError
from steelyard.joint import JointCounts

_READERS = {".parquet": "read_parquet", ".pq": "read_parquet", ".csv": "read_csv", ".tsv": "read_csv", ".txt": "read_csv"}


def read_joint(
    paths: Sequence[str | Path], truth: str, predictions: Sequence[str], *, key: str | None = None, fold: str | None = None
) -> JointCounts:
    """Joint counts from one file with a column for each model, or from a file for each model whose rows are matched by a key."""
    if not paths:
        raise InputError("there is no file to read", found="none", allowed="at least one CSV or Parquet file")
    if len(set(predictions)) != len(predictions):
        raise InputError("a prediction column is named twice", found=", ".join(predictions), allowed="different columns")
    connection = _connected()
    try:
        if len(paths) == 1:
            return _one_file(connection, Path(paths[0]), truth, predictions, fold)
        return _matched_files(connection, [Path(path) for path in paths], truth, predictions, key, fold)
    finally:
        connection.close()


def _connected() -> Any:
    try:
        import duckdb
    except ImportError as error:
        raise MissingExtraError("duckdb", "files", "reading files") from error
    connection = duckdb.connect()
    connection.execute("SET enable_progress_bar = false")
    return connection


def _one_file(connection: Any, path: Path, truth: str, predictions: Sequence[str], fold: str | None) -> JointCounts:
    if len(predictions) < 2:
        raise InputError(
            "a comparison needs models",
            found=f"{len(predictions)} prediction column in one file",
            allowed="several --pred columns, or several files with --key",
        )
    _open(connection, "file0", path, [truth, *predictions, *([fold] if fold else [])])
    return _counted(connection, "file0", truth, {name: name for name in predictions}, fold)


def _matched_files(
    connection: Any, paths: Sequence[Path], truth: str, predictions: Sequence[str], key: str | None, fold: str | None
) -> JointCounts:
    if key is None:
        raise InputError(
            "rows of several files cannot be matched",
            found=f"{len(paths)} files and no key",
            allowed="a column that names each example",
            do="say --key COLUMN",
        )
    if len(predictions) not in (1, len(paths)):
        raise InputError(
            "the prediction columns do not fit the files",
            found=f"{len(predictions)} columns for {len(paths)} files",
            allowed="one --pred for all files, or one for each",
        )
    names = [path.stem for path in paths]
    if len(set(names)) != len(names):
        raise InputError("two files would name the same model", found=", ".join(map(str, paths)), allowed="files with different names")
    columns = [predictions[0]] * len(paths) if len(predictions) == 1 else list(predictions)
    for number, (path, column) in enumerate(zip(paths, columns, strict=True)):
        _open(connection, f"file{number}", path, [truth, column, key, *([fold] if fold and number == 0 else [])])
        _refuse_repeated_keys(connection, f"file{number}", path, key)
    for number, path in enumerate(paths[1:], start=1):
        _refuse_other_keys(connection, number, paths[0], path, key)
        _refuse_other_truth(connection, number, paths[0], path, key, truth)
    joins = " ".join(f"JOIN file{k} ON file0.{_quoted(key)} = file{k}.{_quoted(key)}" for k in range(1, len(paths)))
    picked = ", ".join(f"file{k}.{_quoted(c)} AS pred{k}" for k, c in enumerate(columns))
    folded = f", file0.{_quoted(fold)} AS {_quoted(fold)}" if fold else ""
    connection.execute(f"CREATE VIEW matched AS SELECT file0.{_quoted(truth)} AS {_quoted(truth)}, {picked}{folded} FROM file0 {joins}")
    return _counted(connection, "matched", truth, {name: f"pred{k}" for k, name in enumerate(names)}, fold)


def _open(connection: Any, view: str, path: Path, needed: Sequence[str]) -> None:
    """Make a file a view, or say why it cannot be one."""
    import duckdb

    suffix = next((s for s in reversed(path.suffixes) if s.lower() in _READERS), None)
    if suffix is None:
        raise InputError("the kind of file is not known", found=str(path), allowed=", ".join(_READERS))
    if not path.is_file():
        raise InputError("the file is not there", found=str(path), allowed="an existing CSV or Parquet file")
    text = str(path).replace("'", "''")
    try:
        connection.execute(f"CREATE VIEW {view} AS SELECT * FROM {_READERS[suffix.lower()]}('{text}')")
        present = [row[0] for row in connection.execute(f"DESCRIBE {view}").fetchall()]
    except duckdb.Error as error:
        raise InputError(f"the file {path} cannot be read", found=str(error).splitlines()[0].rstrip(".")) from error
    for column in needed:
        if column not in present:
            raise UnknownNameError(f"column of {path.name}", column, present)


def _counted(connection: Any, view: str, truth: str, columns: dict[str, str], fold: str | None) -> JointCounts:
    import duckdb

    named = [truth, *columns.values(), *([fold] if fold else [])]
    listed = ", ".join(map(_quoted, named))
    try:
        rows = connection.execute(f"SELECT {listed}, count(*) FROM {view} GROUP BY ALL ORDER BY ALL").fetchall()
    except duckdb.Error as error:
        raise InputError("the rows cannot be counted", found=str(error).splitlines()[0].rstrip(".")) from error
    if not rows:
        raise InputError("there is nothing to count", found="0 rows", allowed="at least one row")
    for place, name in enumerate([truth, *columns, *([fold] if fold else [])]):
        missing = sum(row[-1] for row in rows if row[place] is None or row[place] != row[place])
        if missing:
            raise InputError(
                f"{name} has missing values", found=f"{missing:,} of {sum(r[-1] for r in rows):,} rows", allowed="a value in every row"
            )
    by_column = list(zip(*rows, strict=True))
    folds = _numbered(by_column[1 + len(columns)]) if fold else None
    return JointCounts.from_cells(by_column[0], by_column[1 : 1 + len(columns)], by_column[-1], list(columns), folds=folds)


def _numbered(values: Sequence[Any]) -> list[int]:
    place = {value: k for k, value in enumerate(dict.fromkeys(values))}
    return [place[value] for value in values]


def _refuse_repeated_keys(connection: Any, view: str, path: Path, key: str) -> None:
    name = _quoted(key)
    repeated = connection.execute(f"SELECT {name}, count(*) FROM {view} GROUP BY 1 HAVING count(*) > 1 ORDER BY 1 LIMIT 1").fetchone()
    if repeated:
        raise InputError(
            f"a key occurs more than once in {path.name}",
            found=f"{key} = {repeated[0]!r} in {repeated[1]:,} rows",
            allowed="different keys",
        )


def _refuse_other_keys(connection: Any, number: int, first: Path, path: Path, key: str) -> None:
    name = _quoted(key)
    for one, other, holder, lacking in (("file0", f"file{number}", first, path), (f"file{number}", "file0", path, first)):
        found = connection.execute(
            f"SELECT count(*), min({name}) FROM {one} WHERE {name} IS NULL OR {name} NOT IN (SELECT {name} FROM {other} WHERE {name} IS NOT NULL)"
        ).fetchone()
        if found[0]:
            raise InputError(
                "the files do not hold the same examples",
                found=f"{found[0]:,} keys of {holder.name} that {lacking.name} lacks, such as {found[1]!r}",
                allowed="the same keys in every file",
            )


def _refuse_other_truth(connection: Any, number: int, first: Path, path: Path, key: str, truth: str) -> None:
    name, label = _quoted(key), _quoted(truth)
    found = connection.execute(
        f"SELECT count(*), min(a.{name}) FROM file0 a JOIN file{number} b ON a.{name} = b.{name} WHERE a.{label} IS DISTINCT FROM b.{label}"
    ).fetchone()
    if found[0]:
        raise InputError(
            "the files do not agree about the truth",
            found=f"{found[0]:,} examples with another {truth} in {path.name} than in {first.name}, such as {key} = {found[1]!r}",
            allowed="the same truth for the same key",
        )


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
