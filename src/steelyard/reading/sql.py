"""Questions to a table in SQL, for DuckDB and for Spark."""

# Columns are read under names of ours (v0, v1, ...), so that no name of a user's column stands in a query.
# What the two dialects write differently, or answer differently, is a method of `Dialect`.

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from steelyard.reading import adaptive_bins
from steelyard.reading import table as ask


def columns_of(question: ask.Question) -> list[str]:
    """The columns that a question is about, each once."""
    nodes = (*question.by, *question.sums, *question.without)
    return list(dict.fromkeys(column for node in nodes for column in _columns(node)))


def _columns(node: Any) -> Iterator[str]:
    for field, value in vars(node).items():
        if field == "name":
            yield value
        elif field in ("names", "scores", "true_scores"):
            yield from value
        elif field in ("number", "truth", "test") and value is not None:
            yield from _columns(value)


class Dialect(ABC):
    """One way to write SQL, over columns v0, v1, ... of known kinds."""

    text_type: str
    #: Is this number NaN?
    nan_test: str

    def __init__(self, columns: Sequence[str], kinds: Mapping[str, str]) -> None:
        self._name = {column: f"v{k}" for k, column in enumerate(columns)}
        self.kinds = kinds
        # Tables beside the rows that the keys need.
        self.joins: list[str] = []

    @abstractmethod
    def literal(self, number: float) -> str:
        """A double that is read back to the last digit."""

    @abstractmethod
    def number(self, name: str) -> str:
        """A column as a double, NaN where it has no value."""

    @abstractmethod
    def no_number(self, name: str) -> str: ...

    @abstractmethod
    def rounded(self, name: str) -> str: ...

    @abstractmethod
    def code(self, name: str) -> str: ...

    def is_nan(self, number: str) -> str:
        return self.nan_test.format(number)

    def column(self, name: str) -> str:
        return self._name[name]

    def text(self, name: str) -> str:
        return f"CAST({self.column(name)} AS {self.text_type})"

    def truth_value(self, name: str) -> str:
        """1 for true and 0 for false, as programs write them; NULL for anything else."""
        return f"CASE lower({self.text(name)}) WHEN 'true' THEN 1 WHEN 'false' THEN 0 END"

    # -- a question

    def select(self, question: ask.Question, rows: str, grouped: bool = True) -> str:
        """The whole query; `rows` is what stands after FROM."""
        keys = [self.key(key) for key in question.by]
        wanted = [f"{text} AS k{k}" for k, text in enumerate(keys)]
        wanted += [f"{self.aggregate(aggregate)} AS a{k}" for k, aggregate in enumerate(question.sums)]
        # By place: the expression of a key is long, and is written once.
        return f"SELECT {', '.join(wanted)} FROM {rows}{self.where(question.without)}" + (
            f" GROUP BY {', '.join(str(k + 1) for k in range(len(keys)))}" if grouped and keys else ""
        )

    def where(self, without: ask.Tests) -> str:
        """The tables that keys need, and the rows that are kept."""
        joined = "".join(f" {join}" for join in dict.fromkeys(self.joins))
        if not without:
            return joined
        return f"{joined} WHERE NOT ({' OR '.join(f'({self.test(test)})' for test in without)})"

    def key(self, key: ask.Key) -> str:
        match key:
            case ask.Column(name):
                return self.column(name)
            case ask.Code(name):
                return self.code(name)
            case ask.Number(name, lowest):
                number = self.number(name)
                if not lowest:
                    return number
                return f"CASE WHEN {self.is_nan(number)} THEN {self.literal(-math.inf)} ELSE {number} END"
            case ask.Total(names):
                return " + ".join(map(self.number, names))
            case ask.ScoreBin(number):
                return self._bin(self.key(number))
            case ask.IntervalPart():
                return self._interval_part(key)
            case ask.Decision():
                return self._decision(key)
            case ask.TrueClassRank():
                return self._rank(key)
            case ask.RowBlock(rows):
                return f"row_at // {rows:d}"

    def aggregate(self, aggregate: ask.Aggregate) -> str:
        match aggregate:
            case ask.Rows(test):
                return "count(*)" if test is None else f"count(*) FILTER (WHERE {self.test(test)})"
            case ask.Sum(name, squared):
                number = self.number(name)
                return f"coalesce(sum({number}{f' * {number}' if squared else ''}), 0)"
            case ask.Extreme(number, side):
                return f"{'min' if side == 'least' else 'max'}({self.key(number)})"
            case ask.Distinct(number):
                return f"approx_count_distinct({self.key(number)})"
            case ask.Example(name, test):
                return f"min({self.text(name)}) FILTER (WHERE {self.test(test)})"

    def test(self, test: ask.Test) -> str:
        match test:
            case ask.Lacks(names):
                return " OR ".join(self.lacks(name) for name in names)
            case ask.NoNumber(name):
                return self.no_number(name)
            case ask.Rounded(name):
                return self.rounded(name)
            case ask.Unusable(name):
                number = self.number(name)
                return f"{self.is_nan(number)} OR {number} < 0 OR {number} = {self.literal(math.inf)}"
            case ask.Weightless(name):
                return f"{self.number(name)} = 0"
            case ask.Coded(name, codes):
                return f"{self.code(name)} IN ({', '.join(map(str, codes))})"

    def lacks(self, name: str) -> str:
        return self.is_nan(self.number(name))

    # -- bins

    def _bin(self, score: str) -> str:
        """The number of a score's bin."""
        # Every step is one rounded operation, and none of them turns the order of two scores round. Infinite
        # scores have bins of their own, those that are no number the lowest.
        # Arithmetic alone, no lookup of edges: both engines compile it, and one pass over the rows is enough.
        size, finer, near = adaptive_bins.BINS, adaptive_bins.FINER, adaptive_bins.NEXT_TO
        far, more = round(size * (1 - near)), round(size * near) * (finer - 1)  # of these bins near an end
        # Numbers go on without gaps: Spark's quick map of groups puts those with gaps into the same places.
        shift = far * (finer - 1) - more
        end = size + 2 * more
        highest = end + size + 2
        unit = self.literal(1.0)
        fine, coarse = (f"floor({score} * {self.literal(float(bins))})" for bins in (size * finer, size))
        half = self.literal(0.5)
        # Scores beyond 1 go through s / (1 + s), which maps all numbers into 0..1 and keeps their order.
        beyond = f"floor(({half} - {unit} / ({unit} + abs({score}))) * {self.literal(2.0 * size)})"
        return (
            f"CAST(CASE WHEN abs({score}) <= {self.literal(1 - near)} THEN CASE WHEN abs({score}) <"
            f" {self.literal(near)} THEN {fine} WHEN {score} > 0 THEN {coarse} + {more}"
            f" ELSE {coarse} - {more} END"
            f" WHEN abs({score}) <= {unit} THEN CASE WHEN {score} > 0 THEN {fine} - {shift}"
            f" ELSE {fine} + {shift} END"
            f" WHEN {self.is_nan(score)} OR {score} = {self.literal(-math.inf)} THEN {-highest}"
            f" WHEN {score} = {self.literal(math.inf)} THEN {highest}"
            f" WHEN {score} > 0 THEN {end + 1} + {beyond} ELSE {-end - 1} - {beyond} END AS BIGINT)"
        )

    def _interval_part(self, key: ask.IntervalPart) -> str:
        """Quarters cannot overflow."""
        score, parts = self.key(key.number), key.parts
        values = ", ".join(
            f"({b}, {place}, {self.literal(low)}, {self.literal(high)},"
            f" {self.literal(parts / (high / 4 - low / 4))})"
            for place, (b, low, high) in enumerate(key.intervals)
        )
        self.joins.append(
            f"JOIN (SELECT * FROM (VALUES {values}) AS d(of_bin, place, low, high, scale)) AS d"
            f" ON {self._bin(score)} = d.of_bin AND {score} BETWEEN d.low AND d.high"
        )
        piece = f"least(floor(({score} / 4 - d.low / 4) * d.scale), {parts - 1})"
        return f"CAST(d.place * {parts} + {piece} AS BIGINT)"

    # -- labels that scores stand for

    def _decision(self, key: ask.Decision) -> str:
        scores = [self.number(name) for name in key.scores]
        lacking = " OR ".join(map(self.is_nan, scores))
        if key.threshold is not None:
            reached = f"{scores[0]} >= {self.literal(key.threshold)}"
            return f"CASE WHEN {lacking} THEN NULL WHEN {reached} THEN 0 ELSE 1 END"
        if key.costs is not None:
            scores = [
                "-("
                + " + ".join(f"{cost!r} * {score}" for cost, score in zip(column, scores, strict=True))
                + ")"
                for column in zip(*key.costs, strict=True)
            ]
        # The first of equals, as argmax has it; CASE takes the first branch that holds.
        largest = f"greatest({', '.join(scores)})" if len(scores) > 1 else scores[0]
        cases = " ".join(f"WHEN {score} = {largest} THEN {place}" for place, score in enumerate(scores))
        return f"CASE WHEN {lacking} THEN NULL {cases} END"

    def _rank(self, key: ask.TrueClassRank) -> str:
        cases = " ".join(
            f"WHEN {code} THEN {self.key(ask.Number(name, lowest=True))}"
            for code, name in enumerate(key.true_scores)
        )
        own_score = f"(CASE {self.code(key.truth.name)} {cases} END)"
        sign = ">" if key.sign == "greater" else "="
        scores = [self.key(ask.Number(name, lowest=True)) for name in key.scores]
        return " + ".join(f"CAST({score} {sign} {own_score} AS INTEGER)" for score in scores)
