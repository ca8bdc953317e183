"""Properties that a measure is examined for, each declared with a statement in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated

from steelyard.errors import UnknownNameError
from steelyard.measures.measure import Measure
from steelyard.proofs.prover.certificates import Certificate, of_counterexample
from steelyard.proofs.prover.subject import Subject
from steelyard.proofs.questions import behaviour, bounds, invariance, label_noise, monotonicity
from steelyard.proofs.questions import extremal_agreement as best_and_worst
from steelyard.proofs.questions.deciding import SIZES, not_asked, sizes_for
from steelyard.proofs.verdict import Counterexample, Verdict
from steelyard.report.records import HIDDEN, Record

Decide = Callable[[Subject, str, Sequence[int]], Verdict]
Certify = Callable[[Subject, Counterexample], list[Certificate | None]]
# A measure on which neither end is better has no answer; one of two classes has none.
NO_BETTER_END, TWO_CLASSES = "neither end of its scale is better", "it is a measure of two classes"


def _by_matrices(subject: Subject, example: Counterexample, values: bool = False) -> list[Certificate | None]:
    return of_counterexample(subject.symbol, example, values=values)


_by_values = partial(_by_matrices, values=True)


@dataclass(frozen=True)
class Property(Record):
    """A question that every measure can be asked."""

    id: str
    name: str
    statement: str
    source: str
    # How it is decided at some numbers of classes, and at which.
    decider: Annotated[Decide, HIDDEN]
    sizes: Annotated[tuple[int, ...], HIDDEN] = (2, 3)
    # What it comes to, for those who do not know the papers' numbers.
    words: Annotated[str, HIDDEN] = ""
    # Of which measures it is not asked.
    but_not: Annotated[tuple[str, ...], HIDDEN] = ()
    # The verdict on a measure of scores, where something is known of it.
    decide_of_scores: Annotated[Callable[[Measure, str], Verdict | None] | None, HIDDEN] = None
    # What certifies a counterexample.
    certify: Annotated[Certify, HIDDEN] = _by_matrices

    def decide(self, subject: Subject) -> Verdict:
        """The verdict on a measure of matrices."""
        sizes = sizes_for(subject, self.sizes)
        if TWO_CLASSES in self.but_not and subject.two_class_only:
            return not_asked(subject, self.id, TWO_CLASSES, sizes)
        if NO_BETTER_END in self.but_not and subject.measure.better == "neither":
            return not_asked(subject, self.id, NO_BETTER_END, sizes)
        return self.decider(subject, self.id, sizes)

    def of(self, measure: Measure) -> Verdict:
        """The verdict on a measure."""
        of_scores = self.decide_of_scores
        if of_scores is not None and (verdict := of_scores(measure, self.id)) is not None:
            return verdict
        return self.decide(Subject(measure))

    @property
    def title(self) -> str:
        """The papers' name, and what it comes to where the name does not say it."""
        return f"{self.name}, {self.words}" if self.words else self.name


def _property(
    name: str,
    statement: str,
    decide: Decide,
    *but_not: str,
    source: str = "common use",
    sizes: tuple[int, ...] = (2, 3),
    id: str = "",  # noqa: A002
    words: str = "",
    certify: Certify = _by_matrices,
) -> Property:
    known = (id or name.replace(" ", "-"), name, statement, source, decide, sizes, words, but_not)
    return Property(*known, certify=certify)


# The properties of tables of two classes: p1 to p5 of garcia2012.
_table = partial(_property, source="garcia2012 section 3.2", sizes=(2,))
_field = partial(_property, source="gosgens2021", certify=_by_values)

PROPERTIES = (
    _property(
        "Condition 1",
        "the value does not change when the rows are scaled: it is independent of class prevalence as long as"
        " the rates of every class stay the same",
        invariance.rows_scaled.decide,
        source="mullick2020 Condition 1",
        sizes=SIZES,
        id="prior-invariance",
        words="independent of class prevalence",
    ),
    _property(
        "Condition 2",
        "the lower and the upper bound are the same for every number of classes",
        bounds.decide_same_bounds,
        TWO_CLASSES,
        source="mullick2020 Condition 2",
        sizes=(2, 3, 4, 5, 6),
        id="same-bounds",
        words="the same bounds for every number of classes",
    ),
    _property(
        "Condition 3",
        "one class that is misclassified throughout, all others correct, does not pull the value down to its"
        " worst",
        bounds.decide_one_class_failing,
        TWO_CLASSES,
        NO_BETTER_END,
        source="mullick2020 Condition 3",
        sizes=(3, 4),
        id="one-class-failing",
        words="one failing class does not mask the others",
    ),
    _table(
        "p1",
        "the value does not change when tp is exchanged with tn and fn with fp",
        invariance.classes_reordered.decide,
        words="unchanged when the two classes are exchanged",
    ),
    *(
        _table(
            name,
            f"the value does not change with {cell} alone",
            invariance.cell_changed(cell, place).decide,
            words=f"{words} do not matter",
        )
        for name, words, cell, place in (
            ("p2", "true negatives", "tn", (1, 1)),
            ("p3", "false positives", "fp", (1, 0)),
            ("p4", "true positives", "tp", (0, 0)),
            ("p5", "false negatives", "fn", (0, 1)),
        )
    ),
    _property(
        "bounds",
        "the values stay within the declared range; where each end is reached or how near one comes is shown",
        bounds.decide_bounded,
        sizes=SIZES,
        id="bounded",
        words="within the declared range",
    ),
    _property(
        "scale",
        "the value does not change when all counts are multiplied by the same number",
        invariance.all_scaled.decide,
        sizes=SIZES,
        id="scale-invariance",
        words="unchanged when all counts are multiplied",
    ),
    _property(
        "class order",
        "the value does not depend on the order of the classes",
        invariance.classes_reordered.decide,
        sizes=SIZES,
        id="order-invariance",
        words="independent of the order of the classes",
    ),
    _property(
        "transposition",
        "the value does not change when truth and prediction are exchanged",
        invariance.transposed.decide,
        sizes=SIZES,
        words="unchanged when truth and prediction are exchanged",
    ),
    _property(
        "monotone",
        "the value never gets worse when an error becomes a hit",
        monotonicity.decide_monotone,
        NO_BETTER_END,
        words="never worse when an error becomes a hit",
    ),
    _property(
        "chance",
        "all predictions that do not depend on the truth get the same value",
        behaviour.decide_chance,
        id="chance-constant",
        words="the same value for all random predictions",
    ),
    _property(
        "constant predictor",
        "all classifiers that always predict one class get the same value",
        behaviour.decide_constant_predictor,
        words="the same value for all constant predictions",
    ),
    _property(
        "defined",
        "there is a value on every matrix in which every class has examples",
        behaviour.decide_always_defined,
        id="always-defined",
        words="a value wherever every class has examples",
    ),
    Property(
        "label-noise",
        "label noise",
        "of two models on the same examples the better one stays the better one in expectation when some"
        " labels of each class are wrong, at rates that add up to less than 1, whatever the models predict",
        "menon2015",
        label_noise.decide_label_noise,
        (2,),
        words="the better model stays better if labels are wrong at random within each class",
        but_not=(NO_BETTER_END,),
        decide_of_scores=label_noise.decide_of_area,
        certify=_by_values,
    ),
)

# Of gosgens2021, those that are not asked above under another name.
FIELD = (
    _field(
        "maximal agreement",
        "the value is the best one exactly when every example is classified correctly",
        partial(best_and_worst.decide_agreement, side="best"),
        NO_BETTER_END,
    ),
    _field(
        "minimal agreement",
        "the value is the worst one exactly when no example is classified correctly",
        partial(best_and_worst.decide_agreement, side="worst"),
        NO_BETTER_END,
    ),
    _field(
        "strictly monotone",
        "the value strictly improves when an error becomes a hit, by a mended prediction or by a mended"
        " label",
        partial(monotonicity.decide_strict, steps=monotonicity.mending),
        NO_BETTER_END,
    ),
    _field(
        "strongly monotone",
        "a further hit strictly improves the value unless all is right, a further error strictly worsens it"
        " unless nothing is right",
        partial(monotonicity.decide_strict, steps=monotonicity.adding),
        NO_BETTER_END,
    ),
    _field(
        "distance",
        "the best value less the value is a distance between labelings: symmetric, 0 only between equal ones,"
        " never longer than the way over a third",
        best_and_worst.decide_distance,
        NO_BETTER_END,
    ),
    _field(
        "constant baseline",
        "the mean over all predictions with given class sizes is one number, whatever the sizes of the true"
        " and the predicted classes",
        behaviour.decide_constant_baseline,
        certify=behaviour.certificates_of,
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
