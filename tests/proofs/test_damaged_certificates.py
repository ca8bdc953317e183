"""Every field of every certificate is changed: what the checker still accepts must be true, whatever was changed, and
what is malformed fails in a sentence. Truth is worked out here, at points, in FLINT's ball arithmetic, without the
checker. The normal run changes certificates of every kind; `pytest -m whole` those of all filed proofs."""

from __future__ import annotations

import copy
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import pytest

from steelyard.measures.catalogue import catalogue, measure
from steelyard.measures.measure import MatrixMeasure
from steelyard.measures.operators import balanced
from steelyard.proofs.checker.check import LEMMAS, check
from steelyard.proofs.checker.form import malformed
from steelyard.proofs.precomputed import made_of, shipped
from steelyard.proofs.prover import certificates
from steelyard.proofs.prover.certificates import checked, with_certificates
from steelyard.proofs.prover.subject import Subject
from steelyard.proofs.questions.conditions import BY_ID
from tests.proofs.test_certificates import MEANS, RECALL, SUMMED
from tests.real_parts import needs

flint = pytest.importorskip("flint")
POINTS = 25
MOST_CHANGES = 60
# Of every certificate of a filed proof every field is changed, and so many places inside of them.
CHANGES_OF_A_FILED_ONE = 6
Point = dict[str, Fraction]


# -- certificates as the prover writes them


def _decided(name: str, property_id: str, relation: str) -> Callable[[], Any]:
    def certificate() -> Any:
        needs("flint")
        subject = Subject(balanced(measure("kappa")) if name == "balanced kappa" else measure(name))
        _, found = with_certificates(lambda: BY_ID[property_id].decide(subject))
        ours = [c for c in found if c is not None and c["relation"] == relation]
        return min(ours, key=lambda c: len(json.dumps(c)))

    return certificate


def _example(values: bool) -> Callable[[], Any]:
    def certificate() -> Any:
        needs("flint")
        subject = Subject(measure("precision"))
        example = BY_ID["prior-invariance"].decide(subject).counterexample
        assert example is not None
        (found,) = certificates.of_counterexample(subject.symbol, example, values=values)
        return found

    return certificate


SOUND: dict[str, Callable[[], Any]] = {
    "=": _decided("recall", "prior-invariance", "="),
    "= under label noise": _decided("precision", "label-noise", "="),
    "> under label noise": _decided("precision", "label-noise", ">"),
    "= with roots": _decided("gmean", "prior-invariance", "="),
    ">=": _decided("f_beta", "monotone", ">="),
    ">= with a maximum": _decided("class_balance_accuracy", "monotone", ">="),
    ">": _decided("f_beta", "maximal-agreement", ">"),
    "rises": _decided("mcc", "strictly-monotone", "rises"),
    "lemma": _decided("macro_recall", "order-invariance", "lemma"),
    "mean over classes": lambda: {
        "relation": "mean over classes", "kind": "arithmetic", "term": RECALL, "instances": MEANS,
    },
    "summed over classes": lambda: SUMMED,
    "differ": _example(values=False),
    "values": _example(values=True),
}  # fmt: skip


# -- changes


def _places(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield way
    entries = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, inner in entries:
        yield from _places(inner, (*way, key))


def _instead(value: Any, names: list[str], draws: random.Random) -> list[Any]:
    """What is put in the place of a value: other values of its kind, of another kind, and nonsense."""
    nonsense = draws.choice(
        [None, True, 0.5, "", "nan", "1/0", [], {}, ["log"], "root 0", "1e999", -3, "x y"]
    )
    name = ["variable", draws.choice(names or ["x"])]
    if isinstance(value, str):
        similar = draws.choice(["0", "1", "-1", "1/2", "7", "+", "-", "*", "max", "=", ">=", ">", *names])
        return [similar, nonsense]
    if isinstance(value, list) and value:
        return [
            value[::-1],
            value[:-1],
            [*value, copy.deepcopy(value[-1])],
            ["-", "0", value],
            name,
            copy.deepcopy(value[-1]),
            nonsense,
        ]
    if isinstance(value, int):
        return [value + 1, -value, str(value), nonsense]
    return [nonsense, {}]


def damaged(certificate: Any, draws: random.Random, most: int = MOST_CHANGES) -> Iterator[Any]:
    """The certificate with a field or a place inside of one changed, and with fields left out or added."""
    names = list(certificate.get("variables", []))
    fields = [(name,) for name in certificate]
    inside = [way for way in _places(certificate) if len(way) > 1]
    for way in [*fields, *draws.sample(inside, min(most, len(inside)))]:
        original: Any = certificate
        for step in way:
            original = original[step]
        for instead in _instead(original, names, draws):
            changed = copy.deepcopy(certificate)
            holder: Any = changed
            for step in way[:-1]:
                holder = holder[step]
            holder[way[-1]] = instead
            yield changed
    for key in certificate:
        yield {k: v for k, v in certificate.items() if k != key}
        yield certificate | {f"{key} again": 1}
    for relation in ("=", ">=", ">", "rises", "lemma", "differ", "values", "undefined", "<", None):
        yield certificate | {"relation": relation}
    yield from ([], None, "text", 3, {"relation": []})


# -- truth, without the checker


def _value(node: Any, point: Point) -> Any:
    """An fmpq where the value is rational, a ball otherwise."""
    if isinstance(node, str):
        return _rational(Fraction(node))
    if node[0] == "variable":
        return _rational(point[node[1]])
    first = _value(node[1], point)
    if node[0] == "log":
        return _number(flint.arb(first).log())
    if node[0] == "^":
        power = Fraction(node[2])
        if power.denominator == 1:
            return first ** int(power)
        return _number(flint.arb(first) ** flint.arb(_rational(power)))
    second = _value(node[2], point)
    if node[0] == "max":
        return second if _not_below(second, first) else first
    if node[0] == "/":
        if second == 0:
            raise ZeroDivisionError
        return _number(first / second)
    return {"+": lambda: first + second, "-": lambda: first - second, "*": lambda: first * second}[node[0]]()


def _rational(value: Fraction) -> Any:
    return flint.fmpq(value.numerator, value.denominator)


def _number(value: Any) -> Any:
    if isinstance(value, flint.arb) and not value.is_finite():
        raise ValueError("no value")
    return value


def _not_below(one: Any, other: Any, strictly: bool = False) -> bool:
    """Is one value not less, or greater? Balls that touch count as equal."""
    difference = one - other
    if isinstance(difference, flint.arb):
        return bool(difference > 0) if strictly else not difference < 0
    return bool(difference > 0 or (difference == 0 and not strictly))


def _near(value: Any, text: str) -> bool:
    off = abs(value - _rational(Fraction(text)))
    return bool(off <= _rational(2 * max(Fraction(1), abs(Fraction(text))) / 10**9))


def _points(certificate: Any, draws: random.Random) -> Iterator[Point]:
    """Positive numbers; for relations on supports also zeros, where the certificate allows them."""
    names = certificate["variables"]
    always = set(certificate.get("positive", names))
    for _ in range(POINTS):
        top = draws.choice([1, 2, 5, 40, 10**4])  # with 1 all are equal
        alive = {n for n in names if n in always or draws.random() < 0.6}
        if not alive or any(not alive & set(group) for group in certificate.get("groups", [])):
            continue
        yield {
            n: Fraction(draws.randint(1, top), draws.randint(1, top)) if n in alive else Fraction(0)
            for n in names
        }


def _true_at(certificate: Any, point: Point) -> bool:
    relation, left = certificate["relation"], certificate["left"]
    if relation == "rises":
        rates = {n: Fraction(r) for n, r in certificate["direction"].items()}
        if any(rate and not point[n] for n, rate in rates.items()):
            return True  # on the boundary the other way is not open
        # A slope is a limit: halve the step until the difference has the sign of the slope.
        for halvings in (8, 20, 40):
            step = min((v for v in point.values() if v), default=Fraction(1)) / 2**halvings
            if not any(rates.values()):
                return False
            moved = {n: v + step * rates.get(n, 0) / max(map(abs, rates.values())) for n, v in point.items()}
            if _not_below(_value(left, moved), _value(left, point), strictly=True):
                return True
        return False
    one, other = _value(left, point), _value(certificate["right"], point)
    if relation == "=":
        return _not_below(one, other) and _not_below(other, one)
    return _not_below(one, other, strictly=relation == ">")


def is_true(certificate: Any, draws: random.Random) -> bool:
    relation = certificate["relation"]
    if relation == "lemma":
        return certificate["name"] in LEMMAS and all(
            Fraction(a) == Fraction(b) for a, b in certificate["instances"]
        )
    if relation == "differ":
        one, other = (_value(certificate[side], {}) for side in ("left", "right"))
        return _not_below(one, other, strictly=True) or _not_below(other, one, strictly=True)
    if relation == "values":
        return all(_near(_value(node, {}), text) for node, text in certificate["values"])
    if relation == "mean over classes":
        return all(_is_the_mean(certificate, rows, text) for rows, text in certificate["instances"])
    if relation == "summed over classes":
        return _steps_hold(certificate, draws)
    for point in _points(certificate, draws):
        try:
            if not _true_at(certificate, point):
                return False
        except (ZeroDivisionError, OverflowError, ValueError):
            continue  # no value there
    return True


def _is_the_mean(certificate: Any, rows: list[list[int]], stated: str) -> bool:
    terms = []
    total = sum(map(sum, rows))
    for i, row in enumerate(rows):
        column = sum(other[i] for other in rows)
        d = row[i]
        cells = {"d": d, "fn": sum(row) - d, "fp": column - d, "tn": total - sum(row) - column + d}
        terms.append(_value(certificate["term"], {k: Fraction(v) for k, v in cells.items()}))
    mean = sum(terms) / len(terms)
    if certificate["kind"] == "geometric":
        product = flint.arb(1)
        for term in terms:
            product *= term
        mean = product ** flint.arb(flint.fmpq(1, len(terms)))
    return _near(mean, stated)


def _steps_hold(certificate: Any, draws: random.Random) -> bool:
    for point in _points(certificate, draws):
        try:
            below = sum(_value(f, point) * _value(x, point) for f, x, _ in certificate["parts"])
            below += sum(_value(w, point) * _value(b, point) ** 2 for w, b in certificate["squares"])
            together = sum(_value(f, point) * _value(t, point) for f, _, t in certificate["parts"])
            weights = [_value(w, point) for w, _ in certificate["squares"]]
            holds = _not_below(_value(certificate["term"], point), below)
            holds = holds and _not_below(together, _value(certificate["bound"], point))
            if not (holds and all(_not_below(w, flint.fmpq(0)) for w in weights)):
                return False
        except (ZeroDivisionError, OverflowError, ValueError):
            continue
    return True


def changed_and_checked(sound: Any, draws: random.Random, most: int = MOST_CHANGES) -> Counter[str]:
    """The answers of the checker to every change; what still holds is true, what is malformed is said."""
    answers: Counter[str] = Counter()
    precision, flint.ctx.prec = flint.ctx.prec, 300
    try:
        for changed in damaged(sound, draws, most):
            answer = check(changed)
            sentence = malformed(changed)
            answers[answer if not sentence else "malformed"] += changed != sound
            if sentence:
                assert answer == "fails"
                assert sentence[0].isupper()
                assert sentence.endswith(".")
            elif answer == "holds" and changed != sound:
                assert is_true(changed, draws), json.dumps(changed)
    finally:
        flint.ctx.prec = precision
    return answers


@pytest.mark.parametrize("kind", SOUND)
def test_what_holds_after_a_change_is_true(kind: str) -> None:
    sound = json.loads(json.dumps(SOUND[kind]()))
    assert malformed(sound) == ""
    assert check(sound) == "holds"
    answers = changed_and_checked(sound, random.Random(f"changes of {kind}"))
    assert answers["fails"] + answers["malformed"] > 10, answers


MEASURES = [m for m in catalogue(wide=True) if isinstance(m, MatrixMeasure) and made_of(m) is not None]


@pytest.mark.whole
@pytest.mark.parametrize("subject", MEASURES, ids=lambda m: m.id)
def test_what_holds_after_a_change_of_a_filed_proof_is_true(subject: MatrixMeasure) -> None:
    """All certificates of all proofs that come with the package; each field and some places inside are changed."""
    needs("flint")
    for property_id, asked in BY_ID.items():
        filed = shipped(made_of(subject), property_id)
        if filed is None or filed.grade != "proved" or not filed.certified:
            continue
        _, found = with_certificates(lambda asked=asked: asked.decide(Subject(subject)))  # type: ignore[misc]
        assert checked(found).state == "certified", property_id
        for number, certificate in enumerate(found):
            sound = json.loads(json.dumps(certificate))
            draws = random.Random(f"{subject.id} {property_id} {number}")
            changed_and_checked(sound, draws, CHANGES_OF_A_FILED_ONE)


def test_names_that_the_expansion_uses_itself_are_refused() -> None:
    """A variable called "root 0" would be taken for the first root, "u~1" for a quantity of a case."""
    for name in ("root 0", "log 0", "u~1", "", "x y"):
        node = ["variable", name]
        forged = {"relation": "=", "variables": [name], "left": node, "right": node}
        assert check(forged) == "fails"
        assert "plain names" in malformed(forged)


def test_a_statement_about_no_point_at_all_does_not_hold() -> None:
    x = ["variable", "x"]
    about_nothing = {
        "relation": ">", "variables": ["x"], "left": ["+", x, "1"], "right": x, "positive": [], "groups": [[]],
    }  # fmt: skip
    assert check(about_nothing) == "fails"


def test_a_malformed_certificate_is_told_in_a_sentence() -> None:
    found = checked([{"relation": "="}])
    assert found.state == "fails"
    assert found.words.startswith('1 of 1 certificates fail: A certificate of "=" has the fields left,')
