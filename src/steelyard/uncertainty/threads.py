"""Limit BLAS to one thread for the many small matrix products of a comparison.

Handing a product of a hundred rows to another thread takes longer than the product, and a thread that waits
for the next one spins: five models of a hundred classes took four times the CPU, and the clock did not gain.
Sums that are not shared out are also added in the same order on every machine.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

_held = threading.Lock()


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Products of matrices stay on the thread that asks for them.

    The limit belongs to the process, so whoever sets it must take it away: of two calls at once that each put
    back what they found, the last to leave would leave a limit behind. The second does without.
    """
    if not _held.acquire(blocking=False):
        yield
        return
    from threadpoolctl import threadpool_limits

    try:
        with threadpool_limits(limits=1, user_api="blas"):
            yield
    finally:
        _held.release()
