"""What branco2017 prints: its three cases and the figures of its Tables 2 to 5."""

from __future__ import annotations

CASES: dict[str, list[list[int]]] = {
    "1": [[5, 0, 0], [0, 10, 0], [0, 300, 0]],
    "2": [[1, 0, 3], [0, 100, 0], [0, 0, 200]],
    "3": [[1, 3, 0, 0], [9, 1, 0, 0], [0, 0, 100, 0], [0, 0, 0, 200]],
}

# Table 2, by case: recall, precision and F1 of each class; None is "n. def.".
TABLE_2: dict[str, list[tuple[str | None, str | None, str | None]]] = {
    "1": [("1", "1", "1"), ("1", "0.032", "0.063"), ("0", None, None)],
    "2": [("0.25", "1", "0.4"), ("1", "1", "1"), ("1", "0.985", "0.993")],
    "3": [("0.25", "0.1", "0.14"), ("0.1", "0.25", "0.14"), ("1", "1", "1"), ("1", "1", "1")],
}

EXISTING = (
    "AvAcc",
    "MAvG",
    "Rec_M",
    "Prec_M",
    "Rec_mu",
    "Prec_mu",
    "F_1M",
    "F_1mu",
    "AvF_1",
    "CBA",
    "MCC",
    "RCI",
    "CEN",
)

# Table 3, by case in the order of EXISTING: value, and whether the paper finds it in accordance with the user's preferences.
TABLE_3: dict[str, list[tuple[str | None, bool]]] = {
    "1": [
        ("0.365", False), ("0.000", False), ("0.667", True), (None, False), ("0.048", False), ("0.048", False), (None, False),
        ("0.048", False), (None, False), ("0.344", False), ("0.301", True), ("0.368", False), ("0.022", True),
    ],
    "2": [
        ("0.993", False), ("0.630", True), ("0.750", False), ("0.995", True), ("0.990", False), ("0.990", True), ("0.855", False),
        ("0.990", False), ("0.798", False), ("0.745", True), ("0.978", False), ("0.926", False), ("0.019", False),
    ],
    "3": [
        ("0.981", False), ("0.398", True), ("0.588", False), ("0.588", False), ("0.962", False), ("0.962", False), ("0.588", False),
        ("0.962", False), ("0.571", False), ("0.550", False), ("0.923", False), ("0.979", False), ("0.015", False),
    ],
}  # fmt: skip

TABLE_3_NORMALISED: dict[str, list[str | None]] = {
    "1": ["36.5", "0.0", "66.7", None, "4.8", "4.8", None, "4.8", None, "34.4", "65.1", "36.8", "97.8"],
    "2": [
        "99.3",
        "63.0",
        "75.0",
        "99.5",
        "99.0",
        "99.0",
        "85.5",
        "99.0",
        "79.8",
        "74.5",
        "98.9",
        "92.6",
        "98.1",
    ],
    "3": [
        "98.1",
        "39.8",
        "58.8",
        "58.8",
        "96.2",
        "96.2",
        "58.8",
        "96.2",
        "57.1",
        "55.0",
        "96.2",
        "97.9",
        "98.5",
    ],
}

ORDERS = {
    "1": {"PO": "c3 < c1, c3 < c2", "TO": "c3 < c2 < c1"},
    "2": {"PO": "c3 < c1, c2 < c1", "TO": "c3 < c2 < c1"},
    "3": {"PO": "c3 < c1, c4 < c1, c4 < c2", "TO": "c4 < c3 < c2 < c1"},
}
PHI = {"1": (1.0, 0.9, 0.1), "2": (1.0, 0.2, 0.1), "3": (1.0, 0.9, 0.2, 0.1)}

# Table 4: the relevance of each class by each mechanism.
TABLE_4: dict[str, dict[str, tuple[str, ...]]] = {
    "1": {
        "PREV": ("0.66", "0.33", "0.01"),
        "PO": ("1", "1", "0.4"),
        "TO": ("1", "0.67", "0.33"),
        "phi": ("1", "0.9", "0.1"),
    },
    "2": {
        "PREV": ("0.94", "0.04", "0.02"),
        "PO": ("1", "0.5", "0.5"),
        "TO": ("1", "0.67", "0.33"),
        "phi": ("1", "0.2", "0.1"),
    },
    "3": {
        "PREV": ("0.64", "0.32", "0.03", "0.02"),
        "PO": ("1", "0.86", "0.57", "0.42"),
        "TO": ("1", "0.75", "0.5", "0.25"),
        "phi": ("1", "0.9", "0.2", "0.1"),
    },
}

BASES = ("Rec", "Prec", "F_1", "AvF_1", "CBA")
MECHANISMS = ("PREV", "PO", "TO", "phi")

# Table 5, the relevance-based half: normalised value in cases 1, 2, 3, and the cases in which it is printed in bold
# (in accordance with the user's preferences). The other half is Table 3 again, but for the three values marked "a".
TABLE_5: dict[str, tuple[tuple[str, str, str], tuple[bool, bool, bool]]] = {
    "Rec^PREV": (("98.9", "29.2", "24"), (True, True, True)),
    "Prec^PREV": (("67.7", "100", "17.8"), (True, True, True)),
    "F_1^PREV": (("80.4", "45.3", "20.4"), (True, True, True)),
    "AvF_1^PREV": (("68", "43.4", "17.8"), (True, True, True)),
    "CBA^PREV": (("67", "29.2", "13.7"), (True, True, True)),
    "Rec^PO": (("83.3", "62.5", "46.7"), (True, True, True)),
    "Prec^PO": (("51.6", "99.6", "46"), (True, True, True)),
    "F_1^PO": (("63.7", "76.8", "46.4"), (True, True, True)),
    "AvF_1^PO": (("44.3", "69.8", "44.3"), (False, True, True)),
    "CBA^PO": (("43", "62.1", "41.5"), (False, True, True)),
    "Rec^TO": (("83.3", "62.5", "43"), (True, True, True)),
    "Prec^TO": (("61.3", "99.8", "41.5"), (True, True, True)),
    "F_1^TO": (("70.6", "76.9", "42.2"), (True, True, True)),
    "AvF_1^TO": (("52.1", "69.9", "40"), (True, True, True)),
    "CBA^TO": (("51.1", "62.3", "37"), (True, True, True)),
    "Rec^phi": (("95", "42.3", "29.1"), (True, True, True)),
    "Prec^phi": (("54.2", "99.9", "28.4"), (True, True, True)),
    "F_1^phi": (("69", "59.4", "28.7"), (True, True, True)),
    "AvF_1^phi": (("52.8", "53.8", "26"), (True, True, True)),
    "CBA^phi": (("51.5", "42.2", "22.3"), (True, True, True)),
}
TABLE_5_FILLED = {"Prec_M": "34.4", "F_1M": "45.4", "AvF_1": "35.4"}
"""Case 1, marked "a" in Table 5: a precision that is not defined counts as 0."""

FIGURE_1 = ("A < E", "C < E", "E < D")
"""What the text says of node E: two classes below, one above, and B, F, G incomparable."""
