"""Certificates of the impossible: they hold, damaged ones do not, and there is none of the possible."""

from __future__ import annotations

import copy
import json
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import steelyard as sy
from steelyard.cli import main
from steelyard.properties.audit import certificate_check as check
from steelyard.properties.audit.certificate import certified, checked
from steelyard.properties.audit.certificate_check import CertificateError
from steelyard.properties.audit.printed import statements
from steelyard.properties.audit.question import demands_of, sizes_of
from steelyard.properties.audit.search import Budget
from tests.properties.audit.brute_force import MANY, fitting
from tests.properties.audit.test_against_brute_force import planted

SIZES = "pos=100, neg=200"


@pytest.mark.parametrize(
    ("values", "sizes", "options"),
    [
        ("recall=0.8545", SIZES, {}),
        ("accuracy=0.9567, recall=0.86", SIZES, {}),
        ("precision=0.8, recall=0.9, mcc=0.5", SIZES, {}),
        ("gmean=0.99, recall=0.9", SIZES, {}),
        ("macro_f1=0.5, accuracy=0.99", "a=10, b=20, c=70", {}),
        ("precision=0.00, specificity=1.00", "pos=10, neg=20", {}),
        ("false_discovery_rate=0.100", "pos=3, neg=3", {"undefined": 0}),
        ("recall=0.66", "pos=3, neg=5", {"rounding": "nearest"}),
    ],
)
def test_what_is_impossible_is_certified(values: str, sizes: str, options: dict[str, Any]) -> None:
    result = sy.audit(values, sizes, check=True, **options)
    assert result.verdict == "impossible"
    assert result.certificate is not None
    assert checked(json.loads(json.dumps(result.certificate))) > 0
    assert "The certificate holds" in repr(result)


def test_a_damaged_certificate_does_not_hold() -> None:
    sound: Any = sy.audit("accuracy=0.9567, recall=0.86", SIZES, check=True).certificate
    assert checked(sound) == 3

    def damaged(**changes: Any) -> dict[str, Any]:
        found: dict[str, Any] = copy.deepcopy(sound)
        for path, value in changes.items():
            if path == "nodes":
                found["nodes"] = value
            else:
                found["requirements"][0][path] = value
        return found

    fewer = damaged(nodes=sound["nodes"][:-1])
    more = damaged(nodes=[*sound["nodes"], ["out", 0]])
    easier = damaged(low="9/10")  # 0.9 is possible
    another = damaged(measure="precision")
    outside = damaged(nodes=[["split", 0, 1000], ["out", 0], ["out", 0]])
    everything = damaged(nodes=[["out", 0]])
    for certificate in (fewer, more, easier, another, outside, everything, {"sizes": [1, 2]}):
        with pytest.raises(CertificateError):
            checked(certificate)


def test_nothing_possible_is_certified() -> None:
    rng, tried = random.Random(11), 0
    while tried < 8:
        sizes = (3, 3, 2)
        printed = planted(rng, sizes, tuple(n for n in MANY if n != "mcc"))
        if printed is None or not fitting(printed, sizes)[0]:
            continue
        known = sizes_of(list(sizes), [], None, None, None)
        demands = demands_of(statements(printed), known, None, "nearest")
        assert certified(demands, known, "nan", Budget(0.3)) is None, printed
        tried += 1


def test_ranges_by_hand() -> None:
    # x / (x + y) over x in 1..3, y in 2..4: least 1/5, greatest 3/5.
    x, both = ["linear", "0", [[0, "1"]]], ["linear", "0", [[0, "1"], [1, "1"]]]
    ratio = ["ratio", x, both, None]
    assert check.enclose(ratio, [(1, 3), (2, 4)]) == (Fraction(1, 5), Fraction(3, 5), False)
    assert check.enclose(ratio, [(0, 0), (0, 0)]).empty
    assert check.enclose(["ratio", x, both, "0"], [(0, 0), (0, 0)]) == (0, 0, False)
    root = check.enclose(["power", x, "1/2"], [(2, 4), (0, 0)])
    assert root.high == 2
    assert root.low is not None
    assert 0 <= 2 - root.low**2 < Fraction(1, 2**70)
    doubled = ["sum", x, [["-2", ratio]]]
    assert check.enclose(doubled, [(1, 3), (2, 4)]) == (1 - Fraction(6, 5), 3 - Fraction(2, 5), False)


def test_the_space_holds_every_matrix() -> None:
    box, always = check.space_of([2, 1, 3])
    point = check.point_of([[1, 1, 0], [0, 0, 1], [2, 0, 1]])
    assert point == {0: 1, 1: 2, 2: 0, 3: 1, 4: 1, 5: 1}
    here = [(point[v], point[v]) for v in range(6)]
    assert not any(check.excludes(requirement, here) for requirement in always)
    assert all(low <= point[v] <= high for v, (low, high) in enumerate(box))
    # Two false alarms of a class are not three misses.
    assert check.excludes(always[0], [(1, 1), (2, 2), (0, 0), (1, 1), (1, 1), (0, 0)])


def test_the_command_checks_a_saved_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "result.json"
    assert main(["audit", "recall=0.8545", "--sizes", SIZES, "--check", "--json", str(path)]) == 1
    assert main(["audit", str(path), "--check"]) == 1
    assert "The certificate holds: 2 boxes" in capsys.readouterr().out
    found = json.loads(path.read_text(encoding="utf-8"))
    found["certificate"]["nodes"].pop()
    path.write_text(json.dumps(found), encoding="utf-8")
    assert main(["audit", str(path), "--check"]) == 2
    assert "does not hold" in capsys.readouterr().err
    assert sy.audit("recall=0.5", "pos=3, neg=4", folds=3, check=True).certificate is None
