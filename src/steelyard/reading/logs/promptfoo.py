"""Results of promptfoo (`promptfoo eval -o out.json` or `out.jsonl`), version 3."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from steelyard.reading.logs.sample import LogSample, not_read, plain_columns

TOOL = "promptfoo"
# Variables that hold the target where no assertion says `equals`.
_EXPECTED = ("expected", "target", "label", "__expected")


def recognises(document: Any) -> bool:
    """Is this JSON such a log, or a line of one?"""
    if not isinstance(document, Mapping):
        return False
    whole = "evalId" in document and isinstance(document.get("results"), Mapping)
    return whole or {"testCase", "response", "promptIdx"} <= set(document)


def samples(path: str, document: Any) -> Iterator[LogSample]:
    """The results of a log; each provider and prompt is a model, a repeated test an epoch."""
    results = document if isinstance(document, list) else document["results"]["results"]
    prompts = {result.get("promptId") for result in results}
    seen: dict[tuple[str, str], int] = {}
    first: dict[str, Any] = {}
    for result in results:
        variables = result.get("vars") or {}
        model = str((result.get("provider") or {}).get("id", "model"))
        model = f"{model} (prompt {result.get('promptIdx')})" if len(prompts) > 1 else model
        # A repeated test has a number of its own; its variables are the same.
        written = json.dumps(variables, sort_keys=True)
        sample = str(first.setdefault(written, result.get("testIdx")))
        seen[sample, model] = seen.get((sample, model), 0) + 1
        yield LogSample(
            sample=sample,
            target=_target(result, variables, path),
            answer=(result.get("response") or {}).get("output"),
            model=model,
            epoch=seen[sample, model],
            columns=plain_columns(variables),
        )


def _target(result: Mapping[str, Any], variables: Mapping[str, Any], path: str) -> Any:
    assertions = (result.get("testCase") or {}).get("assert") or ()
    equal = [
        assertion.get("value") for assertion in assertions if assertion.get("type") in ("equals", "iequals")
    ]
    known = [*equal, *(variables[name] for name in _EXPECTED if name in variables)]
    if not known:
        raise not_read(
            TOOL,
            path,
            f"test {result.get('testIdx')} has no target",
            "give each test an assertion of type equals, or a variable called expected",
        )
    return known[0]
