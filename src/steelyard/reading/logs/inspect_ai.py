"""Logs of Inspect (inspect.aisi.org.uk): .eval (a zip of JSON) and .json, format version 2."""

from __future__ import annotations

import json
import struct
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from steelyard.reading.duckdb import json_objects
from steelyard.reading.logs.sample import LogSample, not_read, plain_columns

TOOL = "Inspect"
# The compression that Inspect writes; Python reads it since 3.14, DuckDB always.
_ZSTANDARD = 93


def recognises(document: Any) -> bool:
    """Is this JSON such a log?"""
    return isinstance(document, Mapping) and {"eval", "samples", "status"} <= set(document)


def samples(path: str, document: Any = None) -> Iterator[LogSample]:
    """The samples of a log; of an .eval file those of its summaries."""
    if document is None:
        document = _unpacked(path)
    model = str(document["eval"].get("model", "model"))
    for sample in document["samples"] or ():
        target = sample.get("target")
        if isinstance(target, list):
            if len(target) != 1:
                raise not_read(TOOL, path, f"sample {sample.get('id')!r} has several targets")
            target = target[0]
        scores = sample.get("scores") or {}
        answered = [score for score in scores.values() if score.get("answer") is not None]
        verdicts = {
            name: score["value"] for name, score in scores.items() if isinstance(score.get("value"), str)
        }
        yield LogSample(
            sample=str(sample.get("id")),
            target=target,
            answer=answered[0]["answer"] if answered else None,
            model=model,
            epoch=int(sample.get("epoch", 1)),
            choices=_letters(sample),
            columns={**plain_columns(sample.get("metadata")), **verdicts},
        )


def _letters(sample: Mapping[str, Any]) -> list[str]:
    """Choices are answered by their letters."""
    return [chr(ord("A") + place) for place in range(min(len(sample.get("choices") or ()), 26))]


def _unpacked(path: str) -> dict[str, Any]:
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            if "header.json" not in names or "summaries.json" not in names:
                raise not_read(
                    TOOL, path, "it has no summaries", "let the evaluation end, or use inspect log convert"
                )
            (header,) = _entry(archive, "header.json", path)
            return {"eval": header["eval"], "samples": _entry(archive, "summaries.json", path)}
    except zipfile.BadZipFile as error:
        raise not_read(TOOL, path, "it is no zip file") from error


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
