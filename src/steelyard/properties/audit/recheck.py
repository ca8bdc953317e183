"""Does the certificate of a saved result still hold?"""

from __future__ import annotations

import json
from pathlib import Path

from steelyard.errors import InputError
from steelyard.properties.audit.certificate import checked
from steelyard.properties.audit.certificate_check import CertificateError


def checked_again(path: str) -> str | None:
    """What to say of the certificate in a file that holds one result; None if it is a table of rows."""
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError("the result cannot be read", found=path, allowed="the JSON of an audit") from error
    if not isinstance(found, dict):
        return None
    certificate = found.get("certificate")
    if certificate is None:
        raise InputError(
            "the result has no certificate",
            found=f"{path}, verdict {found.get('verdict')!r}",
            do="make one: steelyard audit ... --check --json FILE",
        )
    try:
        boxes = checked(certificate)
    except (CertificateError, IndexError, TypeError, ValueError) as error:
        raise InputError("the certificate does not hold", found=f"{path}: {error}") from error
    stated = ", ".join(str(requirement["text"]) for requirement in certificate["requirements"])
    sizes = ", ".join(
        f"{size:,} {label}" for label, size in zip(certificate["labels"], certificate["sizes"], strict=True)
    )
    holds = f"The certificate holds: {boxes:,} boxes, checked in exact fractions."
    return f"Impossible of {sizes}: {stated}.\n{holds}"
