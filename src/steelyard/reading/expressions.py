"""How is counting said once for every engine?

Narwhals expressions over columns with safe names: `t` the truth, `p0`, `p1`, ... the predictions of each model, `s0`, `s1`, ... the
slices and `w` the weight. DuckDB, Polars, pandas, PyArrow and Spark run the same lines. Only what every engine gives the same answer
to is used: no casts of Booleans, no hashes, no user-defined functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from steelyard.errors import InputError

if TYPE_CHECKING:
    import narwhals as nw

TRUTH, WEIGHT, MODEL, PREDICTION = "t", "w", "m", "p"


def prediction_name(model: int) -> str:
    return f"p{model}"


def slice_name(place: int) -> str:
    return f"s{place}"


def grouped(frame: Any, models: int, slices: int, weighted: bool) -> nw.LazyFrame[Any]:
    """Rows grouped by truth, the predictions of all models together, and slices: one pass however many models there are.

    The columns are the keys in that order, then the number of rows, the sum of the weights and the number of unusable weights.
    """
    keys = [TRUTH, *map(prediction_name, range(models)), *map(slice_name, range(slices))]
    return _counted(_lazy(frame), keys, weighted)


def grouped_by_model(frame: Any, models: int, slices: int, weighted: bool) -> nw.LazyFrame[Any]:
    """Rows grouped by model (p0, p1, ...), truth, prediction and slices.

    Every row is seen once per model, which costs more than `grouped` but leaves at most models x classes x classes x slices groups:
    where groups travel over a network, that is what matters.
    """
    others = [TRUTH, *map(slice_name, range(slices)), *([WEIGHT] if weighted else [])]
    names = [prediction_name(model) for model in range(models)]
    long = _lazy(frame).unpivot(names, index=others, variable_name=MODEL, value_name=PREDICTION)
    return _counted(long, [MODEL, TRUTH, PREDICTION, *map(slice_name, range(slices))], weighted)


def refuse_unweighable(frame: Any, column: str) -> None:
    """Refuse a column of weights that holds no numbers."""
    dtype = _lazy(frame).collect_schema()[WEIGHT]
    if not dtype.is_numeric():
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
    prepared = frame.select(*keys, weight.alias(WEIGHT), nw.when(unusable).then(1).otherwise(0).alias("bad"))
    return prepared.group_by(*keys).agg(rows, nw.col(WEIGHT).sum(), nw.col("bad").sum())
