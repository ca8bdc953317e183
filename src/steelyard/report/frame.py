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
    return pd.DataFrame(rows)
