"""The study of garcia2012: with which class's rate does each measure go?"""
