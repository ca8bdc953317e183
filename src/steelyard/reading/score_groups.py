"""Which scores does a cluster hold: in a frame there, or in files that it reads?"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steelyard.counts.libraries import library_of
from steelyard.errors import InputError
from steelyard.reading.bounded_bins import TOLERANCE
from steelyard.reading.engines import open_source
from steelyard.reading.spark import SparkFrame


@dataclass(frozen=True)
class ClusterReading:
    """Who reads scores, and how closely a cluster is to count them."""

    engine: str | None = None
    spark_master: str | None = None
    tolerance: float = TOLERANCE
    """What bins may leave open of an area under the ROC curve."""
    exact: bool = False

    def reads(self, source: Any) -> bool:
        """Does a cluster read this source?"""
        if isinstance(source, (str, Path)):
            if self.engine != "spark" and self.spark_master is not None:
                raise InputError(
                    "a Spark master was named for another engine",
                    found=f"engine {self.engine or 'duckdb'}",
                    do='say engine="spark"',
                )
            return self.engine == "spark"
        return library_of(source) == "pyspark"

    @contextmanager
    def opened(self, source: Any) -> Iterator[SparkFrame]:
        """The source on its cluster."""
        frame = open_source(
            source, self.engine if isinstance(source, (str, Path)) else None, self.spark_master
        )
        if not isinstance(frame, SparkFrame):
            raise AssertionError("only a cluster is asked here")
        try:
            yield frame
        finally:
            frame.close()
