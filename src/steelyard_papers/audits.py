"""Can what the papers print be true? Their tables, put to the audit.

A table of one matrix is audited as such. Of means over folds only what holds of every fold is used: IAM = 2
CBA - 1 is linear, so it holds of their means.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from steelyard import audit
from steelyard.auditing import AuditResult
from steelyard.proofs import Matrix, as_matrix, certify_values
from steelyard_papers.branco2017.printed import FIGURES as BRANCO
from steelyard_papers.claim import Claim, Finding
from steelyard_papers.mortaz2020.claims import misfit
from steelyard_papers.mortaz2020.printed import COLUMNS, EXAMPLE_3, GLASS, SATIMAGE, Rows

_NAMES = {
    "ACC": "accuracy",
    "CBA": "class_balance_accuracy",
    "MAR": "macro_recall",
    "MAP": "macro_precision",
    "F-score": "macro_f_beta",
    "IAM": "imbalance_accuracy",
}
_SIZES_OF_EXAMPLE_3 = (2200, 2150, 1080, 650, 505)
"""mortaz2020 Table 7."""

_SECONDS = 30.0
"""More than any of these audits takes; a budget that is spent would leave a claim undecided."""


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


def _example_3() -> Finding:
    return _of_one_matrix(
        {name: audit(_row(row), _SIZES_OF_EXAMPLE_3, seconds=_SECONDS) for name, row in EXAMPLE_3.items()}
    )


def _worked_cases() -> Finding:
    results = {}
    for number, rows in BRANCO["cases"].items():
        printed = {
            name: cell["value"]
            for name, cell in BRANCO["table 3"][number].items()
            if cell["value"] is not None
        }
        results[f"case {number}"] = audit(printed, [sum(row) for row in rows], seconds=_SECONDS)
    return _of_one_matrix(results)


def _grape_detector() -> Finding:
    printed = "accuracy=0.963, balanced_accuracy=0.936, precision=0.027, balanced_precision=0.966"
    result = audit(printed, "grapes=1000, background=999000", seconds=_SECONDS)
    return _of_one_matrix({"a million windows": result})


def _means_over_folds(rows: Rows) -> Finding:
    """A row whose CBA and IAM contradict each other in every fold, and so in their means."""
    off = [f"{name}: {words}" for name, row in rows.items() if (words := misfit(row))]
    evidence = f"{len(off)} of {len(rows)} rows cannot be true, whatever the folds were"
    return Finding("refuted" if off else "not refuted", evidence, (), tuple(off))


CLAIMS = (
    Claim(
        id="mortaz-a1",
        paper="mortaz2020",
        where="Tables 7, 8 and 10",
        statement=(
            "What Tables 8 and 10 print of each of three models is true of one matrix with the class sizes of"
            " Table 7."
        ),
        decide=_example_3,
        explanation=(
            "One of the two values of ML_7 may be a slip: CBA 0.25 would go with IAM -0.50, or IAM -0.40 with"
            " CBA 0.30."
        ),
    ),
    Claim(
        id="mortaz-a2",
        paper="mortaz2020",
        where="Table 16",
        statement="What Table 16 prints of each model can be true of means over folds.",
        decide=lambda: _means_over_folds(GLASS),
        explanation=(
            "The columns may have been computed in different runs; in one run IAM is 2 CBA - 1 in every fold."
        ),
    ),
    Claim(
        id="mortaz-a3",
        paper="mortaz2020",
        where="Table 18",
        statement="What Table 18 prints of each model can be true of means over folds.",
        decide=lambda: _means_over_folds(SATIMAGE),
        explanation=(
            "The columns may have been computed in different runs; in one run IAM is 2 CBA - 1 in every fold."
        ),
    ),
    Claim(
        id="branco-a1",
        paper="branco2017",
        where="Table 3",
        statement=(
            "All values that Table 3 prints of a worked case are true of one matrix with the class sizes of"
            " that case."
        ),
        decide=_worked_cases,
    ),
    Claim(
        id="skrabanek-a1",
        paper="skrabanek2017",
        where="section 5",
        statement=(
            "Accuracy 0.963, balanced accuracy 0.936, precision 0.027 and balanced precision 0.966 at a share"
            " of 0.001 are true of one matrix."
        ),
        decide=_grape_detector,
        explanation=(
            "The paper calls them averages, presumably over images; means of ratios need not fit one matrix."
        ),
    ),
)


def of(paper: str) -> tuple[Claim, ...]:
    """The audits of one paper."""
    return tuple(claim for claim in CLAIMS if claim.paper == paper)
