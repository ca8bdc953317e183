"""Are scores counted, ranked and cut right?"""
