"""Watch a stream of predictions for drift, with labels or without."""
