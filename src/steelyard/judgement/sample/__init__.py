"""Audit samples: which rows of an unlabelled pool to label, and what the labels will buy."""
