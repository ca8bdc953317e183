"""How does a result show itself without knowing how it is shown?

Results are plain data below the report layer. A result names its presenter; the module is loaded when something is to be shown, so
data never imports its own presentation.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any, ClassVar


class Presented:
    """A result that can be read on a terminal, in a notebook and as a page."""

    presenter: ClassVar[str]
    """The module that has `text`, `fragment` and `page` for this kind of result."""

    def table(self) -> list[dict[str, Any]]:
        """The rows of the result as plain data."""
        raise AssertionError(f"{type(self).__name__} has no table")

    def to_frame(self) -> Any:
        """The rows of the result as a pandas DataFrame."""
        return self.presented_by("steelyard.report.frame").to_pandas(self.table())

    def to_html(self, path: str | Path | None = None) -> str:
        """The report as one HTML page that needs nothing else; written to `path` if one is given."""
        page: str = self.presented_by(self.presenter).page(self)
        if path is not None:
            self.presented_by("steelyard.report.saving").save(path, page)
        return page

    def __repr__(self) -> str:
        return str(self.presented_by(self.presenter).text(self))

    def _repr_html_(self) -> str:
        return str(self.presented_by(self.presenter).fragment(self))

    @staticmethod
    def presented_by(module: str) -> Any:
        """A module of the layers above, loaded when it is needed."""
        return importlib.import_module(module)
