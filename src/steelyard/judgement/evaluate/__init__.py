"""How good is one classifier?"""
