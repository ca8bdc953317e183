"""The studies of mullick2020: indices on test sets whose class ratio changes and on more and more classes."""
