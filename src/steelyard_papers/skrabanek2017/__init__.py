"""The study of skrabanek2017: which measures lean on the class proportions?"""
