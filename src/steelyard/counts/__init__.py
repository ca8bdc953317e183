"""What was counted: labels, matrices, scores and their curves, as plain arrays."""
