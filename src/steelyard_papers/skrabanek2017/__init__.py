"""Claims and gradient study of skrabanek2017."""
