"""Files are written beside their place and renamed, so that nobody ever finds half a report."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from steelyard.errors import InputError


def save(path: str | Path, content: str | bytes) -> None:
    """Write text or bytes to a file, whole or not at all."""
    target = Path(path)
    if target.is_dir():
        raise InputError("the output is a folder", found=str(target), do="name a file in it")
    temporary: str | None = None
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
        with os.fdopen(handle, "wb") as file:
            file.write(content.encode("utf-8") if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        umask = os.umask(0)
        os.umask(umask)
        Path(temporary).chmod(0o666 & ~umask)  # mkstemp makes files private; a report is an ordinary file
        Path(temporary).replace(target)
        temporary = None
    except OSError as error:
        raise InputError(f"the file cannot be written: {error.strerror}", found=str(target), do="choose another place") from error
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
