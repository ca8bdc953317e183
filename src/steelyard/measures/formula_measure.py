"""The measure that a formula is."""

from __future__ import annotations

import numpy as np

from steelyard.measures.formula import is_formula, parse
from steelyard.measures.measure import MatrixMeasure
from steelyard.measures.record import Measure, Range


def formula_measure(text: str) -> Measure:
    """The measure that a formula is; its range is not known."""
    formula = parse(text)
    return MatrixMeasure(
        id=text,
        title=text,
        question="What is the value of this formula?",
        reads=text,
        kind="two-class" if formula.of_cells else "multi-class",
        graph=formula.graph,
        range=Range(-np.inf, np.inf),
        undefined_when="a denominator is 0",
        depends_on_size=True,  # it may, and nobody says that it does not
        recipe=(formula_measure, (text,)),
    )


def measure_or_formula(text: str) -> Measure:
    """The measure of the catalogue with this name, or the one that this formula is."""
    from steelyard.measures.catalogue import measure  # the catalogue knows every measure

    return formula_measure(text) if is_formula(text) else measure(text)
