"""A report answers back: with other shares, thresholds, costs and orders of the classes; and is whole without scripts."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.measures.costs import expected_cost
from steelyard.report import numbers
from steelyard.report.page.render import read_script
from tests.browser.conftest import Opened

pytestmark = pytest.mark.xdist_group("browser")

FRAUD = [[96, 206], [1506, 148192]]
"""The worked figures of the README: 302 fraud among 150,000."""
HOSTILE = [
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(2)>",
    "'\"`${alert(3)}\\",
    "a\u2028b\u2029c\u202e",
    "x" * 10_000,
    "__proto__",
]
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}


@pytest.fixture
def report(tmp_path: Path) -> Path:
    result = sy.evaluate(
        FRAUD, labels=["fraud", "ok"], positive="fraud", priors={"fraud": 0.001, "ok": 0.999}, draws=500
    )
    result.to_html(tmp_path / "report.html")
    return tmp_path / "report.html"


def quiet(opened: Opened) -> None:
    assert not opened.complaints
    assert all(url.startswith(("file:", "data:", "about:")) for url in opened.requests)


def value(opened: Opened, title: str) -> str:
    row = opened.page.locator("#live-values tbody tr").filter(has_text=title).first
    return str(row.locator("td").nth(2).locator("span").first.text_content())


def python_values(opened: Opened) -> dict[str, Any]:
    """What the Python lines of the page give when they are run."""
    opened.page.locator("details", has_text="Python lines").last.locator("summary").click()
    lines = opened.page.locator(".live textarea").input_value()
    found: dict[str, Any] = {}
    exec(lines.replace("print(values)", ""), found)
    return found


def on_page(opened: Opened) -> dict[str, float]:
    """Every value as the page computes it, unrounded."""
    text = opened.page.locator("script.live-data").text_content() or ""
    return {m["title"]: m["name"] for m in json.loads(text)["measures"]}


@pytest.mark.parametrize("options", [{}, PHONE], ids=["desktop", "phone in the dark"])
def test_other_shares_of_the_classes(
    report: Path, open_page: Callable[..., Opened], options: dict[str, Any]
) -> None:
    opened = open_page(report, **options)
    page = opened.page
    assert value(opened, "Precision") == "0.0599"
    assert "0.0" in (
        page.locator("#live-values tr", has_text="Precision").locator(".aside").text_content() or ""
    )
    page.get_by_role("button", name="yours").click()
    there = sy.measure("precision").at_priors(0.001)(sy.Confusion(FRAUD, ["fraud", "ok"]), positive="fraud")
    assert value(opened, "Precision") == f"{there:.4f}"
    assert "was 0.0599" in (page.locator("#live-values").text_content() or "")
    assert (
        page.locator("#live-values .between:not(.absent)").count() == 0
    )  # the intervals were of another state
    assert "p=0.001,0.999" in page.url
    slider = page.get_by_label("share of class fraud")
    slider.evaluate("s => { s.value = -6; s.dispatchEvent(new Event('input')) }")
    assert "a million examples 1 are fraud" in (page.locator(".live").text_content() or "")
    page.get_by_role("button", name="test set", exact=True).click()
    assert value(opened, "Precision") == "0.0599"
    assert page.locator("#live-values .between:not(.absent)").count() > 0
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    quiet(opened)


def test_at_first_the_live_part_says_what_the_page_says(
    report: Path, open_page: Callable[..., Opened]
) -> None:
    opened = open_page(report)
    rows = opened.page.locator("#headline tbody tr").all()
    said = {(row.locator("td").first.text_content() or "").strip(" >"): row for row in rows}
    here = [th.text_content() for th in opened.page.locator("#headline th").all()].index("test set")
    for name, title in (("recall", "Recall"), ("precision", "Precision"), ("accuracy", "Accuracy")):
        assert value(opened, title) == said[name].locator("td").nth(here).text_content()
    assert (
        value(opened, "Geometric mean of the class recalls")
        == said["G-mean"].locator("td").nth(here).text_content()
    )
    quiet(opened)


NUMBERS = [
    0,
    0.5,
    0.561,
    0.0101,
    0.99987,
    0.0995,
    0.09949,
    1.0,
    12.3456,
    999.9994,
    1234.6,
    1e14,
    3.3e-5,
    2e-7,
    -0.25,
    0.9999999,
]


def test_numbers_are_written_as_python_writes_them(report: Path, open_page: Callable[..., Opened]) -> None:
    opened = open_page(report)
    script = read_script("live/elements.js")
    run = f"numbers => {{ {script}; return numbers.map((x) => [shown(x), percent(x)]) }}"
    for number, (there, share) in zip(NUMBERS, opened.page.evaluate(run, NUMBERS), strict=True):
        assert there == numbers.shown(number)
        if 0 <= number <= 1:
            assert share == numbers.percent(number)


def test_a_link_shows_what_one_sees(report: Path, open_page: Callable[..., Opened]) -> None:
    opened = open_page(report)
    opened.page.goto(report.as_uri() + "#p=0.001,0.999&c=0-1-50,1-0-1&m=mcc,precision&r=1,0&s=moves")
    opened.page.reload()
    titles = opened.page.locator("#live-values tbody td.words").all_text_contents()
    assert titles == ["Precision", "Matthews correlation coefficient"] or titles[::-1] == [
        "Precision",
        "Matthews correlation coefficient",
    ]
    found = python_values(opened)
    cm = sy.Confusion(FRAUD, ["fraud", "ok"])
    assert found["values"]["precision"] == pytest.approx(
        sy.measure("precision").at_priors(0.001)(cm, positive="fraud"), rel=1e-12
    )
    cost = expected_cost(50, 1).at_priors(0.001)(cm, positive="fraud")
    assert found["cost"] == pytest.approx(cost, rel=1e-12)
    assert f"cost {cost:.4f} an example" in (opened.page.locator(".live").text_content() or "")
    quiet(opened)


@pytest.mark.parametrize(
    "fragment",
    [
        "p=1e400,2&t=NaN&c=0-0-1,9-9-9,__proto__-1-1&r=0,0&m=__proto__,constructor",
        "p=<img src=x onerror=alert(1)>&m=</script><script>alert(1)</script>",
        "p=%00%ff&%",
        "=&&&p&t&c&r&m",
        "x" * 20_000,
    ],
)
def test_a_hostile_address_does_nothing(
    report: Path, open_page: Callable[..., Opened], fragment: str
) -> None:
    opened = open_page(report)
    opened.page.goto(report.as_uri() + "#" + fragment)
    opened.page.reload()
    opened.page.get_by_role("button", name="balanced").click()
    assert opened.page.locator("#live-values").count() == 1
    quiet(opened)


def test_hostile_names_stay_names(tmp_path: Path, open_page: Callable[..., Opened]) -> None:
    size = len(HOSTILE)
    counts = np.arange(size * size).reshape(size, size) + 50 * np.eye(size, dtype=int)
    sy.evaluate(counts, labels=HOSTILE, interval=None).to_html(tmp_path / "page.html")
    opened = open_page(tmp_path / "page.html", viewport={"width": 390, "height": 844})
    page = opened.page
    page.get_by_role("button", name="balanced").click()
    page.locator("details.more summary").click()
    page.locator(".order button").nth(1).click()
    found = python_values(opened)
    assert list(found["labels"]) == HOSTILE
    relevance = sy.measure("macro_precision").weighted_by(found["relevance"])
    assert found["relevance"][1] == 1.0
    assert relevance is not None
    assert page.locator("img, .live script").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    quiet(opened)


def test_without_scripts_the_page_is_whole(report: Path, open_page: Callable[..., Opened]) -> None:
    opened = open_page(report, java_script_enabled=False)
    assert opened.page.locator(".live").is_hidden()
    assert opened.page.locator("#headline").is_visible()
    quiet(opened)


def test_the_policy_names_its_script_and_nothing_in_the_markup_runs(report: Path) -> None:
    text = report.read_text(encoding="utf-8")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    assert "default-src 'none'" in policy[1]
    assert len(re.findall(r"script-src 'sha256-[^']{44}'", policy[1])) == 1
    assert not re.search(r"<[^>]+\s(?:style|on\w+)\s*=", re.sub(r"(?s)<script.*?</script>", "", text))
    assert "eval(" not in text
    assert "new Function" not in text


def scored(rows: int = 4000) -> tuple[list[str], Any]:
    rng = np.random.default_rng(7)
    truth = rng.random(rows) < 0.03
    return ["fraud" if t else "ok" for t in truth], rng.normal(size=rows) + 2 * truth


def test_the_threshold_moves(tmp_path: Path, open_page: Callable[..., Opened]) -> None:
    truth, score = scored()
    evaluation = sy.evaluate(truth, score=score, threshold=1.0, positive="fraud", interval=None)
    evaluation.to_html(tmp_path / "page.html")
    opened = open_page(tmp_path / "page.html")
    slider = opened.page.get_by_label("threshold of the score")
    slider.evaluate("s => { s.value = 200; s.dispatchEvent(new Event('input')) }")
    data = json.loads(opened.page.locator("script.live-data").text_content() or "")
    threshold = data["curve"]["thresholds"][200]
    called = ["fraud" if s >= threshold else "ok" for s in score]
    for title, name in (("Recall", "recall"), ("Precision", "precision")):
        assert float(value(opened, title)) == pytest.approx(
            sy.measure(name)(truth, called, positive="fraud"), abs=6e-4
        )
    assert "t=200" in opened.page.url
    quiet(opened)


def test_relevance_that_was_given_is_applied_when_asked_for(
    tmp_path: Path, open_page: Callable[..., Opened]
) -> None:
    rows = [[80, 15, 5], [3, 40, 2], [1, 4, 5]]
    result = sy.evaluate(rows, labels=["a", "b", "c"], relevance="a < b < c", interval=None)
    result.to_html(tmp_path / "page.html")
    opened = open_page(tmp_path / "page.html")
    recall = sy.measure("macro_recall")
    assert float(value(opened, recall.title)) == pytest.approx(recall(rows), abs=6e-4)
    opened.page.locator("details.more summary").click()
    opened.page.get_by_role("button", name="as in the report").click()
    weighted = recall.weighted_by([1 / 3, 2 / 3, 1])
    assert float(value(opened, recall.title)) == pytest.approx(weighted(rows), abs=6e-4)
    assert "r=given" in opened.page.url
    quiet(opened)


def test_two_models_move_together(tmp_path: Path, open_page: Callable[..., Opened]) -> None:
    truth, score = scored(1000)
    models = {name: ["fraud" if s >= at else "ok" for s in score] for name, at in (("a", 1.0), ("b", 2.0))}
    sy.compare(models, truth, positive="fraud", draws=300).to_html(tmp_path / "page.html")
    opened = open_page(tmp_path / "page.html", **PHONE)
    opened.page.get_by_role("button", name="balanced").click()
    row = opened.page.locator("#live-values tr", has_text="Precision").first
    for k, model in enumerate(models, start=2):
        there = sy.measure("balanced_precision")(truth, models[model], positive="fraud")
        assert float(row.locator("td").nth(k).locator("span").first.text_content() or "") == pytest.approx(
            there, abs=6e-4
        )
    assert opened.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    quiet(opened)


MOVE = """k => {
  const slider = document.querySelector(".sliders input");
  slider.value = -6 + 0.06 * k;
  slider.dispatchEvent(new Event("input"));
  document.body.getBoundingClientRect();
}"""


def own_times(opened: Opened, moves: int) -> list[float]:
    """Milliseconds that the page's own thread works at each move of a slider, until everything is laid out.

    Time of the thread, not of the wall: what else the machine does is not the page's.
    """
    session = opened.page.context.new_cdp_session(opened.page)
    session.send("Performance.enable")

    def spent() -> float:
        found = session.send("Performance.getMetrics")["metrics"]
        return next(1000.0 * one["value"] for one in found if one["name"] == "ThreadTime")

    times = []
    for k in range(moves):
        before = spent()
        opened.page.evaluate(MOVE, k)
        times.append(spent() - before)
    return times


@pytest.mark.parametrize(
    ("share", "most"),
    # What is promised, 95% within 50 ms, is held by the tests of the whole; here the machine does other things too.
    [pytest.param(0.5, 250, id="half"), pytest.param(0.95, 50, id="nearly all", marks=pytest.mark.whole)],
)
def test_ten_classes_with_all_measures_follow_at_once(
    tmp_path: Path, open_page: Callable[..., Opened], share: float, most: float
) -> None:
    rng = np.random.default_rng(1)
    counts = rng.integers(0, 30, (10, 10)) + np.diag(rng.integers(10, 2000, 10))
    sy.evaluate(counts, labels=[f"class {k}" for k in range(10)], interval=None).to_html(
        tmp_path / "page.html"
    )
    assert (tmp_path / "page.html").stat().st_size < 250_000
    opened = open_page(tmp_path / "page.html")
    opened.page.locator("details.more summary").click()
    opened.page.get_by_role("button", name="all", exact=True).click()
    opened.page.eval_on_selector_all("details", "all => all.forEach(one => one.open = true)")
    times = sorted(own_times(opened, 100))
    print(f"median {times[50]:.1f} ms, 95th percentile {times[95]:.1f} ms")
    assert opened.page.locator("#live-values tbody tr").count() > 40
    assert times[int(share * 100)] < most
    quiet(opened)


@pytest.mark.parametrize(
    ("size", "most"), [(100, 1_000_000), pytest.param(1000, 5_000_000, marks=pytest.mark.whole)]
)
def test_many_classes_fit_and_are_shown_soon(
    tmp_path: Path, open_page: Callable[..., Opened], size: int, most: int
) -> None:
    rng = np.random.default_rng(2)
    counts = (rng.random((size, size)) < 0.02) * rng.integers(1, 5, (size, size)) + np.diag(
        rng.integers(1, 50, size)
    )
    sy.evaluate(counts, labels=[f"species {k}" for k in range(size)], interval=None).to_html(
        tmp_path / "page.html"
    )
    assert (tmp_path / "page.html").stat().st_size < most
    opened = open_page(tmp_path / "page.html")
    ready = opened.page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
    print(f"{size} classes: {(tmp_path / 'page.html').stat().st_size:,} bytes, shown after {ready:.0f} ms")
    assert ready < 2000
    assert math.isfinite(float(value(opened, "Accuracy")))
    quiet(opened)


def test_a_notebook_has_a_frame_of_its_own(open_page: Callable[..., Opened], tmp_path: Path) -> None:
    result = sy.evaluate(FRAUD, labels=["fraud", "ok"], positive="fraud", interval=None)
    both = result._repr_html_() + result._repr_html_()
    (tmp_path / "notebook.html").write_text(f"<!doctype html><meta charset=utf-8>{both}", encoding="utf-8")
    opened = open_page(tmp_path / "notebook.html")
    opened.page.wait_for_timeout(300)
    frames = opened.page.frames[1:]
    assert len(frames) == 2
    frames[0].get_by_role("button", name="balanced").click()
    seen = [frame.locator("#live-values").text_content() or "" for frame in frames]
    assert "was 0.0599" in seen[0]
    assert "was" not in seen[1]
    quiet(opened)
