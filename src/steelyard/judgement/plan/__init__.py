"""Sample size: how many examples of each class a test set needs."""
