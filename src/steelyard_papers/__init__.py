"""The five papers behind Steelyard and their relatives: claims, studies, printed figures.

A second package of the same wheel, and the first client of the library: it uses only what `steelyard`
documents. `paper` is a paper's table of contents here, `claims` decides what the papers state, `study` shows
what a study's recorded run found and `run_study` runs it again; the commands of these names print the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from steelyard_papers.contents import paper as paper
    from steelyard_papers.ledger import claims as claims
    from steelyard_papers.runner import run as run_study
    from steelyard_papers.study_result import study as study

__all__ = ["claims", "paper", "run_study", "study"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from steelyard_papers import contents, ledger, runner, study_result

    return {
        "claims": ledger.claims,
        "paper": contents.paper,
        "run_study": runner.run,
        "study": study_result.study,
    }[name]
