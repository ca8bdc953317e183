"""@steelyard/core in Chromium: the built file is a module that a page imports."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

import steelyard as sy
from tools.write_js import PACKAGE

RUN = """async (text) => {
  const core = await import(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
  const matrix = { labels: ["fraud", "ok"], rows: [[90, 10], [30, 870]] };
  return [core.metrics(matrix, { positive: "fraud" }), core.metric("precision", [[0, 5], [0, 95]])];
}"""


def test_a_page_imports_the_package(chromium: Browser) -> None:
    page = chromium.new_page()
    try:
        values, undefined = page.evaluate(RUN, (PACKAGE / "index.js").read_text(encoding="utf-8"))
    finally:
        page.close()
    matrix = sy.Confusion([[90, 10], [30, 870]], ["fraud", "ok"])
    assert len(values) > 80
    for name in ("gmean", "mcc", "recall", "precision"):
        measure = sy.measure(name)
        expected = measure(matrix, positive="fraud" if measure.kind == "two-class" else None)
        assert values[name] == pytest.approx(float(expected), rel=1e-12)
    assert undefined["why"] == "nothing was predicted as the positive class"
