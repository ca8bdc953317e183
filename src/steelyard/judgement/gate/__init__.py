"""Quality gate: hold a classifier's metrics against limits, by confidence interval."""
