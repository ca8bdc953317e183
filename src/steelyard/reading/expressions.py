"""How is counting said once for every engine?

Narwhals expressions over columns with safe names: `t` the truth, `p0`, `p1`, ... the predictions of each
model, `s0`, `s1`, ... the slices and `w` the weight. Polars, pandas, PyArrow and Spark run the same lines.
Only what every engine gives the same answer to is used: no casts of Booleans, no hashes, no user-defined
functions.

To DuckDB the same two questions are put in SQL. Narwhals keeps DuckDB's types in tables of its own until the
interpreter ends, and where NumPy is loaded too, DuckDB 2.0 then prints 35 lines about leaked instances at the
end of every user's script.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from steelyard.errors import InputError

if TYPE_CHECKING:
    import narwhals as nw

TRUTH, WEIGHT, MODEL, PREDICTION, SQUARES = "t", "w", "m", "p", "ww"


def prediction_name(model: int) -> str:
    return f"p{model}"


def slice_name(place: int) -> str:
    return f"s{place}"


_DUCKDB_NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL")


@dataclass(frozen=True)
class GroupedRelation:
    """A DuckDB relation that was grouped; it is handed over as a grouped frame of Narwhals is."""

    relation: Any

    def to_native(self) -> Any:
        return self.relation


def grouped(frame: Any, models: int, slices: int, weighted: bool) -> nw.LazyFrame[Any] | GroupedRelation:
    """Rows grouped by truth, the predictions of all models together, and slices: one pass however many models
    there are.

    The columns are the keys in that order, then the number of rows, the sum of the weights, the number of
    unusable weights and the sum of the squared weights.
    """
    keys = [TRUTH, *map(prediction_name, range(models)), *map(slice_name, range(slices))]
    if _is_relation(frame):
        return _grouped_relation(frame, keys, weighted)
    return _counted(_lazy(frame), keys, weighted)


def grouped_by_model(frame: Any, models: int, slices: int, weighted: bool) -> nw.LazyFrame[Any]:
    """Rows grouped by model (p0, p1, ...), truth, prediction and slices.

    Every row is seen once per model, which costs more than `grouped` but leaves at most models x classes x
    classes x slices groups:
    where groups travel over a network, that is what matters.
    """
    others = [TRUTH, *map(slice_name, range(slices)), *([WEIGHT] if weighted else [])]
    names = [prediction_name(model) for model in range(models)]
    long = _lazy(frame).unpivot(names, index=others, variable_name=MODEL, value_name=PREDICTION)
    return _counted(long, [MODEL, TRUTH, PREDICTION, *map(slice_name, range(slices))], weighted)


def refuse_unweighable(frame: Any, column: str) -> None:
    """Refuse a column of weights that holds no numbers."""
    if _is_relation(frame):
        dtype = str(frame.types[frame.columns.index(WEIGHT)])
        numeric = dtype.removeprefix("U").startswith(_DUCKDB_NUMBERS)
    else:
        schema = _lazy(frame).collect_schema()
        dtype, numeric = str(schema[WEIGHT]), schema[WEIGHT].is_numeric()
    if not numeric:
        raise InputError(
            "the weights cannot be used",
            found=f"{column!r} of type {dtype}",
            allowed="a column of finite numbers >= 0",
        )


def kinds_of(frame: Any, models: Sequence[str]) -> list[list[str]]:
    """The models, those with predictions of one type together."""
    kinds: dict[str, list[str]] = {}
    for model, dtype in zip(models, _lazy(frame).collect_schema().values(), strict=True):
        kinds.setdefault(str(dtype), []).append(model)
    return list(kinds.values())


def _is_relation(frame: Any) -> bool:
    return type(frame).__name__ == "DuckDBPyRelation"


def _grouped_relation(relation: Any, keys: Sequence[str], weighted: bool) -> GroupedRelation:
    wanted = [*keys, "count(*) AS n"]
    if weighted:
        weight = f"CAST({WEIGHT} AS DOUBLE)"
        unusable = f"{weight} IS NULL OR NOT isfinite({weight}) OR {weight} < 0"
        wanted += [
            f"coalesce(sum({weight}), 0) AS {WEIGHT}",
            f"sum(CASE WHEN {unusable} THEN 1 ELSE 0 END) AS bad",
            f"coalesce(sum({weight} * {weight}), 0) AS {SQUARES}",
        ]
    return GroupedRelation(relation.aggregate(", ".join(wanted), ", ".join(keys)))


def _lazy(frame: Any) -> nw.LazyFrame[Any]:
    import narwhals as nw

    lazy: nw.LazyFrame[Any] = nw.from_native(frame).lazy()
    return lazy


def _counted(frame: nw.LazyFrame[Any], keys: Sequence[str], weighted: bool) -> nw.LazyFrame[Any]:
    import narwhals as nw

    rows = nw.len().alias("n")
    if not weighted:
        return frame.select(*keys).group_by(*keys).agg(rows)
    weight = nw.col(WEIGHT).cast(nw.Float64)
    unusable = weight.is_null() | ~weight.is_finite() | (weight < 0)
    prepared = frame.select(
        *keys,
        weight.alias(WEIGHT),
        nw.when(unusable).then(1).otherwise(0).alias("bad"),
        (weight * weight).alias(SQUARES),
    )
    sums = [nw.col(name).sum() for name in (WEIGHT, "bad", SQUARES)]
    return prepared.group_by(*keys).agg(rows, *sums)
