"""Samples of lm-evaluation-harness (`--log_samples`): JSON lines, a document a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from steelyard.reading.logs.sample import LogSample, not_read, plain_columns

TOOL = "lm-evaluation-harness"


def recognises(document: Any) -> bool:
    """Is this a line of such a log?"""
    return isinstance(document, Mapping) and {"doc_id", "target", "filtered_resps", "doc"} <= set(document)


def samples(path: str, lines: list[dict[str, Any]]) -> Iterator[LogSample]:
    """The samples of a log. The answer of a multiple choice is the most likely one."""
    filters = list(dict.fromkeys(str(line.get("filter", "none")) for line in lines))
    if len(filters) > 1:
        raise not_read(
            TOOL,
            path,
            f"it holds the answers of {len(filters)} filters ({', '.join(filters)})",
            f"""write one to a file of its own: grep '"filter": "{filters[0]}"' {path} > one.jsonl""",
        )
    for line in lines:
        choices = _choices(line)
        target = line["target"]
        if choices and str(target).isdigit() and int(target) < len(choices):
            target = choices[int(target)]
        yield LogSample(
            sample=str(line["doc_id"]),
            target=target,
            answer=_answer(line, choices),
            model="model",
            choices=choices,
            columns=plain_columns(line["doc"]),
        )


def _choices(line: Mapping[str, Any]) -> list[str]:
    """The continuations whose likelihoods were compared; none where text was generated."""
    responses = line["filtered_resps"]
    if len(responses) < 2 or not all(
        isinstance(response, list) and len(response) == 2 for response in responses
    ):
        return []
    return [str(argument.get("arg_1", "")).strip() for argument in line["arguments"].values()]


def _answer(line: Mapping[str, Any], choices: list[str]) -> Any:
    responses = line["filtered_resps"]
    if not choices:
        return responses[0] if responses else None
    likelihoods = [float(response[0]) for response in responses]
    return choices[likelihoods.index(max(likelihoods))]
