"""Which of several classifiers is better?"""
