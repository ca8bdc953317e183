"""Does the report of an evaluation open from disk, say what the JSON says, and stay harmless whatever classes are called?"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from steelyard.cli import main
from steelyard.judgement.evaluate.judge import evaluate
from steelyard.report.visible import visible
from tests.browser.conftest import keep_picture

ROOT = Path(__file__).resolve().parents[2]
Open = Callable[..., Any]

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "'><svg onload=alert(1)>",
    "</title><script>alert(2)</script>",
    "</style><script>alert(3)</script>",
    "&lt;b&gt; & &amp;",
    "خطر شديد",
    "סכנה (high)",
    "x" * 200,
    "javascript:alert(1)",
    "{{7*7}} ${7*7}",
    "\u202egnirts desrever",
]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """The report that `make demo` ends with, and its JSON."""
    folder = tmp_path_factory.mktemp("demo")
    page, figures = folder / "report.html", folder / "report.json"
    source = str(ROOT / "examples/data/glass.csv")
    assert (
        main(
            [
                "evaluate",
                source,
                "--pred",
                "logistic_regression",
                "--slice",
                "fold",
                "--html",
                str(page),
                "--json",
                str(figures),
            ]
        )
        == 0
    )
    return page, json.loads(figures.read_text(encoding="utf-8"))


def rows_of(page: Any, identity: str) -> list[list[str]]:
    return page.eval_on_selector_all(
        f"#{identity} tbody tr", "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
    )


def says(text: str, value: float | None) -> bool:
    """Is this how a reader would write the value, right to the last digit printed?"""
    if value is None:
        return text in ("undefined", "", "-")
    digits = text.replace(",", "").removesuffix("%")
    unit = 10.0 ** -len(digits.partition(".")[2])
    printed = float(digits) / (100 if text.endswith("%") else 1)
    return abs(printed - value) <= 0.5001 * unit / (100 if text.endswith("%") else 1)


def says_between(text: str, ends: list[float] | None) -> bool:
    """Does the page write this interval?"""
    if ends is None:
        return text in ("", "-")
    low, _, high = text.partition(" to ")
    return says(low, ends[0]) and says(high, ends[1])


def test_the_demo_opens_from_disk_without_a_request_or_a_complaint(
    demo: tuple[Path, dict[str, Any]], open_page: Open
) -> None:
    opened = open_page(demo[0])
    assert opened.requests == [demo[0].as_uri()]
    assert opened.complaints == []
    assert opened.page.title().startswith("glass.csv · logistic_regression · 214 rows")
    keep_picture(opened.page, "demo", full_page=True)


def test_the_figures_of_the_page_are_those_of_the_json(
    demo: tuple[Path, dict[str, Any]], open_page: Open
) -> None:
    page, figures = open_page(demo[0]).page, demo[1]
    total = figures["test_set"]["total"]
    for row, c in zip(rows_of(page, "classes"), figures["classes"], strict=True):
        assert (row[0], row[1]) == (c["label"], f"{c['support']:,}")
        assert says(row[2], c["support"] / total)
        for place, name in ((3, "recall"), (5, "precision")):
            assert says(row[place], c[name])
            assert says_between(row[place + 1], c[f"{name}_interval"])
        assert says(row[7], c["f1"])
        assert says(row[8], c["balanced_precision"])
        assert row[9] == ", ".join(f"{other['label']} ({other['count']})" for other in c["taken_for"])
    for row, s in zip(rows_of(page, "shifts"), figures["shifts"], strict=True):
        assert (row[0], row[-1]) == (s["title"], s["words"])
        assert says(row[1], s["observed"])
        assert says(row[2], s["balanced"])
    for row, m in zip(rows_of(page, "measures-multi-class"), figures["measures"], strict=True):
        assert row[0].startswith(m["id"])
        assert says(row[1], m["value"])
        assert says_between(row[2], m["interval"] and [m["interval"]["low"], m["interval"]["high"]])
        assert says(row[3], m["normalised"])
    for row, s in zip(rows_of(page, "slices"), figures["slices"]["rows"], strict=True):
        assert (row[0], row[1]) == (", ".join(s["slice"]), f"{s['rows']:,}")
        first, *others = figures["headline"]
        assert says(row[3], s["values"][first])
        for cell, name in zip(row[5:], others, strict=False):
            assert says(cell, s["values"][name])
    weighted = {m["title"]: m for m in figures["measures"] if m["weighted_by_relevance"] is not None}
    for row in rows_of(page, "relevance"):
        assert says(row[1], weighted[row[0]]["value"])
        assert says(row[2], weighted[row[0]]["weighted_by_relevance"])
    first = figures["headline_values"]
    assert [m["id"] for m in first] == figures["headline"]
    for row, m in zip(rows_of(page, "headline"), first, strict=True):
        assert says(row[1], m["observed"])
        assert says(row[2], m["balanced"])
    counts = page.eval_on_selector_all(
        "svg[aria-label='Confusion matrix, counts'] g text", "cells => cells.map(cell => cell.textContent)"
    )
    assert counts == [str(count) for row in figures["matrix"]["counts"] for count in row]
    for note in figures["notes"]:
        assert page.get_by_text(note, exact=True).count() == 1


def test_at_your_priors_stands_beside_observed_and_balanced(tmp_path: Path, open_page: Open) -> None:
    result = evaluate([[40, 10], [20, 930]], labels=["ill", "well"], priors=0.001)
    result.to_html(tmp_path / "r.html")
    page, figures = open_page(tmp_path / "r.html").page, result.to_dict()
    for row, s in zip(rows_of(page, "shifts"), figures["shifts"], strict=True):
        assert all(map(says, row[1:4], (s["observed"], s["balanced"], s["at_priors"])))
    other_names = (
        "auc_point",
        "class_weighted_accuracy(w=0.5)",
    )  # the same number of two classes has one row
    two_class = [m for m in figures["measures"] if m["kind"] == "two-class" and m["id"] not in other_names]
    for row, m in zip(rows_of(page, "measures-two-class"), two_class, strict=True):
        assert row[0].startswith(m["id"])
        assert says(row[1], m["value"])
    for row, m in zip(rows_of(page, "headline"), figures["headline_values"], strict=True):
        assert says(row[1], m["at_priors"])


@pytest.mark.parametrize("width", [390, 820, 1400])
def test_the_page_does_not_scroll_sideways(
    demo: tuple[Path, dict[str, Any]], open_page: Open, width: int
) -> None:
    page = open_page(demo[0], viewport={"width": width, "height": 844}).page
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    keep_picture(page, f"demo-{width}", full_page=True)


def brightness(page: Any, selector: str, name: str) -> float:
    colour = page.eval_on_selector(selector, f"element => getComputedStyle(element).{name}")
    return sum(float(part) for part in colour[colour.index("(") + 1 : -1].split(",")[:3]) / 3


def test_the_dark_scheme_applies(demo: tuple[Path, dict[str, Any]], open_page: Open) -> None:
    light, dark = (open_page(demo[0], color_scheme=scheme).page for scheme in ("light", "dark"))
    for page, is_dark in ((light, False), (dark, True)):
        assert (brightness(page, "body", "backgroundColor") < 60) == is_dark
        assert (brightness(page, "body", "color") > 180) == is_dark
        assert (brightness(page, "svg text.label", "fill") > 120) == is_dark
    keep_picture(dark, "demo-dark", full_page=True)


def contrast(first: list[float], second: list[float]) -> float:
    """How far two colours are apart, 1 to 21, as the Web Content Accessibility Guidelines define it."""

    def luminance(colour: list[float]) -> float:
        linear = [
            c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
            for c in (part / 255 for part in colour)
        ]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_numbers_in_the_matrix_can_be_read(tmp_path: Path, open_page: Open, scheme: str) -> None:
    steps = 11
    shares = np.linspace(0, 1000, steps).astype(int)  # one row for each tenth of a class
    counts = np.zeros((steps, steps), dtype=int)
    counts[:, 0], counts[:, 1] = shares, 1000 - shares
    evaluate(counts, labels=[f"class {i}" for i in range(steps)]).to_html(tmp_path / "r.html")
    page = open_page(tmp_path / "r.html", color_scheme=scheme).page
    cells = page.eval_on_selector_all(
        "svg[aria-label='Confusion matrix, counts'] g",
        """cells => cells.map(cell => {
            const parts = element => getComputedStyle(element).fill.match(/[0-9.]+/g).slice(0, 3).map(Number)
            const rect = cell.querySelector('rect'), words = cell.querySelector('text')
            return [parts(rect), Number(getComputedStyle(rect).fillOpacity), parts(words)]
        })""",
    )
    paper = page.eval_on_selector(
        "body", "body => getComputedStyle(body).backgroundColor.match(/[0-9.]+/g).slice(0, 3).map(Number)"
    )
    assert len(cells) == steps * steps
    for fill, opacity, words in cells:
        seen = [opacity * f + (1 - opacity) * p for f, p in zip(fill, paper, strict=True)]
        assert contrast(seen, words) >= 3.3


def test_the_page_prints_in_ink_on_paper(
    demo: tuple[Path, dict[str, Any]], open_page: Open, tmp_path: Path
) -> None:
    page = open_page(demo[0], color_scheme="dark").page
    page.pdf(path=tmp_path / "report.pdf", format="A4")
    printed = (tmp_path / "report.pdf").read_bytes()
    assert printed.startswith(b"%PDF-")
    assert len(printed) > 20_000
    page.emulate_media(media="print")
    assert brightness(page, "body", "backgroundColor") > 240
    assert brightness(page, "svg text.label", "fill") < 60


def test_hostile_names_are_text_and_nothing_else(tmp_path: Path, open_page: Open) -> None:
    names = [*HOSTILE, *HOSTILE]
    rng = np.random.default_rng(0)
    predicted = [HOSTILE[i] for i in rng.integers(0, len(HOSTILE), len(names))]
    (tmp_path / "slices & <b>").mkdir()
    source = tmp_path / "slices & <b>" / "<img src=x onerror=alert(1)>'\".jsonl"
    rows = [
        {"y_true": t, "y_pred": p, "<i>slice</i>": t, "p_<b>": 0.5}
        for t, p in zip([*names, *HOSTILE], [*predicted, *HOSTILE], strict=True)
    ]
    source.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    result = evaluate(source, slices="<i>slice</i>", relevance="prevalence")
    result.to_html(tmp_path / "r.html")
    opened = open_page(tmp_path / "r.html", viewport={"width": 390, "height": 844})
    page = opened.page
    assert opened.requests == [(tmp_path / "r.html").as_uri()]
    assert opened.complaints == []
    strange = "img, iframe, b b, i, [style], [onload], [onerror]"
    assert page.evaluate(f"document.querySelectorAll('{strange}').length") == 0
    assert page.evaluate("document.scripts.length") == 2  # the data of the live part, and the page's own
    assert page.title().startswith(source.name)
    assert page.inner_text("h1").startswith(source.name)
    assert [row[0] for row in rows_of(page, "classes")] == [visible(str(c.label)) for c in result.classes]
    assert sorted(row[0] for row in rows_of(page, "slices")) == sorted(map(visible, HOSTILE))
    tips = page.eval_on_selector_all("svg title", "tips => tips.map(tip => tip.textContent)")
    for name in HOSTILE:
        assert any(visible(name) in tip for tip in tips)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    keep_picture(page, "hostile", full_page=True)
    wide = open_page(tmp_path / "r.html").page
    keep_picture(wide, "hostile-wide", full_page=True)


def random_evaluation(classes: int, rows: int) -> Any:
    rng = np.random.default_rng(classes)
    shares = 1 / np.arange(1, classes + 1)
    truth = np.concatenate([np.arange(classes), rng.choice(classes, rows, p=shares / shares.sum())])
    prediction = np.where(rng.random(len(truth)) < 0.7, truth, rng.choice(classes, len(truth)))
    names = np.array([f"species {i:04d}" for i in range(classes)])
    return evaluate(names[truth], names[prediction])


@pytest.mark.parametrize("width", [390, 1200])
def test_fifty_classes_stay_readable(tmp_path: Path, open_page: Open, width: int) -> None:
    result = random_evaluation(50, 5000)
    result.to_html(tmp_path / "r.html")
    opened = open_page(tmp_path / "r.html", viewport={"width": width, "height": 844})
    page = opened.page
    assert opened.complaints == []
    assert len(rows_of(page, "classes")) == 50
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    drawn = page.eval_on_selector_all(
        "svg[aria-label='Confusion matrix, counts'] text.label",
        "labels => labels.map(label => label.firstChild.data)",
    )
    assert len(drawn) == 2 * 30  # twenty-nine classes and the others together, on both sides
    assert drawn.count("21 ot…lasses") == 1
    smallest = page.eval_on_selector_all(
        "svg text.label", "labels => Math.min(...labels.map(label => label.getBoundingClientRect().height))"
    )
    assert smallest >= 7  # pixels; below that, nobody reads a name
    keep_picture(page, f"fifty-{width}", full_page=True)


@pytest.mark.whole
def test_a_thousand_classes_are_a_small_page(tmp_path: Path, open_page: Open) -> None:
    result = random_evaluation(1000, 30_000)
    result.to_html(tmp_path / "r.html")
    assert (tmp_path / "r.html").stat().st_size < 5_000_000
    opened = open_page(tmp_path / "r.html")
    assert opened.complaints == []
    rows = rows_of(opened.page, "classes")
    assert len(rows) == 100
    recalls = [float(row[3]) for row in rows]
    assert recalls == sorted(recalls)  # the worst told ones are those that are shown
    assert opened.page.get_by_text("100 of 1,000 rows; the others are found", exact=False).count() == 1
    keep_picture(opened.page, "thousand", full_page=True)
