"""How is one mutant tried in a tenth of a second? One session of tests is collected, and a child of it is forked for each.

The child puts the fault into the functions that stand there already, by giving them other code, so nothing is imported or
collected again; nothing on disk is ever changed. What ran before the child was forked has run without the fault: where the line
runs at import or in collecting, and for code outside of functions, the mutant is tried again by importing it (`serving`).
"""

from __future__ import annotations

import ast
import contextlib
import functools
import gc
import importlib
import os
import pkgutil
import resource
import signal
import sys
import tempfile
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, Literal

import coverage
import pytest

from torture.mutation.covering import LEFT_OUT, ROOT, TESTS
from torture.mutation.mutants import Mutant

Outcome = Literal["killed", "too long", "survived", "unclear"]

LONGEST = 120.0
"""Seconds on the wall after which a child that waits for something is ended, and the mutant imported instead."""

SLACK = 5.0
"""Seconds of CPU that a test may take beyond three times what it took when it was recorded."""

FOUND, CLEAN = 41, 42


def in_a_function(mutant: Mutant) -> bool:
    """Does the fault lie in what a function does when it is called, not in its defaults or decorators?"""
    for node in ast.walk(_tree(mutant.file)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            body: Sequence[ast.stmt | ast.expr] = node.body
        elif isinstance(node, ast.Lambda):
            body = [node.body]
        else:
            continue
        if any(
            (part.lineno, part.col_offset) <= (mutant.line, mutant.column)
            and (mutant.end_line, mutant.end_column) <= (part.end_lineno or 0, part.end_col_offset or 0)
            for part in body
        ):
            return True
    return False


@functools.cache
def _tree(file: str) -> ast.Module:
    return ast.parse((ROOT / file).read_text(encoding="utf-8"))


class Functions:
    """The functions that stand in memory, by the file that they were written in."""

    def __init__(self) -> None:
        self.of: dict[str, list[FunctionType]] = defaultdict(list)
        for thing in gc.get_objects():
            if type(thing) is FunctionType:
                self.of[thing.__code__.co_filename].append(thing)

    def put_in(self, mutant: Mutant) -> bool:
        """Give every function that the fault changes its other code; False where that cannot be done."""
        path = str(ROOT / mutant.file)
        before = list(_codes(compile((ROOT / mutant.file).read_text(encoding="utf-8"), path, "exec")))
        after = list(_codes(compile(mutant.source(), path, "exec")))
        if len(before) != len(after):
            before, after = _with_one_name(before, after)
        changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
        put = 0
        for function in self.of[path]:
            for old, new in changed:
                if function.__code__ == old:
                    try:
                        function.__code__ = new
                    except ValueError:  # it closes over other variables now
                        return False
                    put += 1
                    break
        return put > 0


def _codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)


def _with_one_name(before: list[CodeType], after: list[CodeType]) -> tuple[list[CodeType], list[CodeType]]:
    """Where the fault takes a function away, the others by their names and lines."""
    known = {(code.co_qualname, code.co_firstlineno): code for code in after}
    pairs = [
        (code, known[place]) for code in before if (place := (code.co_qualname, code.co_firstlineno)) in known
    ]
    return [old for old, _ in pairs], [new for _, new in pairs]


PLANTED = """
import importlib.abc, importlib.machinery, importlib.util, os, pathlib
NAME, PLACE, SOURCE = (os.environ.get("TORTURE_" + word, "") for word in ("MODULE", "PLACE", "SOURCE"))

class Planted(importlib.abc.MetaPathFinder, importlib.machinery.SourceFileLoader):
    def find_spec(self, fullname, path=None, target=None):
        return importlib.util.spec_from_file_location(NAME, PLACE, loader=self) if fullname == NAME else None

    def get_code(self, fullname=None):
        return compile(pathlib.Path(SOURCE).read_text(encoding="utf-8"), PLACE, "exec", dont_inherit=True)

if NAME:
    import sys
    sys.meta_path.insert(0, Planted(NAME, PLACE))
"""
"""What Python runs when it starts: a process that a test starts meets the mutant too."""


class Session:
    """A plugin in place of the loop over tests: what it is given to do is done with the tests collected."""

    def __init__(self, work: Callable[[Session], None], folder: Path) -> None:
        self.work, self.folder = work, folder
        (folder / "sitecustomize.py").write_text(PLANTED, encoding="utf-8")
        self.report: int | None = None
        self.watching = coverage.Coverage(
            data_file=None, branch=False, source=[str(ROOT / "src" / "steelyard")], config_file=False
        )
        self.watching.start()
        _import_the_package()

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.watching.stop()
        data = self.watching.get_data()
        self.run_before: dict[str, set[int]] = {
            str(Path(name).relative_to(ROOT)): set(data.lines(name) or ()) for name in data.measured_files()
        }
        self.items = {item.nodeid: item for item in session.items}

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        gc.collect()
        self.functions = Functions()
        gc.freeze()  # so that children share the memory
        self.work(self)
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and self.report is not None:
            os.write(self.report, report.nodeid.encode())
            os._exit(FOUND)

    def runs_before(self, mutant: Mutant) -> bool:
        """Did the line run already, when the package was imported and the tests collected?"""
        lines = self.run_before.get(mutant.file, set())
        return not lines.isdisjoint(range(mutant.line, mutant.end_line + 1))

    def tried(
        self, mutant: Mutant | None, tests: Sequence[str], seconds: Sequence[float]
    ) -> tuple[Outcome, str]:
        """What the tests make of the mutant (or of nothing), and the test that found it; one that takes much more of the
        CPU than it took as recorded has found it too."""
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            self._child(mutant, tests, seconds, writing)
        os.close(writing)
        status = _waited(child)
        with os.fdopen(reading, encoding="utf-8", errors="replace") as file:
            by = file.read()
        if status is None:
            return "unclear", ""
        code = os.waitstatus_to_exitcode(status)
        outcomes: dict[int, Outcome] = {FOUND: "killed", CLEAN: "survived", -signal.SIGXCPU: "too long"}
        return outcomes.get(code, "unclear"), by

    def _child(
        self, mutant: Mutant | None, tests: Sequence[str], seconds: Sequence[float], writing: int
    ) -> None:
        code = 70
        try:
            os.setpgid(0, 0)
            resource.setrlimit(resource.RLIMIT_AS, (12 << 30, 12 << 30))
            silent = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(silent, stream)
            if mutant is None or self._planted(mutant):
                self.report = writing
                items = [self.items[test] for test in tests]
                for item, following, usual in zip(items, [*items[1:], None], seconds, strict=True):
                    most = int(time.process_time() + SLACK + 3 * usual)
                    resource.setrlimit(resource.RLIMIT_CPU, (most, resource.RLIM_INFINITY))
                    item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                code = CLEAN
        except BaseException:
            code = 71
        finally:
            os._exit(code)

    def _planted(self, mutant: Mutant) -> bool:
        from torture.mutation.serving import remember

        remember(mutant)
        source = self.folder / "mutant.py"
        source.write_text(mutant.source(), encoding="utf-8")
        os.environ["PYTHONPATH"] = os.pathsep.join([str(self.folder), os.environ.get("PYTHONPATH", "")])
        for word, value in (("MODULE", mutant.module), ("PLACE", ROOT / mutant.file), ("SOURCE", source)):
            os.environ[f"TORTURE_{word}"] = str(value)
        return self.functions.put_in(mutant)


def _waited(child: int) -> int | None:
    started = time.monotonic()
    ended, status = 0, 0
    while not ended and time.monotonic() - started < LONGEST:
        ended, status = os.waitpid(child, os.WNOHANG)
        if not ended:
            time.sleep(0.005)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)  # also what the tests started and left
    if not ended:
        os.waitpid(child, 0)
        return None
    return status


def _import_the_package() -> None:
    """Every module, so that no child has to; what a missing library forbids is left."""
    import steelyard

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for found in pkgutil.walk_packages(steelyard.__path__, "steelyard.", onerror=lambda name: None):
            if not found.name.endswith("__main__") and "spark" not in found.name:
                with contextlib.suppress(Exception):
                    importlib.import_module(found.name)


def session(work: Callable[[Session], None], tests: Sequence[str] = TESTS) -> None:
    """Collect the tests in a child of this process and do this work there."""
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        if os.waitstatus_to_exitcode(status):
            raise RuntimeError("the session of tests ended with an error; see what it wrote")
        return
    code: Any = 1
    try:
        with tempfile.TemporaryDirectory() as folder:
            arguments = [
                *(
                    "-q",
                    "--no-header",
                    "--assert=plain",
                    "--tb=native",
                    "-p",
                    "no:cacheprovider",
                    "-p",
                    "no:cov",
                ),
                *("-p", "no:faulthandler", "--capture=no", "-k", f"not ({' or '.join(LEFT_OUT)})"),
                *("--basetemp", str(Path(folder) / "own"), *tests),
            ]
            code = int(pytest.main(arguments, plugins=[Session(work, Path(folder))]))
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0 if code in (0, 5) else 1)
