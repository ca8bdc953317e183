"""The pages of the site that are made from the program: tools/site_pages.py, which docs/conf.py calls."""

from __future__ import annotations

import steelyard as sy
from tools import site_pages


def test_the_page_of_a_metric_has_its_formula_its_worked_value_and_its_verdicts() -> None:
    page = site_pages.measure_page(sy.measure("gmean"))
    assert "geometric_mean(hits / actual)" in page
    assert "0.933" in page  # sqrt(0.9 * 870 / 900)
    assert "## Properties" in page
    assert "mullick2020" in page


def test_metrics_of_scores_and_public_names_have_their_places() -> None:
    assert "## Sources" in site_pages.measure_page(sy.measure("roc_auc"))
    assert all(name in site_pages.public_names() for name in ("evaluate", "compare", "threshold"))
    assert "(gmean.md)" in site_pages.measures_index()
