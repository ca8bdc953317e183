"""The catalogue of measures and the operators that make new ones."""
