"""Every kind of page that a command writes: usable without seeing or pointing, nothing asked for, nothing overlapping; and
with hostile names nothing runs."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.browser.conftest import Opened, keep_picture, wait_until
from tests.browser.every_page import Names, every_page, write

KINDS = (
    "evaluate-scores", "evaluate-many", "compare", "watch", "claims", "studio",
)  # fmt: skip
"""Pages that between them hold every kind of block."""
OTHERS = (
    "evaluate", "compare-many", "threshold", "examine", "study", "recommend", "priors", "audit", "metrics", "properties", "examine-own", "measures", "explain",
    "studies", "gate", "plan",
)  # fmt: skip
HOSTILE = Names(
    rare="</script><script>alert(1)</script>",
    usual="<img src=x onerror=alert(2)>",
    more=("'\"`${alert(3)}\\", "a\u2028b\u2029c\u202e", "x" * 10_000, "__proto__", "{{ 7 * 7 }}"),
    models=('"><svg onload=alert(4)>', "</title></style><script>alert(5)</script>"),
    file="<img src=x onerror=alert(6)>'\"&#39;\u2028",
    slices=("</td><b onclick=alert(7)>", "javascript:alert(8)"),
)
OVERLAPS = """() => Array.from(document.querySelectorAll("svg")).flatMap((picture) => {
  const seen = Array.from(picture.querySelectorAll("text")).filter((one) =>
    one.checkVisibility() && one.textContent.trim() && !(one.getAttribute("transform") ?? "").includes("rotate"))
    .map((one) => [one.textContent, one.getBoundingClientRect()]);
  return seen.flatMap(([words, a], i) => seen.slice(i + 1).filter(([, b]) =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4)
    .map(([others]) => `${picture.getAttribute("aria-label")}: ${words} / ${others}`));
})"""
SERIOUS = """async () => (await axe.run(document, { resultTypes: ["violations"] })).violations
  .filter((one) => one.impact === "serious" || one.impact === "critical")
  .map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160) + " " + node.any.map((a) => a.message).join(" ").slice(0, 200)).join(" | ")}`)"""


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, list[str]]]:
    folder = tmp_path_factory.mktemp("pages")
    return folder, every_page(folder)


def test_no_kind_of_page_is_left_out(commands: tuple[Path, dict[str, list[str]]]) -> None:
    assert {*KINDS, *OTHERS} == set(commands[1])


@pytest.fixture(scope="module")
def written(commands: tuple[Path, dict[str, list[str]]]) -> Callable[[str], Path]:
    """The page of a kind, written once for the tests that open it."""
    folder, known = commands
    return functools.cache(lambda kind: write(kind, known[kind], folder))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    return every_page(tmp_path_factory.mktemp("hostile"), HOSTILE)


@pytest.fixture(scope="module")
def window(open_window: Callable[[], Opened]) -> Opened:
    return open_window()


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))


@pytest.mark.parametrize(
    ("kind", "every_look"),
    [
        *((kind, False) for kind in KINDS),
        *(pytest.param(kind, True, marks=pytest.mark.whole) for kind in (*KINDS, *OTHERS)),
    ],
)
def test_a_page_can_be_used_by_everybody(
    kind: str, every_look: bool, written: Callable[[str], Path], window: Opened, axe: str
) -> None:
    target = written(kind)
    window.forget()
    window.page.goto(target.as_uri(), wait_until="load")
    for made in window.page.locator("details").all():
        made.evaluate("one => one.open = true")
    window.page.evaluate(axe)
    looks = ((1280, "light"), (390, "dark"), (1280, "dark"), (390, "light"))
    for width, scheme in looks if every_look else looks[:2]:
        window.page.set_viewport_size({"width": width, "height": 844})
        window.page.emulate_media(color_scheme=scheme)
        window.page.wait_for_timeout(30)
        assert window.page.evaluate("document.documentElement.scrollWidth") <= width
        keep_picture(window.page, f"{kind}-{width}-{scheme}", full_page=kind != "properties")
        assert window.page.evaluate(SERIOUS) == []
        assert window.page.evaluate(OVERLAPS) == []
    assert window.requests == [target.as_uri()]
    assert window.complaints == []


@pytest.mark.parametrize(
    "kind",
    [
        "evaluate-many", "compare-many", "threshold", "watch", "evaluate",
        *(pytest.param(kind, marks=pytest.mark.whole) for kind in ("evaluate-scores", "compare", "priors", "recommend", "audit", "metrics")),
    ],
)  # fmt: skip
def test_hostile_names_in_every_page(
    kind: str, hostile: dict[str, list[str]], tmp_path: Path, open_page: Callable[..., Opened]
) -> None:
    target = write(kind, hostile[kind], tmp_path)
    opened = open_page(target, viewport={"width": 390, "height": 844})
    page = opened.page
    if page.locator("[data-preset=balanced]").count():
        page.locator("[data-preset=balanced]").click()
        wait_until(page, "location.hash.includes('p=')")
    stray = "img, iframe, script:not(.live-data):not(:last-child), main [style], [onclick]"
    assert page.locator(stray).count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert opened.requests == [target.as_uri()]
    assert opened.complaints == []


def test_sliders_are_reached_by_keys(
    written: Callable[[str], Path], open_page: Callable[..., Opened]
) -> None:
    opened = open_page(written("evaluate-many"))
    page = opened.page
    slider = page.get_by_label("fraud").and_(page.locator("[data-share]"))
    for _ in range(80):
        page.keyboard.press("Tab")
        if slider.evaluate("one => one === document.activeElement"):
            break
    else:
        pytest.fail("no key leads to the slider")
    before = slider.input_value()
    page.keyboard.press("ArrowRight")
    assert float(slider.input_value()) > float(before)
    wait_until(page, "location.hash.includes('p=')")
    assert opened.complaints == []


TYPED = (
    "</script><script>alert(1)</script>", "tp.constructor('alert(1)')()", "__proto__", "constructor", "tp \u2028; alert(1)",
    "tp" * 50_000, "\u202e)nf + pt( / pt", "${alert(1)}", "toString()", "hits['x']",
)  # fmt: skip
PASTED = (
    "<img src=x onerror=alert(1)> 2\n3 4", "1 2\u2028 3 4", '[["</script>", 1], [2, 3]]', "{\"__proto__\": 1}",
    "1e999 2\n3 4", "9" * 5000, "[" * 20_000, "1,2;3,4", "NaN 1\n1 NaN",
)  # fmt: skip


def test_nothing_that_is_typed_or_dropped_into_the_studio_runs(
    written: Callable[[str], Path], open_page: Callable[..., Opened], tmp_path: Path
) -> None:
    opened = open_page(written("studio"))
    page = opened.page
    for text in TYPED:
        page.get_by_label("your own formula").fill(text)
        assert "not understood" in (page.locator("p[role=status]").text_content() or ""), text[:40]
    page.get_by_label("your own formula").fill("")
    for text in PASTED:
        page.get_by_label("a pasted matrix").fill(text)
        page.get_by_role("button", name="take this matrix").click()
    names = [
        "</script><script>alert(1)</script>",
        "<img src=x onerror=alert(2)>",
        "__proto__",
        "constructor",
        "a\u2028b",
        "x" * 10_000,
    ]
    rows = "\n".join(
        json.dumps(name, ensure_ascii=False).replace('\\"', '""')
        + ","
        + json.dumps(names[-1 - k], ensure_ascii=False)
        for k, name in enumerate(names)
    )
    dropped = tmp_path / "<img src=x onerror=alert(3)>.csv"
    dropped.write_text("__proto__,constructor\n" + rows, encoding="utf-8")
    page.get_by_label("a CSV file").set_input_files(dropped)
    page.get_by_role("button", name="count", exact=True).click()
    wait_until(page, "document.querySelectorAll('.typed tbody tr').length === 6")
    assert page.locator("img, .live-part script, [onerror]").count() == 0
    assert opened.complaints == []
    assert all(url.startswith(("file:", "data:", "blob:")) for url in opened.requests)
