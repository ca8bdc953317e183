"""The pictures under the name by which results still ask for them."""

from steelyard.report.page.drawing import *  # noqa: F403
