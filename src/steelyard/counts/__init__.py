"""What was counted: labels, matrices, scores and their curves, as plain arrays.

`JointCounts` is public: what several models predict for the same rows, counted together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from steelyard._lazy import lazily

if TYPE_CHECKING:
    from steelyard.counts.joint import JointCounts as JointCounts

_HOMES = {"JointCounts": "joint"}
__all__ = list(_HOMES)
__getattr__ = lazily(__name__, _HOMES)
