"""Evaluate one classifier on one test set."""
