"""Certificates are checked by code that shares nothing with the prover, and a certificate that was tampered with does not pass."""

import ast
import copy
import inspect
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner

from steelyard.cli.app import app
from steelyard.measures.catalogue import measure
from steelyard.measures.operators import balanced
from steelyard.proofs.checker import check as certificate_checker
from steelyard.proofs.checker.check import check
from steelyard.proofs.checker.interval_arithmetic import enclosed
from steelyard.proofs.prover import certificates
from steelyard.proofs.prover.certificates import checked, with_certificates
from steelyard.proofs.prover.subject import Subject
from steelyard.proofs.questions.conditions import BY_ID
from steelyard.proofs.report import evidence
from steelyard.proofs.verdict import EVERY, Verdict
from steelyard_papers.mortaz2020.below_accuracy import holds_up_to_four
from steelyard_papers.mullick2020 import every_size
from tests.real_parts import needs


@pytest.fixture(autouse=True)
def _flint():
    needs("flint")


X, Y, K = (["variable", name] for name in ("x", "y", "k"))


def stated(left, relation, right, names="xyk"):
    return {"relation": relation, "variables": list(names), "left": left, "right": right}


@pytest.mark.parametrize(
    ("certificate", "answer"),
    [
        (stated(["*", ["+", X, Y], ["+", X, Y]], "=", ["+", ["*", X, X], ["+", ["*", "2", ["*", X, Y]], ["*", Y, Y]]]), "holds"),
        (stated(["/", ["*", K, X], ["+", ["*", K, X], ["*", K, Y]]], "=", ["/", X, ["+", X, Y]]), "holds"),
        (stated(["/", X, ["+", X, Y]], "=", ["/", Y, ["+", X, Y]]), "fails"),
        (stated(["+", X, Y], ">=", X), "holds"),
        # √(kx) = √k √x, and x + y >= √(xy) as (x + y)² - xy has no negative term; 2√(xy) is beyond that
        (stated(["^", ["*", K, X], "1/2"], "=", ["*", ["^", K, "1/2"], ["^", X, "1/2"]]), "holds"),
        (stated(["+", X, Y], ">=", ["^", ["*", X, Y], "1/2"]), "holds"),
        (stated(["+", X, Y], ">=", ["*", "2", ["^", ["*", X, Y], "1/2"]]), "not certified"),
        (stated(["^", ["+", X, Y], "1/2"], ">=", ["^", X, "1/2"]), "holds"),
        (stated(["^", X, "1/2"], ">=", ["^", ["+", X, Y], "1/2"]), "fails"),
        (stated(["+", ["^", X, "1/2"], ["^", Y, "1/2"]], ">=", ["^", ["+", X, Y], "1/2"]), "holds"),
        (stated(["^", ["+", X, Y], "1/2"], ">=", ["+", ["^", X, "1/2"], ["^", Y, "1/2"]]), "fails"),
        (stated(X, ">=", ["+", X, Y]), "fails"),
        (stated(["max", X, Y], ">=", X), "holds"),
        (stated(["max", X, Y], "=", ["max", Y, X]), "holds"),
        (stated(["-", ["+", X, Y], ["max", X, Y]], ">=", "0"), "holds"),  # the smaller of the two
        (stated(["max", ["+", X, K], Y], ">=", ["max", X, Y]), "holds"),
        (stated(["^", ["*", ["*", K, K], X], "1/2"], "=", ["*", K, ["^", X, "1/2"]]), "holds"),
        (stated(["log", ["/", ["*", K, X], ["*", K, Y]]], "=", ["log", ["/", X, Y]]), "holds"),
        (stated(["+", ["*", X, X], ["*", Y, Y]], ">=", ["*", "2", ["*", X, Y]]), "not certified"),  # true, but no sum of terms shows it
        (stated(["*", ["log", X], ["-", Y, Y]], ">=", "0"), "holds"),
        (stated(["max", ["*", ["log", X], ["-", X, Y]], "0"], "=", "0"), "fails"),
        ({"relation": "lemma", "name": "order", "instances": [["1/2", "1/2"]]}, "holds"),
        ({"relation": "lemma", "name": "order", "instances": [["1/2", "1/3"]]}, "fails"),
        ({"relation": "lemma", "name": "a lemma of mine", "instances": [["1", "1"]]}, "fails"),
        ({"relation": "differ", "left": ["/", "1", "2"], "right": "0.5"}, "fails"),
        ({"relation": "differ", "left": ["/", "1", "2"], "right": "2/3"}, "holds"),
        ({"relation": "differ", "left": ["variable", "x"], "right": "2/3"}, "fails"),
        # √2 = 1.41421356237309504880168872420969807...: fewer digits differ from it
        ({"relation": "differ", "left": ["^", "2", "1/2"], "right": "1.41421356237309505"}, "holds"),
        ({"relation": "differ", "left": "1.4142135623730950488", "right": ["^", "2", "1/2"]}, "holds"),
        ({"relation": "differ", "left": ["^", "2", "1/2"], "right": "1.4142136"}, "holds"),
        (stated(["*", X, ["*", ["^", X, "1/2"], ["^", X, "1/2"]]], "=", ["*", X, X]), "holds"),
        (stated(["*", Y, ["^", ["^", ["+", X, Y], "1/2"], "2"]], "=", ["*", Y, ["+", X, Y]]), "holds"),
        # both sides are squared twice: fourth roots are seen, eighth roots are not
        (stated(["^", ["+", X, Y], "1/4"], ">=", ["^", X, "1/4"]), "holds"),
        (stated(["^", ["+", X, Y], "1/8"], ">=", ["^", X, "1/8"]), "not certified"),
        ({"relation": "=", "left": "1"}, "fails"),
        ({}, "fails"),
    ],
)  # fmt: skip
def test_answers_by_hand(certificate, answer):
    assert check(certificate) == answer


@pytest.mark.parametrize(
    ("node", "value"),
    [
        (["^", "9/4", "1/2"], 1.5),
        (["^", "8", "-1/3"], 0.5),
        (["^", "2/3", "3"], Fraction(8, 27)),
        (["^", "2/3", "-2"], Fraction(9, 4)),
        (["max", "1/3", ["-", "1", "1/2"]], Fraction(1, 2)),
    ],
)
def test_expressions_of_numbers_by_hand(node, value):
    low, high = enclosed(node, {})
    assert low <= Fraction(value) <= high
    assert high - low < Fraction(1, 10**70)
    assert (low == high) == isinstance(value, Fraction)


HOLDS = stated(["+", X, Y], ">=", X)
OPEN = stated(["+", ["*", X, X], ["*", Y, Y]], ">=", ["*", "2", ["*", X, Y]])
WRONG = stated(X, ">=", ["+", X, Y])


@pytest.mark.parametrize(
    ("given", "method", "state", "words"),
    [
        ([HOLDS], "", "certified", "1 certificate checked"),
        ([HOLDS, HOLDS], "by z3", "certified", "2 certificates checked"),
        ([], "", "not certified", "not certified: an argument in words, or a value that was computed"),
        ([HOLDS, None], "", "not certified", "not certified (1 of 2 certificates checked)"),
        ([HOLDS, OPEN, OPEN], "its negation is impossible (z3)", "not certified",
         "proved by z3, not certified (1 of 3 certificates checked)"),
        ([HOLDS, WRONG, None], "", "fails", "1 of 3 certificates fail"),
    ],
)  # fmt: skip
def test_one_that_is_open_leaves_all_uncertified_and_one_that_fails_fails_them(given, method, state, words):
    found = checked(given, method)
    assert (found.state, found.words) == (state, words)
    assert found.certificates == tuple(given)


def test_the_checker_imports_nothing_of_the_prover():
    own = {"check", "algebra", "supports", "form", "interval_arithmetic"}
    for name in own:
        path = Path(inspect.getfile(certificate_checker)).with_name(f"{name}.py")
        tree = ast.parse(path.read_text(encoding="utf-8"))
        modules = [n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)]
        modules += [a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names]
        plain = {
            "__future__",
            "collections.abc",
            "fractions",
            "itertools",
            "typing",
            "json",
            "random",
            "decimal",
            "re",
            "reprlib",
        }
        assert set(modules) <= plain | {f"steelyard.proofs.checker.{part}" for part in own}


PROOFS = (
    ("recall", "prior-invariance"), ("f_beta", "monotone"), ("gmean", "prior-invariance"), ("macro_recall", "bounded"),
    ("class_balance_accuracy", "monotone"), ("class_balance_accuracy", "transposition"), ("kappa", "scale-invariance"),
    ("balanced_precision", "prior-invariance"), ("macro_recall", "order-invariance"), ("mcc", "transposition"),
)  # fmt: skip


@pytest.mark.parametrize(("name", "property_id"), PROOFS)
def test_proofs_are_certified_and_tampering_is_noticed(name, property_id):
    verdict, found = with_certificates(lambda: BY_ID[property_id].decide(Subject(measure(name))))
    assert verdict.grade == "proved"
    assert checked(found).state == "certified"
    for tampered in _tampered(found[0]):
        assert check(tampered) != "holds"


def _tampered(certificate):
    """One side doubled and raised; an instance changed."""
    changed = copy.deepcopy(certificate)
    if certificate["relation"] == "lemma":
        changed["instances"][0][0] = "12345"
        yield changed
        return
    if certificate["relation"] == "mean over classes":
        changed["instances"][0][1] = "12345"
        yield changed
        return
    changed["left"] = (
        ["-", changed["left"], "1/7"] if certificate["relation"] == "=" else ["-", changed["left"], "1000000"]
    )
    yield changed
    yield {**certificate, "relation": "<="}


@pytest.mark.parametrize(
    ("subject", "property_id", "relations"),
    [
        (measure("macro_recall"), "order-invariance", {"lemma"}),
        (balanced(measure("kappa")), "prior-invariance", {"lemma"}),
        (measure("macro_recall"), "minimal-agreement", {"mean over classes"}),
        (measure("mean_binary_accuracy"), "monotone", {"mean over classes"}),  # its term holds all four cells
    ],
)
def test_arguments_for_every_number_of_classes_say_what_they_rest_on(subject, property_id, relations):
    verdict, found = with_certificates(lambda: BY_ID[property_id].decide(Subject(subject)))
    assert (verdict.grade, verdict.classes) == ("proved", EVERY)
    assert relations <= {c["relation"] for c in found}
    assert checked(found).state == "certified"


def test_the_mean_that_is_stated_is_the_one_of_the_measure():
    """Macro recall of [[3, 1], [2, 5]]: the mean of 3/4 and 5/7."""
    _, found = with_certificates(lambda: BY_ID["minimal-agreement"].decide(Subject(measure("macro_recall"))))
    (stated_mean,) = [c for c in found if c["relation"] == "mean over classes"]
    values = {str(rows): Fraction(value) for rows, value in stated_mean["instances"]}
    assert len(values) >= 3
    for rows, value in stated_mean["instances"]:
        assert Fraction(value) == sum(Fraction(row[i], sum(row)) for i, row in enumerate(rows)) / len(rows)


def test_the_expressions_are_those_of_the_measure():
    """At a point, the recorded expression has the value that the measure has on that matrix."""
    subject = Subject(measure("f_beta"))
    _, found = with_certificates(lambda: BY_ID["p2"].decide(subject))
    point = {"m0_0": 3, "m0_1": 1, "m1_0": 2, "m1_1": 5, "k": 1}
    value = subject.value([[3, 1], [2, 5]])
    assert enclosed(found[0]["left"], {n: Fraction(v) for n, v in point.items()}) == (value, value)


def test_the_ledger_is_checked_and_a_certificate_that_fails_ends_with_1(monkeypatch):
    run = CliRunner().invoke(app, ["claims", "--check", "--only", "mullick-t1a", "--only", "mullick-t1c"])
    assert run.exit_code == 0, run.output
    assert "2 certified" in run.output
    honest = certificates.note

    def forged(names, compute, relation, faces):
        honest(names, lambda at: (at[names[0]], 0), "=", faces)

    monkeypatch.setattr(certificates, "note", forged)
    monkeypatch.setattr("steelyard.proofs.judge._CERTIFIED", {})
    run = CliRunner().invoke(app, ["claims", "--check", "--only", "mullick-t1a"])
    assert run.exit_code == 1
    assert "certificates fail" in run.output


def test_examine_checks_too():
    run = CliRunner().invoke(app, ["examine", "tp/(tp+fp)", "--check", "--property", "p2"])
    assert run.exit_code == 0, run.output
    assert "proved for C = 2; 1 certificate checked" in run.output


# -- from one class to all

RECALL = ["/", ["variable", "d"], ["+", ["variable", "d"], ["variable", "fn"]]]
MEANS = [
    [[[3, 1], [2, 5]], str((Fraction(3, 4) + Fraction(5, 7)) / 2)],
    [[[1, 1, 0], [0, 2, 2], [1, 0, 3]], str((Fraction(1, 2) + Fraction(1, 2) + Fraction(3, 4)) / 3)],
    [[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 1, 0, 1]], str((3 + Fraction(1, 2)) / 4)],
]


@pytest.mark.parametrize(
    ("changed", "answer"),
    [
        ({}, "holds"),
        ({"kind": "geometric"}, "fails"),
        ({"term": ["/", ["variable", "d"], ["+", ["variable", "d"], ["variable", "fp"]]]}, "fails"),
        ({"instances": MEANS[:2]}, "fails"),
        ({"instances": [*MEANS[:2], [MEANS[2][0], "7/9"]]}, "fails"),
        ({"instances": [*MEANS[:2], "nonsense"]}, "fails"),
    ],
)
def test_a_measure_is_the_mean_of_its_terms_on_matrices(changed, answer):
    """Recalls by hand: 3/4 and 5/7; 1/2, 1/2 and 3/4; 1, 1, 1 and 1/2."""
    stated = {"relation": "mean over classes", "kind": "arithmetic", "term": RECALL, "instances": MEANS}
    assert check(stated | changed) == answer


@pytest.mark.parametrize(
    ("off", "answer"),
    [(Fraction(0), "holds"), (Fraction(1, 10**12), "holds"), (Fraction(3, 2 * 10**9), "fails")],
)
def test_a_geometric_mean_is_held_against_nine_digits(off, answer):
    """Recalls 1/4 and 1; 1/8, 1 and 1; 1/16 and three times 1: each mean is a half."""
    instances = [
        [[[1, 3], [0, 1]], str(Fraction(1, 2) + off)],
        [[[1, 7, 0], [0, 1, 0], [0, 0, 1]], "1/2"],
        [[[1, 15, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], "1/2"],
    ]
    given = {"relation": "mean over classes", "kind": "geometric", "term": RECALL, "instances": instances}
    assert check(given) == answer


S, N = ["variable", "s"], ["variable", "n"]
SUMMED = {
    "relation": "summed over classes",
    "variables": ["s", "n"],
    "of a class": ["s"],
    "term": ["*", S, S],
    "parts": [[["-", "0", ["/", "1", ["*", N, N]]], "1", N], [["/", "2", N], S, "1"]],
    "bound": ["/", "1", N],
    "squares": [["1", ["-", S, ["/", "1", N]]]],
}
"""Squares of n shares that add up to 1 add up to at least 1/n: s^2 = 2s/n - 1/n^2 + (s - 1/n)^2."""


@pytest.mark.parametrize(
    ("changed", "answer"),
    [
        ({}, "holds"),
        ({"bound": ["/", "2", N]}, "fails"),
        ({"parts": [SUMMED["parts"][0], [["/", "2", N], S, "1/2"]]}, "fails"),
        ({"parts": [[["*", "2", S], S, "1"], ["1", ["-", "0", ["*", S, S]], "0"]]}, "fails"),  # s taken out
        ({"parts": [SUMMED["parts"][0], [["/", "2", N], S, S]]}, "fails"),
        ({"squares": [["-1", ["-", S, ["/", "1", N]]]]}, "fails"),
        ({"squares": []}, "not certified"),  # true, but nothing shows it
        ({"parts": []}, "fails"),
        ({"bound": S}, "fails"),
        # s² >= s s, but a factor that differs between classes cannot be taken out of their sum
        ({"parts": [[["*", "1", S], S, "1"]], "squares": [], "bound": "0"}, "fails"),
        ({"parts": None}, "fails"),
    ],
)
def test_what_holds_for_a_class_is_summed_by_the_checker(changed, answer):
    assert check(SUMMED | changed) == answer


def test_the_steps_over_classes_of_the_ledger_are_certified():
    for argue, steps in (
        (every_size.limit_of_a_failing_class, 1),
        (every_size.bound_of_ova, 1),
        (holds_up_to_four, 2),
    ):
        argued, found = with_certificates(argue)
        assert getattr(argued, "verdict", argued) in ("proved", True)
        assert [c["relation"] for c in found].count("summed over classes") == steps
        assert {check(c) for c in found} == {"holds"}


def test_a_proof_without_a_certificate_says_by_whom_it_is():
    by_flint = Verdict("mine", "p1", "proved", "exact identity (FLINT)", "C = 2", certified=False)
    by_z3 = Verdict("mine", "p1", "proved", "its negation is impossible (z3)", "C = 2", certified=False)
    assert str(by_flint) == (
        "proved by FLINT, not certified, for C = 2: exact identity (FLINT); wherever every value is defined"
    )
    assert evidence(by_z3).words == (
        "proved by z3, not certified; its negation is impossible (z3); wherever every value is defined"
    )
    assert "certified" not in str(Verdict("mine", "p1", "proved", "exact identity (FLINT)", "C = 2"))
