"""Columns that a sample adds to its rows, by which `evaluate` recognises it."""

from __future__ import annotations

POOL_ROW = "pool_row"
STRATUM = "stratum"
SIZE = "stratum_size"
INCLUSION = "inclusion_probability"
COLUMNS = (POOL_ROW, STRATUM, SIZE, INCLUSION)
