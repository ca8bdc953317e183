"""The catalogue of measures and the operators that make new ones.

Measures are made and found by the names of `steelyard` itself; public here are `REFERENCES`, the publications
that they are taken from, by their keys, and `short_name`, the display name of a measure.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING

from steelyard._lazy import lazily

if TYPE_CHECKING:
    from steelyard.measures.names import short_name as short_name
    from steelyard.measures.record import REFERENCES as REFERENCES

_HOMES = {"REFERENCES": "record", "short_name": "names"}
__all__ = list(_HOMES)
__getattr__ = lazily(__name__, _HOMES)

# Pickles written by 0.2.0 look for formulas here.
_former = ModuleType(f"{__name__}.formula_measure")
_former.__getattr__ = lazily(__name__, {"formula_measure": "formula"})  # type: ignore[method-assign]
sys.modules[_former.__name__] = _former
