"""How a verdict looks on a page: its word in its colour, and the matrices it rests on."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.properties.verdict import Grade, Matrix
from steelyard.report.page import html

COLOURS = {
    "proved": "good", "reproduced": "good", "refuted": "bad", "not reproduced": "bad", "not refuted": "open", "timed out": "open",
    "not decided": "soft", "not applicable": "soft",
}  # fmt: skip
GRADES: dict[Grade, str] = {
    "proved": "by an argument or by exact algebra, for the numbers of classes that are named",
    "refuted": "by a matrix on which it fails, verified before it is shown",
    "not refuted": "so many cases were tried, and it held in all of them",
    "timed out": "the deciders gave up within their limits, and no counterexample was found",
    "not applicable": "the question does not arise",
}


def verdict_word(word: str) -> html.Markup:
    """The word, in the colour of its kind."""
    return html.coloured(word, COLOURS[word])


def matrices_shown(matrices: Sequence[Matrix], captions: Sequence[str] = ()) -> str:
    """The matrices beside each other, each over its caption if there are captions."""
    words = captions if len(captions) == len(matrices) else [""] * len(matrices)
    return "".join(
        html.small_matrix(matrix, caption) for matrix, caption in zip(matrices, words, strict=True)
    )
