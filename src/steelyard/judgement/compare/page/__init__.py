"""The page of a comparison: layout and tables."""
