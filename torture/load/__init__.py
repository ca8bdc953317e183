"""How much is too much: rows, classes, slices, hours?"""
