"""The NumPy operations that have a meaning in exact algebra, each for floats, fractions and symbols."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.measures.arithmetic import as_fraction
from steelyard.proofs.enclosed_numbers import Enclosed
from steelyard.proofs.expression_reading import LARGEST_EXPONENT, Condition
from steelyard.proofs.numbers_of_reading import ExactNumbers, FloatNumbers, Numbers
from steelyard.proofs.whole_numbers import as_numpy

Array = NDArray[Any]
LARGEST_MATRIX = 100
"""Rows of an identity matrix."""


def _array(value: Any) -> Array:
    """An array of numbers; a list of numbers becomes one."""
    if isinstance(value, np.ndarray):
        return value
    if isinstance(value, tuple):
        parts = [_array(part) for part in value]
        if not parts or any(part.shape != parts[0].shape for part in parts):
            raise ValueError("an empty or ragged list")
        return np.stack(parts)
    if isinstance(value, (str, bool, Condition)) or value is None:
        raise TypeError("not a number")
    out = np.empty((), dtype=np.float64 if isinstance(value, float) else object)
    out[()] = as_numpy(value)
    return out


def _asarray(_: Numbers, value: Any) -> Any:
    return _array(value)


def _axis(given: Any) -> Any:
    if given is not None and not isinstance(given, (int, tuple)):
        raise TypeError("an axis is a whole number")
    return given


def _kept(given: Any) -> bool:
    """A comparison or a word in this place would be taken for true."""
    if not isinstance(given, bool):
        raise TypeError("keepdims is True or False")
    return given


def _sum(_: Numbers, value: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    return _array(value).sum(axis=_axis(axis), keepdims=_kept(keepdims))


def _mean(numbers: Numbers, value: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    given = _array(value)
    total = given.sum(axis=_axis(axis), keepdims=_kept(keepdims))
    places = range(given.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    count = 1
    for place in places:
        count *= given.shape[place]
    return numbers.divide(total, count)


def _prod(_: Numbers, value: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    return _array(value).prod(axis=_axis(axis), keepdims=_kept(keepdims))


def _extreme(sign: int) -> Callable[..., Any]:
    def over(numbers: Numbers, value: Any, axis: int | None = None) -> Any:
        given = _array(value)
        if axis is None:
            given, axis = given.reshape(-1), 0
        rows = list(np.moveaxis(given, axis, 0))
        chosen = reduce(numbers.maximum, rows if sign > 0 else [-r for r in rows])
        return chosen if sign > 0 else -chosen

    return over


def _diagonal(_: Numbers, value: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    return np.diagonal(_array(value), offset, axis1, axis2)


def _diag(_: Numbers, value: Any) -> Any:
    given = _array(value)
    if given.ndim != 2:
        raise ValueError("np.diag of something that is not a matrix")
    return np.diagonal(given)


def _trace(_: Numbers, value: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    return np.diagonal(_array(value), offset, axis1, axis2).sum(axis=-1)


def _root(degree: str) -> Callable[..., Any]:
    def root(numbers: Numbers, value: Any) -> Any:
        if isinstance(numbers, FloatNumbers):
            return (np.sqrt if degree == "1/2" else np.cbrt)(_plain(value))
        return numbers.power(_plain(value), as_fraction(degree))

    return root


def _plain(value: Any) -> Any:
    """A number or an array of them."""
    if isinstance(value, tuple):
        return _array(value)
    if isinstance(value, (str, bool, Condition)) or value is None:
        raise TypeError("not a number")
    return as_numpy(value)


def _log(numbers: Numbers, value: Any) -> Any:
    return numbers.log(_plain(value))


def _log2(numbers: Numbers, value: Any) -> Any:
    return numbers.divide(
        numbers.log(_plain(value)),
        numbers.log(2 if not isinstance(numbers, ExactNumbers) else numbers.constant(2)),
    )


def _abs(numbers: Numbers, value: Any) -> Any:
    return numbers.absolute(_plain(value))


def _maximum(numbers: Numbers, a: Any, b: Any) -> Any:
    return numbers.maximum(_plain(a), _plain(b))


def _minimum(numbers: Numbers, a: Any, b: Any) -> Any:
    return -numbers.maximum(-_plain(a), -_plain(b))


def _where(numbers: Numbers, condition: Any, a: Any, b: Any) -> Any:
    if not isinstance(condition, (Condition, bool)):
        raise TypeError("np.where without a comparison")
    return numbers.choose(
        condition.falls if isinstance(condition, Condition) else condition, _plain(a), _plain(b)
    )


def _power(numbers: Numbers, value: Any, exponent: Any) -> Any:
    exponent = exponent.middle if isinstance(exponent, Enclosed) else exponent
    if not isinstance(exponent, (int, float)) and not hasattr(exponent, "denominator"):
        raise TypeError("an exponent that is not a number")
    if abs(exponent) > LARGEST_EXPONENT:
        raise ValueError("a large exponent")
    return numbers.power(_plain(value), as_fraction(exponent))


def _square(_: Numbers, value: Any) -> Any:
    return _plain(value) * _plain(value)


def _eye(_: Numbers, size: int) -> Any:
    if size > LARGEST_MATRIX:
        raise ValueError("a large matrix")
    return np.eye(size, dtype=np.int64).astype(object)


def _outer(_: Numbers, a: Any, b: Any) -> Any:
    return _array(a).reshape(-1)[:, None] * _array(b).reshape(-1)[None, :]


def _transpose(_: Numbers, value: Any, axes: Any = None) -> Any:
    return np.transpose(_array(value), axes)


def _swapaxes(_: Numbers, value: Any, axis1: int, axis2: int) -> Any:
    return np.swapaxes(_array(value), axis1, axis2)


def _divide(numbers: Numbers, a: Any, b: Any, out: Any = None, where: Any = None) -> Any:
    """a / b; with `out` and `where` the entries of `out` stay where the comparison fails."""
    if (out is None) != (where is None):
        raise TypeError("out without where")
    if out is None:
        return numbers.divide(_plain(a), _plain(b))
    if not isinstance(where, Condition) or not isinstance(out, np.ndarray):
        raise TypeError("where without a comparison")
    return numbers.choose(where.falls, numbers.divide(_plain(a), _plain(b)), out)


def _filled(value: int) -> Callable[..., Any]:
    def fill(_: Numbers, like: Any) -> Any:
        given = _array(like)
        return np.full(given.shape, value, dtype=given.dtype)

    return fill


def _stack(_: Numbers, parts: Any, axis: int = 0) -> Any:
    return np.stack([_array(part) for part in parts], axis=axis)


OPERATIONS: dict[str, Callable[..., Any]] = {
    "asarray": _asarray, "array": _asarray, "sum": _sum, "mean": _mean, "prod": _prod, "diagonal": _diagonal,
    "diag": _diag,
    "trace": _trace, "sqrt": _root("1/2"), "cbrt": _root("1/3"), "log": _log, "log2": _log2, "abs": _abs,
    "absolute": _abs,
    "maximum": _maximum, "minimum": _minimum, "max": _extreme(1), "amax": _extreme(1), "min": _extreme(-1),
    "amin": _extreme(-1),
    "where": _where, "power": _power, "square": _square, "eye": _eye, "identity": _eye, "outer": _outer,
    "transpose": _transpose,
    "swapaxes": _swapaxes, "negative": lambda _, a: -_plain(a), "add": lambda _, a, b: _plain(a) + _plain(b),
    "subtract": lambda _, a, b: _plain(a) - _plain(b), "multiply": lambda _, a, b: _plain(a) * _plain(b),
    "divide": _divide, "true_divide": _divide, "zeros_like": _filled(0), "ones_like": _filled(1),
    "stack": _stack,
}  # fmt: skip
