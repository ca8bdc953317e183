"""How results are shown to people: on the terminal, in pages, in pictures."""
