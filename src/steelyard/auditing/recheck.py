"""Does the certificate of a saved result still hold?"""

from __future__ import annotations

import json
from pathlib import Path

from steelyard.auditing.certificates.check import checked
from steelyard.auditing.certificates.question import CertificateError, Question
from steelyard.errors import InputError


def checked_again(path: str) -> str | None:
    """What to say of the certificate in a file that holds one result; None if it is a table of rows."""
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
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
    except CertificateError as error:
        raise InputError("the certificate does not hold", found=f"{path}: {error}") from error
    number = "1 box" if boxes == 1 else f"{boxes:,} boxes"
    holds = f"The certificate holds: {number}, checked in exact fractions."
    return f"{in_words(Question.from_dict(certificate['question']))}\n{holds}"


def in_words(question: Question) -> str:
    """Everything that is certified: a certificate of another question would be none of this one."""
    positive = {printed.label for printed in question.printed} - {None}
    one = len(question.labels) == 2 and len(positive) == 1
    stated = ", ".join(
        printed.text if one or printed.label is None else f"{printed.text} (of {printed.label})"
        for printed in question.printed
    )
    sizes = ", ".join(
        f"{'some' if size is None else f'{size:,}'} {label}"
        for label, size in zip(question.labels, question.sizes, strict=True)
    )
    if question.total is not None:
        sizes += f" ({question.total:,} in all)"
    elif question.up_to is not None:
        sizes += f" (up to {question.up_to:,} in all)"
    how = {
        "nearest": "rounded to the nearest (ties either way)",
        "cut": "cut off",
        "either": "rounded or cut off",
    }
    said = [f"Digits are {how[question.rounding]}"]
    if one:
        said.append(f"{positive.pop()} is the positive class")
    said.append(
        "an undefined value is no value"
        if question.undefined == "nan"
        else f"an undefined term counts as {question.undefined}"
    )
    if question.folds is not None:
        arranged = (
            question.fold_sizes
            if isinstance(question.fold_sizes, str)
            else ", ".join("/".join(map(str, fold)) for fold in question.fold_sizes)
        )
        arranged = {"unknown": "their classes unknown"}.get(arranged, arranged)
        said.append(f"values are means over {question.folds * question.repeats} folds, {arranged}")
        if any(printed.is_deviation for printed in question.printed):
            said.append(f"deviation: {question.deviation}")
    return f"Impossible of {sizes}: {stated}.\n{'; '.join(said)}."
