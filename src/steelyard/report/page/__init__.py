"""The page every report is written on, and what is drawn on it."""
