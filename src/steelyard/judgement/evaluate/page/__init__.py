"""The page of an evaluation: layout, tables, scores and What if."""
