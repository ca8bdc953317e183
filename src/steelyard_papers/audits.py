"""Audits of printed tables: is there a matrix that gives the values?

Each row is audited as the values of one matrix.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from steelyard import audit
from steelyard.auditing import AuditResult
from steelyard.proofs import Matrix, as_matrix, certify_values
from steelyard_papers.branco2017.printed import FIGURES as BRANCO
from steelyard_papers.claim import Finding
from steelyard_papers.mortaz2020.printed import COLUMNS, EXAMPLE_3

_NAMES = {
    "ACC": "accuracy",
    "CBA": "class_balance_accuracy",
    "MAR": "macro_recall",
    "MAP": "macro_precision",
    "F-score": "macro_f_beta",
    "IAM": "imbalance_accuracy",
}
# mortaz2020 Table 7.
_SIZES_OF_EXAMPLE_3 = (2200, 2150, 1080, 650, 505)

# More than any of these audits takes; a budget that is spent would leave a claim undecided.
_SECONDS = 30.0


def _row(row: Sequence[str]) -> dict[str, str]:
    return {_NAMES[name]: text for name, text in zip(COLUMNS, row, strict=True)}


def _of_one_matrix(results: Mapping[str, AuditResult]) -> Finding:
    """Every row has a witness, or some row has none."""
    parts, matrices = [], list[Matrix]()
    for name, result in results.items():
        if result.witness is not None:
            matrices.append(as_matrix(result.witness))
            certify_values((demand.measure for demand in result.demands), matrices[-1])
            parts.append(f"{name}: possible, a matrix gives all {len(result.demands)} values")
        else:
            # Which values contradict each other; how near they can come, said after that, depends on the
            # budget of the search.
            parts.append(f"{name}: {result.verdict}. {result.reason().split('. ')[0].removesuffix('.')}.")
    verdicts = [result.verdict for result in results.values()]
    impossible = verdicts.count("impossible")
    evidence = f"{len(matrices)} of {len(results)} rows can be true of one matrix, {impossible} cannot"
    if impossible:
        return Finding("refuted", evidence, tuple(matrices), tuple(parts))
    grade = "not decided" if "undecided" in verdicts else "proved"
    return Finding(grade, evidence, tuple(matrices), tuple(parts))  # type: ignore[arg-type]


def example_3() -> Finding:
    return _of_one_matrix(
        {name: audit(_row(row), _SIZES_OF_EXAMPLE_3, seconds=_SECONDS) for name, row in EXAMPLE_3.items()}
    )


def worked_cases() -> Finding:
    results = {}
    for number, rows in BRANCO["cases"].items():
        printed = {
            name: cell["value"]
            for name, cell in BRANCO["table 3"][number].items()
            if cell["value"] is not None
        }
        results[f"case {number}"] = audit(printed, [sum(row) for row in rows], seconds=_SECONDS)
    return _of_one_matrix(results)


def grape_detector() -> Finding:
    printed = "accuracy=0.963, balanced_accuracy=0.936, precision=0.027, balanced_precision=0.966"
    result = audit(printed, "grapes=1000, background=999000", seconds=_SECONDS)
    return _of_one_matrix({"a million windows": result})
