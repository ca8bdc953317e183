"""Rows of logs: samples of one or several models as a table that evaluate and compare read."""

# The table has a column for the sample, the epoch and the target, one for the answers of each model, and the
# metadata. Answers are matched to the classes without regard to capitals, blanks and a final full stop; what
# is then no class is no answer. Samples that occur in several epochs, or in one document, are clusters.

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steelyard.counts.labels import ABSTAIN
from steelyard.errors import InputError
from steelyard.reading.logs import deepeval, inspect_ai, lm_evaluation_harness, promptfoo
from steelyard.reading.logs.sample import LogSample

_OF_LINES = (lm_evaluation_harness, promptfoo)
_OF_DOCUMENTS = (inspect_ai, promptfoo, deepeval)
# Metadata that name what several samples belong to.
_CLUSTERS = ("document", "document_id", "doc", "conversation", "conversation_id", "group")


@dataclass(frozen=True)
class LogRows:
    """A table of the samples of logs, in a temporary file."""

    path: str
    models: tuple[str, ...]
    cluster: str | None
    """The column of clusters, where samples are not independent."""
    invalid: int
    """Answers that are no class."""


def log_samples(path: str) -> list[LogSample]:
    """The samples of a log, whichever tool wrote it."""
    if path.lower().endswith(".eval"):
        return list(inspect_ai.samples(path))
    try:
        text = Path(path).read_text(encoding="utf-8")
        if path.lower().endswith(".jsonl"):
            lines = [json.loads(line) for line in text.splitlines() if line.strip()]
            kind = next(kind for kind in _OF_LINES if kind.recognises(lines[0]))
            return list(kind.samples(path, lines))
        document = json.loads(text)
    except (ValueError, OSError) as error:
        raise InputError("the log cannot be read", found=f"{path}: {error}", allowed="JSON") from error
    for kind_of_document in _OF_DOCUMENTS:
        if kind_of_document.recognises(document):
            return list(kind_of_document.samples(path, document))
    raise InputError(
        "this JSON is not the log of a known tool",
        found=path,
        allowed="logs of Inspect, promptfoo and DeepEval; samples of lm-evaluation-harness (.jsonl)",
        do="write predictions as JSON lines (.jsonl), CSV or Parquet",
    )


@contextmanager
def rows_of_logs(paths: Sequence[str], none: str | None = ABSTAIN) -> Iterator[LogRows]:
    """The samples of logs as one table, a column for each model; `none` stands for no valid answer."""
    by_model: dict[str, dict[tuple[str, int], LogSample]] = {}
    for path in paths:
        samples = log_samples(path)
        if not samples:
            raise InputError("the log has no samples", found=path)
        taken = set(by_model)
        for sample in samples:
            model = sample.model if sample.model not in taken else f"{sample.model} ({Path(path).stem})"
            by_model.setdefault(model, {})[sample.sample, sample.epoch] = sample
    first = next(iter(by_model.values()))
    for model, found_samples in by_model.items():
        if found_samples.keys() != first.keys():
            odd = next(iter(found_samples.keys() ^ first.keys()))
            raise InputError(
                "the models did not answer the same samples",
                found=f"sample {odd[0]!r} (epoch {odd[1]}) of one model only, among them {model}",
            )
    everything = [sample for samples_of in by_model.values() for sample in samples_of.values()]
    classes = _classes(everything)
    invalid = 0
    rows = []
    for key, sample in first.items():
        row = {**sample.columns, "sample": sample.sample, "epoch": sample.epoch, "target": str(sample.target)}
        for model, samples_of in by_model.items():
            answer = classes.get(_folded(samples_of[key].answer))
            invalid += answer is None
            row[_column(model, by_model)] = none if answer is None else answer
        rows.append(row)
    if 2 * invalid > len(everything):
        examples = [str(each.answer) for each in everything if _folded(each.answer) not in classes]
        raise InputError(
            "the answers are not of a closed set of classes",
            found=f"{invalid:,} of {len(everything):,} that are no target, such as {examples[0][:60]!r}",
            allowed="answers that are one of the targets",
        )
    with tempfile.TemporaryDirectory() as folder:
        path_of_rows = Path(folder) / "samples.jsonl"
        path_of_rows.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        models = tuple(_column(model, by_model) for model in by_model)
        yield LogRows(str(path_of_rows), models, _cluster(rows), invalid)


def _column(model: str, models: Any) -> str:
    return "answer" if len(models) == 1 else model


def _classes(samples: Sequence[LogSample]) -> dict[str, str]:
    """The classes by what is compared of them: the targets, and the choices that were offered."""
    named: dict[str, str] = {}
    for sample in samples:
        for label in (sample.target, *sample.choices):
            named.setdefault(_folded(label), str(label))
    return named


def _folded(answer: Any) -> str:
    """An answer without what a model adds: capitals, blanks, quotes, a full stop."""
    return re.sub(r"^[\s\"'*`]+|[\s\"'*`.]+$", "", str(answer)).casefold()


def _cluster(rows: Sequence[dict[str, Any]]) -> str | None:
    """The column whose values several rows share: a document, or a sample of several epochs."""
    for name in (*_CLUSTERS, "sample"):
        values = [row.get(name) for row in rows]
        if None not in values and 1 < len(set(values)) < len(values):
            return name
    return None
