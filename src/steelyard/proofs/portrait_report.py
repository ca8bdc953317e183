"""How does a measure look? The sections of its pictures, or why there are none."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from steelyard.proofs.portrait import PRIORS, Portrait
from steelyard.report.sections import Block, Choice, Figure, Option, Section, Sentence, SideBySide

if TYPE_CHECKING:
    from steelyard.proofs.result import Examination


def looks(found: Examination) -> Iterator[Section]:
    """The sections of the pictures; none before the measure was drawn."""
    if found.portrait is not None:
        yield Section("Over the class rates", tuple(_rates(found.portrait, found.subject)), "page")
        fixed = tuple(_fixed_classifiers(found.portrait, found.subject))
        yield Section("A fixed classifier on other classes", fixed, "page")
    elif found.no_picture:
        why = Sentence(f"There are no pictures: {found.no_picture}.")
        yield Section("How it looks", (why,), "page")


def _rates(portrait: Portrait, name: str) -> Iterator[Block]:
    from steelyard.proofs import figures

    if not portrait.has_two_class_values:
        yield Sentence("With two classes it has no value to draw.")
        return
    common = figures.common_levels(portrait)
    if not common:
        yield Sentence(
            "With two classes it has the same value for every classifier at every prior:"
            " there is nothing to draw."
        )
        return
    yield Sentence(
        "With two classes a classifier is a point: its specificity (TNr) and its recall (TPr). A measure that"
        " does not depend on the class proportions looks the same at every prior."
    )
    yield Choice(
        "prior",
        "Prior of the positive class, v_P:",
        tuple(Option(f"{prior:g}", (_at_prior(portrait, name, prior, common),)) for prior in PRIORS),
    )


def _at_prior(portrait: Portrait, name: str, prior: float, common: list[float]) -> SideBySide:
    from steelyard.proofs import figures

    return SideBySide(
        (
            Figure(partial(figures.levels_chart, portrait, name, prior, common)),
            Figure(partial(figures.slopes_chart, portrait, name, prior)),
        )
    )


def _fixed_classifiers(portrait: Portrait, name: str) -> Iterator[Block]:
    from steelyard.proofs import figures

    two = portrait.classes_of_shares == 2
    errs = "" if two else " Where it errs it takes every class for the first, and the first for the second."
    who = "two classes" if two else "three classes, the other two equally frequent"
    against_prior = figures.prior_chart(
        portrait,
        name,
        f"With {who}. The classifier stays the same, only how frequent the classes are changes; a line"
        f" that is not level is the distortion of mullick2020, Fig. 2c.{errs}",
    )
    against_classes = figures.classes_chart(
        portrait,
        name,
        "With classes of equal size. The classifier is correct on the same share of every class, however many"
        f" there are; a line that is not level is the distortion of mullick2020, Fig. 2f.{errs}",
    )
    if against_prior is not None:
        yield Figure(lambda: against_prior)
    if against_classes is not None:
        yield Figure(lambda: against_classes)
    elif portrait.against_classes:
        yield Sentence(
            "There is no picture over the number of classes: it has a value with one number of classes at"
            " most."
        )
    if against_prior is None and not portrait.against_classes:
        yield Sentence("It has no value to draw.")
