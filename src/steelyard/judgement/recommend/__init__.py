"""Recommend metrics for a task."""
