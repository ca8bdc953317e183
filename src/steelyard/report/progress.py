"""Progress: a bar or a clock on the terminal, a line below the cell of a notebook."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# In a notebook: a shorter wait is none; the line is then written anew once a second.
FIRST, EVERY = 2.0, 1.0


class PartDone:
    """The part of the work that is done, 0 to 1; a result keeps it with its options, so it can be pickled."""

    share = 0.0

    def __init__(self) -> None:
        self.began = time.monotonic()

    def __call__(self, share: float) -> None:
        if share < self.share:  # another part has begun
            self.began = time.monotonic()
        self.share = share

    @property
    def left(self) -> str:
        """How long it will take; nothing where that is not known."""
        seconds, share = time.monotonic() - self.began, self.share  # which another thread changes
        return f"about {seconds / share - seconds:.0f} s left" if 0 < share < 1 else ""


# Rich draws progress in notebooks by ipywidgets, which few kernels have; a display that is updated needs
# nothing.
@contextmanager
def progress_in_notebook(name: str) -> Iterator[PartDone | None]:
    """A line below the cell that is gone when the work is done; None where this is no notebook."""
    shell = sys.modules["IPython"].get_ipython() if "ipykernel" in sys.modules else None
    if shell is None or not hasattr(shell, "kernel"):
        yield None
        return
    from IPython.display import display

    done, stop, start = PartDone(), threading.Event(), time.monotonic()

    def show() -> None:
        shown = None
        wait = FIRST
        while not stop.wait(wait):
            seconds, wait = time.monotonic() - start, EVERY
            known = ", ".join(filter(None, [f"{seconds:.0f} s", done.left]))
            text = {"text/plain": f"steelyard.{name}: {known}"}
            if shown is None:
                shown = display(text, raw=True, display_id=True)
            else:
                shown.update(text, raw=True)
        if shown is not None:
            shown.update({"text/plain": ""}, raw=True)

    thread = threading.Thread(target=show, daemon=True)
    thread.start()
    try:
        yield done
    finally:
        stop.set()
        thread.join()


# Call what it gives with the part done, 0 to 1, where the work says how much that is.
@contextmanager
def progress_on_terminal(words: str, measured: bool) -> Iterator[Callable[[float], None]]:
    """What is worked at and for how long, on standard error; gone when it is done."""
    from rich import progress as rich
    from rich.console import Console

    text = rich.TextColumn("{task.description}", markup=False)
    bar = [rich.BarColumn(), rich.TextColumn("{task.fields[left]}")] if measured else []
    columns = (rich.SpinnerColumn(), text, rich.TimeElapsedColumn(), *bar)
    with rich.Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        shown.add_task(words, total=None, left="")
        (task,), done = shown.tasks, PartDone()

        def report(share: float) -> None:
            done(share)
            # The bar moves to and fro while it is not known how much is left.
            task.fields["left"] = left = done.left
            task.total, task.completed = (1.0, share) if left else (None, 0)

        yield report
