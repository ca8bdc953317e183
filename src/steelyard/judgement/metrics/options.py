"""Options of `metrics`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any

from steelyard.judgement.common_options import Labels, Positive, Priors, Relevance, Undefined, read_matrix
from steelyard.parameters import Parameter


@dataclass(frozen=True)
class Options:
    """Compute every metric of MATRIX, a JSON list of rows (rows are truth, columns are predictions)."""

    matrix: Annotated[Any, Parameter("The confusion matrix.", argument="MATRIX", read=read_matrix)]
    _: KW_ONLY
    labels: Labels = None
    positive: Positive = None
    relevance: Relevance = None
    priors: Priors = None
    undefined: Undefined = "nan"
    measures: Iterable[Any] | None = None
