"""How much does each class matter to the user? The public door to `steelyard.measures.relevance`.

>>> import steelyard as sy
>>> sy.relevance.partial_order(["a", "b", "c"], [("c", "a"), ("c", "b")])
Relevance by partial order (PO): a 1, b 1, c 0.4
"""

from steelyard.measures.relevance import Relevance as Relevance
from steelyard.measures.relevance import parse as parse
from steelyard.measures.relevance import partial_order as partial_order
from steelyard.measures.relevance import partial_order_ranks as partial_order_ranks
from steelyard.measures.relevance import prevalence as prevalence
from steelyard.measures.relevance import scores as scores
from steelyard.measures.relevance import total_order as total_order

__all__ = [name for name in dir() if not name.startswith("_")]
