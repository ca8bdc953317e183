from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from steelyard.measures.catalogue import measure
from steelyard_papers import runner
from steelyard_papers.branco2017.discrimination import STUDY, measures_of
from steelyard_papers.branco2017.enumeration import all_matrices, matrices, number_of_matrices, states
from steelyard_papers.branco2017.exact_counts import counts_from_sums, counts_of_entropies, float_counts


def test_the_number_of_matrices_is_the_published_one() -> None:
    assert number_of_matrices([2, 3, 9, 10]) == 12_584_000
    assert number_of_matrices([2, 3, 9, 11]) == 16_016_000


def test_matrices_are_all_different_and_have_the_class_sizes() -> None:
    sizes = [2, 3, 4]
    every = np.vstack(list(all_matrices(sizes, 100)))
    assert len(every) == number_of_matrices(sizes) == 6 * 10 * 15
    assert len(np.unique(every.reshape(len(every), -1), axis=0)) == len(every)
    assert (every.sum(axis=2) == sizes).all()


def test_merged_states_are_those_of_all_matrices() -> None:
    sizes = [2, 3, 4]
    every = np.vstack(list(all_matrices(sizes, 1000)))
    sums = {(*m.diagonal(), *m.sum(axis=0)) for m in every}
    found = states(sizes)
    assert {tuple(column) for column in np.vstack([found.hits, found.predicted]).T} == sums
    shown = matrices(sizes, found.representative)
    assert (found.hits == np.diagonal(shown, axis1=1, axis2=2).T).all()
    assert (found.predicted == shown.sum(axis=1).T).all()


@pytest.mark.parametrize(("problem", "scenario"), [("1-2-3", "multi-minority"), ("1-2-2", "multi-majority")])
def test_exact_counts_equal_those_of_exact_arithmetic_matrix_by_matrix(problem: str, scenario: str) -> None:
    sizes = [int(size) for size in problem.split("-")]
    measures, scores = measures_of(problem, scenario)
    counted = {**counts_from_sums(sizes, states(sizes), scores), **counts_of_entropies(sizes)}
    every = np.vstack(list(all_matrices(sizes, 1000)))
    for name, found in measures.items():
        values = {found.exact(m, undefined="skip") for m in every}
        # Roots and logarithms are exact to 60 digits: equal values may differ in the last ones.
        told_apart = {round(v * 10**40) if isinstance(v, Fraction) else None for v in values if v == v}
        assert counted[name] == len(told_apart), name


def test_exact_counts_of_entropies_equal_those_of_floats_with_a_tolerance() -> None:
    sizes = [2, 3, 9]
    every = np.vstack(list(all_matrices(sizes, 10_000)))
    for name, id_ in (("RCI", "relative_classifier_information"), ("CEN", "confusion_entropy")):
        values = np.sort(measure(id_)(every))
        assert counts_of_entropies(sizes)[name] == 1 + int((np.diff(values) > 1e-11).sum())


def test_floats_are_told_apart_as_the_authors_code_does() -> None:
    # Counted with the authors' R code on 2-4-15 (12,240 matrices).
    expected = {
        "Rec_M": 139, "Prec_M": 1666, "F_1M": 5486, "AvF_1": 3109, "CBA": 1281,
        "Rec^PREV": 208, "Rec^phi": 235, "Rec^PO": 144, "Rec^TO": 182,
        "CBA^PREV": 2183, "CBA^phi": 2246, "CBA^PO": 1789, "CBA^TO": 1631,
    }  # fmt: skip
    if np.finfo(np.longdouble).nmant != 63:
        pytest.skip("sums in extended precision need the 80 bits of x86")
    sizes = [2, 4, 15]
    _, scores = measures_of("2-4-15", "multi-minority")
    counted = float_counts(sizes, states(sizes), scores)
    assert {name: counted[name] for name in expected} == expected


def test_quick(tmp_path: Path) -> None:
    result = runner.run(STUDY, out=tmp_path, quick=True)
    assert {f["claim_id"] for f in result["findings"]} == {"branco-d1", "branco-d2"}
    rows = next(t for t in result["tables"] if t["name"] == "discrimination")["rows"]
    assert len(rows) == 3 * 33
    # Rounding can only tear equal values apart; precisions that are not defined are treated differently.
    assert all(
        row[4] <= row[5] for row in rows if not row[3].startswith(("Prec", "F_1")) or row[3] == "F_1mu"
    )
    by_name = {row[3]: row[4] for row in rows if row[1] == "2-4-15"}
    assert by_name["Rec_mu"] == 22  # 0 to 21 right
    assert by_name["MAvG"] == len({a * b * c for a in range(3) for b in range(5) for c in range(16)})
