"""Test runs of DeepEval (DEEPEVAL_RESULTS_FOLDER): a JSON file a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from steelyard.reading.logs.sample import LogSample, not_read, plain_columns

TOOL = "DeepEval"


def recognises(document: Any) -> bool:
    """Is this JSON such a run?"""
    return isinstance(document, Mapping) and {"testCases", "metricsScores"} <= set(document)


def samples(path: str, document: Mapping[str, Any]) -> Iterator[LogSample]:
    """The test cases of a run that have an expected and an actual output."""
    model = str((document.get("hyperparameters") or {}).get("model", "model"))
    seen: dict[str, int] = {}
    for place, case in enumerate(document["testCases"]):
        if case.get("expectedOutput") is None:
            raise not_read(TOOL, path, f"test case {case.get('name')!r} has no expected output")
        sample = str(case.get("name", place))
        seen[sample] = seen.get(sample, 0) + 1
        yield LogSample(
            sample=sample,
            target=case["expectedOutput"],
            answer=case.get("actualOutput"),
            model=model,
            epoch=seen[sample],
            columns=plain_columns(case.get("metadata") or case.get("additionalMetadata")),
        )
