"""Files are written beside their place and renamed, so that nobody ever finds half a report."""

from __future__ import annotations

import contextlib
import os
import uuid
from collections.abc import Mapping
from pathlib import Path

from steelyard.errors import InputError


def save(path: str | Path, content: str | bytes) -> None:
    """Write text or bytes to a file, whole or not at all."""
    save_all({Path(path): content})


# `new_folder` is made where it is not there yet; no other folder is.
def save_all(files: Mapping[Path, str | bytes], new_folder: Path | None = None) -> None:
    """Write several files, all of them or none: each waits beside its place until the last one is written."""
    waiting: dict[Path, Path] = {}
    through: dict[Path, str | bytes] = {}  # a pipe or a device is written to, never replaced by a file
    created: Path | None = None
    target = Path()
    try:
        for named, content in files.items():
            target = named
            target = _real(named)
            if target.is_dir():
                raise InputError("the output is a folder", found=str(target), do="name a file in it")
            if new_folder is not None and not new_folder.exists():
                new_folder.mkdir(parents=True)
                created = new_folder
            if target.exists() and not target.is_file():
                through[target] = content
            else:
                waiting[target] = _write_beside(target, content)
        for target, content in through.items():
            with target.open("wb") as file:
                file.write(_encoded(content))
        for target, temporary in waiting.items():
            temporary.replace(target)
        created = None
    except OSError as error:
        raise InputError(
            f"the file cannot be written: {error.strerror}", found=str(target), do="choose another place"
        ) from error
    finally:
        for temporary in waiting.values():
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
        if created is not None:
            with contextlib.suppress(OSError):
                created.rmdir()


def _real(target: Path) -> Path:
    """The file a link leads to: a link is written through, and stays a link."""
    try:
        return target.resolve() if target.is_symlink() else target
    except RuntimeError as error:
        raise InputError(
            "the file cannot be written: links lead in a circle", found=str(target), do="choose another place"
        ) from error


def _encoded(content: str | bytes) -> bytes:
    return content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace")


def _write_beside(target: Path, content: str | bytes) -> Path:
    """The content in a new file in the target's folder; no file where that fails."""
    # The name does not grow with the target's: that one may be as long as the file system allows.
    temporary = target.parent / f".steelyard-{uuid.uuid4().hex}.part"
    # A private report stays private, also while it is written; a new one is an ordinary file.
    mode = target.stat().st_mode & 0o777 if target.exists() else None
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        handle = os.open(temporary, flags, mode or 0o666)
        with os.fdopen(handle, "wb") as file:
            file.write(_encoded(content))
            file.flush()
            # Without this a crash after the rename can leave an empty file under the final name (ext4, XFS).
            os.fsync(file.fileno())
        if mode is not None:
            temporary.chmod(mode)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    return temporary
