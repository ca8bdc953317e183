"""Real notebooks: each result is shown once, as words and as a page, pictures without magic, and the exported file is alive."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from steelyard.report import progress
from tests.browser.conftest import Opened
from tests.real_parts import needs

CELLS = (
    "import steelyard as sy\nfirst = sy.evaluate([[96, 206], [1506, 148192]], labels=['fraud', 'ok'], positive='fraud', draws=200)\nfirst",
    "second = sy.evaluate([[80, 20], [10, 90]], labels=['fraud', 'ok'], positive='fraud', draws=200)\nsecond",
    "truth = ['a'] * 80 + ['b'] * 20\nmodels = {'one': ['a'] * 85 + ['b'] * 15, 'other': ['a'] * 70 + ['b'] * 30}\ncompared = sy.compare(models, truth, positive='b', draws=200)\ncompared",
    "first.plot()",
    "compared.plot()",
    "compared.plot('differences')",
    "print(repr(second).splitlines()[0])",
    # DuckDB reads files, and has words of its own for notebooks
    "import pathlib, pickle, tempfile\nfile = pathlib.Path(tempfile.mkdtemp()) / 'rows.csv'\nfile.write_text('y,pred\\nfraud,fraud\\nok,ok\\nok,fraud\\n')\nread = sy.evaluate(file, truth='y', pred='pred', positive='fraud', draws=200)\nprint(pickle.loads(pickle.dumps(read)).matrix.counts.tolist())",
    # a reader that takes long: a line says so, and is gone at the end
    "import time\nfrom steelyard.report import progress\nprogress.FIRST = 0.1\nwith progress.progress_in_notebook('evaluate') as done:\n    done(0.5)\n    time.sleep(0.6)",
)


@pytest.fixture(scope="module")
def executed() -> Any:
    nbformat, nbclient = needs("nbformat"), needs("nbclient")
    needs("ipykernel")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in CELLS])
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    return notebook


def outputs(cell: Any) -> list[Any]:
    """What a cell shows. On a slow machine any of them may have waited, and left the emptied line of its progress."""
    return [one for one in cell.outputs if one.get("data") != {"text/plain": ""}]


def test_every_result_is_shown_once(executed: Any) -> None:
    for cell in executed.cells[:3]:
        (output,) = outputs(cell)
        assert output.output_type == "execute_result"
        assert len(output.data["text/plain"].strip().splitlines()) > 3
        assert "<script" not in output.data["text/html"]
    (printed,) = outputs(executed.cells[-3])
    assert "200" in printed.text
    (counted,) = outputs(executed.cells[-2])
    assert counted.text == "[[1, 0], [1, 1]]\n"


def test_a_long_wait_is_shown_and_its_line_is_gone_at_the_end(executed: Any) -> None:
    assert progress.FIRST <= 3  # seconds; shortened in the cell
    (shown,) = executed.cells[-1].outputs
    assert shown.output_type == "display_data"
    assert shown.data["text/plain"] == ""


def test_a_plot_is_a_picture_without_magic(executed: Any) -> None:
    for cell in executed.cells[3:6]:
        (output,) = outputs(cell)
        assert len(output.data["image/svg+xml"]) > 3000


@pytest.fixture(scope="module")
def exported(executed: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    exporter = needs("nbconvert").HTMLExporter()
    body, _ = exporter.from_notebook_node(executed)
    path = tmp_path_factory.mktemp("notebook") / "notebook.html"
    path.write_text(body, encoding="utf-8")
    return path


def test_where_scripts_are_blocked_the_words_are_there(
    exported: Path, open_page: Callable[..., Opened]
) -> None:
    opened = open_page(exported, java_script_enabled=False, offline=True)
    assert opened.page.get_by_text("Detects 96 of 302 fraud").first.is_visible()
    assert opened.page.locator("#headline").first.is_visible()
    first = opened.page.locator("#headline tbody tr:not(.group) th").first
    assert first.evaluate("one => getComputedStyle(one).textAlign") in ("left", "start")
