"""Results as the frames users work with."""

from __future__ import annotations

from typing import Any

from steelyard.errors import MissingExtraError


def to_pandas(rows: list[dict[str, Any]]) -> Any:
    """Rows of plain data as a pandas DataFrame."""
    try:
        import pandas as pd
    except ImportError as error:
        raise MissingExtraError("pandas", "pandas", "a data frame") from error
    frame = pd.DataFrame(rows)
    return frame.set_index("id") if "id" in frame.columns and frame["id"].is_unique else frame


def to_polars(rows: list[dict[str, Any]]) -> Any:
    """Rows of plain data as a polars DataFrame."""
    try:
        import polars as pl
    except ImportError as error:
        raise MissingExtraError("polars", "polars", "a polars frame") from error
    return pl.DataFrame(rows, infer_schema_length=None, strict=False)
