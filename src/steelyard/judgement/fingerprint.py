"""Is it the same data? A short name of what was counted, which stands on a page and can be compared."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.plain import plain_label

DIGITS = 16
# Thousands of classes have millions of cells, which need not all be copied together.
CELLS_AT_ONCE = 1 << 20


def fingerprint(matrices: Iterable[Confusion]) -> str:
    """The first digits of the SHA-256 of the labels and counts: the order of the rows of a file, and how it
    was read, do not change it."""
    digest = hashlib.sha256()
    for matrix in matrices:
        digest.update(json.dumps([plain_label(label) for label in matrix.labels]).encode())
        for rows in np.array_split(matrix.counts, max(1, matrix.counts.size // CELLS_AT_ONCE)):
            digest.update(np.ascontiguousarray(rows, dtype="<f8").data)
    return digest.hexdigest()[:DIGITS]
