"""Choose a decision threshold: what each one detects, misses and costs, and how certain the choice is."""
