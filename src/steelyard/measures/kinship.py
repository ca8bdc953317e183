"""Which measures cannot disagree, because one is a function of the other?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.measures.catalogue import catalogue
from steelyard.measures.catalogue import measure as look_up
from steelyard.measures.measure import Measure, weigh
from steelyard.measures.names import short_name
from steelyard.measures.record import Relation
from steelyard.report.records import Record

Link = tuple[str, str, Relation]


def listed(names: Sequence[str]) -> str:
    """'a, b and c'"""
    return ", ".join(names[:-1]) + " and " + names[-1] if len(names) > 1 else names[0]


@dataclass(frozen=True)
class Kinship(Record):
    """Measures that rank models alike on every test set, because each is a rising function of the others."""

    measures: tuple[str, ...]
    because: tuple[str, ...]

    def __str__(self) -> str:
        names = listed([short_name(look_up(m)) for m in self.measures])
        return f"{names} cannot disagree: {'; '.join(self.because)}"


def kinships(measures: Sequence[Measure], classes: int) -> tuple[Kinship, ...]:
    """Which of these measures cannot disagree?"""
    # Relations are followed through measures that are not among them.
    family, links = _families([m for m in measures if not m.parameters], classes)
    by_members: dict[frozenset[str], Kinship] = {}
    for m in measures:
        kin = family.get(m.id, {m.id})
        inside = tuple(k.name for k in measures if k.id in kin)
        if len(inside) > 1 and frozenset(kin) not in by_members:
            ids = [k.id for k in measures if k.id in kin]
            chain = _chain(ids, [link for link in links if link[0] in kin])
            by_members[frozenset(kin)] = Kinship(inside, chain)
    return tuple(by_members.values())


def kin_of(measure: Measure, classes: int) -> frozenset[str]:
    """The ids of the measures that cannot disagree with this one, itself among them."""
    return frozenset(_catalogue_families(classes).get(measure.id, {measure.id}))


_catalogue_families = cache(lambda classes: _families(catalogue(), classes)[0])


def _families(measures: Sequence[Measure], classes: int) -> tuple[dict[str, set[str]], list[Link]]:
    # For each measure its family, found by following relations, and the relations between them.
    family: dict[str, set[str]] = {}
    links: list[Link] = []
    waiting = list(measures)
    seen: set[str] = set()
    # Breadth first through relations, also of measures that were not asked for: CBA and ACSA may meet in a
    # third.
    while waiting:
        m = waiting.pop(0)
        if m.id in seen:
            continue
        seen.add(m.id)
        family.setdefault(m.id, {m.id})
        for relation in m.relations:
            other = look_up(relation.other)
            # A two-class measure of one class against the rest says nothing about a measure of all classes.
            if other.kind != m.kind and classes != 2:
                continue
            # Is better by one always better by the other? A relation is a formula of one number, most of them
            # linear: 9 places of the range show whether it rises.
            low, high = other.range.at(2 if other.kind == "two-class" else classes)
            values = [float(relation.function(x, classes)) for x in np.linspace(low, high, 9).tolist()]
            ordered = values if m.better == other.better else values[::-1]
            if not all(before < after for before, after in pairwise(ordered)):
                continue
            # Families merge, as sets in union-find do; there are a hundred measures, so no ranks are needed.
            joined = family[m.id] | family.setdefault(other.id, {other.id})
            for member in joined:
                family[member] = joined
            links.append((m.id, other.id, relation))
            waiting.append(other)
    return family, links


def _chain(wanted: Sequence[str], edges: list[Link]) -> tuple[str, ...]:
    # The relations that lead from the first wanted measure to each of the others, shortest way first.
    way: dict[str, tuple[str, ...]] = {wanted[0]: ()}
    queue = [wanted[0]]
    for at in queue:
        for first, second, relation in edges:
            for here, there in ((first, second), (second, first)):
                if here == at and there not in way:
                    way[there] = (*way[at], relation.text)
                    queue.append(there)
    return tuple(dict.fromkeys(text for name in wanted for text in way.get(name, ())))


def one_number(measures: Sequence[Measure]) -> list[list[Measure]]:
    """Measures of a two-class matrix that are one number under several names, together; all others alone."""
    # They are told by their values on matrices without symmetry: enough for what is shown, not a proof.
    # RandomState: the stream of this generator is frozen, so what is shown never changes with NumPy.
    cells = np.random.RandomState(1).randint(1, 1000, (24, 2, 2))
    values = weigh(measures, Confusion(cells, ["positive", "negative"]), positive="positive")
    by_values: dict[tuple[float, ...], list[Measure]] = {}
    for m in measures:
        by_values.setdefault(tuple(np.round(values[m.name], 9).tolist()), []).append(m)
    return list(by_values.values())
