"""Logs of LLM evaluations: samples of one or several models as a table that evaluate and compare read."""

# Tools: Inspect (inspect.aisi.org.uk; .eval, a zip of JSON, and .json, format version 2), promptfoo
# (`promptfoo eval -o out.json` or `out.jsonl`, version 3), DeepEval (DEEPEVAL_RESULTS_FOLDER) and
# lm-evaluation-harness (`--log_samples`). The table has a column for the sample, the epoch and the target,
# one for the answers of each model, and the metadata. Answers are matched to the classes without regard to
# capitals, blanks and a final full stop; what is then no class is no answer. Samples that occur in several
# epochs, or in one document, are clusters.

from __future__ import annotations

import json
import re
import struct
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from steelyard.counts.labels import ABSTAIN
from steelyard.errors import InputError
from steelyard.reading.duckdb import json_objects

# The compression that Inspect writes; Python reads it since 3.14, DuckDB always.
_ZSTANDARD = 93
# Variables of promptfoo that hold the target where no assertion says `equals`.
_EXPECTED = ("expected", "target", "label", "__expected")
# Metadata that name what several samples belong to.
_CLUSTERS = ("document", "document_id", "doc", "conversation", "conversation_id", "group", "sample")


class LogSample(NamedTuple):
    """A target and an answer (None where there is none)."""

    sample: str
    target: Any
    answer: Any
    model: str
    epoch: int = 1
    #: The classes that were offered, where the log says so.
    choices: Sequence[str] = ()
    #: Metadata: the document, the topic, the verdict of a scorer.
    columns: Mapping[str, Any] = {}


class LogRows(NamedTuple):
    """A table of the samples of logs, in a temporary file."""

    path: str
    models: tuple[str, ...]
    # The column of clusters, where samples are not independent.
    cluster: str | None


def log_samples(path: str) -> list[LogSample]:
    """The samples of a log, whichever tool wrote it."""
    if path.lower().endswith(".eval"):
        return list(_of_inspect(path, _unpacked(path)))
    in_lines = path.lower().endswith(".jsonl")
    try:
        text = Path(path).read_text(encoding="utf-8")
        lines = [json.loads(line) for line in text.splitlines() if line.strip()] if in_lines else []
        document = lines if in_lines else json.loads(text)
    except (ValueError, OSError) as error:
        raise InputError("the log cannot be read", found=f"{path}: {error}", allowed="JSON") from error
    samples = reader_of(lines[0], _LINES) if lines else reader_of(document, _DOCUMENTS)
    if samples is not None:
        return list(samples(path, document))
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
    for model, samples_of in by_model.items():
        if samples_of.keys() != first.keys():
            odd = next(iter(samples_of.keys() ^ first.keys()))
            raise InputError(
                "the models did not answer the same samples",
                found=f"sample {odd[0]!r} (epoch {odd[1]}) of one model only, among them {model}",
            )
    everything = [sample for samples_of in by_model.values() for sample in samples_of.values()]
    # The classes by what is compared of them: the targets, and the choices that were offered.
    classes: dict[str, str] = {}
    for label in (label for sample in everything for label in (sample.target, *sample.choices)):
        classes.setdefault(_folded(label), str(label))
    invalid = [str(each.answer) for each in everything if _folded(each.answer) not in classes]
    if 2 * len(invalid) > len(everything):
        raise InputError(
            "the answers are not of a closed set of classes",
            found=f"{len(invalid):,} of {len(everything):,} that are no target, such as {invalid[0][:60]!r}",
            allowed="answers that are one of the targets",
        )
    columns = {model: model if len(by_model) > 1 else "answer" for model in by_model}
    rows = [
        {**sample.columns, "sample": sample.sample, "epoch": sample.epoch, "target": str(sample.target)}
        | {columns[m]: classes.get(_folded(of[key].answer), none) for m, of in by_model.items()}
        for key, sample in first.items()
    ]
    by_name = {name: [row.get(name) for row in rows] for name in _CLUSTERS}
    shared = (name for name, v in by_name.items() if None not in v and 1 < len(set(v)) < len(v))
    with tempfile.TemporaryDirectory() as folder:
        path_of_rows = Path(folder) / "samples.jsonl"
        path_of_rows.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        yield LogRows(str(path_of_rows), tuple(columns.values()), next(shared, None))


def _folded(answer: Any) -> str:
    """An answer without what a model adds: capitals, blanks, quotes, a full stop."""
    return re.sub(r"^[\s\"'*`]+|[\s\"'*`.]+$", "", str(answer)).casefold()


def _plain(metadata: Any) -> dict[str, Any]:
    """Metadata that are single values."""
    items = metadata.items() if isinstance(metadata, Mapping) else ()
    return {str(name): value for name, value in items if isinstance(value, (str, int, float, bool))}


def _refused(tool: str, path: str, why: str, do: str = "") -> InputError:
    return InputError(f"this log of {tool} cannot be evaluated: {why}", found=path, do=do)


# -- the tools


def _of_inspect(path: str, document: Any) -> Iterator[LogSample]:
    model = str(document["eval"].get("model", "model"))
    for sample in document["samples"] or ():
        target = sample.get("target")
        if isinstance(target, list):
            if len(target) != 1:
                raise _refused("Inspect", path, f"sample {sample.get('id')!r} has several targets")
            target = target[0]
        scores = sample.get("scores") or {}
        answers = [score["answer"] for score in scores.values() if score.get("answer") is not None]
        verdicts = {
            name: each["value"] for name, each in scores.items() if isinstance(each.get("value"), str)
        }
        yield LogSample(
            sample=str(sample.get("id")),
            target=target,
            answer=answers[0] if answers else None,
            model=model,
            epoch=int(sample.get("epoch", 1)),
            choices="ABCDEFGHIJKLMNOPQRSTUVWXYZ"[: len(sample.get("choices") or ())],  # answered by letters
            columns=_plain(sample.get("metadata")) | verdicts,
        )


def _unpacked(path: str) -> dict[str, Any]:
    """What an .eval file of Inspect says of the evaluation, and its summaries."""
    try:
        with zipfile.ZipFile(path) as archive:
            if not {"header.json", "summaries.json"} <= {*archive.namelist()}:
                do = "let the evaluation end, or use inspect log convert"
                raise _refused("Inspect", path, "it has no summaries", do)
            (header,) = _entry(archive, "header.json", path)
            return {"eval": header["eval"], "samples": _entry(archive, "summaries.json", path)}
    except zipfile.BadZipFile as error:
        raise _refused("Inspect", path, "it is no zip file") from error


def _entry(archive: zipfile.ZipFile, name: str, path: str) -> list[Any]:
    """The JSON objects of an entry."""
    info = archive.getinfo(name)
    if info.compress_type != _ZSTANDARD:
        document = json.loads(archive.read(name))
        return document if isinstance(document, list) else [document]
    with Path(path).open("rb") as file:
        file.seek(info.header_offset + 26)  # after the local header come a name and extra fields
        lengths = struct.unpack("<HH", file.read(4))
        file.seek(sum(lengths), 1)
        packed = file.read(info.compress_size)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "entry.json.zst"
        copy.write_bytes(packed)
        return [json.loads(text) for text in json_objects(str(copy), info.file_size)]


def _of_promptfoo(path: str, document: Any) -> Iterator[LogSample]:
    """Each provider and prompt is a model, a repeated test an epoch."""
    results = document if isinstance(document, list) else document["results"]["results"]
    prompts = {result.get("promptId") for result in results}
    seen: Counter[tuple[str, str]] = Counter()
    first: dict[str, Any] = {}
    for result in results:
        variables = result.get("vars") or {}
        model = str((result.get("provider") or {}).get("id", "model"))
        model = f"{model} (prompt {result.get('promptIdx')})" if len(prompts) > 1 else model
        # A repeated test has a number of its own; its variables are the same.
        written = json.dumps(variables, sort_keys=True)
        sample = str(first.setdefault(written, result.get("testIdx")))
        seen[sample, model] += 1
        assertions = (result.get("testCase") or {}).get("assert") or ()
        equal = [each.get("value") for each in assertions if each.get("type") in ("equals", "iequals")]
        targets = [*equal, *(variables[name] for name in _EXPECTED if name in variables)]
        if not targets:
            do = "give each test an assertion of type equals, or a variable called expected"
            raise _refused("promptfoo", path, f"test {result.get('testIdx')} has no target", do)
        answer = (result.get("response") or {}).get("output")
        yield LogSample(sample, targets[0], answer, model, seen[sample, model], columns=_plain(variables))


def _of_deepeval(path: str, document: Any) -> Iterator[LogSample]:
    model = str((document.get("hyperparameters") or {}).get("model", "model"))
    seen: Counter[str] = Counter()
    for place, case in enumerate(document["testCases"]):
        target = case.get("expectedOutput")
        if target is None:
            raise _refused("DeepEval", path, f"test case {case.get('name')!r} has no expected output")
        sample = str(case.get("name", place))
        seen[sample] += 1
        columns = _plain(case.get("metadata") or case.get("additionalMetadata"))
        yield LogSample(sample, target, case.get("actualOutput"), model, seen[sample], columns=columns)


def _of_harness(path: str, lines: list[dict[str, Any]]) -> Iterator[LogSample]:
    """The answer of a multiple choice is the most likely one."""
    filters = list(dict.fromkeys(str(line.get("filter", "none")) for line in lines))
    if len(filters) > 1:
        raise _refused(
            "lm-evaluation-harness",
            path,
            f"it holds the answers of {len(filters)} filters ({', '.join(filters)})",
            f"""write one to a file of its own: grep '"filter": "{filters[0]}"' {path} > one.jsonl""",
        )
    for line in lines:
        responses, target = line["filtered_resps"], line["target"]
        answer, choices = responses[0] if responses else None, []
        # Pairs of numbers are likelihoods of continuations; otherwise text was generated.
        if len(responses) > 1 and all(isinstance(each, list) and len(each) == 2 for each in responses):
            choices = [str(argument.get("arg_1", "")).strip() for argument in line["arguments"].values()]
        if choices:
            likelihoods = [float(response[0]) for response in responses]
            answer = choices[likelihoods.index(max(likelihoods))]
        if choices and str(target).isdigit() and int(target) < len(choices):
            target = choices[int(target)]
        columns = _plain(line["doc"])
        yield LogSample(str(line["doc_id"]), target, answer, "model", choices=choices, columns=columns)


# What a line, or a document, of a tool holds at least, and what reads its samples.
Kinds = Sequence[tuple[set[str], Callable[[str, Any], Iterator[LogSample]]]]
_LINES: Kinds = (
    ({"doc_id", "target", "filtered_resps", "doc"}, _of_harness),
    ({"testCase", "response", "promptIdx"}, _of_promptfoo),
)
_DOCUMENTS: Kinds = (
    ({"eval", "samples", "status"}, _of_inspect),
    ({"evalId", "results"}, _of_promptfoo),
    ({"testCases", "metricsScores"}, _of_deepeval),
)


def reader_of(document: Any, kinds: Kinds = _LINES) -> Callable[[str, Any], Iterator[LogSample]] | None:
    """What reads the log that this JSON is (a line of); None where it is that of no known tool."""
    keys = set(document) if isinstance(document, Mapping) else set()
    return next((samples for needed, samples in kinds if needed <= keys), None)
