"""Whatever is shown twice is one interval: on the headline, in the table of classes, of slices, in a comparison and in the
JSON."""

import json

import numpy as np
import pytest

import steelyard as sy

pytestmark = pytest.mark.usefixtures("few_samples")

LABELS = {2: ["fraud", "ok"], 3: ["a", "b", "c"]}


def rows(classes: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Truth, two predictions and a column to slice by."""
    rng = np.random.default_rng(classes)
    labels = np.array(LABELS[classes])
    truth = labels[rng.choice(classes, 400, p=np.linspace(1, 3, classes) / np.linspace(1, 3, classes).sum())]
    found = [np.where(rng.random(400) < r, truth, labels[rng.integers(0, classes, 400)]) for r in (0.8, 0.6)]
    return truth, found[0], found[1], np.array(["north", "south"])[rng.integers(0, 2, 400)]


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("design", ["sample", "fixed"])
def test_one_number_has_one_interval(classes: int, design: str) -> None:
    truth, first, second, _ = rows(classes)
    positive = LABELS[classes][0]
    found = sy.evaluate(truth, first, positive=positive, design=design)
    plain = json.loads(json.dumps(found.to_dict()))
    alone = sy.interval(found.matrix, positive=positive, design=design)
    compared = sy.compare({"first": first, "second": second}, truth, positive=positive, design=design)
    assert found.intervals is not None
    for name in ("recall", "precision", "f_beta", "gmean", "mcc", "balanced_accuracy"):
        ends = (found.intervals[name].low, found.intervals[name].high)
        assert (alone[name].low, alone[name].high) == ends
        value = compared.values["first"][sy.measure(name).name]
        assert (value.low, value.high) == ends
        (shown,) = (m["interval"] for m in plain["measures"] if m["id"] == sy.measure(name).id)
        assert (shown["low"], shown["high"]) == ends
    (of_class,) = (c for c in plain["classes"] if c["label"] == positive)
    for name in ("recall", "precision"):
        ends = [found.intervals[name].low, found.intervals[name].high]
        assert of_class[f"{name}_interval"] == ends


def test_a_slice_has_the_interval_of_its_rows_alone() -> None:
    truth, first, _, region = rows(2)
    whole = sy.evaluate(truth, first, positive="fraud", slices={"region": region})
    for part in whole.slices:
        inside = region == part.name[0]
        alone = sy.evaluate(truth[inside], first[inside], positive="fraud")
        assert alone.intervals is not None
        decides = alone.intervals[whole.decider.measure.name]
        assert (part.low, part.high) == pytest.approx((decides.low, decides.high))
