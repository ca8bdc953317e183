"""Reproduction of a report: how it was computed, its command, and the fingerprint of what was counted."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import shlex
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from steelyard._lazy import module_named
from steelyard._version import __version__
from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import plain_label
from steelyard.parameters import declared
from steelyard.report.sections import Block, Facts, Section, Sentence


def method_section(
    command_name: str,
    result: Any,
    facts: Iterable[tuple[str, str]],
    matrices: Iterable[Confusion],
    remarks: Iterable[Sentence] = (),
    charts: str = " Charts as files: --plots.",
) -> Section:
    """How a report was computed: facts, versions, where its figures are, and the command to repeat it."""
    last = ("Versions", versions(matrices)), ("Figures as data", f"--json, schema {result.SCHEMA}.{charts}")
    blocks: list[Block] = [Facts((*facts, *last)), *remarks]
    if command := command_text(command_name, result.options):
        blocks += [
            Sentence("Reproduce this report", "strong"),
            Sentence(f"{command} --html report.html", "code"),
        ]
    return Section("How this was computed", tuple(blocks), identity="method", short="How computed")


def versions(matrices: Iterable[Confusion]) -> str:
    """What made a report, and of which counts."""
    return f"Steelyard {__version__}. Fingerprint of the counts: {fingerprint(matrices)}."


# It cannot where the data are no file, or where a parameter is an object of Python.
def command_text(name: str, options: Any, leave_out: Collection[str] = (), **changes: Any) -> str:
    """The command with these options, files as they were named; empty where it cannot be said in a shell."""
    if options is None:
        return ""
    words = ["steelyard", name]
    flags: list[str] = []
    for option in declared(options.__class__):
        value = changes.get(option.name, getattr(options, option.name))
        if option.name in leave_out or option.name == "progress" or _is_default(value, option.default):
            continue
        if option.spec is None or not _is_writable(value):
            return ""
        if option.spec.argument:
            words += [_quoted_word(value) for value in (value if isinstance(value, tuple) else (value,))]
        elif value is True:
            flags.append(option.flag)
        else:
            for word in value if isinstance(value, (list, tuple)) else (value,):
                flags += [option.flag, _quoted_word(word)]
    return shlex.join([*words, *flags]) if len(words) > 2 else ""


def command_for(name: str, options: Any, **changes: Any) -> str:
    """The command of this name on the same data: what was given, where it has such an option, and changes."""
    options_class = module_named(f"steelyard.judgement.{name}.options").Options
    # Another report has another title.
    known = {option.name for option in declared(options_class)} - {"title"}
    values = {option.name: getattr(options, option.name) for option in declared(options.__class__)}
    defaults = {option.name: option.default for option in declared(options.__class__)}
    shared = {k: v for k, v in values.items() if k in known and not _is_default(v, defaults[k])}
    return command_text(name, options_class(**{**shared, **changes}))


def _is_default(value: Any, default: Any) -> bool:
    if default is dataclasses.MISSING:
        return False
    return value is default or (
        type(value) is type(default) and isinstance(value, (str, int, float, tuple)) and value == default
    )


def _is_writable(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(isinstance(number, (int, float)) for number in value.values())
    if isinstance(value, (list, tuple)):
        return all(isinstance(item, (str, int, float, Path)) for item in value)
    return isinstance(value, (str, int, float, Path))


def _quoted_word(value: Any) -> str:
    if isinstance(value, Mapping):  # priors
        return ", ".join(f"{label}={number:g}" for label, number in value.items())
    return f"{value:g}" if isinstance(value, float) else str(value)


# 64 bits: enough to tell any two test sets of one project apart, short enough to compare by eye.
DIGITS = 16
# Thousands of classes have millions of cells, which need not all be copied together.
CELLS_AT_ONCE = 1 << 20


# The order of the rows of a file, and how it was read, do not change it.
def fingerprint(matrices: Iterable[Confusion]) -> str:
    """The first digits of the SHA-256 of the labels and counts."""
    digest = hashlib.sha256()
    labels = None
    for matrix in matrices:
        # The labels of each matrix, but once for batches, which are named as they would be together.
        if matrix.counts.ndim == 2 or matrix.labels != labels:
            labels = matrix.labels
            digest.update(json.dumps([plain_label(label) for label in labels]).encode())
        # As little-endian doubles, whatever the type and machine: the name of the same counts is the same.
        for rows in np.array_split(matrix.counts, max(1, matrix.counts.size // CELLS_AT_ONCE)):
            digest.update(np.ascontiguousarray(rows, dtype="<f8").data)
    return digest.hexdigest()[:DIGITS]
