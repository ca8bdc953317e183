"""How predictions that are kept elsewhere become counts."""
