"""Does the section on scores open from disk, draw what the JSON says, and stay readable on a phone and harmless?"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from steelyard.cli import main
from steelyard.judgement.compare.judge import compare
from steelyard.judgement.evaluate.judge import evaluate

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ("ROC curve", "Precision-recall curve", "Measures against the threshold")
Open = Callable[..., Any]


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("scored")
    page, figures = folder / "report.html", folder / "report.json"
    source = str(ROOT / "examples/data/satimage.csv")
    command = [
        "evaluate",
        source,
        "--score",
        "p_damp_grey_soil",
        "--positive",
        "damp grey soil",
        "--threshold",
        "best:gmean",
    ]
    assert main([*command, "--priors", "0.01", "--html", str(page), "--json", str(figures)]) == 0
    return page, json.loads(figures.read_text(encoding="utf-8"))


def test_the_pictures_are_there_without_a_request_or_a_complaint(
    scored: tuple[Path, dict[str, Any]], open_page: Open
) -> None:
    opened = open_page(scored[0])
    assert opened.requests == [scored[0].as_uri()]
    assert opened.complaints == []
    for name in PICTURES:
        picture = opened.page.locator(f"svg[aria-label='{name}']")
        assert picture.count() == 1
        box = picture.bounding_box()
        assert box["width"] > 300
        assert box["height"] > 250
    bands = {name: opened.page.locator(f"svg[aria-label='{name}'] .band").count() for name in PICTURES}
    assert bands == dict(zip(PICTURES, (1, 3, 0), strict=True))


def test_the_figures_of_the_section_are_those_of_the_json(
    scored: tuple[Path, dict[str, Any]], open_page: Open
) -> None:
    page, only = open_page(scored[0]).page, scored[1]["ranking"]["classes"][0]
    rows = page.eval_on_selector_all(
        "#scores tbody tr", "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
    )
    assert [row[:5] for row in rows] == [
        [
            m["title"],
            f"{m['value']:.3f}",
            f"{m['low']:.3f} to {m['high']:.3f}",
            f"{m['balanced']:.3f}",
            f"{m['at_priors']:.3f}",
        ]
        for m in only["measures"]
    ]
    # The operating point lies where the axes say: its place in the picture, between the corners of the diagonal, are the two rates.
    x, y, x0, y0, x1, y1 = page.eval_on_selector(
        "svg[aria-label='ROC curve']",
        """picture => {
            const dot = picture.querySelector('.point'), line = picture.querySelector('.here')
            return [...['cx', 'cy'].map(name => +dot.getAttribute(name)), ...['x1', 'y1', 'x2', 'y2'].map(name => +line.getAttribute(name))]
        }""",
    )
    point = only["operating_point"]
    assert (x - x0) / (x1 - x0) == pytest.approx(point["fpr"], abs=0.001)
    assert (y - y0) / (y1 - y0) == pytest.approx(point["tpr"], abs=0.001)
    tips = page.eval_on_selector_all(
        "svg[aria-label='ROC curve'] circle title", "tips => tips.map(tip => tip.textContent)"
    )
    assert len(tips) > 20
    assert (
        page.get_by_text("Threshold: damp grey soil is called at scores of at least", exact=False).count()
        == 1
    )


def test_a_phone_shows_it_without_scrolling_sideways(
    scored: tuple[Path, dict[str, Any]], open_page: Open
) -> None:
    page = open_page(scored[0], viewport={"width": 390, "height": 844}).page
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    for name in PICTURES:
        words = page.eval_on_selector_all(
            f"svg[aria-label='{name}'] text", "all => all.map(text => text.getBoundingClientRect().height)"
        )
        assert min(words) >= 7  # pixels; below that, nobody reads a word


def test_hostile_names_are_text_in_the_pictures_too(tmp_path: Path, open_page: Open) -> None:
    names = ["</title><script>alert(1)</script>", '"><img src=x onerror=alert(1)>']
    truth = [names[k % 2] for k in range(20)]
    scores = {name: [math.sin(k + place) for k in range(20)] for place, name in enumerate(names)}
    evaluate(truth, score=scores[names[0]], threshold="best:gmean", positive=names[0]).to_html(
        tmp_path / "e.html"
    )
    evaluate(truth, scores=scores).to_html(tmp_path / "t.html")
    compare(
        {names[0]: truth, names[1]: truth[::-1]}, truth, scores=scores, positive=names[0], draws=100
    ).to_html(tmp_path / "c.html")
    for page in ("e.html", "t.html", "c.html"):
        opened = open_page(tmp_path / page)
        assert opened.requests == [(tmp_path / page).as_uri()]
        assert opened.complaints == []
        assert opened.page.evaluate("document.querySelectorAll('img, [style], [onerror]').length") == 0
        assert opened.page.evaluate("document.scripts.length") == 2  # the live part's data, the page's own
