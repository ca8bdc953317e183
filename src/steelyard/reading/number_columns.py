"""How is a column of a file read as numbers, and which columns are refused?"""

from __future__ import annotations

from steelyard.counts.score_columns import in_per_cent
from steelyard.errors import InputError
from steelyard.reading.duckdb_files import FileTable, quoted

_BLANKS = "' ' || chr(9) || chr(160)"
"""A field that holds nothing else is empty."""
NEVER_ROUNDED = frozenset(
    {"DOUBLE", "FLOAT", "TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT", "UINTEGER"}
)
"""Types of Parquet columns that hold nothing but numbers, each of which is a double."""


def number_of(column: str) -> str:
    """A column as a double, NaN where it has no value."""
    return f"coalesce(TRY_CAST({quoted(column)} AS DOUBLE), CAST('nan' AS DOUBLE))"


def is_nan(number: str) -> str:
    """Is a double no number? DuckDB answers isnan() from the least and greatest value that a Parquet file
    tells of a column, and NaN is neither of them."""
    return f"(NOT (isfinite({number}) OR isinf({number})))"


def zero_or_one(column: str) -> str:
    """A column as a double, 1 and 0 for true and false, NaN where it has no value."""
    written = f"lower(CAST({quoted(column)} AS VARCHAR))"
    return f"CASE {written} WHEN 'true' THEN 1 WHEN 'false' THEN 0 ELSE {number_of(column)} END"


def refuse_no_numbers(table: FileTable, column: str, or_truth: bool = False) -> None:
    """Refuse a column that holds something else than numbers (`or_truth`: true and false are numbers too), or
    whole numbers that are not told apart as doubles."""
    if table.kind(column) in NEVER_ROUNDED:
        return
    # To DuckDB 1_000 is a number, to nobody else; NULL and JSON's null are missing numbers, which are settled
    # elsewhere.
    written = f"CAST({quoted(column)} AS VARCHAR)"
    ((bad, example),) = table.rows(
        f"SELECT count(*), min({written}) FROM source WHERE {written} <> 'null' "
        f"AND trim({written}, {_BLANKS}) <> '' "
        f"AND (TRY_CAST({quoted(column)} AS DOUBLE) IS NULL OR contains({written}, '_'))"
        + (f" AND lower({written}) NOT IN ('true', 'false')" if or_truth else "")
    )
    if bad:
        raise InputError(
            f"column {column!r} must hold numbers",
            found=f"{bad:,} other values such as {example!r}",
            allowed="0 and 1, or true and false" if or_truth else "one number per row",
            do="" if or_truth else in_per_cent(example),
        )
    ((rounded, example),) = table.rows(
        f"SELECT count(*), min({written}) FROM source WHERE length({written}) > 15 "
        f"AND regexp_full_match({written}, '[-+]?[0-9]+') "
        f"AND TRY_CAST({written} AS HUGEINT) <> TRY_CAST(TRY_CAST({written} AS DOUBLE) AS HUGEINT)"
    )
    if rounded:
        raise InputError(
            f"column {column!r} holds whole numbers that would be rounded",
            found=f"{rounded:,} such as {example}",
            allowed="whole numbers up to 2^53, or that are doubles",
            do="give their ranks instead",
        )
