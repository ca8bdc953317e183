"""Many sources, one result: counts from files, tables and streams."""
