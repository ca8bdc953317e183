"""How much does each class matter to the user? The public door to `steelyard.measures.relevance`.

>>> import steelyard as sy
>>> sy.relevance.partial_order(["a", "b", "c"], [("c", "a"), ("c", "b")])
Relevance by partial order (PO): a 1, b 1, c 0.4
"""

from steelyard.measures.relevance import (
    Relevance,
    parse,
    partial_order,
    partial_order_ranks,
    prevalence,
    scores,
    total_order,
)

__all__ = [
    "Relevance",
    "parse",
    "partial_order",
    "partial_order_ranks",
    "prevalence",
    "scores",
    "total_order",
]
