"""The studio: a case, a pasted matrix or a table is changed and weighed in the page, own formulas included."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import steelyard as sy
from steelyard.judgement.studio import Studio
from steelyard.measures.formula import formula_measure
from steelyard.measures.names import short_name
from steelyard.report.page.render import read_script
from steelyard_papers.decided import decided
from tests.browser.conftest import Opened, wait_until

FORMULAS = json.loads(
    (Path(__file__).parents[1] / "measures" / "formula_cases.json").read_text(encoding="utf-8")
)
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("studio") / "studio.html"
    Studio().to_html(path)
    return path


@pytest.fixture
def studio(written: Path, open_page: Callable[..., Opened]) -> Opened:
    return open_page(written)


def quiet(opened: Opened) -> None:
    assert not opened.complaints
    assert all(url.startswith(("file:", "data:")) for url in opened.requests)


def value(opened: Opened, title: str) -> str:
    row = opened.page.locator("#all tbody tr", has=opened.page.get_by_text(title, exact=True)).first
    return str(row.locator("td").nth(2).locator("span").first.text_content())


def paste(opened: Opened, text: str) -> None:
    opened.page.get_by_label("a pasted matrix").fill(text)
    opened.page.get_by_role("button", name="take this matrix").click()


def test_a_pasted_matrix_is_weighed_as_python_does(studio: Opened) -> None:
    paste(studio, "[[90, 10, 0], [30, 870, 5], [2, 0, 7]]")
    rows = [[90, 10, 0], [30, 870, 5], [2, 0, 7]]
    for name in ("gmean", "mcc", "macro_f_beta"):
        measure = sy.measure(name)
        assert float(value(studio, short_name(measure))) == pytest.approx(measure(rows), abs=6e-4)
    quiet(studio)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1 2\n3", "as many columns as rows"),
        ("5", "2 to 60 rows"),
        ("1 -2\n3 4", "from 0 to 1e300"),
        ("a b\nc d", "from 0 to 1e300"),
    ],
)
def test_what_is_no_matrix_is_said(studio: Opened, text: str, words: str) -> None:
    paste(studio, text)
    assert words in (studio.page.locator("p[role=status]").text_content() or "")
    quiet(studio)


def test_counts_rates_and_classes_change_and_what_moves_most_stands_first(studio: Opened) -> None:
    page = studio.page
    paste(studio, "90 10\n30 870")
    page.get_by_label("examples of c2 called c1").fill("300")
    assert value(studio, "precision") == f"{90 / 390:.3f}"
    precision = page.locator("[data-forest=precision]").text_content() or ""
    assert "0.750" in precision  # at the start
    assert "−0.519" in precision
    first = page.locator(".first .forest tbody tr").first.text_content() or ""
    assert first.startswith(("precision", "F1"))
    page.get_by_label("share of c1 that is found").evaluate(
        "s => { s.value = 0.5; s.dispatchEvent(new Event('input')) }"
    )
    assert value(studio, "recall") == "0.500"
    page.get_by_role("button", name="one class more").click()
    assert page.locator(".typed tbody tr").count() == 3
    page.get_by_role("button", name="one class fewer").click()
    page.get_by_role("button", name="back to the start").click()
    assert value(studio, "precision") == "0.750"
    quiet(studio)


def test_a_link_brings_the_counts_and_names_back(studio: Opened, written: Path) -> None:
    page = studio.page
    paste(studio, "90 10\n30 870")
    name = "</script>,&=#'\"%2C"
    page.get_by_label("name of class 1").fill(name)
    page.get_by_label("name of class 1").blur()
    page.get_by_label("examples of c2 called c2").fill("70")
    wait_until(page, "location.hash.includes('x=90,10_30,70&')")
    link = page.url
    page.goto("about:blank")
    page.goto(link)
    assert page.get_by_label("name of class 1").input_value() == name
    assert page.get_by_label("examples of c2 called c2").input_value() == "70"
    assert value(studio, "precision") == "0.750"
    quiet(studio)


@pytest.mark.parametrize(
    "text",
    ["x=1,2_3&l=a,b", "x=<img>&l=%", "x=1,2_3,4&l=,&k=9", "x=1e999,0_0,0", "x=" + "9," * 9999],
    ids=["a ragged matrix", "markup", "empty names", "infinite", "long"],
)
def test_a_hostile_address_starts_from_the_first_case(
    written: Path, open_page: Callable[..., Opened], text: str
) -> None:
    opened = open_page(written)
    opened.page.goto("about:blank")
    opened.page.goto(written.as_uri() + "#" + text)
    assert opened.page.locator(".first .forest").count() == 1
    quiet(opened)


TABLE = 'id,truth,note,pred\n1,ham,"a, b",ham\n2,spam,"line\nbreak",ham\n3,"<b>spam",x,"<b>spam"\n4,,x,ham\n5,ham,"say ""hi""",ham\n'


def test_a_table_is_counted_in_the_page(studio: Opened, tmp_path: Path) -> None:
    page = studio.page
    (tmp_path / "table.csv").write_text(TABLE, encoding="utf-8")
    page.get_by_label("a CSV file").set_input_files(tmp_path / "table.csv")
    page.get_by_role("button", name="count", exact=True).click()
    wait_until(page, "document.querySelectorAll('.typed tbody tr').length === 3")
    names = [page.get_by_label(f"name of class {k}").input_value() for k in (1, 2, 3)]
    assert names == ["<b>spam", "ham", "spam"]
    assert page.get_by_label("examples of spam called ham").input_value() == "1"
    assert page.get_by_label("examples of ham called ham").input_value() == "2"
    assert "1 row without" in (page.locator("p[role=status]").text_content() or "")
    quiet(studio)


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ("truth,pred\n\u00e9,\u00e8\n\u00e8,\u00e8\n".encode("latin-1"), "not UTF-8"),
        (b'truth,pred\na,a\nb,"b\na,b\nb,b\n', "a quote that does not end"),
        (b"truth,pred\na,a\nb,b,b\na,b\n", "differ in length"),
        (b"truth,pred\na,a\nb\na,b\n", "differ in length"),
        (b"truth,pred,pred\na,a,b\nb,b,b\n", "two columns of the same name"),
        (b"truth,pred\na,a\x00\nb,b\n", "NUL"),
        (b"truth,pred\nYes,yes\nno,no\nno,yes\n", "in different ways"),
    ],
    ids=["Latin-1", "open quote", "longer row", "shorter row", "duplicate column", "NUL", "capitals"],
)
def test_a_table_that_python_refuses_is_refused_in_the_page(
    studio: Opened, tmp_path: Path, table: bytes, reason: str
) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(table)
    with pytest.raises(sy.InputError):
        sy.count(path, truth="truth", pred="pred")
    studio.page.get_by_label("a CSV file").set_input_files(path)
    studio.page.get_by_role("button", name="count", exact=True).click()
    studio.page.get_by_text(reason).first.wait_for()
    quiet(studio)


@pytest.mark.parametrize(
    "table",
    [
        "truth,pred\n1,1.0\n0,0.0\n1,0.0\n0,0.0\n",
        'truth,pred\na,a\n" "," "\na," "\n',
        "truth,pred\n2,10\n10,10\n2,2\n1,2\n",
        "truth,pred\n01,1\n1,1\n1,01\n",
        "truth,pred\n9007199254740993,0.5\n9007199254740992,9007199254740992\n0.25,0.5\n0.5,0.5\n",
    ],
    ids=["numbers written in two ways", "a blank as a class", "integers above 9", "codes", "beyond 2^53"],
)
def test_a_table_has_the_matrix_that_python_counts(studio: Opened, tmp_path: Path, table: str) -> None:
    path = tmp_path / "table.csv"
    path.write_text(table, encoding="utf-8")
    expected = sy.count(path, truth="truth", pred="pred").confusion()
    studio.page.get_by_label("a CSV file").set_input_files(path)
    studio.page.get_by_role("button", name="count", exact=True).click()
    labels = [str(label) for label in expected.labels]
    studio.page.get_by_label(f"examples of {labels[0]} called {labels[-1]}").wait_for()
    assert [
        studio.page.get_by_label(f"name of class {k + 1}").input_value() for k in range(len(labels))
    ] == labels
    cells = [
        [
            int(studio.page.get_by_label(f"examples of {a} called {b}", exact=True).input_value())
            for b in labels
        ]
        for a in labels
    ]
    assert cells == expected.counts.tolist()
    quiet(studio)


@pytest.mark.parametrize(
    "text",
    [
        "truth;pred\nfraud;ok\nok;ok\nfraud;fraud\n",
        "\n\ntruth\tpred\nfraud\tok\nok\tok\nfraud\tfraud\n",
        "\ufefftruth|pred\r\nfraud|ok\r\nok|ok\r\nfraud|fraud\r\n",
    ],
    ids=["semicolons", "tabs after blank lines", "bars"],
)
def test_short_tables_are_parted_by_whatever_parts_them(studio: Opened, tmp_path: Path, text: str) -> None:
    page = studio.page
    (tmp_path / "table.csv").write_text(text, encoding="utf-8", newline="")
    page.get_by_label("a CSV file").set_input_files(tmp_path / "table.csv")
    page.get_by_role("button", name="count", exact=True).click()
    wait_until(page, "document.querySelector('[aria-label=\"examples of fraud called ok\"]').value === '1'")
    cells = [
        page.get_by_label(f"examples of {truth} called {called}").input_value()
        for truth in ("fraud", "ok")
        for called in ("fraud", "ok")
    ]
    assert cells == ["1", "1", "0", "1"]
    quiet(studio)


def test_a_column_is_not_held_against_itself(studio: Opened, tmp_path: Path) -> None:
    page = studio.page
    (tmp_path / "one.csv").write_text("truth\na\nb\n", encoding="utf-8")
    page.get_by_label("a CSV file").set_input_files(tmp_path / "one.csv")
    wait_until(page, "document.querySelector('p[role=status]').textContent.includes('found one column')")
    (tmp_path / "two.csv").write_text("truth,pred\na,b\nb,b\n", encoding="utf-8")
    page.get_by_label("a CSV file").set_input_files(tmp_path / "two.csv")
    page.get_by_label("column of the predictions").select_option("0")
    page.get_by_role("button", name="count", exact=True).click()
    assert "the same column" in (page.locator("p[role=status]").text_content() or "")
    quiet(studio)


def test_another_matrix_begins_anew_and_the_link_holds_it(
    studio: Opened, open_page: Callable[..., Opened]
) -> None:
    page = studio.page
    paste(studio, "90 10\n30 870")
    page.locator("#pi").evaluate("s => { s.value = 300; s.dispatchEvent(new Event('input')) }")
    wait_until(page, "location.hash.includes('p=')")
    page.get_by_label("your own formula").fill("tp / (tp + fp)")
    paste(studio, "50 50\n10 990")
    assert float(value(studio, "accuracy")) == pytest.approx(1040 / 1100, abs=6e-4)
    page.get_by_label("positive class").select_option("")
    page.get_by_label("your own formula").fill("mean(hits / actual)")
    page.get_by_label("name of class 2").fill("fine")
    page.get_by_label("name of class 2").press("Enter")
    again = open_page(Path(page.url.removeprefix("file://").split("#")[0]), fragment=page.url.split("#")[1])
    assert again.page.get_by_label("name of class 2").input_value() == "fine"
    assert again.page.get_by_label("positive class").input_value() == ""
    assert value(again, "mean(hits / actual)") == value(studio, "mean(hits / actual)")
    assert value(again, "accuracy") == value(studio, "accuracy")
    again.page.evaluate("location.hash = '#x=5,5_5,5&k=-1'")
    wait_until(
        again.page, "document.querySelector('[aria-label=\"examples of c1 called c2\"]')?.value === '5'"
    )
    assert float(value(again, "accuracy")) == 0.5
    quiet(again)
    quiet(studio)


def test_what_is_not_taken_is_said(studio: Opened) -> None:
    page = studio.page
    said = page.locator("p[role=status]")
    paste(studio, "90 10 0\n30 870 0\n1 2 3")
    page.get_by_label("your own formula").fill("tp / (tp + fp)")
    assert "choose one above" in (said.text_content() or "")
    page.get_by_label("your own formula").fill("sum(log(hits - hits))")
    assert "the formula has no value there" in page.locator("#all").inner_text()
    page.get_by_label("examples of c1 called c2").fill("-5")
    assert "the last one is kept" in (said.text_content() or "")
    paste(studio, "90 10\n30 870")
    page.get_by_label("cost of a missed c1").fill("-3")
    assert "A cost is a number" in (page.locator("[role=alert]").text_content() or "")
    quiet(studio)


CHOSEN = """(choice) => [...choice.options].map((one) => Number(one.value)).sort((a, b) => a - b).map((k) => {
  choice.value = k;
  for (const event of ["input", "change"]) choice.dispatchEvent(new Event(event, { bubbles: true }));
  return document.querySelectorAll(".typed tbody tr").length;
})"""
"""How many rows of counts are shown after each case is chosen."""


def test_every_case_and_counterexample_can_be_loaded(studio: Opened) -> None:
    cases = Studio().table()
    assert len(cases) > 20
    assert "mullick-t4p" in decided()
    shown = studio.page.get_by_label("a case to start from").evaluate(CHOSEN)
    assert shown == [len(case["rows"]) for case in cases]
    quiet(studio)


def test_an_own_formula_stands_beside_the_others(studio: Opened) -> None:
    page = studio.page
    paste(studio, "90 10\n30 870")
    typed = page.get_by_label("your own formula")
    typed.fill("mean(hits / max(actual, predicted))")
    assert value(studio, "mean(hits / max(actual, predicted))") == value(studio, "CBA")
    typed.fill("alert(1)")
    assert "not understood at character 1" in (page.locator("p[role=status]").text_content() or "")
    quiet(studio)


RUN = """([script, library, text, rows]) => {
  const make = (0, eval)('(() => {' + script + '; return { readFormula, formulaValue } })()');
  try {
    const { value, why } = make.formulaValue(make.readFormula(text), rows, { positive: 0 }, (0, eval)(library).operations);
    return [value, why];
  } catch (error) {
    return ["error", error.message];
  }
}"""


@pytest.fixture(scope="module")
def reader(chromium: Any) -> Any:
    from steelyard.measures.javascript import library_text

    page = chromium.new_page()
    library = library_text([sy.measure("gmean")], open_operations=True)
    yield lambda text, rows: page.evaluate(RUN, [read_script("formula.js"), library, text, rows])
    page.close()


@pytest.mark.parametrize(("text", "matrix", "expected"), FORMULAS["values"])
def test_both_readers_of_the_grammar_agree_on_values(
    reader: Any, text: str, matrix: Any, expected: Any
) -> None:
    found, why = reader(text, matrix)
    if expected == "error":
        assert found == "error"
        assert "exponent" in why
    elif expected is None:
        assert not math.isfinite(found)
    else:
        assert found == pytest.approx(expected, abs=1e-12)
        positive = "c1" if formula_measure(text).kind == "two-class" else None
        assert found == pytest.approx(formula_measure(text)(matrix, positive=positive), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(("text", "words"), FORMULAS["errors"])
def test_both_readers_refuse_with_the_same_words(reader: Any, text: str, words: str) -> None:
    found, why = reader(text, [[3, 1], [2, 4]])
    assert found == "error"
    assert words in why


def test_a_formula_nested_too_deeply_is_refused(reader: Any) -> None:
    for text in ("(" * 5000 + "tp" + ")" * 5000, "-" * 5000 + "tp"):
        why = reader(text, [[3, 1], [2, 4]])[1]
        assert "nested too deeply" in why or "too long" in why


@pytest.mark.parametrize("options", [{}, PHONE], ids=["desktop", "phone in the dark"])
def test_nothing_is_wider_than_the_window(
    written: Path, open_page: Callable[..., Opened], options: dict[str, Any]
) -> None:
    opened = open_page(written, **options)
    assert opened.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    quiet(opened)


def test_without_scripts_it_says_what_it_is(written: Path, open_page: Callable[..., Opened]) -> None:
    opened = open_page(written, java_script_enabled=False)
    assert "to try out" in (opened.page.locator("main").text_content() or "")
    assert opened.page.locator("svg.chart").is_visible()
    assert opened.page.locator("#what-if").is_hidden()
