"""Where reports are written from: see `steelyard.saving`."""

from steelyard.saving import save

__all__ = ["save"]
