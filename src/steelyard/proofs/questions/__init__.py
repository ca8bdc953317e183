"""What is asked of a measure: conditions, invariances, bounds, orderings."""
