"""Choose a decision threshold: what each threshold detects, misses and costs, and how certain the choice
is."""
