"""The engine that counts a source: DuckDB for files, Narwhals for frames, Spark for clusters."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from steelyard.counts.libraries import frame_words, library_of
from steelyard.errors import InputError, parameter
from steelyard.reading.table import Progress, Table

# Those of files; judgement/common_options.py offers them.
ENGINES = ("duckdb", "spark")


@contextmanager
def opened(source: Any, *how: Any, **options: Any) -> Iterator[Table]:
    """The table behind a source (see `open_table`), closed afterwards."""
    # A table that the caller opened stays open.
    if isinstance(source, Table):
        yield source
        return
    table = open_table(source, *how, **options)
    try:
        yield table
    finally:
        table.close()


def open_table(
    source: Any,
    engine: str | None = None,
    spark_master: str | None = None,
    memory_limit: str | None = None,
    progress: Progress | None = None,
) -> Table:
    """The table behind a path, a glob or a frame, with the engine that counts it."""
    # Libraries are recognised by the module of an object's type, so none is imported for asking.
    if engine is not None and engine not in ENGINES:
        raise InputError("the engine is not known", found=repr(engine), allowed=", ".join(ENGINES))
    # By the name of the module: isinstance would need the import of every library.
    library = library_of(source)
    if isinstance(source, (str, Path)):
        if engine == "spark":
            from steelyard.reading.spark import SparkFiles

            return SparkFiles(source, spark_master)
        if spark_master is not None:
            raise InputError(
                "a Spark master was named for another engine",
                found=f"engine {engine or 'duckdb'}",
                do=f"say {parameter('engine', 'spark')}",
            )
        from steelyard.reading.duckdb import FileTable

        return FileTable(source, memory_limit, progress)
    if engine is not None and engine != library.removeprefix("py"):
        raise InputError(
            "the frame is counted where it is",
            found=f"{frame_words(source)} and engine {engine!r}",
            do=f"leave out {parameter('engine')}",
        )
    if library == "duckdb":
        from steelyard.reading.duckdb import RelationTable

        return RelationTable(source)
    if library == "pyspark":
        from steelyard.reading.spark import SparkTable

        return SparkTable(source)
    if library in ("polars", "pandas", "pyarrow"):
        from steelyard.reading.frames import FrameTable

        return FrameTable(source)
    raise InputError(
        "this cannot be counted",
        found=f"{type(source).__module__}.{type(source).__name__}",
        allowed="a path, or a DuckDB, Polars, pandas, PyArrow or Spark frame",
    )


def is_log(source: Any) -> bool:
    """Is this the log of an LLM evaluation? JSON lines are looked into, since any table may be written so."""
    if not isinstance(source, (str, Path)) or not Path(source).is_file():
        return False
    suffix = Path(source).suffix.lower()
    if suffix != ".jsonl":
        return suffix in (".eval", ".json")
    from steelyard.reading.logs import reader_of

    try:
        with Path(source).open(encoding="utf-8") as file:
            return reader_of(json.loads(file.readline())) is not None
    except (ValueError, OSError):
        return False
