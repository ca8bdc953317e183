"""Checkpoints: each finished step of a study is a file with a checksum.

Each finished step is a file, written beside its place and renamed, with a checksum.

A process killed at any moment leaves whole files only; a file that was damaged afterwards is noticed and
never believed.
"""

from __future__ import annotations

import datetime
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from steelyard.errors import InputError
from steelyard.report import save


def as_text(data: Any) -> str:
    """Plain data as the one text that stands for it; NaN is refused, since JSON has none."""
    return json.dumps(data, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))


def checksum(data: Any) -> str:
    return hashlib.sha256(as_text(data).encode()).hexdigest()


class Checkpoints:
    """The finished steps of one run, in a folder."""

    def __init__(self, folder: Path, run: Mapping[str, Any]) -> None:
        """`run` says which run the folder belongs to: study, seed and parameters.

        A folder of another run is refused.
        """
        self.folder = folder / "steps"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                f"the folder of results cannot be made: {error.strerror}",
                found=str(folder),
                do="choose another out=",
            ) from error
        identity = folder / "run.json"
        if identity.exists():
            try:
                identity_before = dict(json.loads(identity.read_text(encoding="utf-8")))
            except (OSError, ValueError, TypeError) as error:
                raise InputError(
                    "the file that says which run a folder holds cannot be read",
                    found=str(identity),
                    do="choose another out=",
                ) from error
            self.started = str(identity_before.pop("started", ""))
            if as_text(identity_before) != as_text(run):
                differing = sorted(
                    key for key in {*identity_before, *run} if identity_before.get(key) != run.get(key)
                )
                raise InputError(
                    "the folder of results holds another run",
                    found=f"{folder} with other {', '.join(differing)}",
                    do="choose another out=, or remove the folder",
                )
        else:
            self.started = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
            save(identity, as_text({**run, "started": self.started}))

    def path(self, step: str) -> Path:
        return self.folder / f"{step}.json"

    def load(self, step: str) -> Any | None:
        """The result of a finished step, or None; a damaged file is an error that names it."""
        path = self.path(step)
        if not path.exists():
            return None
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
            sound = record["step"] == step and record["checksum"] == checksum(record["result"])
        except (OSError, ValueError, KeyError, TypeError):
            sound = False
        if not sound:
            raise InputError(
                "a finished step of the study is damaged",
                found=f"{path}, which does not fit its checksum",
                do="delete that file and run again: only this step is repeated, all others are kept",
            )
        return {"result": record["result"], "seconds": record["seconds"]}

    def store(self, step: str, result: Any, seconds: float) -> None:
        """Keep the result of a step, whole or not at all."""
        try:
            save(
                self.path(step),
                as_text({"step": step, "checksum": checksum(result), "seconds": seconds, "result": result}),
            )
        except InputError as error:
            raise InputError(
                f"the result of step {step} could not be kept ({str(error).rstrip('.')})",
                do="make room and run again: finished steps are kept and not repeated",
            ) from error
