"""What must hold of every measure in the catalogue."""

from __future__ import annotations

import importlib
import inspect
import math
import pickle
import pkgutil
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, note
from hypothesis import strategies as st

import steelyard as sy
from steelyard.errors import AmbiguousNameError, UnknownNameError
from steelyard.measures import catalogue as families
from steelyard.measures.catalogue import MEANS_MORE_THAN_ONE, names_of
from steelyard.measures.measure import Measure
from steelyard.measures.record import REFERENCES
from tests.catalogue.matrices import Array, all_small, batches, counts, extreme, sizes_for
from tests.each import each

ALL = sy.catalogue(wide=True)
MULTI = [m for m in sy.catalogue("multi-class", wide=True) if not m.ordered]
each_measure = each("measure", ALL, ids=lambda m: m.id)
GROW_AS_LOGARITHMS = {"kl_divergence"}
SLACK = 1e-9
"""Rounding of a float64 value of order 1."""


def same(a: object, b: object) -> bool:
    return np.asarray(a).tobytes() == np.asarray(b).tobytes() or bool(
        np.array_equal(np.asarray(a), np.asarray(b), equal_nan=True)
    )


def near(a: float, b: float) -> bool:
    return (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-11)


def of_all(
    data: st.DataObject, strategy: Callable[[tuple[int, ...]], st.SearchStrategy[Array]]
) -> Iterator[tuple[sy.Measure, Array]]:
    """Every measure with what was drawn for its numbers of classes: to draw anew for each takes longer than to check it."""
    drawn = {sizes: data.draw(strategy(sizes)) for sizes in {sizes_for(m): None for m in ALL}}
    for measure in ALL:
        note(measure.id)  # the last one is the one that failed
        yield measure, drawn[sizes_for(measure)]


# -- values


@given(data=st.data())
def test_range_is_respected(data: st.DataObject) -> None:
    for measure, matrix in of_all(data, counts):
        value = measure(matrix)
        occupied = (
            int(((matrix.sum(axis=0) + matrix.sum(axis=1)) > 0).sum()) if measure.kind == "multi-class" else 2
        )
        if not math.isnan(value):
            low, high = measure.range.at(occupied)
            assert low - SLACK <= value <= high + SLACK


@each_measure
@pytest.mark.parametrize("size", [2, 3, 5])
def test_range_is_respected_on_extreme_matrices(measure: sy.Measure, size: int) -> None:
    if measure.kind == "two-class" and size > 2:
        return
    low, high = measure.range.at(size)
    for matrix in extreme(size):
        value = measure(sy.Confusion(matrix, labels=["positive", *range(size - 1)]))
        assert math.isnan(value) or low - SLACK <= value <= high + SLACK, matrix.tolist()


@each_measure
def test_both_ends_of_the_range_are_approached(measure: sy.Measure) -> None:
    for size in sizes_for(measure):
        values = np.array([measure(m) for m in extreme(size)])
        low, high = measure.range.at(size)
        reached = np.nanmin(values), np.nanmax(values)
        assert reached[0] == pytest.approx(low, abs=2e-3), f"{size} classes"
        without_end = 10 if measure.id in GROW_AS_LOGARITHMS else 1e6
        assert reached[1] > without_end if high == np.inf else reached[1] == pytest.approx(high, abs=2e-3), (
            f"{size} classes"
        )


@given(data=st.data())
def test_batch_equals_loop(data: st.DataObject) -> None:
    for measure, batch in of_all(data, batches):
        looped = [measure(matrix) for matrix in batch]
        assert all(map(near, measure(batch).tolist(), looped))
        assert measure(batch.reshape(1, *batch.shape)).shape == (1, len(batch))
        assert list(measure.why_undefined(batch)) == [measure.why_undefined(matrix) for matrix in batch]


@each_measure
def test_batches_larger_than_a_chunk(measure: sy.Measure) -> None:
    """Chunks are cut inside the batch; the values must not show where."""
    size = sizes_for(measure)[-1]
    few = np.random.default_rng(7).integers(0, 4, size=(7, size, size))
    repeats = 2 * (1 << 17) // (size * size) // 7 + 1
    many = np.tile(few, (repeats, 1, 1))
    assert same(measure(many), np.tile(measure(few), repeats)) or np.allclose(
        measure(many), np.tile(measure(few), repeats), rtol=1e-12, equal_nan=True
    )


@given(data=st.data(), matrix=counts((2, 3, 5)))
def test_the_order_of_the_classes_does_not_matter(data: st.DataObject, matrix: Array) -> None:
    order = data.draw(st.permutations(range(len(matrix))))
    for measure in MULTI:
        assert near(measure(matrix), measure(matrix[np.ix_(order, order)])), measure.id


@given(matrix=counts((2,)))
def test_the_positive_class_is_named_not_placed(matrix: Array) -> None:
    here = sy.Confusion(matrix, labels=["yes", "no"])
    there = sy.Confusion(matrix[::-1, ::-1], labels=["no", "yes"])
    for measure in ALL:
        if measure.kind == "two-class":
            value = measure(here, positive="yes")
            assert near(value, measure(there, positive="yes")), measure.id
            assert near(value, measure(matrix)) or matrix.sum() == 0, measure.id
        else:
            assert near(measure(here), measure(there)), measure.id


@given(data=st.data(), factor=st.sampled_from([2, 7, 1000]))
def test_scaling_all_counts_changes_nothing(data: st.DataObject, factor: int) -> None:
    for measure, matrix in of_all(data, counts):
        if measure.depends_on_size:
            assert "Depends on the number" in " ".join(measure.notes) or "Grows" in " ".join(measure.notes)
        else:
            assert near(measure(matrix), measure(matrix * factor))
            assert near(measure(matrix), measure(matrix / factor))


@each_measure
def test_weights_of_2_everywhere_are_doubled_counts(measure: sy.Measure) -> None:
    rng = np.random.default_rng(3)
    truth, predicted = rng.integers(0, 2, 60), rng.integers(0, 2, 60)
    once = measure.score(truth, predicted)
    if measure.depends_on_size:
        once = measure.score(truth.tolist() * 2, predicted.tolist() * 2)
    assert measure.score(truth, predicted, sample_weight=np.full(60, 2.0)) == pytest.approx(once, rel=1e-12)
    assert measure.score(truth.tolist() * 2, predicted.tolist() * 2) == pytest.approx(once, rel=1e-12)


@given(data=st.data())
def test_float_equals_exact_fraction(data: st.DataObject) -> None:
    for measure, matrix in of_all(data, counts):
        for policy in ("nan", "skip", 0):
            value, exact = measure(matrix, undefined=policy), measure.exact(matrix, undefined=policy)
            assert isinstance(exact, Fraction) or math.isnan(exact)
            assert near(value, float(exact)), policy


# -- undefined values


@given(data=st.data(), fill=st.sampled_from([0, 1, 0.25, -3]))
def test_undefined_policy(data: st.DataObject, fill: float) -> None:
    for measure, batch in of_all(data, batches):
        undefined_policy(measure, batch, fill)


def undefined_policy(measure: sy.Measure, batch: Array, fill: float) -> None:
    values = measure(batch)
    for policy in ("nan", "skip", fill):
        assert all(
            map(
                near, measure(batch, undefined=policy).tolist(), [measure(m, undefined=policy) for m in batch]
            )
        ), policy
    defined = ~np.isnan(values)
    assert all(map(near, measure(batch, undefined="skip")[defined].tolist(), values[defined].tolist()))
    assert all(map(near, measure(batch, undefined=fill)[defined].tolist(), values[defined].tolist()))
    assert not np.isnan(measure(batch, undefined=fill)).any()
    if defined.all():
        assert same(measure(batch, undefined="raise"), values)
        return
    first = int(np.flatnonzero(~defined)[0])
    with pytest.raises(sy.UndefinedError) as in_batch:
        measure(batch, undefined="raise")
    with pytest.raises(sy.UndefinedError) as alone:
        measure(batch[first], undefined="raise")
    why = measure.why_undefined(batch[first])
    assert why in str(in_batch.value)
    assert why in str(alone.value)
    assert measure.name in str(alone.value)


@given(data=st.data())
def test_a_reason_in_words_where_and_only_where_it_is_undefined(data: st.DataObject) -> None:
    for measure, batch in of_all(data, batches):
        for value, why in zip(measure(batch), measure.why_undefined(batch), strict=True):
            if math.isnan(value):
                assert isinstance(why, str)
                assert " " in why
                assert "{" not in why
            else:
                assert why is None


@each_measure
def test_an_empty_matrix_is_undefined_and_says_so(measure: sy.Measure) -> None:
    for labels in (None, ["positive", "other"]):
        nothing = sy.Confusion([[0, 0], [0, 0]], labels=labels)
        assert math.isnan(measure(nothing))
        assert measure.why_undefined(nothing)
        assert measure(nothing, undefined=0.5) == 0.5 or measure.kind == "two-class"


@each_measure
@pytest.mark.parametrize("listed", [False, True], ids=["classes found", "classes listed"])
@pytest.mark.parametrize("steps", [(11, 211), pytest.param((1, 7), marks=pytest.mark.whole)])
def test_every_small_matrix(measure: sy.Measure, listed: bool, steps: tuple[int, int]) -> None:
    """Every way in which terms can be undefined: in range or with a reason; a batch is its matrices, of which some are
    computed singly and as fractions."""
    for size in sizes_for(measure)[:2]:
        names = ["positive", "other", "third"][:size] if listed else None
        batch = sy.Confusion(all_small(size), labels=names)
        low, high = measure.range.at(size)
        sample = range(0, len(batch.counts), steps[0] if size == 2 else steps[1])
        ones = [sy.Confusion(batch.counts[i], labels=names) for i in sample]
        reasons = measure.why_undefined(batch)
        values = measure(batch)
        assert [why is not None for why in reasons] == np.isnan(values).tolist()
        assert [measure.why_undefined(one) for one in ones] == [reasons[i] for i in sample]
        inside = np.isnan(values) | ((values >= low - SLACK) & (values <= high + SLACK))
        assert inside.all() or not listed  # a class left out changes the number of classes, hence the range
        for policy in ("nan", "skip", 0.3):
            given = measure(batch, undefined=policy)
            assert all(
                near(given[i], measure(one, undefined=policy)) for i, one in zip(sample, ones, strict=True)
            ), policy
            assert all(
                near(given[i], float(measure.exact(one, undefined=policy)))
                for i, one in zip(sample, ones, strict=True)
            ), policy


# -- what is said of it


@each_measure
def test_record_is_complete(measure: sy.Measure) -> None:
    assert measure.id.isidentifier()
    assert measure.id == measure.id.lower()
    assert measure.title
    assert measure.question.endswith("?")
    assert measure.formula.strip()
    assert measure.reads.strip()
    assert measure.undefined_when.strip()
    assert measure.sources
    assert measure.better in ("higher", "lower", "neither")
    assert not measure.undefined_when.endswith(".")
    assert all(text.endswith(".") for text in measure.notes)
    low, high = measure.range.at(3)
    assert low < high


@each_measure
def test_citations_resolve(measure: sy.Measure) -> None:
    for citation in measure.sources:
        assert citation.reference is REFERENCES[citation.key]
        assert citation.reference.text


def test_every_reference_is_cited() -> None:
    of_measures = {citation.key for m in sy.catalogue("all", wide=True) for citation in m.sources}
    sources = "".join(
        path.read_text(encoding="utf-8")
        for path in Path(sy.__file__).parent.rglob("*.py")
        if path.name != "references.py"
    )
    assert of_measures <= set(REFERENCES)
    assert [key for key in REFERENCES if key not in of_measures and key not in sources] == []


@each_measure
def test_formula_braces_match(measure: sy.Measure) -> None:
    depth = 0
    for at, character in enumerate(measure.formula):
        escaped = at > 0 and measure.formula[at - 1] == "\\"
        depth += 0 if escaped else {"{": 1, "}": -1}.get(character, 0)
        assert depth >= 0
    assert depth == 0


# -- names


def test_ids_are_unique() -> None:
    assert len({m.id for m in ALL}) == len(ALL)


def folded(name: str) -> str:
    return "".join(ch for ch in name.casefold() if ch not in " -_")


def test_every_name_means_one_measure() -> None:
    owner: dict[str, str] = {}
    for m in ALL:
        for name in names_of(m):
            key = name.casefold() if name.endswith(("+", "-")) else folded(name)
            assert owner.setdefault(key, m.id) == m.id, name


@each_measure
def test_every_name_finds_its_measure(measure: sy.Measure) -> None:
    ambiguous = {folded(name) for name in MEANS_MORE_THAN_ONE}
    for name in names_of(measure):
        assert sy.measure(name) is measure
        for written in (name.upper(), name.lower(), f" {name} "):
            if (
                written.upper().lower() == written.lower()
            ):  # not every Greek letter comes back from upper case
                assert sy.measure(written) is measure, written
        for written in (
            name.replace("_", " "),
            name.replace("_", "-"),
            name.replace("_", ""),
            name.replace("-", " "),
        ):
            if folded(name) not in ambiguous and not name.endswith(
                ("+", "-")
            ):  # these are tried in measures/test_look_up.py
                assert sy.measure(written) is measure, written


@pytest.mark.parametrize("name", list(MEANS_MORE_THAN_ONE))
def test_ambiguous_names_are_answered_with_the_choices(name: str) -> None:
    for written in (name, name.upper(), name.lower()):
        with pytest.raises(AmbiguousNameError) as caught:
            sy.measure(written)
        assert all(choice in str(caught.value) for choice in MEANS_MORE_THAN_ONE[name])


def test_ambiguous_names_are_not_also_names_of_a_measure() -> None:
    """Except that a measure's own id may be one of them, which is then found when written as the id is."""
    taken = {
        folded(name) for m in ALL for name in names_of(m) if name != m.id and not name.endswith(("+", "-"))
    }
    assert not taken & {folded(name) for name in MEANS_MORE_THAN_ONE}


def test_an_unknown_name_gets_a_suggestion() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'macro_recall'"):
        sy.measure("macro_recal")
    with pytest.raises(UnknownNameError, match="steelyard measures"):
        sy.measure("qqqqqq")
    with pytest.raises(sy.InputError, match="named by a string"):
        sy.measure(3)


def test_unknown_kind_and_parameters_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="two-class"):
        sy.catalogue("three-class")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="beta"):
        sy.measure("f_beta", bete=2)
    with pytest.raises(sy.InputError, match="no parameters"):
        sy.measure("recall", beta=2)
    with pytest.raises(sy.InputError):
        sy.measure("f_beta", beta="two")
    with pytest.raises(sy.InputError):
        sy.measure("f_beta", beta=-1)
    with pytest.raises(sy.InputError):
        sy.measure("class_weighted_accuracy", w=1.5)


# -- relations, pickles, weights


@given(data=st.data())
def test_relations_hold(data: st.DataObject) -> None:
    for measure, matrix in of_all(data, counts):
        value = measure(matrix)
        occupied = int(((matrix.sum(axis=0) + matrix.sum(axis=1)) > 0).sum())
        for relation in measure.relations:
            other = sy.measure(relation.other)(matrix)
            if math.isnan(other) or (occupied < 2 and math.isnan(value)):
                continue
            assert near(value, relation.function(other, max(occupied, 1))), relation.text


@each_measure
def test_pickles(measure: sy.Measure) -> None:
    back = pickle.loads(pickle.dumps(measure))
    matrix = [[7, 2], [3, 40]]
    assert back.name == measure.name
    assert same(back(matrix), measure(matrix))
    if measure.remake is not None:
        parameter = next(iter(inspect.signature(measure.remake).parameters))
        other = sy.measure(measure, **{parameter: 0.25})
        assert other.name != measure.name
        assert pickle.loads(pickle.dumps(other)).name == other.name
        assert same(pickle.loads(pickle.dumps(other))(matrix), other(matrix))


@each_measure
def test_weighted_by_is_for_means_over_classes_only(measure: sy.Measure) -> None:
    relevance = sy.relevance.scores({"a": 1, "b": 0.5, "c": 0})
    matrix = sy.Confusion([[5, 1, 2], [3, 40, 4], [6, 7, 50]], labels=["a", "b", "c"])
    if not measure.over_classes:
        with pytest.raises(sy.InputError, match="not a mean over classes"):
            measure.weighted_by(relevance)
        return
    weighted = measure.weighted_by(relevance)
    even = measure.weighted_by({"a": 0.5, "b": 0.5, "c": 0.5})
    assert even(matrix) == pytest.approx(measure(matrix), rel=1e-13)
    assert weighted(matrix) != pytest.approx(measure(matrix), rel=1e-6)
    assert float(weighted.exact(matrix)) == pytest.approx(weighted(matrix), rel=1e-12)
    assert weighted.question.endswith("?")
    assert same(pickle.loads(pickle.dumps(weighted))(matrix), weighted(matrix))
    if measure.graph.op == "mean":
        terms = [
            measure.weighted_by({label: float(label == one) for label in "abc"})(matrix) for one in "abc"
        ]
        assert measure(matrix) == pytest.approx(sum(terms) / 3, rel=1e-12)
        assert weighted(matrix) == pytest.approx((terms[0] + 0.5 * terms[1]) / 1.5, rel=1e-12)


def test_normalise_runs_from_worst_to_best() -> None:
    for m in ALL:
        ends = m.worst_and_best(3 if m.kind == "multi-class" else 2)
        if ends is None:
            assert m.better == "neither" or math.inf in m.range.at(3)
            continue
        worst, best = (float(e) for e in ends)
        size = 3 if m.kind == "multi-class" else 2
        assert m.normalise(worst, size) == pytest.approx(0)
        assert m.normalise(best, size) == pytest.approx(1)


# -- measures written by users


def _shortfall(c: object) -> Array:
    return c.ratio(c.missed, c.actual, "there are no examples of {label}")  # type: ignore[attr-defined]


def test_a_user_written_measure_is_a_measure_like_any_other() -> None:
    mine = sy.class_mean(
        id="mean_shortfall", title="Mean shortfall", question="How much of a class is missed, on average?",
        formula=r"\frac1C\sum_i (t_i-d_i)/t_i", reads="mean of (t_i - d_i) / t_i", better="lower", per_class=_shortfall,
    )  # fmt: skip
    matrix = sy.Confusion([[6, 2], [10, 30]], labels=["a", "b"])
    assert mine.exact(matrix) == (Fraction(1, 4) + Fraction(1, 4)) / 2
    assert mine(np.array([[[6, 2], [10, 30]], [[0, 0], [1, 1]]])).shape == (2,)
    assert (
        mine.why_undefined(sy.Confusion([[0, 0], [1, 1]], labels=["a", "b"]))
        == "there are no examples of class 'a'"
    )
    assert mine(sy.Confusion([[0, 0], [1, 1]], labels=["a", "b"]), undefined="skip") == 0.5
    assert mine.weighted_by({"a": 1, "b": 0}).exact(matrix) == Fraction(1, 4)
    assert sy.normalised(mine)(matrix) == 0.75
    assert mine.at_priors({"a": 0.001, "b": 0.999})(matrix) == pytest.approx(0.25)
    values = sy.weigh([mine, sy.measure("accuracy")], matrix)
    assert values == {"mean_shortfall": 0.25, "accuracy": 0.75}


def test_weigh_shares_work_and_gives_the_same_values() -> None:
    batch = np.random.default_rng(5).integers(0, 9, size=(50, 2, 2))
    together = sy.weigh(ALL, batch)
    assert list(together) == [m.name for m in ALL]
    for m in ALL:
        assert same(together[m.name], m(batch)), m.id


@pytest.mark.parametrize("family", [module.name for module in pkgutil.iter_modules(families.__path__)])
def test_every_declared_metric_is_listed(family: str) -> None:
    """A metric that is declared in a family module but left out of its tuple would exist for nobody."""
    listed = {m.id for m in sy.catalogue("all", wide=True)}
    declared = vars(importlib.import_module(f"{families.__name__}.{family}")).values()
    assert {m.id for m in declared if isinstance(m, Measure)} <= listed
