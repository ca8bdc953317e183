"""What the five papers state, and what became of it when it was checked."""
