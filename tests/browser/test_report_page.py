"""The pages of evaluate, compare, threshold and the studio in a real browser: what a reader, a keyboard, a phone, a printer and a policy need."""

from __future__ import annotations

import json
import random
import re
import shlex
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

import steelyard as sy
from steelyard.cli import main
from steelyard.counts.joint import JointCounts
from steelyard.uncertainty.resampling import Simulation
from studies.paired import paired_differences
from tests.browser.conftest import Opened, wait_until, watched
from tests.few_samples import OF_SCORES, drawing_few_samples

Open = Callable[..., Opened]
DATA = Path(__file__).resolve().parents[2] / "examples" / "data"
TWO = ["evaluate", "payments.csv", "--truth", "y", "--pred", "model", "--score", "p", "--positive", "fraud"]
MANY = ["evaluate", "satimage.csv", "--truth", "truth", "--pred", "random_forest"]
COMPARE = [
    "compare",
    "payments.csv",
    "--truth",
    "y",
    "--pred",
    "model",
    "--pred",
    "rule",
    "--positive",
    "fraud",
]
THRESHOLD = ["threshold", "payments.csv", "--truth", "y", "--score", "p", "--positive", "fraud"]
KINDS = {
    "two": TWO,
    "many": MANY,
    "compare": COMPARE,
    "threshold": THRESHOLD,
    "studio": ["studio", "--no-open"],
}
DESKTOP: Any = {"width": 1280, "height": 800}
MOST_BYTES = 350_000
BOTTOMS = """['.verdict', '.matrix', '.first .forest'].map((query) => document.querySelector(query).getBoundingClientRect().bottom)"""
SMALL_TEXT = """[...document.querySelectorAll('svg.chart text')].filter((one) => { const svg = one.closest('svg');
  return parseFloat(getComputedStyle(one).fontSize) * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width < 10.5; }).map((one) => one.textContent)"""
TWO_FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
STYLED = "document.querySelectorAll('main [style], main [onclick], main [oninput], main [onload]').length"
LEVELS = "[...document.querySelectorAll('h1, h2, h3')].map((one) => +one.tagName[1])"
CONTRAST = """() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const colour = (text) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = text; canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data]; };
  const over = (front, back) => [0, 1, 2].map((i) => front[i] * front[3] / 255 + back[i] * (1 - front[3] / 255));
  const light = (rgb) => { const [r, g, b] = rgb.map((v) => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
  const ground = (element) => { const found = []; for (let one = element; one; one = one.parentElement) { const c = colour(getComputedStyle(one).backgroundColor); if (c[3]) found.push(c); if (c[3] === 255) break; } return found.reverse().reduce((back, c) => over(c, back), [255, 255, 255]); };
  const faint = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode, element = text.parentElement, svg = element.closest('svg');
    if (!text.textContent.trim() || !element.getClientRects().length || element.closest('script, style, .vh, .skip')) continue;
    const back = ground(svg ? svg.parentElement : element), style = getComputedStyle(element), front = over(colour(svg ? style.fill : style.color), back);
    const [a, b] = [light(front), light(back)].sort((x, y) => y - x);
    if ((a + .05) / (b + .05) < 4.5) faint.push(text.textContent.trim());
  }
  return faint;
}"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("reports")
    made = {}
    with pytest.MonkeyPatch.context() as patch, drawing_few_samples(OF_SCORES):
        patch.chdir(DATA)
        for name, command in KINDS.items():
            made[name] = folder / f"{name}.html"
            data = [] if name == "studio" else ["--json", str(folder / f"{name}.json")]
            assert main([*command, "--out" if name == "studio" else "--html", str(made[name]), *data]) == 0
    return made


@pytest.fixture(params=list(KINDS))
def report(request: pytest.FixtureRequest, pages: dict[str, Path]) -> Path:
    return pages[request.param]


@pytest.fixture(scope="module")
def shown(chromium: Browser) -> Iterator[Callable[[Path], Opened]]:
    """Each report in a page that several tests look at and leave as it was when it was opened."""
    context = chromium.new_context(viewport=DESKTOP, reduced_motion="reduce")
    all_shown: dict[Path, Opened] = {}

    def show(path: Path) -> Opened:
        if path not in all_shown:
            all_shown[path] = watched(context.new_page())
            all_shown[path].page.goto(path.as_uri(), wait_until="load")
            all_shown[path].page.wait_for_timeout(50)
        all_shown[path].page.bring_to_front()  # a tab behind another one draws no frames
        return all_shown[path]

    yield show
    context.close()


def test_the_first_screen_and_the_markup(report: Path, shown: Callable[[Path], Opened]) -> None:
    opened = shown(report)
    assert report.stat().st_size <= MOST_BYTES
    assert opened.requests == [report.as_uri()]
    assert opened.complaints == []
    assert opened.page.evaluate(STYLED) == 0
    assert max(opened.page.evaluate(BOTTOMS)) <= 800
    levels = opened.page.evaluate(LEVELS)
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_the_page_does_not_scroll_sideways(report: Path, shown: Callable[[Path], Opened]) -> None:
    page = shown(report).page
    for width in (320, 390, 768, 1024, 1280, 1920):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        if width in (390, 1280):
            assert page.evaluate(SMALL_TEXT) == [], width
    page.set_viewport_size(DESKTOP)


def test_every_text_can_be_read(report: Path, shown: Callable[[Path], Opened]) -> None:
    page = shown(report).page
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate(CONTRAST) == [], scheme


def test_what_if_by_keyboard_and_back(report: Path, open_page: Open) -> None:
    page = open_page(report, viewport=DESKTOP).page
    slider, values = page.locator("#pi, [data-share]").first, page.locator(".now")
    before = values.all_inner_texts()
    slider.focus()
    for _ in range(8):
        slider.press("PageUp")
    wait_until(page, "document.documentElement.classList.contains('on')")
    assert values.all_inner_texts() != before
    assert page.locator(".state").is_visible()
    assert "--priors" in page.locator("[data-cmd=state]").inner_text()
    wait_until(page, "location.hash.includes('p=')")
    page.locator(".state [data-reset]").click()
    wait_until(page, "!location.hash.includes('p=')")
    assert values.all_inner_texts() == before


def test_what_if_moves_marks_on_the_page(report: Path, open_page: Open) -> None:
    page = open_page(report, "p=0.3", viewport=DESKTOP).page
    if report.stem != "many":
        shown = "getComputedStyle(document.querySelector('.results .strip .live')).display"
        assert page.evaluate(shown) == "inline"
        assert page.locator("[data-out=pi]").inner_text() == "30.0%"
    assert page.evaluate("document.documentElement.classList.contains('on')") is (report.stem != "many")


def test_what_if_of_two_models_is_what_python_says(pages: dict[str, Path], open_page: Open) -> None:
    page = open_page(pages["compare"], "p=0.2").page
    for row in page.locator("tr[data-metric]").all():
        m = sy.measure(row.get_attribute("data-metric") or "")
        rates = ([[0.91, 0.09], [419 / 3900, 3481 / 3900]], [[0.39, 0.61], [71 / 3900, 3829 / 3900]])
        for place, written in enumerate(row.locator(".now").all_inner_texts()):
            (tp, fn), (fp, tn) = rates[place]
            there = [[0.2 * tp, 0.2 * fn], [0.8 * fp, 0.8 * tn]]
            positive = {"positive": "c1"} if m.kind == "two-class" else {}
            assert float(written.replace("\u2212", "-")) == pytest.approx(m(there, **positive), abs=0.0006)


@pytest.fixture(scope="module")
def six_models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    draw = random.Random(6)
    truth = ["fraud"] * 60 + ["ok"] * 240
    models = {
        f"gradient_boosting_{k:02d}": [draw.choices([y, "ok"], [9, 1 + k])[0] for y in truth]
        for k in range(6)
    }
    path = tmp_path_factory.mktemp("six") / "six.html"
    path.write_text(sy.compare(models, y_true=truth, positive="fraud", draws=200).to_html(), encoding="utf-8")
    return path


@pytest.mark.parametrize("width", [1280, 390])
def test_what_if_of_six_models_fits_its_panel(six_models: Path, open_page: Open, width: int) -> None:
    page = open_page(six_models, viewport={"width": width, "height": 900}).page
    table = page.locator("#what-if .results .table")
    assert table.evaluate("(one) => one.scrollWidth <= one.clientWidth")
    panel, better = table.bounding_box(), table.get_by_text("better", exact=True).bounding_box()
    assert panel is not None
    assert better is not None
    assert better["x"] + better["width"] <= panel["x"] + panel["width"] + 1
    first = table.locator("tr[data-metric]").first
    expect(first.locator(".stack > div")).to_have_count(6)
    if width == 1280:  # a phone has no room for the plot
        for line, mark in zip(
            first.locator(".stack > div").all(), first.locator(".strip .pt").all(), strict=True
        ):
            a, b = line.bounding_box(), mark.bounding_box()
            assert a is not None
            assert b is not None
            assert a["y"] <= b["y"] + b["height"] / 2 <= a["y"] + a["height"]


def test_a_chart_reads_values_by_pointer_and_by_keyboard(
    report: Path, shown: Callable[[Path], Opened]
) -> None:
    page = shown(report).page
    chart = page.locator("svg.chart[data-hover]").first
    chart.scroll_into_view_if_needed()
    page.evaluate(TWO_FRAMES)  # scrolling hides the tip, and its event comes with the next frame
    box = chart.bounding_box()
    assert box is not None
    chart.hover(position={"x": box["width"] / 2, "y": box["height"] * 0.4})
    expect(page.locator("#tip")).to_be_visible()
    page.mouse.move(2, 2)
    expect(page.locator("#tip")).to_be_hidden()
    chart.focus()
    chart.press("ArrowRight")
    assert len(chart.get_attribute("aria-valuetext") or "") > 10
    page.keyboard.press("Escape")
    expect(page.locator("#tip")).to_be_hidden()


@pytest.mark.parametrize("kind", ["two", "many", "threshold", "studio"])
def test_metrics_are_searched(kind: str, pages: dict[str, Path], open_page: Open) -> None:
    page = open_page(pages[kind]).page
    page.locator("#find").fill("recall")
    rows = page.locator("#all tbody tr:not([hidden])")
    assert 0 < rows.count() < page.locator("#all tbody tr").count()
    assert all("recall" in (row.get_attribute("data-words") or "") for row in rows.all())
    assert page.locator("#count").inner_text().startswith(str(rows.count()))


def test_without_scripts_in_print_and_with_reduced_motion(report: Path, open_page: Open) -> None:
    page = open_page(report, java_script_enabled=False).page
    assert page.locator("svg.chart").first.is_visible()
    assert page.locator(".matrix").is_visible()
    assert not page.locator("#what-if").is_visible()
    assert page.locator("#find:visible").count() == 0
    page = open_page(report, reduced_motion="reduce", color_scheme="dark").page
    assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto"
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.locator(".toc").is_visible()


def test_the_figures_of_the_first_screen_are_those_of_the_json(
    pages: dict[str, Path], open_page: Open
) -> None:
    found = json.loads(pages["two"].with_suffix(".json").read_text())
    page = open_page(pages["two"]).page
    values = {row["id"]: row for row in found["headline_values"]}
    assert page.locator(".key strong").inner_text() == f"{values['gmean']['observed']:.3f}"
    cells = [int(text.replace(",", "")) for text in page.locator(".matrix .cell strong").all_inner_texts()]
    (tp, fn), (fp, tn) = (row for row in found["matrix"]["counts"])
    labels = found["matrix"]["labels"]
    assert cells == ([tp, fn, fp, tn] if labels[0] == "fraud" else [tn, fp, fn, tp])
    shown = [
        text.split()[0] for text in page.locator(".first .forest tbody td:nth-child(3)").all_inner_texts()
    ]
    assert sorted(shown) == sorted(f"{row['observed']:.3f}" for row in values.values())


def test_what_if_is_what_evaluate_says(pages: dict[str, Path], open_page: Open) -> None:
    """Prevalence and threshold at random places of the sliders, against `evaluate(priors=, threshold=)`."""
    page = open_page(pages["two"]).page
    dice = random.Random(4)
    steps = page.evaluate("JSON.parse(document.querySelector('#data').textContent).steps")
    assert page.locator("[data-out=thr]").inner_text() == "0.5"
    for _ in range(4):
        share, step = 10 ** dice.uniform(-3.5, -0.2), dice.randrange(len(steps))
        page.evaluate(f"location.hash = 'p={share:.6g}&t={step}'")
        wait_until(page, f"document.querySelector('#thr').value === '{step}'")
        found = sy.evaluate(
            DATA / "payments.csv", truth="y", score="p", positive="fraud", threshold=steps[step][0],
            priors=float(f"{share:.6g}"), interval=None,
        )  # fmt: skip
        there = {row.measure.name: row.at_priors for row in found.first}
        for row in page.locator("tr[data-metric]").all():
            name = row.get_attribute("data-metric")
            assert name is not None
            written = row.locator(".now").inner_text()
            if written != "undefined":
                assert float(written) == pytest.approx(there[name], abs=0.0006), (name, share, step)


def _ends(page: Page) -> dict[str, list[float]]:
    """The interval of each metric in What if, when all draws have been made."""
    wait_until(page, "+document.querySelector('[data-draws]').dataset.draws === 10000")
    texts = {
        row.get_attribute("data-metric"): row.locator(".ends").inner_text()
        for row in page.locator("tr[data-metric]").all()
    }
    return {
        str(name): [float(x.replace("\u2212", "-")) for x in text.split(" to ")]
        for name, text in texts.items()
        if text != "–"
    }


def _intervals_at(
    matrix: sy.Confusion, priors: dict[Any, float] | None, names: Iterable[str], **how: Any
) -> dict[str, Any]:
    """Python's interval of each metric at these priors: all of them of the same draws."""
    measures = {name: sy.measure(name) for name in names}
    if priors is not None:
        measures = {name: sy.at_priors(measure, priors) for name, measure in measures.items()}
    found = sy.interval(matrix, list(measures.values()), **how)
    return {name: found[measure.name] for name, measure in measures.items()}


def test_intervals_follow_prevalence_and_threshold(tmp_path: Path, open_page: Open) -> None:
    """Those of `evaluate --threshold`, and of the metric at the priors where the prevalence moved."""
    given = {"truth": "y", "score": "p", "positive": "fraud"}
    with drawing_few_samples(OF_SCORES):
        result = sy.evaluate(DATA / "payments.csv", **given, threshold=0.5, seed=3)
    result.to_html(tmp_path / "r.html")
    page = open_page(tmp_path / "r.html").page
    for name, ends in _ends(page).items():
        there = result.interval_of(name)
        assert there is not None
        assert ends == pytest.approx([there.low, there.high], abs=0.0006), name
    steps = page.evaluate("JSON.parse(document.querySelector('#data').textContent).steps")
    dice = random.Random(5)
    for _ in range(2):
        share, step = 10 ** dice.uniform(-3, -0.3), dice.randrange(len(steps))
        page.evaluate(f"location.hash = 'p={share:.6g}&t={step}'")
        wait_until(page, f"document.querySelector('#thr').value === '{step}'")
        matrix = sy.evaluate(DATA / "payments.csv", **given, threshold=steps[step][0], interval=None).matrix
        priors = {"fraud": float(f"{share:.6g}"), "ok": 1 - float(f"{share:.6g}")}
        found = _ends(page)
        intervals = _intervals_at(matrix, priors, found, positive="fraud", seed=3)
        for name, ends in found.items():
            there = intervals[name]
            assert ends == pytest.approx([there.low, there.high], abs=0.0006), (name, share, step)


def test_what_if_of_a_threshold_report_is_what_evaluate_says(pages: dict[str, Path], open_page: Open) -> None:
    """Values and intervals at random places of the sliders, against metrics of the rows at that threshold."""
    page = open_page(pages["threshold"]).page
    given = {"truth": "y", "score": "p", "positive": "fraud"}
    steps = page.evaluate("JSON.parse(document.querySelector('#data').textContent).steps")
    dice = random.Random(8)
    for _ in range(2):
        share, step = float(f"{10 ** dice.uniform(-3, -0.3):.6g}"), dice.randrange(len(steps))
        page.evaluate(f"location.hash = 'p={share}&t={step}'")
        wait_until(page, f"document.querySelector('#thr').value === '{step}'")
        matrix = sy.evaluate(DATA / "payments.csv", **given, threshold=steps[step][0], interval=None).matrix
        ends = _ends(page)
        assert len(ends) >= 4
        intervals = _intervals_at(matrix, {"fraud": share, "ok": 1 - share}, ends, positive="fraud")
        for row in page.locator("tr[data-metric]").all():
            name = row.get_attribute("data-metric") or ""
            if name in ends:
                there = intervals[name]
                assert ends[name] == pytest.approx([there.low, there.high], abs=0.0006), (name, share, step)
                assert float(row.locator(".now").inner_text()) == pytest.approx(there.estimate, abs=0.0006)


@pytest.mark.parametrize("classes", [["no", "yes"], ["a", "b", "c"]])
def test_what_if_of_two_models_has_the_intervals_of_their_difference(
    tmp_path: Path, open_page: Open, classes: list[str]
) -> None:
    """The positive class is not the first and the better model not the first: draws belong to places."""
    dice = np.random.default_rng(12)
    truth = dice.choice(classes, 400, p=[0.85, 0.15] if len(classes) == 2 else [0.7, 0.2, 0.1])
    models = {
        name: np.where(dice.random(400) < right, truth, dice.choice(classes, 400))
        for name, right in (("worse", 0.6), ("better", 0.8))
    }
    positive = {"positive": "yes"} if len(classes) == 2 else {}
    result = sy.compare(models, y_true=truth, **positive, seed=5)
    result.to_html(tmp_path / "c.html")
    page = open_page(tmp_path / "c.html").page
    joint = JointCounts.from_columns(truth, models)
    for shares in (None, dice.dirichlet(np.full(len(classes), 3.0)).round(4)):
        priors = None
        if shares is not None:
            shares[-1] = 1 - shares[:-1].sum()
            in_page = shares[::-1][:1] if len(classes) == 2 else shares
            page.evaluate(f"location.hash = 'p={','.join(f'{x:.6g}' for x in in_page)}'")
            wait_until(page, "document.documentElement.classList.contains('on')")
            priors = dict(zip(classes, shares.tolist(), strict=True))
        wait_until(page, "+document.querySelector('[data-draws]').dataset.draws === 10000")
        rows = page.locator("tr[data-metric]").all()
        assert len(rows) >= 5
        names = [row.get_attribute("data-metric") or "" for row in rows]
        measures = [
            sy.measure(name) if priors is None else sy.at_priors(sy.measure(name), priors) for name in names
        ]
        gaps = paired_differences(joint, measures, Simulation(seed=5, **positive))
        intervals = {
            model: _intervals_at(sy.Confusion.from_labels(truth, called), priors, names, seed=5, **positive)
            for model, called in models.items()
        }
        for row, name, measure in zip(rows, names, measures, strict=True):
            gap = gaps[measure.name]
            numbers = [float(x) for x in re.findall(r"[+-]\d\.\d+", _plain(row.locator(".apart")))]
            expected = [-gap.value, -gap.high, -gap.low]
            assert numbers == pytest.approx(expected, abs=0.0006), (measure.name, priors)
            clear = expected[1] > 0 or expected[2] < 0
            winner = "better" if expected[0] > 0 else "worse"
            assert row.locator(".who").inner_text() == (winner if clear else "not signif.")
            for model, written in zip(("better", "worse"), row.locator(".now").all(), strict=True):
                there = intervals[model][name]
                assert float(_plain(written)) == pytest.approx(there.estimate, abs=0.0006)
                ends = [
                    float(x)
                    for x in (written.get_attribute("title") or "").replace("\u2212", "-").split(" to ")
                ]
                assert ends == pytest.approx([there.low, there.high], abs=0.0006), (measure.name, model)


def _plain(place: Locator) -> str:
    return place.inner_text().replace("\u2212", "-")


def test_intervals_of_ten_classes_follow_within_a_frame(tmp_path: Path, open_page: Open) -> None:
    counts = np.random.default_rng(1).integers(0, 9, (10, 10)) + 60 * np.eye(10, dtype=int)
    matrix = sy.Confusion(counts, [f"c{k}" for k in range(10)])
    sy.evaluate(matrix).to_html(tmp_path / "r.html")
    page = open_page(tmp_path / "r.html").page
    assert len(_ends(page)) >= 4
    shares = [0.28, *[0.08] * 9]
    page.evaluate(f"location.hash = 'p={','.join(map(str, shares))}'")
    wait_until(page, "document.querySelector('[data-draws]').dataset.draws === '100'")
    found = _ends(page)
    intervals = _intervals_at(matrix, dict(zip(matrix.labels, shares, strict=True)), found)
    for name, ends in found.items():
        there = intervals[name]
        assert ends == pytest.approx([there.low, there.high], abs=0.0006), name
    times = page.evaluate(DRAGGED)
    assert sorted(times)[int(0.5 * len(times))] < 100  # 16 on a machine that has nothing else to do


# Milliseconds of the frame that follows an input of the first slider: everything is computed and redrawn.
DRAGGED = """async () => {
  const slider = document.querySelector("[data-share]"), times = [];
  for (let k = 0; k < 60; k++) {
    let start = 0;
    requestAnimationFrame(() => { start = performance.now(); });
    slider.value = 100 + 10 * k;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    await new Promise((done) => requestAnimationFrame(() => { document.body.offsetHeight; times.push(performance.now() - start); setTimeout(done, 0); }));
  }
  return times;
}"""


def test_costs_of_the_command_line_stand_in_the_boxes(tmp_path: Path, open_page: Open) -> None:
    result = sy.evaluate(
        DATA / "payments.csv", truth="y", score="p", positive="fraud", threshold=0.5, cost="fraud>ok=200, ok>fraud=4",
        interval=None,
    )  # fmt: skip
    result.to_html(tmp_path / "r.html")
    page = open_page(tmp_path / "r.html").page
    assert [box.input_value() for box in page.locator("input[data-cost]").all()] == ["200", "4"]
    # 91 of 100 fraud and 419 false alerts in 4,000 rows: 227.5, 22.5 and 1,047.5 in 10,000, of totals 250 and 1,275
    parts = [
        page.locator(f"[data-out={name}0]").first.inner_text()
        for name in ("actual", "tp", "fn", "alerts", "fp")
    ]
    assert parts == ["250", "228", "22", "1,275", "1,047"]
    assert "Cheapest threshold" in page.locator("[data-out=cheap]").inner_text()
    assert not page.locator(".state").is_visible()


HOSTILE = ("p=2", "p=abc&t=1e9", "t=-1", "c=x,y", "p=" + "9" * 400, "%3Cscript%3E=1", "p=0.1,0.2,0.7&t=0.5")


def test_an_address_that_is_not_understood_changes_nothing(pages: dict[str, Path], open_page: Open) -> None:
    opened = open_page(pages["two"], HOSTILE[0])
    page, threshold = opened.page, "document.querySelector('[data-out=thr]').textContent"
    state = "[...document.querySelectorAll('input[type=range]')].map((one) => one.value).join()"
    start = page.evaluate(state)
    for address in HOSTILE:  # each comes after one that is understood
        page.evaluate("location.hash = 'p=0.3&t=3'")
        wait_until(page, f"{state} !== '{start}' && {threshold} !== '0.5'")
        page.evaluate("(address) => { location.hash = address; }", address)
        wait_until(page, f"{state} === '{start}'")
        assert page.evaluate(threshold) == "0.5"
    assert opened.complaints == []


@pytest.fixture(scope="module")
def ran() -> set[str]:
    """Commands that were run already: pages share some."""
    return set()


@pytest.mark.parametrize(
    ("kind", "state"),
    [("two", ""), ("compare", "p=0.1&c=200,4"), ("threshold", "p=0.1&t=9"), ("studio", "p=0.1")],
)
def test_every_command_of_a_page_runs(
    kind: str,
    state: str,
    pages: dict[str, Path],
    open_page: Open,
    ran: set[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(DATA)
    page = open_page(pages[kind], state).page
    commands = {re.sub(r"\s+", " ", code).strip() for code in page.locator(".cmd code").all_inner_texts()}
    assert len(commands) >= (1 if kind == "studio" else 2)
    for command in commands - ran:
        ran.add(command)
        name, *words = shlex.split(command)
        assert name == "steelyard"
        words = [str(tmp_path / word) if word == "report.html" else word for word in words]
        quick = ["--draws", "300"] if words[0] in ("evaluate", "compare") else []
        with drawing_few_samples(OF_SCORES):
            assert main([*words, *quick]) == 0, command


def test_a_notebook_shows_the_first_screen_without_scripts() -> None:
    result: Any = sy.evaluate([[91, 9], [419, 3481]], labels=["fraud", "ok"], positive="fraud")
    shown = result._repr_html_()
    assert "<script" not in shown
    assert "Confusion matrix" in shown
    assert re.search(r"Detects .*91 of 100", shown)
    assert ".steelyard {" in shown


def test_downloads_of_charts_and_tables(pages: dict[str, Path], open_page: Open, tmp_path: Path) -> None:
    page = open_page(pages["two"], accept_downloads=True).page
    for kind, start in (
        ("svg", b"<svg"),
        ("png", b"\x89PNG"),
        ("csv", b"reviewed,"),
        ("md", b"| reviewed |"),
    ):
        with page.expect_download() as waiting:
            page.locator(f"[data-get={kind}]").first.click()
        waiting.value.save_as(tmp_path / kind)
        assert (tmp_path / kind).read_bytes().startswith(start)


@pytest.mark.parametrize("command", [TWO, COMPARE], ids=["evaluate", "compare"])
def test_a_summary_has_the_title_and_prints_on_one_page(
    command: list[str], open_page: Open, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(DATA)
    target = tmp_path / "summary.html"
    assert main([*command, "--draws", "300", "--title", "Fraud <b>in</b> May", "--summary", str(target)]) == 0
    opened = open_page(target)
    assert opened.page.locator("h1").inner_text() == "Fraud <b>in</b> May"
    for part in (".verdict", ".matrix", ".forest"):
        assert opened.page.locator(part).first.is_visible()
    assert 1 <= opened.page.locator(".finding").count() <= 3
    assert opened.complaints == []
    for paper in ("A4", "Letter"):
        assert len(re.findall(rb"/Type\s*/Page[^s]", opened.page.pdf(format=paper))) == 1


@pytest.mark.parametrize(
    "command",
    [
        ["plan", "--measure", "gmean", "--width", "0.05"],
        ["explain", "CBA"],
        ["examine", "precision", "--property", "prior-invariance"],
        ["claims", "--only=mullick-t4p"],
        ["study", "list"],
        ["paper", "mortaz2020"],
    ],
    ids=lambda command: command[0],
)
def test_a_page_of_another_command_has_the_title_that_was_given(command: list[str], tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    assert main([*command, "--title", "Size of <the> test set", "--html", str(target)]) == 0
    assert "<h1>Size of &lt;the&gt; test set</h1>" in target.read_text(encoding="utf-8")
