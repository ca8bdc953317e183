"""Which rows of a cluster's frame cannot be counted as scores, and why?

Each row says in bits what is odd about it, and the pass that counts carries the bits along: no pass is needed
to look for what is missing.
"""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.counts.score_columns import LACKING, Missing
from steelyard.errors import InputError


class Odd:
    """What may be odd about the scores of columns x0, x1, ... (as numbers s0, s1, ...) and about their weight
    w."""

    LACKS, BAD_WEIGHT, NO_NUMBER, ROUNDED, WEIGHS_NOTHING = 1, 2, 4, 8, 16
    APART = 2**40
    """The bits stand above all numbers of bins."""

    def __init__(self, scores: Sequence[str], weight: str | None, kinds: Sequence[str]) -> None:
        self.scores, self.weight, self.kinds = scores, weight, kinds
        self.lacks = " OR ".join(f"isnan(s{k})" for k in range(len(scores)))

    def word(self, k: int) -> str:
        """What is odd about a row and its score in this column, in SQL. To Java 1d is a number, to nobody
        else."""
        cases = [(self.lacks, self.LACKS)]
        if self.weight is not None:
            cases.append(("isnan(w) OR w < 0 OR w = double('Infinity')", self.BAD_WEIGHT))
            cases.append(("w = 0", self.WEIGHS_NOTHING))
        if self.kinds[k] in ("date", "timestamp", "boolean"):
            cases.append(("true", self.NO_NUMBER))
        if self.kinds[k] == "string":
            no_number = f"try_cast(x{k} AS DOUBLE) IS NULL OR lower(trim(x{k})) RLIKE '[0-9.][df]$'"
            cases.append((f"x{k} IS NOT NULL AND ({no_number})", self.NO_NUMBER))
        if self.kinds[k] == "bigint":
            large = f"x{k} NOT BETWEEN {-(2**53)} AND {2**53}"
            rounded = f"CAST(CAST(x{k} AS DOUBLE) AS DECIMAL(38, 0)) <> CAST(x{k} AS DECIMAL(38, 0))"
            cases.append((f"{large} AND {rounded}", self.ROUNDED))
        return " + ".join(f"CASE WHEN {case} THEN {bit * self.APART}L ELSE 0L END" for case, bit in cases)

    def refuse(self, groups: Sequence[tuple[int, int, int]], missing: Missing) -> int:
        """Refuse what is no number, weights below nothing, and lacking scores unless something else is asked
        for; the answer is how many rows lack one. Groups are told by column, bits and rows."""

        def rows(bit: int, k: int = 0) -> int:
            return sum(n for m, odd, n in groups if m == k and odd & bit)

        everything = sum(n for m, _, n in groups if m == 0)
        if not everything:
            raise InputError("there is nothing to count", found="0 rows", allowed="at least one row")
        for k, column in enumerate(self.scores):
            _refuse_column(column, rows(self.NO_NUMBER, k), rows(self.ROUNDED, k))
        bad_weights, absent = rows(self.BAD_WEIGHT), rows(self.LACKS)
        if bad_weights:
            raise InputError(
                "weights must be finite and not negative",
                found=f"{bad_weights:,} bad weights in {self.weight!r}",
                allowed="numbers >= 0",
            )
        if absent and missing == "error":
            raise InputError(
                f"some scores are missing in {', '.join(self.scores[:3])}",
                found=f"none in {absent:,} of {everything:,} rows",
                allowed="a number in every row",
                do=LACKING,
            )
        if absent == everything:
            raise InputError(
                "no row has a score", found=f"{absent:,} rows without one", allowed="at least one score"
            )
        return absent


def _refuse_column(column: str, bad: int, rounded: int) -> None:
    if bad:
        raise InputError(
            f"column {column!r} must hold numbers",
            found=f"{bad:,} other values",
            allowed="one number per row",
        )
    if rounded:
        raise InputError(
            f"column {column!r} holds whole numbers that would be rounded",
            found=f"{rounded:,}",
            allowed="whole numbers up to 2^53, or that are doubles",
            do="give their ranks instead",
        )
