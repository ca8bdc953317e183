"""The limit on threads is taken away again, whoever leaves first."""

from __future__ import annotations

import threading

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from steelyard.uncertainty.many_model_posterior import one_thread


def _threads() -> list[int]:
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


def test_products_stay_on_one_thread_and_the_limit_goes() -> None:
    with threadpool_limits(2, user_api="blas"):
        before = _threads()
        with one_thread():
            assert set(_threads()) <= {1}
            with one_thread():
                assert set(_threads()) <= {1}
            assert set(_threads()) <= {1}
        assert _threads() == before


def test_the_limit_goes_after_an_error() -> None:
    with threadpool_limits(2, user_api="blas"):
        before = _threads()
        with pytest.raises(ZeroDivisionError), one_thread():
            _ = 1 / 0
        assert _threads() == before


def test_two_calls_that_overlap_leave_no_limit_behind() -> None:
    """The second finds the limit of the first, who leaves before it: what it found is not what it puts back."""
    inside, leave = threading.Event(), threading.Event()

    def second() -> None:
        with one_thread():
            inside.set()
            leave.wait(10)

    with threadpool_limits(2, user_api="blas"):
        before = _threads()
        other = threading.Thread(target=second)
        with one_thread():
            other.start()
            assert inside.wait(10)
        assert _threads() == before
        leave.set()
        other.join(10)
        assert _threads() == before
