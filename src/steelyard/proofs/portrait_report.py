"""How does a measure look? The sections of its pictures, or why there are none."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from steelyard.proofs.portrait import PRIORS, Portrait
from steelyard.report.sections import Block, Choice, Option, Picture, Section, Sentence, SideBySide

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
    from steelyard.proofs import figures as pictures

    if not portrait.has_two_class_values:
        yield Sentence("With two classes it has no value to draw.")
        return
    common = pictures.common_levels(portrait)
    if not common:
        yield Sentence(
            "With two classes it has the same value for every classifier at every prior:"
            " there is nothing to draw."
        )
        return
    yield Sentence(
        "With two classes a classifier is a point: the share of the negatives it tells right (TNr) and the"
        " share of the positives (TPr). A measure that does not depend on the class proportions looks the"
        " same at every prior."
    )
    yield Choice(
        "prior",
        "Prior of the positive class, v_P:",
        tuple(Option(f"{prior:g}", (_at_prior(portrait, name, prior, common),)) for prior in PRIORS),
    )


def _at_prior(portrait: Portrait, name: str, prior: float, common: list[float]) -> SideBySide:
    from steelyard.proofs import figures as pictures

    circles = (
        "A filled circle: the value grows with the prior, class rates unchanged; an empty one: it falls;"
        " larger where it matters more."
        if pictures.depends_on_prior(portrait, prior)
        else "There are no circles: the value does not change with the prior."
    )
    levels = Picture(
        partial(pictures.levels_picture, portrait, name, prior, common),
        f"Level curves at v_P = {prior:g}. Classifiers on one curve have the same value; the deeper the"
        " colour, the greater.",
    )
    slopes = Picture(
        partial(pictures.slopes_picture, portrait, name, prior),
        f"Slopes at v_P = {prior:g}. An arrow points to where the value grows fastest. {circles}",
    )
    return SideBySide((levels, slopes))


def _fixed_classifiers(portrait: Portrait, name: str) -> Iterator[Block]:
    from steelyard.proofs import figures as pictures

    two = portrait.classes_of_shares == 2
    errs = "" if two else " Where it errs it takes every class for the first, and the first for the second."
    against_prior = pictures.prior_picture(portrait, name)
    against_classes = pictures.classes_picture(portrait, name)
    if against_prior is not None:
        who = "two classes" if two else "three classes, the other two equally frequent"
        yield Picture(
            lambda: against_prior,
            f"With {who}. The classifier stays the same, only how frequent the classes are changes; a line"
            f" that is not level is the distortion of mullick2020, Fig. 2c.{errs}",
        )
    if against_classes is not None:
        yield Picture(
            lambda: against_classes,
            "With classes of equal size. The classifier tells the same share of every class right, however"
            " many there are; a line that is not level is the distortion of mullick2020, Fig. 2f." + errs,
        )
    elif portrait.against_classes:
        yield Sentence(
            "There is no picture over the number of classes: it has a value with one number of classes at"
            " most."
        )
    if against_prior is None and not portrait.against_classes:
        yield Sentence("It has no value to draw.")
