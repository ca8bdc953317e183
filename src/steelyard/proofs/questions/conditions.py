"""Properties that a measure is examined for, each declared with a statement in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from steelyard.errors import UnknownNameError
from steelyard.measures.measure import Measure
from steelyard.proofs.prover.subject import Subject
from steelyard.proofs.questions import (
    behaviour,
    bounds,
    distance,
    label_noise,
    monotonicity,
    one_class_failing,
)
from steelyard.proofs.questions import constant_baseline as baseline
from steelyard.proofs.questions import extremal_agreement as best_and_worst
from steelyard.proofs.questions.invariance import (
    Transformation,
    all_scaled,
    cell_changed,
    classes_reordered,
    decide_invariance,
    rows_scaled,
    transposed,
)
from steelyard.proofs.verdict import Verdict
from steelyard.report.records import HIDDEN, Record


@dataclass(frozen=True)
class Property(Record):
    """A question that every measure can be asked."""

    id: str
    name: str
    statement: str
    source: str
    decide: Annotated[Callable[[Subject], Verdict], HIDDEN]
    # What it comes to, for those who do not know the papers' numbers.
    words: Annotated[str, HIDDEN] = ""
    # The verdict on a measure of scores, where something is known of it.
    decide_of_scores: Annotated[Callable[[Measure], Verdict | None] | None, HIDDEN] = None

    def of(self, measure: Measure) -> Verdict:
        """The verdict on a measure."""
        if self.decide_of_scores is not None and (verdict := self.decide_of_scores(measure)) is not None:
            return verdict
        return self.decide(Subject(measure))

    @property
    def title(self) -> str:
        """The papers' name, and what it comes to where the name does not say it."""
        return f"{self.name}, {self.words}" if self.words else self.name


def _invariance(
    id: str,  # noqa: A002
    name: str,
    statement: str,
    source: str,
    change: Transformation,
    sizes: tuple[int, ...] = (2, 3, 4),
    words: str = "",
) -> Property:
    return Property(
        id, name, statement, source, lambda subject: decide_invariance(subject, id, change, sizes), words
    )


def _table(number: int, words: str, statement: str, change: Transformation) -> Property:
    name = f"p{number}"
    return _invariance(name, name, statement, "garcia2012 section 3.2", change, (2,), words)


PROPERTIES = (
    _invariance(
        "prior-invariance",
        "Condition 1",
        "the value does not change when the rows are scaled: it is independent of class prevalence as long as"
        " the rates of every class stay the same",
        "mullick2020 Condition 1",
        rows_scaled,
        words="independent of class prevalence",
    ),
    Property(
        "same-bounds",
        "Condition 2",
        "the lower and the upper bound are the same for every number of classes",
        "mullick2020 Condition 2",
        lambda subject: bounds.decide_same_bounds(subject, "same-bounds"),
        "the same bounds for every number of classes",
    ),
    Property(
        "one-class-failing",
        "Condition 3",
        "one class that is misclassified throughout, all others correct, does not pull the value down to its"
        " worst",
        "mullick2020 Condition 3",
        lambda subject: one_class_failing.decide_one_class_failing(subject, "one-class-failing"),
        "one failing class does not mask the others",
    ),
    _table(
        1,
        "the classes exchanged",
        "the value does not change when tp is exchanged with tn and fn with fp",
        classes_reordered,
    ),
    *(
        _table(
            number,
            f"{words} do not matter",
            f"the value does not change with {cell} alone",
            cell_changed(cell, place),
        )
        for number, words, cell, place in (
            (2, "true negatives", "tn", (1, 1)),
            (3, "false positives", "fp", (1, 0)),
            (4, "true positives", "tp", (0, 0)),
            (5, "false negatives", "fn", (0, 1)),
        )
    ),
    Property(
        "bounded",
        "bounds",
        "the values stay within the declared range; where each end is reached or how near one comes is shown",
        "common use",
        lambda subject: bounds.decide_bounded(subject, "bounded"),
    ),
    _invariance(
        "scale-invariance",
        "scale",
        "the value does not change when all counts are multiplied by the same number",
        "common use",
        all_scaled,
    ),
    _invariance(
        "order-invariance",
        "class order",
        "the value does not depend on the order of the classes",
        "common use",
        classes_reordered,
    ),
    _invariance(
        "transposition",
        "transposition",
        "the value does not change when truth and prediction are exchanged",
        "common use",
        transposed,
    ),
    Property(
        "monotone",
        "monotone",
        "the value never gets worse when an error becomes a hit",
        "common use",
        lambda subject: monotonicity.decide_monotone(subject, "monotone"),
    ),
    Property(
        "chance-constant",
        "chance",
        "all predictions that do not depend on the truth get the same value",
        "common use",
        lambda subject: behaviour.decide_chance(subject, "chance-constant"),
    ),
    Property(
        "constant-predictor",
        "constant predictor",
        "all classifiers that always predict one class get the same value",
        "common use",
        lambda subject: behaviour.decide_constant_predictor(subject, "constant-predictor"),
    ),
    Property(
        "always-defined",
        "defined",
        "there is a value on every matrix in which every class has examples",
        "common use",
        lambda subject: behaviour.decide_always_defined(subject, "always-defined"),
    ),
    Property(
        "label-noise",
        "label noise",
        "of two models on the same examples the better one stays the better one in expectation when some"
        " labels of each class are wrong, at rates that add up to less than 1, whatever the models predict",
        "menon2015",
        lambda subject: label_noise.decide_label_noise(subject, "label-noise"),
        decide_of_scores=lambda measure: label_noise.decide_of_area(measure, "label-noise"),
    ),
)

# Of gosgens2021, those that are not asked above under another name.
FIELD = (
    Property(
        "maximal-agreement",
        "maximal agreement",
        "the value is the best one exactly when every example is classified correctly",
        "gosgens2021",
        lambda subject: best_and_worst.decide_maximal_agreement(subject, "maximal-agreement"),
    ),
    Property(
        "minimal-agreement",
        "minimal agreement",
        "the value is the worst one exactly when no example is classified correctly",
        "gosgens2021",
        lambda subject: best_and_worst.decide_minimal_agreement(subject, "minimal-agreement"),
    ),
    Property(
        "strictly-monotone",
        "strictly monotone",
        "the value strictly improves when an error becomes a hit, by a mended prediction or by a mended"
        " label",
        "gosgens2021",
        lambda subject: monotonicity.decide_strictly_monotone(subject, "strictly-monotone"),
    ),
    Property(
        "strongly-monotone",
        "strongly monotone",
        "a further hit strictly improves the value unless all is right, a further error strictly worsens it"
        " unless nothing is right",
        "gosgens2021",
        lambda subject: monotonicity.decide_strongly_monotone(subject, "strongly-monotone"),
    ),
    Property(
        "distance",
        "distance",
        "the best value less the value is a distance between labelings: symmetric, 0 only between equal ones,"
        " never longer than the way over a third",
        "gosgens2021",
        lambda subject: distance.decide_distance(subject, "distance"),
    ),
    Property(
        "constant-baseline",
        "constant baseline",
        "the mean over all predictions with given class sizes is one number, whatever the sizes of the true"
        " and the predicted classes",
        "gosgens2021",
        lambda subject: baseline.decide_constant_baseline(subject, "constant-baseline"),
    ),
)

# Names that gosgens2021 gives to properties that are asked here under another one.
ALSO_CALLED = {
    "symmetry": "transposition",
    "class-symmetry": "order-invariance",
    "approximate-constant-baseline": "chance-constant",
    "monotonicity": "strictly-monotone",
    "strong-monotonicity": "strongly-monotone",
}

EVERY_PROPERTY = (*PROPERTIES, *FIELD)
BY_ID = {p.id: p for p in EVERY_PROPERTY}


def property_named(name: str) -> Property:
    """The property with this id, or under its name such as "Condition 1"."""
    folded = name.strip().casefold()
    folded = ALSO_CALLED.get(folded.replace(" ", "-"), folded)
    for p in EVERY_PROPERTY:
        if folded in (p.id, p.name.casefold(), p.title.casefold()):
            return p
    raise UnknownNameError("property", name, BY_ID)
