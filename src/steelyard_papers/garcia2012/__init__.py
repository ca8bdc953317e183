"""Correlation study and claims of garcia2012."""
