"""How much does each class matter to the user? The public door to `steelyard.measures.relevance`."""

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
