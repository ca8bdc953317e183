"""Proofs of "impossible" that anybody can check again: how they are written down, checked and found."""
