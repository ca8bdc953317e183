"""What follows from the numbers: evaluate, compare, watch, recommend."""
