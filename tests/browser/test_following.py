"""Not only the live part moves: every number and picture of the page follows the reader, or says that it does not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from tests.browser.conftest import Opened, wait_until
from tests.browser.test_live_pages import quiet, scored

pytestmark = pytest.mark.xdist_group("browser")

SHARE = 0.2
CELLS = """all => all.filter(one => one.tagName === "TD" && !one.closest("details:not([open])"))
  .map(one => [one.dataset.follows, one.querySelector(".moved")?.textContent
    ?? Array.from(one.childNodes).filter(node => !node.classList?.contains("aside")).map(node => node.textContent).join("")])"""
PLACES = """all => all.map(one => {
  const [dx, dy] = (one.getAttribute("transform")?.match(/-?[\\d.]+/g) ?? [0, 0]).map(Number);
  const [x, y] = one.dataset.at.split(" ").map(Number);
  const across = one.dataset.x.split(" ").map(Number), up = (one.dataset.y ?? one.dataset.logy)?.split(" ").map(Number);
  const number = ([from, to, low, high], at) => low + (high - low) * (at - from) / (to - from);
  return [one.dataset.follows, number(across, x + dx), up ? number(up, y + dy) : null, Boolean(one.dataset.logy)];
})"""


def move(opened: Opened, at: int | None = None, share: float | None = None) -> None:
    if at is not None:
        opened.page.get_by_label("threshold of the score").evaluate(
            "(s, at) => { s.value = at; s.dispatchEvent(new Event('input')) }", at
        )
    if share is not None:
        opened.page.locator(".sliders input").first.evaluate(
            "(s, x) => { s.step = 'any'; s.value = x; s.dispatchEvent(new Event('input')) }",
            float(np.log10(share)),
        )


def near(words: str, value: float) -> bool:
    """Is this how the value is written, to the digits that are written?"""
    digits = words.replace(",", "")
    if digits == "undefined":
        return bool(np.isnan(value))
    return abs(float(digits) - value) <= 0.6 * 10.0 ** -len(digits.partition(".")[2])


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    truth, score = scored()
    result = sy.evaluate(
        truth,
        score=score,
        threshold=1.0,
        positive="fraud",
        priors={"fraud": 0.001, "ok": 0.999},
        draws=200,
    )
    path = tmp_path_factory.mktemp("following") / "page.html"
    result.to_html(path)
    return path


@pytest.fixture
def page(written: Path, open_page: Callable[..., Opened]) -> tuple[Opened, list[str], Any]:
    return open_page(written), *scored()


def test_every_number_of_the_page_follows(page: tuple[Opened, list[str], Any]) -> None:
    opened, truth, score = page
    first = opened.page.locator("main").evaluate("one => one.cloneNode(true).innerHTML")
    for made in opened.page.locator("section:not(:has(.live)) details").all():
        made.evaluate("one => one.open = true")
    move(opened, at=200, share=SHARE)
    data = json.loads(opened.page.locator("script.live-data").text_content() or "")
    threshold = data["curve"]["thresholds"][200]
    called = ["fraud" if s >= threshold else "ok" for s in score]
    matrix = sy.Confusion.from_labels(truth, called, labels=["fraud", "ok"])
    tpr, fpr = (matrix.counts[:, 0] / matrix.actual).tolist()
    priors = {"here": SHARE, "balanced": 0.5, "yours": 0.001}
    seen = opened.page.eval_on_selector_all("main [data-follows]", CELLS)
    counted = 0
    for key, words in seen:
        kind, *rest = key.split(":")
        if kind in priors:
            measure = sy.measure(":".join(rest[1:]))
            positive = "fraud" if measure.kind == "two-class" else None
            there = {"fraud": priors[kind], "ok": 1 - priors[kind]}
            assert near(words, measure.at_priors(there)(matrix, positive=positive)), (key, words)
            counted += 1
        elif kind == "interval":
            assert words == ""
        elif kind == "class":
            place, what = int(rest[1]), rest[2]
            shares = [SHARE, 1 - SHARE]
            rates = [[tpr, 1 - tpr], [fpr, 1 - fpr]]
            called_as = sum(shares[k] * rates[k][place] for k in range(2))
            expected = {
                "recall": rates[place][place],
                "precision": shares[place] * rates[place][place] / called_as,
                "f1": 2 * shares[place] * rates[place][place] / (called_as + shares[place]),
                "balanced": rates[place][place] / (rates[0][place] + rates[1][place]),
            }
            if what in expected:
                assert near(words, expected[what]), (key, words)
    assert counted > 100
    assert (
        "of a million examples 200,000 are fraud"
        in (opened.page.locator("[data-follows=finds]").text_content() or "").lower()
    )
    dots = {
        key: (x, y, log) for key, x, y, log in opened.page.eval_on_selector_all("main g[data-at]", PLACES)
    }
    assert dots["roc"][:2] == pytest.approx((fpr, tpr), abs=2e-3)
    x, y, log = dots["pr:0.001"]
    assert log
    assert (x, y) == pytest.approx((tpr, np.log10(0.001 * tpr / (0.001 * tpr + 0.999 * fpr))), abs=0.02)
    gmean = sy.measure("gmean")(matrix)
    assert dots["here:0:gmean"][0] == pytest.approx(gmean, abs=2e-3)
    assert opened.page.locator(".ghost:not(.absent)").count() > 8
    opened.page.get_by_role("button", name="back to the test set").click()
    for made in opened.page.locator("section:not(:has(.live)) details").all():
        made.evaluate("one => one.open = false")
    assert opened.page.locator(".moved, .stale").count() == 0
    again = opened.page.locator("section").first.evaluate("one => one.textContent")
    assert again in opened.page.evaluate(
        "html => { const made = document.createElement('div'); made.innerHTML = html; return made.textContent }",
        first,
    )
    quiet(opened)


LINES = """all => all.map(one => {
  const number = ([from, to, low, high], at) => low + (high - low) * (at - from) / (to - from);
  const [along, up] = [one.dataset.logx, one.dataset.y].map(words => words.split(" ").map(Number));
  const points = one.querySelector("path").getAttribute("d").match(/-?[\\d.]+/g).map(Number);
  return [one.dataset.line, points.flatMap((x, k) => k % 2 ? [] : [[number(along, x), number(up, points[k + 1])]])];
})"""


def test_curves_over_the_share_are_drawn_again_for_another_threshold(
    page: tuple[Opened, list[str], Any],
) -> None:
    opened, truth, score = page

    def drawing() -> str:
        parts = opened.page.eval_on_selector_all(
            "g[data-line], g[data-names]", "all => all.map(one => one.outerHTML)"
        )
        return "".join(parts).replace(' class=""', "")

    first = drawing()
    data = json.loads(opened.page.locator("script.live-data").text_content() or "")
    for at in (200, 20):
        move(opened, at=at)
        called = ["fraud" if s >= data["curve"]["thresholds"][at] else "ok" for s in score]
        matrix = sy.Confusion.from_labels(truth, called, labels=["fraud", "ok"])
        seen = opened.page.eval_on_selector_all("g[data-line]", LINES)
        assert len(seen) == 7
        for key, points in seen:
            classes, _, name = key.partition(":")
            assert classes == "0"
            measure = sy.measure(name)
            positive = "fraud" if measure.kind == "two-class" else None
            assert len(points) == 49
            for x, y in points[::12]:
                there = {"fraud": 10**x, "ok": 1 - 10**x}
                expected = measure.at_priors(there)(matrix, positive=positive)
                assert y == pytest.approx(max(0.0, expected), abs=4e-3), (key, x)
    move(opened, share=SHARE)  # the mark moves along them
    assert opened.page.eval_on_selector_all("g[data-line]", LINES) == seen
    opened.page.get_by_role("button", name="back to the test set").click()
    assert drawing() == first
    quiet(opened)


def test_the_threshold_in_use_is_a_place_of_the_slider(
    tmp_path: Path, open_page: Callable[..., Opened]
) -> None:
    random = np.random.default_rng(4)
    rare = random.random(3000) < 0.1
    score = np.clip(random.normal(0.3 + 0.3 * rare, 0.15), 0, 1)
    truth = np.where(rare, "fraud", "ok")
    result = sy.evaluate(truth, score=score, threshold=0.5, positive="fraud", interval=None)
    result.to_html(tmp_path / "page.html")
    opened = open_page(tmp_path / "page.html")
    data = json.loads(opened.page.locator("script.live-data").text_content() or "")["curve"]
    assert data["thresholds"][data["at"]] == 0.5
    assert data["tp"][data["at"]] == int((rare & (score >= 0.5)).sum())
    assert data["fp"][data["at"]] == int((~rare & (score >= 0.5)).sum())
    before = opened.page.locator("#live-values").inner_text()
    slider = opened.page.get_by_label("threshold of the score")
    slider.press("ArrowRight")
    slider.press("ArrowLeft")
    values = "all => all.map(one => one.textContent)"
    assert opened.page.eval_on_selector_all("#live-values td span:first-child", values)
    assert opened.page.locator("#live-values .aside", has_text="was").count() == 0, before
    move(opened, share=0.001)
    called = 0.001 * data["tp"][data["at"]] / data["positives"]
    called += 0.999 * data["fp"][data["at"]] / data["negatives"]
    said = opened.page.locator("label:has([aria-label='threshold of the score']) output").text_content() or ""
    assert float(said.split(": ")[1].split(" ")[0]) == pytest.approx(100 * called, rel=0.06)
    quiet(opened)


def test_a_class_without_examples_is_left_out_of_a_balanced_set(
    tmp_path: Path, open_page: Callable[..., Opened]
) -> None:
    sy.evaluate([[40, 5, 0], [10, 245, 0], [0, 0, 0]], interval=None).to_html(tmp_path / "page.html")
    opened = open_page(tmp_path / "page.html")
    opened.page.get_by_role("button", name="balanced").click()
    row = opened.page.locator("#live-values tr", has=opened.page.get_by_text("Macro recall", exact=True))
    assert near(
        row.locator("td").nth(2).locator("span").first.text_content() or "", (40 / 45 + 245 / 255) / 2
    )
    text = "Python lines for this state"
    at_once = opened.page.locator("summary", has_text=text).evaluate(
        "one => { one.click(); return [one.parentElement.open, one.parentElement.querySelector('textarea').value] }"
    )
    lines = opened.page.get_by_role("textbox", name=text).input_value()
    assert at_once == [True, lines]  # an open box is never empty, not even until the browser says it is open
    found: dict[str, Any] = {}
    exec(lines.replace("print(values)", ""), found)
    assert found["values"]["macro_recall"] == pytest.approx((40 / 45 + 245 / 255) / 2)
    quiet(opened)


def test_equal_weights_stay_equal_whatever_matters_more(page: tuple[Opened, list[str], Any]) -> None:
    opened, _, _ = page
    cells = "main td[data-follows^='equal:']"
    text = "all => all.map(one => one.textContent)"
    first = opened.page.eval_on_selector_all(cells, text)
    assert first
    opened.page.locator("summary", has_text="Which class matters more").click()
    opened.page.get_by_label("ok matters more").focus()
    opened.page.keyboard.press("Enter")
    assert opened.page.eval_on_selector_all(cells, text) == first
    assert opened.page.evaluate("document.activeElement.getAttribute('aria-label')") == "ok matters more"
    assert opened.page.locator(".stale[data-follows=tested]").count() >= 1
    quiet(opened)


def test_hostile_and_odd_states_in_the_address(written: Path, open_page: Callable[..., Opened]) -> None:
    first = open_page(written)
    plain = first.page.locator("#live-values").inner_text()
    for fragment in ("t=", "t=0x10", "p=0x1,0", "p=,", "m=__proto__", "m=%3Cimg%3E", "c=0-1-1e99", "c=0-1-"):
        first.page.evaluate(
            "(there) => new Promise((done) => { window.addEventListener('hashchange', done, { once: true });"
            " location.hash = '#' + there })",
            fragment,
        )
        assert first.page.locator("#live-values").inner_text() == plain, fragment
    quiet(first)
    opened = open_page(written, fragment="c=0-1-1e-7,1-0-0.1234567890123")
    assert opened.page.get_by_label("cost of calling fraud ok").input_value() == "1e-7"
    assert opened.page.get_by_label("cost of calling ok fraud").input_value() == "0.1234567890123"
    more = opened.page.locator("summary", has_text="Which class matters more")
    if not more.evaluate("one => one.parentNode.open"):
        more.click()
    opened.page.get_by_role("button", name="all", exact=True).click()
    shown = opened.page.locator("#live-values tbody tr").count()
    again = open_page(written, fragment=opened.page.url.split("#")[1])
    assert again.page.locator("#live-values tbody tr").count() == shown
    again.page.evaluate("location.hash = '#c=0-1-7'")
    wait_until(
        again.page, "document.querySelector('[aria-label=\"cost of calling fraud ok\"]').value === '7'"
    )
    quiet(again)


def test_what_does_not_follow_says_so(page: tuple[Opened, list[str], Any]) -> None:
    opened, _, _ = page

    def marked() -> list[str]:
        return opened.page.eval_on_selector_all(
            "main .stale",
            "all => all.map(one => one.closest('section').querySelector('h2')?.textContent ?? '')",
        )

    assert not marked()
    move(opened, at=150)
    # Curves do not depend on the threshold, and what does is followed.
    assert not {"Ranking", "Calibration", "Confusion matrix"} & set(marked())
    assert "" in set(marked())
    move(opened, share=0.3)
    found = marked()
    assert {"Ranking", "Calibration"} & set(found)
    badge = opened.page.locator("#headline th", has_text="no-skill")
    assert badge.evaluate("one => getComputedStyle(one, '::after').content") == '"as tested"'
    assert "Seen with fraud 30% of the examples" in (opened.page.locator(".where").text_content() or "")
    quiet(opened)


def test_a_link_within_the_page_keeps_the_state(page: tuple[Opened, list[str], Any]) -> None:
    opened, _, _ = page
    move(opened, share=0.3)
    opened.page.get_by_role("navigation").get_by_role("link", name="Per class").click()
    wait_until(opened.page, "location.hash.startsWith('#p=')")
    assert opened.page.locator("#headline .moved").count() > 0
    assert (
        opened.page.get_by_role("heading", name="Per class").evaluate(
            "one => one.getBoundingClientRect().top"
        )
        < 400
    )
    quiet(opened)


def test_long_tables_are_searched(page: tuple[Opened, list[str], Any]) -> None:
    opened, _, _ = page
    opened.page.locator("summary", has_text="Measures of the positive class").click()
    opened.page.get_by_label("search in Measures of the positive class").fill("Precision")
    seen = opened.page.locator("#measures-two-class tbody tr:visible").all_text_contents()
    assert seen
    assert all("precision" in words.lower() for words in seen)
    quiet(opened)


def test_models_of_a_comparison_follow(tmp_path: Path, open_page: Callable[..., Opened]) -> None:
    truth, score = scored(1000)
    models = {name: ["fraud" if s >= at else "ok" for s in score] for name, at in (("a", 1.0), ("b", 2.0))}
    sy.compare(models, truth, positive="fraud", draws=300).to_html(tmp_path / "page.html")
    opened = open_page(tmp_path / "page.html")
    opened.page.get_by_role("button", name="balanced").click()
    seen = opened.page.eval_on_selector_all("#values [data-follows]", CELLS)
    assert len(seen) > 10
    for key, words in seen:
        _, model, name = key.split(":")
        measure = sy.measure(name)
        there = measure.at_priors({"fraud": 0.5, "ok": 0.5})(
            truth, models["ab"[int(model)]], positive="fraud" if measure.kind == "two-class" else None
        )
        assert near(words, there), key
    assert opened.page.locator("p.strong.stale").count() > 0  # who is better was tested there, not here
    quiet(opened)
