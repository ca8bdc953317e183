"""What branco2017 prints: its three cases and the figures of its Tables 2 to 5."""

from __future__ import annotations

from typing import Any

from steelyard_papers.printed_figures import printed

FIGURES = printed("branco2017")
# Orders and scores of the classes in section 5, from the authors' published code. The paper does not print
# them.
EXPERIMENTS = printed("branco2017", "experiments")
CASES: dict[str, list[list[int]]] = FIGURES["cases"]
ORDERS: dict[str, dict[str, str]] = FIGURES["orders"]
PHI: dict[str, list[float]] = FIGURES["phi"]

# By case: recall, precision and F_1 of each class; None is "n. def.".
TABLE_2: dict[str, list[list[str | None]]] = FIGURES["table 2"]

EXISTING: tuple[str, ...] = tuple(FIGURES["existing"])
BASES = ("Rec", "Prec", "F_1", "AvF_1", "CBA")
MECHANISMS = ("PREV", "PO", "TO", "phi")

# By case and measure: value, normalised value, and whether the paper finds it in accordance with the user's
# preferences.
TABLE_3: dict[str, dict[str, dict[str, Any]]] = FIGURES["table 3"]

# By case: the relevance of each class by each mechanism.
TABLE_4: dict[str, dict[str, list[str]]] = FIGURES["table 4"]

# The relevance-based half: normalised value in cases 1, 2, 3, and the cases in which it is printed in bold
# (in accordance with the user's preferences). The other half is Table 3 again, but for the three values
# marked "a".
TABLE_5: dict[str, dict[str, Any]] = FIGURES["table 5"]

# Case 1, marked "a" in Table 5: a precision that is not defined counts as 0.
TABLE_5_FILLED: dict[str, str] = FIGURES["table 5, case 1 with undefined precisions as 0"]

# What the text says of node E: two classes below, one above, and B, F, G incomparable.
FIGURE_1: list[str] = FIGURES["figure 1"]
