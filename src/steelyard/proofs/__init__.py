"""Properties of measures and relations between them, decided: proved, refuted by a matrix, or left open.

The names below are public; the modules behind them are not. `decide_property` and the other `decide_*`
functions take measures and return a `Verdict`, with a `Counterexample` where they refute. `prove_equal` and
`prove_not_less` prove statements of your own about positive numbers, by exact algebra. `with_certificates`
runs any of them and has an independent checker go over every step.

>>> import steelyard as sy
>>> from steelyard.proofs import decide_not_greater, prove_equal
>>> str(decide_not_greater(sy.measure("CBA"), sy.measure("MAP"), (2, 3)))[:6]
'proved'
>>> prove_equal(lambda n: (n / (n + 1), 1 - 1 / (n + 1)))
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from steelyard._lazy import lazily

if TYPE_CHECKING:
    from steelyard.proofs.prover.certificates import Checked as Checked
    from steelyard.proofs.prover.certificates import Summed as Summed
    from steelyard.proofs.report import verdict_cell as verdict_cell
    from steelyard.proofs.statements import cached as cached
    from steelyard.proofs.statements import certify_sum as certify_sum
    from steelyard.proofs.statements import certify_values as certify_values
    from steelyard.proofs.statements import decide_affine as decide_affine
    from steelyard.proofs.statements import decide_equal as decide_equal
    from steelyard.proofs.statements import decide_not_greater as decide_not_greater
    from steelyard.proofs.statements import decide_property as decide_property
    from steelyard.proofs.statements import decide_same_ranking as decide_same_ranking
    from steelyard.proofs.statements import prove_equal as prove_equal
    from steelyard.proofs.statements import prove_not_less as prove_not_less
    from steelyard.proofs.statements import require_provers as require_provers
    from steelyard.proofs.statements import small_matrices as small_matrices
    from steelyard.proofs.statements import with_certificates as with_certificates
    from steelyard.proofs.statements import without_certificates as without_certificates
    from steelyard.proofs.verdict import EVERY as EVERY
    from steelyard.proofs.verdict import Counterexample as Counterexample
    from steelyard.proofs.verdict import Matrix as Matrix
    from steelyard.proofs.verdict import Verdict as Verdict
    from steelyard.proofs.verdict import as_matrix as as_matrix
    from steelyard.proofs.verdict import shown_matrix as shown_matrix

_NAMES = {
    "prover.certificates": "Checked Summed",
    "report": "verdict_cell",
    "statements": "cached certify_sum certify_values decide_affine decide_equal decide_not_greater"
    " decide_property decide_same_ranking prove_equal prove_not_less require_provers small_matrices"
    " with_certificates without_certificates",
    "verdict": "Counterexample EVERY Matrix Verdict as_matrix shown_matrix",
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}
__all__ = sorted(_HOMES)
__getattr__ = lazily(__name__, _HOMES)
