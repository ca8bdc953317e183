"""Registry of studies; each is imported on first use."""

from __future__ import annotations

import importlib

from steelyard.errors import UnknownNameError
from steelyard_papers.experiment import Study

WHERE = {
    "branco2017-cases": "branco2017.cases",
    "branco2017-discrimination": "branco2017.discrimination",
    "branco2017-real": "branco2017.real",
    "garcia2012-correlation": "garcia2012.correlation",
    "skrabanek2017-gradients": "skrabanek2017.gradients",
    "mortaz2020-sweeps": "mortaz2020.sweeps",
    "mortaz2020-selection": "mortaz2020.selection",
    "mortaz2020-shuffles": "mortaz2020.shuffles",
    "mullick2020-illustration": "mullick2020.illustration",
    "mullick2020-conditions": "mullick2020.conditions",
    "mullick2020-two-class": "mullick2020.two_class",
    "mullick2020-multi-class": "mullick2020.multi_class",
    "mullick2020-harder": "mullick2020.harder",
    "mullick2020-lexiboost": "mullick2020.boosting",
    "kovacs2022-bundles": "kovacs2022.bundles",
}
"""Each study's module below steelyard_papers, which holds it as STUDY."""


def study(name: str) -> Study:
    """The study of this name."""
    if name not in WHERE:
        raise UnknownNameError("study", name, WHERE)
    found: Study = importlib.import_module(f"steelyard_papers.{WHERE[name]}").STUDY
    return found


def studies() -> list[Study]:
    return [study(name) for name in WHERE]
