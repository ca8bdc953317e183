"""Symbols of the papers that are not metrics: ratios of class sizes, bounds, class relevance."""

# `steelyard explain` answers to them beside the names of metrics, also to a metric weighted by relevance
# as branco2017 writes it: Rec^PREV, CBA^phi.

from __future__ import annotations

from dataclasses import dataclass, replace

from steelyard.measures.catalogue import measure
from steelyard.measures.record import Citation, cite


@dataclass(frozen=True)
class Term:
    """A symbol with its meaning, its source, and where it is used here."""

    symbols: tuple[str, ...]
    title: str
    meaning: str
    reads: str
    sources: tuple[Citation, ...]
    notes: tuple[str, ...] = ()
    # Commands that show it.
    see: tuple[str, ...] = ()


_METRICS = "steelyard metrics '[[5,0],[1,9]]' --labels a,b --relevance"
_RATIOS = "In Python: steelyard_papers.mullick2020.ratios"
TERMS = (
    Term(
        ("IR",),
        "Imbalance ratio",
        "How many times as many training examples the largest class has as the smallest.",
        "largest / smallest class size of the training set",
        cite("mullick2020 Definition 1"),
        (f"{_RATIOS}.imbalance_ratio(sizes).",),
        ("steelyard paper IR",),
    ),
    Term(
        ("RRT",),
        "Ratio of representatives in the test set",
        "Test examples of the training set's majority class for each test example of its minority class.",
        "test examples of the training majority / of the training minority",
        cite("mullick2020 Definition 2"),
        (
            "Majority and minority are named by the training set, so the ratio can be below 1.",
            "The RRT of evaluate --full knows the test set alone: its largest class over its smallest.",
            f"{_RATIOS}.rrt(test, training).",
        ),
        ("steelyard evaluate --matrix '[[60,40],[5,895]]' --full",),
    ),
    Term(
        ("L", "U"),
        "Lower and upper bound of a metric",
        "The least and the greatest value over all confusion matrices of a number of classes.",
        "infimum and supremum over matrices with C classes",
        cite("mullick2020 Condition 2"),
        ("Condition 2 asks that neither depends on C: the property same-bounds.",),
        ("steelyard examine gmean --property same-bounds",),
    ),
    Term(
        ("W",),
        "Limit with one class failing",
        "The value of a metric when one class is never recognised and all others always are.",
        "limit as the recall of one class goes to 0 and all others are 1",
        cite("mullick2020 Condition 3"),
        ("Condition 3 asks that it stays above the lower bound L: the property one-class-failing.",),
        ("steelyard examine gmean --property one-class-failing",),
    ),
    Term(
        ("λ_C", "lambda_C"),
        "Lower limit of AUROC-OVA",
        "The value that normalises AUROC-OVA: nAUROC-OVA = (AUROC-OVA - λ_C) / (1 - λ_C).",
        "(C - 2) / (2 C)",
        cite("mullick2020 after Theorem 3"),
        (),
        ("steelyard explain nAUROC-OVA", "steelyard claims --only mullick-n1"),
    ),
    Term(
        ("φ", "phi"),
        "Class relevance",
        "How much a class matters to the user, a number from 0 to 1 for each class.",
        "given by the user, or estimated by PREV, PO or TO",
        cite("branco2017 section 4"),
        ("In Python: sy.relevance.scores({...}).",),
        (f"{_METRICS} 'a=1, b=0.1'",),
    ),
    Term(
        ("PREV",),
        "Class relevance by prevalence",
        "Nothing is known but the class sizes: the rarer a class, the more it matters.",
        "φ_i = (1 / t_i) / sum of 1 / t_j",
        cite("branco2017 Eq. 9"),
        ("In Python: sy.relevance.prevalence(matrix).",),
        (f"{_METRICS} prevalence",),
    ),
    Term(
        ("PO",),
        "Class relevance by a partial order",
        "Some pairs of classes can be compared; a class is ranked by how many classes are below it.",
        "φ_i = rank_i / largest rank, rank_i = 1 + classes below + half of those that cannot be compared",
        cite("branco2017 Eq. 10"),
        ("In Python: sy.relevance.partial_order(labels, pairs).",),
        ("steelyard metrics '[[5,0,0],[1,9,0],[0,1,9]]' --labels a,b,c --relevance 'b < a, c < a'",),
    ),
    Term(
        ("TO",),
        "Class relevance by a total order",
        "All classes can be put in order of how much they matter.",
        "φ_i = place of the class in the order / C, the least relevant first",
        cite("branco2017 Eq. 10"),
        ("In Python: sy.relevance.total_order(labels).",),
        (f"{_METRICS} 'b < a'",),
    ),
    Term(
        ("ν_N", "v_N"),
        "Prevalence of the negative class",
        "What share of the test set is negative.",
        "1 - ν_P = (fp + tn) / n",
        cite("skrabanek2017 Eq. 4"),
        (),
        ("steelyard explain prevalence",),
    ),
)
_BY_SYMBOL = {symbol: term for term in TERMS for symbol in term.symbols}
# branco2017's relevance-based metrics without their exponent: the metric here that is weighted.
_OF_RELEVANCE = {
    "Rec": ("macro_recall", "Eq. 4"),
    "Prec": ("macro_precision", "Eq. 5"),
    "F_β": ("f_beta_of_macros", "Eq. 6"),
    "F_beta": ("f_beta_of_macros", "Eq. 6"),
    "F_1": ("f_beta_of_macros", "Eq. 6"),
    "AvF_β": ("macro_f_beta", "Eq. 7"),
    "AvF_beta": ("macro_f_beta", "Eq. 7"),
    "AvF_1": ("macro_f_beta", "Eq. 7"),
    "CBA": ("class_balance_accuracy", "Eq. 8"),
}


def term(name: str) -> Term | None:
    """The term that this symbol means, None where it means none; symbols are case-sensitive."""
    symbol = name.strip()
    if symbol in _BY_SYMBOL:
        return _BY_SYMBOL[symbol]
    base, _, exponent = symbol.partition("^")
    # Rec^{PREV} in LaTeX, Rec^PREV as text.
    weights = _BY_SYMBOL.get(exponent.strip("{}"))
    if base not in _OF_RELEVANCE or weights is None or weights.sources[0].key != "branco2017":
        return None
    metric_id, equation = _OF_RELEVANCE[base]
    weighted = measure(metric_id)
    return replace(
        weights,
        symbols=(f"{base}^{weights.symbols[0]}",),
        title=f"{weighted.title}, weighted by relevance",
        meaning=f"{weights.title}: {weights.meaning[0].lower()}{weights.meaning[1:]}",
        reads=f"{weighted.reads}, with weights φ_i / sum of φ; {weights.reads}",
        sources=cite(f"branco2017 {equation}") + weights.sources,
        notes=(
            f"In Python: sy.weighted_by({metric_id!r}, relevance).",
            *weights.notes,
            *(note for note in weighted.notes if "CBA^φ" in note),
        ),
        see=(*weights.see, f"steelyard explain {metric_id}"),
    )
