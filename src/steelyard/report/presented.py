"""How does a result show itself? Every kind of result in the same ways."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, cast

from steelyard._lazy import module_named
from steelyard.errors import UnknownNameError
from steelyard.report.records import data_frame
from steelyard.report.sections import Report

if TYPE_CHECKING:
    from steelyard.report.chart import Chart
    from steelyard.report.pages import Page


class Presented(ABC):
    """A result that can be read on a terminal, in a notebook, as a page, as Markdown, as a frame and as plain
    data.

    A result is data and does not import what presents it: that stands in the modules beside its own, under
    the same names in every capability.
    """

    #: The field whose records are the rows of its table; without one the result is the only row.
    ROWS: ClassVar[str] = ""
    #: Are these records all there is to it, so that a file of JSON holds a list of them?
    IS_LIST: ClassVar[bool] = False

    def report(self) -> Report:
        """What is to be said of it, as sections that know nothing of terminals and pages: `report` of
        sections.py unless the result says it itself."""
        return cast(Report, self._beside("sections").report(self))

    def brief_report(self) -> Report:
        """The sections of a first screen, at least: `brief_report` of sections.py where all takes longer."""
        brief = getattr(self._beside("sections"), "brief_report", type(self).report)
        return cast(Report, brief(self))

    @classmethod
    def _beside(cls, module: str) -> Any:
        """The module that presents the result: of .../result.py its sibling, of dataset_result.py
        dataset_sections.py; None where there is no such module."""
        homes = [base.__module__ for base in cls.__mro__ if base.__module__.endswith("result")]
        names = [home.removesuffix("result") + module for home in homes[:1]]
        return module_named(names[0]) if names and find_spec(names[0]) is not None else None

    def page(self) -> Page:
        """The page of the result: `page` of page.py where a report's sections are not enough."""
        from steelyard.report.pages import page_of

        if (module := self._beside("page")) is not None:
            return cast("Page", module.page(self))
        name = getattr(self, "SCHEMA", "").partition("/")[2].partition("/")[0].partition("-")[0]
        plain = {"compare": "comparison", "recommend": "recommendation", "weigh": "metrics"}
        name = {**plain, "measures": "metrics"}.get(name, name)
        words = f"{name} report" if name else re.sub(r"(?=[A-Z])", " ", type(self).__name__).strip()
        return page_of(self.report(), words.capitalize())

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The result as plain data, ready for JSON."""

    def _records(self) -> list[dict[str, Any]]:
        return [row.to_dict() for row in (getattr(self, self.ROWS) if self.ROWS else (self,))]

    def table(self) -> list[dict[str, Any]]:
        """The rows of the result as plain data."""
        return self._records()

    def plain(self) -> Any:
        """What a file of JSON holds: the plain data, or its rows where a list is all there is to it."""
        return self._records() if self.IS_LIST else self.to_dict()

    def to_frame(self) -> Any:
        """The rows of the result as a pandas DataFrame, indexed by `id` where rows have one."""
        return data_frame(self.table(), "pandas")

    def to_polars(self) -> Any:
        """The rows of the result as a polars DataFrame."""
        return data_frame(self.table(), "polars")

    def to_latex(self, *, full: bool = False) -> str:
        """The tables of the first screen, or of the whole report, as LaTeX with booktabs."""
        from steelyard.report.latex import latex

        return latex(self.report(), "full" if full else "brief")

    def to_html(
        self, path: str | Path | None = None, *, made: str = "", title: str = "", summary: bool = False
    ) -> str:
        """The report as one HTML page that needs nothing else; written to `path` if one is given.

        `made` says when and by which command it was made, `title` replaces the page's own. A `summary` is the
        first screen with three findings, for one printed page.
        """
        from steelyard.report.page.render import render

        page = self.page()
        page = page.as_summary() if summary else page
        text = render(page.titled(title) if title else page, made)
        if path is not None:
            from steelyard.report.saving import save

            save(path, text)
        return text

    def to_markdown(self) -> str:
        """The report as Markdown, for an issue, a wiki or a README."""
        from steelyard.report.markdown import markdown

        return markdown(self.report())

    def charts(self) -> Mapping[str, Callable[[], Chart]]:
        """The charts of the result by name, those of figures.py; each is made when it is called."""
        figures = self._beside("figures")
        return {} if not hasattr(figures, "charts") else figures.charts(self)

    def figure(self, name: str) -> Chart:
        """A chart of the result: `.frame()` gives its numbers, `.save("roc.png")` writes it."""
        known = self.charts()
        if name not in known:
            raise UnknownNameError("figure", name, list(known))
        return known[name]()

    def plot(self, name: str | None = None, *, ax: Any = None) -> Any:
        """A chart that a notebook shows, the first one without a name; with `ax`, drawn on Matplotlib axes,
        which are returned."""
        drawn = self.figure(name if name is not None else next(iter(self.charts()), ""))
        return drawn if ax is None else drawn.on(ax)

    def draw_plots(self, folder: str | Path) -> dict[Path, bytes]:
        """Every chart as PNG and SVG, by the file it belongs in."""
        files: dict[Path, bytes] = {}
        for name, make in self.charts().items():
            chart = make()
            files |= {
                Path(folder) / f"{name}.svg": chart.svg().encode(),
                Path(folder) / f"{name}.png": chart.png(),
            }
        return files

    def __repr__(self) -> str:
        from steelyard.report.terminal import plain_text

        return plain_text(self.brief_report())

    def _repr_html_(self) -> str:
        from steelyard.report.page.render import fragment

        return fragment(self.page())
