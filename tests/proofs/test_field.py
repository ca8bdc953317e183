"""The properties of gosgens2021: verdicts known from the literature or worked out by hand, and proofs that stay honest."""

import itertools
from fractions import Fraction

import pytest

import steelyard as sy
from steelyard.measures.formula import formula_measure
from steelyard.measures.numbers import exact_half_turns
from steelyard.proofs.checker.check import check
from steelyard.proofs.property_table import GOSGENS, cell_of, property_table
from steelyard.proofs.prover import certificates
from steelyard.proofs.prover.certificates import checked, with_certificates
from steelyard.proofs.prover.regions import matrix_names
from steelyard.proofs.prover.strict_inequalities import prove_greater, prove_rising
from steelyard.proofs.prover.subject import Subject
from steelyard.proofs.prover.symbols import Angle
from steelyard.proofs.questions import behaviour as baseline
from steelyard.proofs.questions import extremal_agreement as distance
from steelyard.proofs.questions.conditions import BY_ID, FIELD
from steelyard.proofs.verdict import EVERY
from steelyard_papers.gosgens2021 import impossibility
from tests.real_parts import needs


@pytest.fixture(autouse=True)
def _flint():
    needs("flint")


KNOWN = (
    # The Jaccard distance is a metric; 1 - F1 (Sørensen-Dice) is the textbook example of one that is not.
    ("threat_score", "distance", "✓"),
    ("f_beta", "distance", "✗"),
    # The share of examples on which two labelings differ is a metric, and guessing the larger class pays.
    ("accuracy", "distance", "✓"),
    ("accuracy", "constant-baseline", "✗"),
    ("error_rate", "strongly-monotone", "✓"),
    # Kappa and MCC are corrected for chance; a correlation is no distance, its angle is.
    ("kappa", "constant-baseline", "✓"),
    ("mcc", "constant-baseline", "✓"),
    ("mcc", "distance", "✗"),
    ("mcc", "minimal-agreement", "✓/✗"),
    ("macro_recall", "maximal-agreement", "✓"),
    ("macro_recall", "transposition", "✗"),
    ("gmean", "minimal-agreement", "✗"),
    ("prevalence", "distance", "·"),
    ("prevalence", "monotone", "·"),
    ("diagnostic_odds_ratio", "distance", "·"),  # no value where nothing is wrong
)


@pytest.mark.parametrize(("name", "property_id", "mark"), KNOWN)
def test_verdicts_known_from_elsewhere(name, property_id, mark):
    verdict = BY_ID[property_id].decide(Subject(sy.measure(name)))
    assert cell_of(verdict).mark == mark, str(verdict)


def test_the_correlation_distance_is_one_for_two_classes():
    verdict = BY_ID["distance"].decide(Subject(sy.measure("correlation_distance")))
    assert verdict.holds_at(2) is True
    assert BY_ID["constant-baseline"].decide(Subject(sy.measure("correlation_distance"))).holds is False


def test_a_way_round_that_is_shorter_is_said_in_numbers():
    """1 - F1 between {1}, {1, 2} and {2}: 1/3, 1/3, and 1 straight on."""
    verdict = BY_ID["distance"].decide(Subject(sy.measure("f_beta")))
    assert verdict.counterexample.values == (Fraction(2, 3), Fraction(2, 3), 0)
    assert verdict.notes == (
        "C = 2: of three labelings the first and the third are 1 apart, over the second only 1/3 + 1/3",
    )


def test_every_table_of_three_labelings_with_counts_up_to_two_is_tried():
    every = set(itertools.product(range(3), repeat=8)) - {(0,) * 8}
    assert every <= {tuple(table.ravel().tolist()) for table in distance.labelings(2)}


@pytest.mark.parametrize(
    ("name", "property_id"),
    [
        ("macro_recall", "maximal-agreement"),
        ("macro_recall", "minimal-agreement"),
        ("imbalance_accuracy", "maximal-agreement"),  # its terms are negative, too
        ("gmean", "maximal-agreement"),
    ],
)
def test_ends_of_a_mean_over_classes_are_proved_for_every_number_of_classes(name, property_id):
    verdict = BY_ID[property_id].decide(Subject(sy.measure(name)))
    assert (verdict.grade, verdict.classes) == ("proved", EVERY)


def test_the_worst_value_is_that_of_matrices_with_every_class():
    """Three examples of three classes, each called the next: the covariances are -1 of 3 and the variances 2 of 3."""
    verdict = BY_ID["minimal-agreement"].decide(Subject(sy.measure("mcc")))
    assert verdict.notes == ("worst at C = 2: -1; worst at C = 3: -1/2",)


def test_the_mean_of_guessing_by_hand():
    """Three examples, one positive, one predicted positive: right with 1/3 (accuracy 1), else two errors (accuracy 1/3)."""
    matrices, groups = baseline.deals(2, 3)
    mean = baseline.exact_mean(Subject(sy.measure("accuracy")), matrices[groups[(1, 2), (1, 2)]])
    assert mean == Fraction(1, 3) * 1 + Fraction(2, 3) * Fraction(1, 3)


def test_all_classes_are_there_in_a_deal_and_in_its_prediction():
    """Three examples of two classes: one or two of the first, one or two called so."""
    _, groups = baseline.deals(2, 3)
    assert sorted(groups) == [(rows, columns) for rows in ((1, 2), (2, 1)) for columns in ((1, 2), (2, 1))]


def test_the_mean_of_guessing_is_that_of_every_number_of_classes():
    verdict = BY_ID["constant-baseline"].decide(Subject(sy.measure("kappa")))
    assert verdict.notes == ("the mean is 0 at C = 2", "the mean is 0 at C = 3")
    assert [verdict.holds_at(c) for c in (2, 3)] == [True, True]


def test_what_is_not_linear_is_not_proved_by_a_few_deals():
    """The square of the correlation is 0 on the mean of all deals, but its mean is 1/(n - 1): 1 for two examples, 1/2 for three."""
    square = formula_measure("(tp*tn-fp*fn)^2/((tp+fn)*(fp+tn)*(tp+fp)*(fn+tn))")
    few = BY_ID["constant-baseline"].decide(Subject(square, most=10))
    assert few.grade == "not refuted"
    assert "linear" in few.method
    verdict = BY_ID["constant-baseline"].decide(Subject(square))
    assert verdict.grade == "refuted"
    assert verdict.counterexample.values == (1, Fraction(1, 2))


def test_means_of_a_counterexample_are_worked_out_again():
    subject = Subject(sy.measure("accuracy"))
    verdict = BY_ID["constant-baseline"].decide(subject)
    assert verdict.counterexample.values == (Fraction(1, 2), Fraction(5, 9))  # 1/3 + 2/3 * 1/3
    (certificate,) = baseline.certificates_of(subject, verdict.counterexample)
    assert check(certificate) == "holds"
    certificate["values"][1][1] = "4/9"
    assert check(certificate) == "fails"


def test_ways_are_multinomial():
    assert baseline.ways([[1, 0], [0, 2]]) * 2 == baseline.ways([[0, 1], [1, 1]])  # one deal against two


def test_impossibility_holds_of_the_whole_catalogue():
    """No measure has all three for two classes."""
    ids = ("strictly-monotone", "distance", "constant-baseline")
    for m in sy.catalogue():
        found = sy.examine(m, [BY_ID[i] for i in ids])
        assert not all(v.holds_at(2) for v in found.verdicts), m.name


def test_the_argument_for_it_rests_on_the_right_matrices():
    assert impossibility._premises()
    assert impossibility.impossible_together().verdict == "proved"
    # Brute force over small whole gaps: no x, y, z satisfy the three demands.
    small = range(1, 30)
    assert not any(2 * x == 2 * y + z and z > x and x <= 2 * y for x in small for y in small for z in small)


def test_strictness_sees_empty_cells():
    names = matrix_names(2)

    def product(at):
        m = at.matrix(2)
        return m[0, 0] * m[1, 1], Fraction(0)

    assert not prove_greater(names, product).proved  # 0 where a cell is empty
    assert prove_greater(names, product, positive=("m0_0", "m1_1")).proved
    assert not prove_greater(names, product, positive=("m0_0",), groups=(("m1_0", "m1_1"),)).proved


def test_a_root_of_nothing_is_no_slope():
    """√(ab) has a positive slope in a where both are positive, but does not rise where b is 0."""
    names = ("a", "b")

    def root(at):
        return (at["a"] * at["b"]) ** Fraction(1, 2)

    assert not prove_rising(names, root, {"a": 1}, positive=("a",)).proved
    assert prove_rising(names, root, {"a": 1}, positive=("a", "b")).proved


def test_an_angle_is_compared_and_nothing_else():
    angle = Angle(None)
    for operation in (lambda: angle + 1, lambda: 1 - angle, lambda: angle * 2, lambda: angle - angle):
        with pytest.raises(TypeError):
            operation()


@pytest.mark.parametrize(
    ("cosine", "turns"), [(1, 0), (-1, 1), (0, Fraction(1, 2)), (Fraction(1, 2), Fraction(1, 3))]
)
def test_angles_that_are_rational(cosine, turns):
    assert exact_half_turns(Fraction(cosine)) == turns


def test_angles_to_sixty_digits():
    """arccos(3/5) + arccos(4/5) is a quarter turn."""
    total = exact_half_turns(Fraction(3, 5)) + exact_half_turns(Fraction(4, 5))
    assert abs(total - Fraction(1, 2)) < Fraction(1, 10**58)


X, Y = (["variable", name] for name in "xy")
LENGTH = ["^", ["+", ["*", X, X], ["*", Y, Y]], "1/2"]
CERTIFIED = (
    ("accuracy", "strictly-monotone"), ("mcc", "maximal-agreement"), ("imbalance_accuracy", "strictly-monotone"),
    ("threat_score", "distance"), ("kappa", "constant-baseline"), ("macro_recall", "minimal-agreement"),
)  # fmt: skip


@pytest.mark.parametrize(("name", "property_id"), CERTIFIED)
def test_strict_proofs_are_certified_and_tampering_is_noticed(name, property_id):
    verdict, found = with_certificates(lambda: BY_ID[property_id].decide(Subject(sy.measure(name))))
    assert verdict.grade == "proved"
    assert checked(found).state == "certified"
    for certificate in found:
        if certificate["relation"] == ">":
            assert (
                check({**certificate, "left": certificate["right"], "right": certificate["left"]}) != "holds"
            )
        if certificate["relation"] == "rises":
            turned = {name: -rate for name, rate in certificate["direction"].items()}
            assert check({**certificate, "direction": turned}) != "holds"


def test_a_certificate_that_forgets_an_empty_cell_does_not_hold():
    x, y = (["variable", name] for name in "xy")
    stated = {"relation": ">", "variables": ["x", "y"], "left": ["*", x, y], "right": "0"}
    assert check({**stated, "positive": ["x", "y"], "groups": []}) == "holds"
    assert check({**stated, "positive": ["x"], "groups": []}) == "not certified"
    assert check({**stated, "positive": [], "groups": [["x", "y"]]}) == "not certified"
    over = {**stated, "left": ["/", x, ["*", x, y]], "positive": [], "groups": []}
    assert check(over) == "holds"  # where y is 0 there is no value, and nothing is asked


@pytest.mark.parametrize(
    ("stated", "answer"),
    [
        # x y rises with x only where y is not 0
        ({"relation": "rises", "left": ["*", X, Y], "direction": {"x": 1}, "positive": ["x", "y"]}, "holds"),
        ({"relation": "rises", "left": ["*", X, Y], "direction": {"x": 1}, "positive": ["x"]}, "not certified"),
        ({"relation": "rises", "left": ["*", ["*", X, X], Y], "direction": {"x": 1}, "positive": ["x", "y"]}, "holds"),
        ({"relation": "rises", "left": ["*", X, Y], "direction": {"x": -1}, "positive": ["x", "y"]}, "not certified"),
        # x + y is greater than the root of x² + y², but not where one of them is 0
        ({"left": ["+", X, Y], "right": LENGTH, "positive": ["x", "y"]}, "holds"),
        ({"left": ["+", X, Y], "right": LENGTH, "positive": ["x"]}, "not certified"),
        ({"left": ["+", X, Y], "right": LENGTH, "positive": []}, "not certified"),
        # y² / y has no value where y is 0
        ({"left": ["*", ["*", Y, Y], ["^", Y, "-1"]], "right": "0", "positive": ["x"]}, "holds"),
        ({"left": ["*", Y, Y], "right": "0", "positive": ["x"]}, "not certified"),
    ],
)  # fmt: skip
def test_what_is_greater_and_what_rises_where_cells_are_empty(stated, answer):
    assert check({"relation": ">", "variables": ["x", "y"], "groups": []} | stated) == answer


@pytest.mark.parametrize(("maxima", "answer"), [(6, "holds"), (7, "not certified")])
def test_as_many_ways_to_fall_as_are_worked_through(maxima, answer):
    """Six maxima fall in 64 ways, found by 63 questions; seven in 128 by 127, and 200 cases are looked at."""
    names = [f"{letter}{i}" for i in range(maxima) for letter in "xy"]
    total = "0"
    for i in range(maxima):
        total = ["+", total, ["max", ["variable", f"x{i}"], ["variable", f"y{i}"]]]
    given = {"relation": ">", "variables": names, "left": total, "right": "0"}
    assert check({**given, "positive": names, "groups": []}) == answer


@pytest.mark.parametrize("property_id", ["strictly-monotone", "strongly-monotone"])
def test_an_angle_rises_where_its_cosine_falls(property_id):
    """The correlation distance grows with an error; its certificates speak of the cosine the other way round."""
    subject = Subject(sy.measure("correlation_distance"), sizes=(2,))
    verdict, found = with_certificates(lambda: BY_ID[property_id].decide(subject))
    assert verdict.grade == "proved"
    assert [c["relation"] for c in found].count("rises") == 2
    assert checked(found).state == "certified"


def test_values_of_a_counterexample_are_worked_out_again():
    verdict = BY_ID["distance"].decide(Subject(sy.measure("f_beta")))
    subject = Subject(sy.measure("f_beta"))
    (certificate,) = certificates.of_counterexample(subject.symbol, verdict.counterexample, values=True)
    assert check(certificate) == "holds"
    certificate["values"][0][1] = "17/23"
    assert check(certificate) == "fails"


def test_the_table_counts_its_open_cells_and_links_to_evidence():
    table = property_table([sy.measure(name) for name in ("accuracy", "imbalance_accuracy")])
    cells = [cell_of(v) for e in table.examinations for v in e.verdicts]
    assert len(cells) == 2 * len(BY_ID)
    open_ones = sum(list(cell.grades.values()).count("open") for cell in cells)
    assert f"{open_ones} are open" in str(table.report().sections[0].blocks[0])
    page = table.to_html()
    for property_id in GOSGENS:
        assert f'href="#accuracy-{property_id}"' in page
        assert f'id="accuracy-{property_id}"' in page
    assert {p.id for p in FIELD} <= set(GOSGENS)
