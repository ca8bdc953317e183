"""Steelyard inside the tools that users already hold in their hands."""
