"""Every field of every kind of certificate is changed: what the checker still accepts must be true, whatever was
changed, and what is malformed fails in a sentence. Truth is worked out here, at points, without the checker."""

from __future__ import annotations

import copy
import json
import math
import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import pytest

from steelyard.measures.catalogue import measure
from steelyard.measures.operators import balanced
from steelyard.proofs.checker.check import LEMMAS, check
from steelyard.proofs.checker.form import malformed
from steelyard.proofs.prover import certificates
from steelyard.proofs.prover.certificates import checked, with_certificates
from steelyard.proofs.prover.subject import Subject
from steelyard.proofs.questions.conditions import BY_ID
from tests.proofs.test_certificates import MEANS, PROOFS, RECALL, SUMMED
from tests.real_parts import needs

POINTS = 25
MOST_CHANGES = 60
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
    "undefined": lambda: {"relation": "undefined"},
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


def damaged(certificate: Any, draws: random.Random) -> Iterator[Any]:
    """The certificate with one or two places changed, and with fields left out or added."""
    names = list(certificate.get("variables", []))
    places = [way for way in _places(certificate) if way]
    draws.shuffle(places)
    for way in places[:MOST_CHANGES]:
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
    if isinstance(node, str):
        return Fraction(node)
    if node[0] == "variable":
        return point[node[1]]
    first = _value(node[1], point)
    if node[0] == "log":
        return math.log(first)
    if node[0] == "^":
        power = Fraction(node[2])
        if power.denominator == 1:
            return first ** int(power)
        if first < 0 or (first == 0 and power < 0):
            raise ZeroDivisionError
        return float(first) ** float(power)
    second = _value(node[2], point)
    if node[0] == "max":
        return max(first, second)
    if node[0] == "/":
        return first / second
    return {"+": first.__add__, "-": first.__sub__, "*": first.__mul__}[node[0]](second) if isinstance(
        first, float
    ) == isinstance(second, float) else {
        "+": float(first) + float(second), "-": float(first) - float(second), "*": float(first) * float(second),
    }[node[0]]  # fmt: skip


def _not_below(one: Any, other: Any, strictly: bool = False) -> bool:
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        return one > other if strictly else one >= other
    return float(one) >= float(other) - 1e-7 * max(1.0, abs(float(one)), abs(float(other)))


def _points(certificate: Any, draws: random.Random) -> Iterator[Point]:
    """Positive numbers; for relations on supports also zeros, where the certificate allows them."""
    names = certificate["variables"]
    always = set(certificate.get("positive", names))
    for _ in range(POINTS):
        top = draws.choice([2, 5, 40, 10**4])
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
    if relation == "undefined":
        return bool(certificate == {"relation": "undefined"})
    if relation == "lemma":
        return certificate["name"] in LEMMAS and all(
            Fraction(a) == Fraction(b) for a, b in certificate["instances"]
        )
    if relation == "differ":
        return bool(float(_value(certificate["left"], {})) != float(_value(certificate["right"], {})))
    if relation == "values":
        return all(
            math.isclose(float(_value(node, {})), float(Fraction(text)), rel_tol=2e-9, abs_tol=2e-9)
            for node, text in certificate["values"]
        )
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
        terms.append(float(_value(certificate["term"], {k: Fraction(v) for k, v in cells.items()})))
    geometric = certificate["kind"] == "geometric"
    mean = math.prod(terms) ** (1 / len(terms)) if geometric else sum(terms) / len(terms)
    return math.isclose(mean, float(Fraction(stated)), rel_tol=2e-9, abs_tol=2e-9)


def _steps_hold(certificate: Any, draws: random.Random) -> bool:
    for point in _points(certificate, draws):
        try:
            below = sum(_value(f, point) * _value(x, point) for f, x, _ in certificate["parts"])
            below += sum(_value(w, point) * _value(b, point) ** 2 for w, b in certificate["squares"])
            together = sum(_value(f, point) * _value(t, point) for f, _, t in certificate["parts"])
            weights = [_value(w, point) for w, _ in certificate["squares"]]
            holds = _not_below(_value(certificate["term"], point), below)
            holds = holds and _not_below(together, _value(certificate["bound"], point))
            if not (holds and all(_not_below(w, Fraction(0)) for w in weights)):
                return False
        except (ZeroDivisionError, OverflowError, ValueError):
            continue
    return True


@pytest.mark.parametrize("kind", SOUND)
def test_what_holds_after_a_change_is_true(kind: str) -> None:
    sound = json.loads(json.dumps(SOUND[kind]()))
    assert malformed(sound) == ""
    assert check(sound) == "holds"
    draws = random.Random(f"changes of {kind}")
    answers: dict[str, int] = {}
    for changed in damaged(sound, draws):
        answer = check(changed)
        answers[answer] = answers.get(answer, 0) + 1
        if answer == "holds" and changed != sound:
            assert is_true(changed, draws), changed
        if sentence := malformed(changed):
            assert answer == "fails"
            assert sentence[0].isupper()
            assert sentence.endswith(".")
    assert answers["fails"] > 10, answers


@pytest.mark.parametrize(("name", "property_id"), PROOFS)
def test_every_field_of_every_certificate_of_a_proof_is_changed(name: str, property_id: str) -> None:
    """Each field in turn is left out, replaced by nonsense and by the same field of the next certificate."""
    needs("flint")
    _, found = with_certificates(lambda: BY_ID[property_id].decide(Subject(measure(name))))
    certificates_of_it = [json.loads(json.dumps(c)) for c in found if c is not None]
    assert certificates_of_it
    draws = random.Random(f"{name} {property_id}")
    for sound, other in zip(
        certificates_of_it, [*certificates_of_it[1:], certificates_of_it[0]], strict=True
    ):
        for field, value in sound.items():
            instead = [None, "", [], {}, 7, "nan", value[::-1] if isinstance(value, (list, str)) else 0]
            for wrong in [*instead, other.get(field, 0)]:
                changed = sound | {field: wrong}
                answer = check(changed)
                if sentence := malformed(changed):
                    assert answer == "fails"
                    assert sentence.endswith(".")
                elif answer == "holds" and changed != sound:
                    assert is_true(changed, draws), (field, wrong)
            assert check({k: v for k, v in sound.items() if k != field}) == "fails"


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
