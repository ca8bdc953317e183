"""Multi-label classification: rows with any number of labels."""
