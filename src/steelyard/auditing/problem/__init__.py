"""What printed numbers demand: names of metrics, intervals, expressions and settings."""
