"""Does Spark count the same? Its frames are fuzzed apart, because a session takes seconds to start."""

from __future__ import annotations

import random
import tempfile
import warnings
from pathlib import Path
from typing import Any

from torture.fuzz.cases import Case, draw
from torture.fuzz.judging import Failure, tried
from torture.fuzz.paths import Way, by_counting, rows_of, typed_rows

TYPES = {"text": "string", "integer": "bigint", "large": "bigint", "float": "double", "boolean": "boolean"}


def path_of(session: Any) -> Way:
    """The path through frames of this session."""

    def frame(case: Case) -> Any:
        rows = rows_of(case)
        own = {"y": TYPES[case.kind], "p": TYPES[case.kind], "w": "double", "s": "string"}
        schema = ", ".join(f"{name} {own[name]}" for name in rows)
        return session.createDataFrame(list(zip(*rows.values(), strict=True)), schema)

    return Way("spark frame", "counts", by_counting(frame), typed_rows, refuses_strangers=True)


def fuzz(cases: int, seed: int = 0) -> tuple[int, list[Failure]]:
    """So many cases on a session of this machine; the number asked, and what failed."""
    import os

    from pyspark.sql import SparkSession

    from steelyard.reading.spark import find_java

    os.environ.setdefault("JAVA_HOME", str(find_java()))
    session = (
        SparkSession.builder.master("local[2]")
        .appName("torture")
        .config("spark.ui.enabled", False)
        .config("spark.log.level", "OFF")
        .config("spark.sql.shuffle.partitions", 2)
        .getOrCreate()
    )
    asked, failed = 0, []
    path = path_of(session)
    try:
        with tempfile.TemporaryDirectory() as name, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            number = 0
            while asked < cases:
                case = draw(random.Random(f"spark-{seed}-{number}"))
                number += 1
                if path.takes(case):
                    asked += 1
                    failure = tried(path, case, Path(name))
                    failed += [failure] if failure is not None else []
    finally:
        session.stop()
    return asked, failed
