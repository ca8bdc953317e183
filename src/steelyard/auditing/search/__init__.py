"""Solvers over boxes of integers: branch and bound, hill climbing, Farkas certificates."""
