"""Worker processes end with the run that started them.

A run that is killed cannot tell its workers. So each worker looks, once a second, whether the process that
started it is still its parent, and ends when it is not. A worker on another machine has another parent from
the start and is left to the backend that started it.
"""

from __future__ import annotations

import os
import threading
import time

EVERY = 1.0
_watched: set[int] = set()


def end_with(parent: int) -> None:
    """In a worker of this process: end, at once and without a word, when it is gone."""
    if os.getpid() == parent or os.getppid() != parent or os.getpid() in _watched:
        return
    _watched.add(os.getpid())
    threading.Thread(target=_watch, args=(parent,), daemon=True, name="ends with its run").start()


def belong_to(parent: int) -> None:
    """The first that a worker does which this process started itself: where it is gone by then, end at
    once."""
    if os.getppid() != parent:
        os._exit(1)
    end_with(parent)


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(EVERY)
    os._exit(1)  # a step under way is lost, as after any kill; finished ones are kept by the run itself
